// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * E-Trace: what an encoder can do, and what its fields ask of the encoding
 * (E-Trace 2.0, chapter "Encoder Control").
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

/* Those of the instruction features that E-Trace has. */
#define FEATURES \
	(RVTRACE_TR_TE_INST_NO_ADDR_DIFF | \
	 RVTRACE_TR_TE_INST_NO_TRAP_ADDR | \
	 RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP | \
	 RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN | \
	 RVTRACE_TR_TE_INST_EN_BRANCH_PREDICTION | \
	 RVTRACE_TR_TE_INST_EN_JUMP_TARGET_CACHE)

#define NO_SRCID_BIT		255	/* event_srcid_bit: events have a type */

#define STANDARD_SUPPORT	1	/* trTeProtocolMinor from which on it is sent */

/* The support packet before that: encoder_mode, and ioptions in an order of its own */
#define ENCODER_MODE_WIDTH	1
#define IOPTIONS_WIDTH		6

/* All packets that may be sent for the last instruction, each behind one with the full time */
#define FIFO_MIN	(6 * ETRACE_MAX_PACKET)

/* Two events besides, and how many were lost, likewise */
#define FIFO_EVENTS	(FIFO_MIN + 6 * ETRACE_MAX_PACKET)

static void set_defaults(struct te_config *config)
{
	config->etrace = (struct te_etrace_config) {
		.iaddress_width = 64,
		.iaddress_lsb = 1,
		.bpred_size = 5,
		.cache_size = 5,
		.return_stack_size = 4,
		.context_width = 32,
		.time_width = 64,
		.ecause_width = 6,
		.privilege_width = 3,
		.f0s_width = 1,
		.sijump = true,
		.timestamp_width = 16,
		.type_event = 2,
		.event_srcid_bit = NO_SRCID_BIT,
		.ctype = ETRACE_CONTEXT_PRECISE,
	};
}

/* "As specified by specification governing trTeFormat" */
static uint32_t minor(const struct te_config *config)
{
	return config->etrace.protocol_minor;
}

static uint32_t implemented(const struct te_config *config)
{
	const struct te_etrace_config *etrace = &config->etrace;
	uint32_t bits = FEATURES;

	if (!etrace->sijump)
		bits &= ~RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP;
	if (!etrace->return_stack_size && !etrace->call_counter_size)
		bits &= ~RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN;
	if (!etrace->bpred_size)
		bits &= ~RVTRACE_TR_TE_INST_EN_BRANCH_PREDICTION;
	if (!etrace->cache_size)
		bits &= ~RVTRACE_TR_TE_INST_EN_JUMP_TARGET_CACHE;
	return bits;
}

struct etrace_params te_etrace_params(const struct te_etrace_config *config)
{
	struct etrace_params params = {
		.iaddress_width = config->iaddress_width,
		.iaddress_lsb = config->iaddress_lsb,
		.bpred_size = config->bpred_size,
		.cache_size = config->cache_size,
		.return_stack_size = config->return_stack_size,
		.call_counter_size = config->call_counter_size,
		.context_width = config->context_width,
		.nocontext = config->nocontext,
		.time_width = config->time_width,
		.notime = config->notime,
		.ecause_width = config->ecause_width,
		.privilege_width = config->privilege_width,
		.f0s_width = config->f0s_width,
		.timestamp_bytes = config->timestamp_width / 8,
		.type_bits = config->type_width,
		.type_inst = config->type_inst,
		.type_event = config->type_event,
		.sign_padding = config->sign_padding,
		.ctype = (enum etrace_ctype)config->ctype,
		.standard_support = config->protocol_minor >= STANDARD_SUPPORT,
		.irets = config->iret_ext,
		.encoder_mode_width = ENCODER_MODE_WIDTH,
		.ioptions_width = IOPTIONS_WIDTH,
		.option = {
			[ETRACE_IMPLICIT_RETURN] = 0,
			[ETRACE_IMPLICIT_EXCEPTION] = 1,
			[ETRACE_FULL_ADDRESS] = 2,
			[ETRACE_JUMP_TARGET_CACHE] = 3,
			[ETRACE_BRANCH_PREDICTION] = 4,
			[ETRACE_SIJUMP] = 5,
		},
	};
	unsigned int i;

	for (i = ETRACE_RESYNC_DISABLED; i < ETRACE_MODES; i++)
		params.option[i] = ETRACE_NO_OPTION;
	return params;
}

static bool has_srcid_bit(const struct te_etrace_config *config)
{
	return config->event_srcid_bit != NO_SRCID_BIT;
}

/* "2+: other than instruction and data trace" */
bool te_etrace_has_events(const struct te_etrace_config *config)
{
	return has_srcid_bit(config) || config->type_width >= 2;
}

static bool has_events(const struct te_etrace_config *config, bool port)
{
	return port && te_etrace_has_events(config);
}

struct cell {
	const char *name;
	uint32_t value;
};

static bool property(const struct te_config *encoder, unsigned int index,
		     struct te_property *property)
{
	const struct te_etrace_config *config = &encoder->etrace;
	const struct etrace_params params = te_etrace_params(config);
	const struct cell all[] = {
		{ "arch", 0 },
		{ "bpred-size", params.bpred_size },
		{ "cache-size", params.cache_size },
		{ "call-counter-size", params.call_counter_size },
		{ "context-width", params.context_width },
		{ "ecause-width", params.ecause_width },
		{ "f0s-width", params.f0s_width },
		{ "iaddress-lsb", params.iaddress_lsb },
		{ "iaddress-width", params.iaddress_width },
		{ "nocontext", params.nocontext },
		{ "notime", params.notime },
		{ "privilege-width", params.privilege_width },
		{ "return-stack-size", params.return_stack_size },
		{ "sijump", config->sijump },
		{ "time-width", params.time_width },
		{ "timestamp-width", 8 * params.timestamp_bytes },
		{ "type-width", params.type_bits },
		{ "type-inst", params.type_inst },
		{ "sign-padding", params.sign_padding },
		{ "protocol-minor", config->protocol_minor },
		{ "encoder-mode-width", params.encoder_mode_width },
		{ "ioptions-width", params.ioptions_width },
		{ "option-implicit-return", params.option[ETRACE_IMPLICIT_RETURN] },
		{ "option-implicit-exception", params.option[ETRACE_IMPLICIT_EXCEPTION] },
		{ "option-full-address", params.option[ETRACE_FULL_ADDRESS] },
		{ "option-jump-target-cache", params.option[ETRACE_JUMP_TARGET_CACHE] },
		{ "option-branch-prediction", params.option[ETRACE_BRANCH_PREDICTION] },
		{ "option-sijump", params.option[ETRACE_SIJUMP] },
		{ "iret-ext", params.irets },
		{ "type-data", params.type_inst != 1 },
		has_srcid_bit(config) ?
		(struct cell){ "event-srcid-bit", config->event_srcid_bit } :
		(struct cell){ "type-event", params.type_event },
	};
	size_t count = sizeof(all) / sizeof(all[0]) - !has_events(config, encoder->port);

	if (index >= count)
		return false;
	*property = (struct te_property) {
		.name = all[index].name,
		.value = all[index].value,
	};
	return true;
}

/* Of a srcID of @src_bits; 0: none */
static uint16_t event_srcid(const struct te_etrace_config *config, unsigned int src_bits)
{
	return config->event_srcid_bit < src_bits ? 1u << config->event_srcid_bit : 0;
}

static const char *check_sizes(const struct te_etrace_config *config)
{
	const uint32_t bytes[] = {
		config->iaddress_width, config->iaddress_lsb, config->bpred_size,
		config->cache_size, config->return_stack_size,
		config->call_counter_size, config->context_width,
		config->time_width, config->ecause_width,
		config->privilege_width, config->f0s_width, config->type_width,
		config->type_inst, config->type_event, config->event_srcid_bit,
	};
	size_t i;

	for (i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		if (bytes[i] > UINT8_MAX)
			return "a width or size of E-Trace is more than 255";
	if (config->timestamp_width > 64 || config->timestamp_width % 8)
		return "timestamp_width is not 0 to 64 in steps of 8";
	if (config->ctype > ETRACE_CONTEXT_DISCONTINUITY)
		return "ctype is not 0 to 3";
	if (config->protocol_minor > STANDARD_SUPPORT)
		return "protocol_minor is not 0 or 1";
	return NULL;
}

static const char *check(const struct te_config *config)
{
	const char *wrong = check_sizes(&config->etrace);
	struct etrace_params params = te_etrace_params(&config->etrace);

	if (!wrong && config->fifo_size < FIFO_MIN)
		wrong = "fifo_size is less than the 252 that E-Trace needs";
	if (!wrong && has_events(&config->etrace, config->port)) {
		params.src_bits = config->src_bits;
		params.src_event = event_srcid(&config->etrace, params.src_bits);
		wrong = config->fifo_size < FIFO_EVENTS ?
			"fifo_size is less than the 504 that events in E-Trace need" :
			has_srcid_bit(&config->etrace) && !params.src_event ?
			"event_srcid_bit does not fit into src_bits" :
			etrace_events_check(&params);
	}
	for (params.src_bits = 0; !wrong && params.src_bits <= config->src_bits;
	     params.src_bits++)
		wrong = etrace_params_check(&params);
	return wrong;
}

static uint16_t modes(const uint32_t *fields)
{
	static const struct {
		enum te_field id;
		uint16_t mode;
	} table[] = {
		{ TE_SEQUENTIAL_JUMP, ETRACE_MODE(SIJUMP) },
		{ TE_IMPLICIT_RETURN, ETRACE_MODE(IMPLICIT_RETURN) },
		{ TE_BRANCH_PREDICTION, ETRACE_MODE(BRANCH_PREDICTION) },
		{ TE_JUMP_TARGET_CACHE, ETRACE_MODE(JUMP_TARGET_CACHE) },
		{ TE_NO_TRAP_ADDR, ETRACE_MODE(IMPLICIT_EXCEPTION) },
		{ TE_NO_ADDR_DIFF, ETRACE_MODE(FULL_ADDRESS) },
	};
	uint16_t set = 0;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (fields[table[i].id])
			set |= table[i].mode;
	return set;
}

static bool has_filters(const struct te_config *config)
{
	return config->filters || config->comparators;
}

/* etrace_filter; filters remember what they saw, so they are always asked. */
static bool is_wanted(void *opaque, const struct ingress_block *block)
{
	struct te_model *te = opaque;
	bool wanted = !has_filters(&te->config) || te_qualifies(te, block);

	return wanted && !(te->config.filter_machine &&
			   block->context.priv == INGRESS_PRIV_M);
}

static struct etrace_params params_of(const struct te_model *te)
{
	const struct te_config *config = &te->config;
	const uint32_t *fields = te->fields;
	struct etrace_params params = te_etrace_params(&config->etrace);

	params.modes = modes(fields);
	params.sync_mode = (enum etrace_sync_mode)fields[TE_SYNC_MODE];
	/* "count reaches 2^(teSyncMax + 4)" */
	params.sync_interval = 16ull << fields[TE_SYNC_MAX];
	if (has_filters(config) || config->filter_machine)
		params.filter = is_wanted;
	if (!te->timed)
		params.timestamp_bytes = 0;
	if (!fields[TE_INHIBIT_SRC]) {
		params.src_bits = fields[TE_SRC_BITS];
		params.src_event = event_srcid(&config->etrace, params.src_bits);
		params.src = fields[TE_SRC_ID] & ((1u << params.src_bits) - 1) &
			     ~params.src_event;
	}
	return params;
}

static void init(struct te_model *te)
{
	struct etrace_params params = params_of(te);

	te->notify = false;
	etrace_encoder_init(&te->etrace, &params, te_emit, te);
}

static void start(struct te_model *te, uint64_t pc,
		  const struct ingress_context *context, uint64_t time,
		  uint64_t cycles)
{
	etrace_encoder_start(&te->etrace, pc, context, time, cycles);
}

static void block(struct te_model *te, const struct ingress_block *block)
{
	struct ingress_block noted = *block;

	if (te->notify && block->halfwords) {
		noted.notify = true;
		te->notify = false;
	}
	etrace_encoder_block(&te->etrace, &noted);
}

static void stop(struct te_model *te, uint64_t pc, uint64_t time,
		 uint64_t cycles)
{
	(void)pc;
	(void)cycles;
	etrace_encoder_stop(&te->etrace, time);
}

/* "notify": a trigger asks for it (chapter "Format 2 notify and updiscon fields"). */
static void synchronize(struct te_model *te, enum te_sync_reason reason)
{
	if (reason == TE_SYNC_EVENT)
		te->notify = true;
	else
		etrace_encoder_request_sync(&te->etrace);
}

static bool carries_events(const struct te_model *te)
{
	const struct te_config *config = &te->config;

	return has_events(&config->etrace, config->port) &&
	       (!has_srcid_bit(&config->etrace) || te->etrace.params.src_event);
}

static bool event(struct te_model *te, uint16_t id, uint64_t value,
		  uint64_t time)
{
	uint64_t lost = te->etrace.events.lost_total;

	etrace_encoder_event(&te->etrace, id, value, time);
	return te->etrace.events.lost_total == lost;
}

static void lose_event(struct te_model *te, uint64_t time)
{
	(void)time;
	etrace_encoder_lose_event(&te->etrace);
}

static bool owes_loss(const struct te_model *te)
{
	return te->etrace.events.lost;
}

static void report_loss(struct te_model *te, uint64_t time)
{
	etrace_encoder_report_lost_events(&te->etrace, time);
}

const struct te_protocol te_etrace = {
	.format = RVTRACE_FORMAT_ETRACE,
	.minor = minor,
	.needs_sizes = true,
	.own_time = true,
	/* "Hardcode to 7": all of them trace. */
	.more_modes = 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
	.features = FEATURES,
	.implemented = implemented,
	.set_defaults = set_defaults,
	.check = check,
	.init = init,
	.start = start,
	.block = block,
	.stop = stop,
	.synchronize = synchronize,
	.event_room = FIFO_EVENTS,
	.carries_events = carries_events,
	.event = event,
	.lose_event = lose_event,
	.owes_loss = owes_loss,
	.report_loss = report_loss,
	.node = "etrace",
	.property = property,
};
