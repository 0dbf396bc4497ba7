// SPDX-License-Identifier: GPL-2.0-or-later
/* N-Trace: what an encoder can do, and what its fields ask of the encoding. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_0.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

/* Those of the instruction features that N-Trace 1.0 has. */
#define FEATURES \
	(RVTRACE_TR_TE_INST_EN_SEQUENTIAL_JUMP | \
	 RVTRACE_TR_TE_INST_EN_IMPLICIT_RETURN | \
	 RVTRACE_TR_TE_INST_EN_REPEATED_HISTORY | \
	 RVTRACE_TR_TE_INST_EN_ALL_JUMPS | \
	 RVTRACE_TR_TE_INST_EXTEND_ADDR_MSB)

/* N-Trace 1.0 */
#define MAJOR	1

static const char *check(const struct te_config *config)
{
	struct ntrace_params params = {
		.history = true,
		.xlen = te_xlen(config),
		.address_bits = config->address_bits,
		.call_stack = config->call_stack,
		.timestamp_bits = config->timestamp.width,
		.icnt_bits = config->icnt_bits,
		.hist_bits = config->hist_bits,
		.repeat_bits = config->repeat_bits,
	};

	if ((config->call_count || config->address_bits) && config->generation != TCI_0)
		return "call_count and address_bits are of version 0";
	if (config->call_count > NTRACE_MAX_CALL_COUNT)
		return "call_count is not 0 to 1023";
	if (config->count_modes & ~(1u << RVTRACE_INST_MODE_HISTORY |
				    1u << RVTRACE_INST_MODE_HISTORY_OPTIMIZED))
		return "count_modes is not a set of 6 and 7";
	if (config->call_stack > UINT8_MAX || config->timestamp.width > UINT8_MAX ||
	    config->icnt_bits > UINT8_MAX || config->hist_bits > UINT8_MAX ||
	    config->repeat_bits > UINT8_MAX || config->address_bits > UINT8_MAX ||
	    te_xlen(config) > UINT8_MAX)
		return "a width is more than 255";
	return ntrace_params_check(&params);
}

/* What the features ask for, in a mode where they count. */
static void add_features(struct ntrace_params *params,
			 const struct te_model *te)
{
	const uint32_t *fields = te->fields;

	params->sequential_jump = fields[TE_SEQUENTIAL_JUMP];
	params->all_jumps = fields[TE_ALL_JUMPS];
	params->extend_addr_msb = fields[TE_EXTEND_MSB];
	params->repeated_history = params->history &&
				   fields[TE_REPEATED_HISTORY];
	if (fields[TE_IMPLICIT_RETURN] && fields[TE_RETURN_MODE] == 1)
		params->call_count = te->config.call_stack;
	else if (fields[TE_IMPLICIT_RETURN])
		params->call_stack = te->config.call_stack;
}

/* The counters of version 0, both at a time */
static void add_sync_max(struct ntrace_params *params, const uint32_t *fields)
{
	if (fields[TE_SYNC_MAX_BTM] != TE_SYNC_OFF) {
		params->sync_mode = NTRACE_SYNC_MESSAGES;
		params->sync_interval = 32ull << fields[TE_SYNC_MAX_BTM];
	}
	/* 2^(teSyncMaxInst + 5) bytes */
	if (fields[TE_SYNC_MAX_INST] != TE_SYNC_OFF)
		params->icnt_interval = 16ull << fields[TE_SYNC_MAX_INST];
}

static uint8_t untimed(const uint32_t *fields)
{
	uint32_t branch = fields[TS_BRANCH];

	return (branch == RVTRACE_TS_BRANCH_NONE ? NTRACE_UNTIMED_INDIRECT : 0) |
	       (branch != RVTRACE_TS_BRANCH_ALL ? NTRACE_UNTIMED_OTHER : 0) |
	       (fields[TS_OWNERSHIP] ? 0 : NTRACE_UNTIMED_OWNERSHIP) |
	       (fields[TS_INSTRUMENTATION] ? 0 : NTRACE_UNTIMED_DATA);
}

static struct ntrace_params params_of(const struct te_model *te)
{
	const struct te_config *config = &te->config;
	const struct generation *generation = te->generation;
	const uint32_t *fields = te->fields;
	uint32_t mode = 1u << fields[TE_INST_MODE];
	struct ntrace_params params = {
		.history = mode & generation->history_modes,
		.repeat_branch = mode & generation->branch_modes &&
				 config->repeat_branch,
		.distinguish_traps = true,
		.scontext = config->scontext,
		.filter_machine = config->filter_machine,
		.filter = config->filters || config->comparators ?
			te_qualifies : NULL,
		.ownership = fields[TE_CONTEXT],
		.place_data = config->port,
		.timestamp = timestamp_enabled(&te->timestamp),
		.timestamp_xor = config->ts_xor,
		.untimed = untimed(te->timestamp.fields),
		.xlen = te_xlen(config),
		.address_bits = config->address_bits,
		.timestamp_bits = config->timestamp.width,
		.icnt_bits = config->icnt_bits,
		.hist_bits = config->hist_bits,
		.repeat_bits = config->repeat_bits,
		.sync_mode = (enum ntrace_sync_mode)fields[TE_SYNC_MODE],
		/* "count reaches 2^(teSyncMax + 4)" */
		.sync_interval = 16ull << fields[TE_SYNC_MAX],
	};

	add_sync_max(&params, fields);
	if (mode & generation->feature_modes)
		add_features(&params, te);
	if (mode & generation->optimized_modes) {
		params.indirect_without_hist = true;
		params.repeated_history = !config->call_count;
		params.branch_runs = config->call_count;
	}
	if (mode & generation->history_modes & config->count_modes) {
		params.call_count = config->call_count;
		params.swap_is_call = config->swap_is_call;
		params.call_after_sync = config->call_after_sync;
		params.calls_outlive_sync = config->calls_outlive_sync;
		params.traps_clear_calls = config->traps_clear_calls;
	}
	if (params.repeated_history && config->hist_bits == 32) {
		params.hist_patterns[0] = 28;
		params.hist_patterns[1] = 30;
	}
	if (!fields[TE_INHIBIT_SRC]) {
		params.src_bits = fields[TE_SRC_BITS];
		params.src = fields[TE_SRC_ID] & ((1u << params.src_bits) - 1);
	}
	return params;
}

static void init(struct te_model *te)
{
	struct ntrace_params params = params_of(te);

	ntrace_encoder_init(&te->ntrace, &params, te_emit, te);
}

static void start(struct te_model *te, uint64_t pc,
		  const struct ingress_context *context, uint64_t time,
		  uint64_t cycles)
{
	ntrace_encoder_start(&te->ntrace, pc, context, time, cycles,
			     NTRACE_SYNC_ENABLE);
}

static void block(struct te_model *te, const struct ingress_block *block)
{
	ntrace_encoder_block(&te->ntrace, block);
}

static void stop(struct te_model *te, uint64_t pc, uint64_t time,
		 uint64_t cycles)
{
	ntrace_encoder_stop(&te->ntrace, pc, time, cycles,
			    NTRACE_EVCODE_DISABLED);
}

static void synchronize(struct te_model *te, enum te_sync_reason reason)
{
	ntrace_encoder_request_sync(&te->ntrace, reason == TE_SYNC_EXTERNAL ?
				    NTRACE_SYNC_EXTERNAL_TRIGGER :
				    NTRACE_SYNC_EVENT);
}

static bool event(struct te_model *te, uint16_t id, uint64_t value,
		  uint64_t time)
{
	return ntrace_encoder_data(&te->ntrace, id, value, time, true);
}

static void lose_event(struct te_model *te, uint64_t time)
{
	ntrace_encoder_lose_data(&te->ntrace, time);
}

const struct te_protocol te_ntrace = {
	.format = RVTRACE_FORMAT_NTRACE,
	.major = MAJOR,
	.features = FEATURES,
	.check = check,
	.init = init,
	.start = start,
	.block = block,
	.stop = stop,
	.synchronize = synchronize,
	.event_room = 112,
	.event = event,
	.lose_event = lose_event,
};
