// SPDX-License-Identifier: GPL-2.0-or-later
/* What an encoder can do. */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

#define FORMATS	(1u << RVTRACE_FORMAT_ETRACE | 1u << RVTRACE_FORMAT_NTRACE | \
		 1u << RVTRACE_FORMAT_VENDOR)

#define RETURN_MODE_NONE	0
#define RETURN_MODE_COUNT	1
#define RETURN_MODE_FULL	3

/* teSyncMaxBTM and teSyncMaxInst of version 0 */
#define SYNC_MAX_BTM_VALUES	0x8fff
#define SYNC_MAX_INST_VALUES	0x803f

/* What external triggers can do */
#define TRIG_ACTIONS	(1 << RVTRACE_XTRIG_ACTION_START | \
			 1 << RVTRACE_XTRIG_ACTION_STOP | \
			 1 << RVTRACE_XTRIG_ACTION_SYNC)

/* There is no data trace, so there is no data address. */
#define COMP_INPUTS	(1 << RVTRACE_COMP_INPUT_IADDR | \
			 1 << RVTRACE_COMP_INPUT_CONTEXT | \
			 1 << RVTRACE_COMP_INPUT_TVAL)

/* Widest SRC of N-Trace */
#define MAX_SRC_BITS		12

static uint32_t trace_modes(const struct generation *generation)
{
	return generation->branch_modes | generation->history_modes;
}

/* Of @features, what the generation has a bit for */
static uint32_t known_features(const struct generation *generation,
			       uint32_t features)
{
	uint32_t known = 0;
	size_t i;

	for (i = 0; i < TE_FEATURES; i++)
		if (reg_largest(generation->encoder, te_features[i].id))
			known |= te_features[i].bit;
	return known & features;
}

/* @values of a field that the generation has, else "off" alone */
static uint32_t known_values(const struct generation *generation,
			     enum te_field id, uint32_t values)
{
	return reg_largest(generation->encoder, id) ? values : 1u << TE_SYNC_OFF;
}

static uint32_t widest_src(const struct generation *generation)
{
	uint32_t bits = reg_largest(generation->encoder, TE_SRC_BITS);

	return bits < MAX_SRC_BITS ? bits : MAX_SRC_BITS;
}

void te_config_init(struct te_config *config, enum tci tci)
{
	const struct generation *generation = generation_of(tci);

	*config = (struct te_config) {
		.generation = tci,
		.formats = 1 << RVTRACE_FORMAT_NTRACE,
		.inst_modes = generation->inst_modes,
		.sync_modes = 0xf,
		.sync_max = 0xffff,
		.sync_max_btm = known_values(generation, TE_SYNC_MAX_BTM,
					     SYNC_MAX_BTM_VALUES),
		.sync_max_inst = known_values(generation, TE_SYNC_MAX_INST,
					      SYNC_MAX_INST_VALUES),
		.itc = reg_largest(generation->encoder, TE_ITC_MODE),
		.sinks = SINK_FUNNEL,
		.src_bits = generation->src_bits,
		.src_writable = true,
		.context = true,
		.scontext = true,
		.inhibit_src = true,
		.stall = true,
		.stop_on_wrap = false,
		.return_modes = 1 << RETURN_MODE_NONE | 1 << RETURN_MODE_FULL,
		.timestamp.types = generation->encoder_ts_types,
		.timestamp.width = generation->ts_width,
		.ts_xor = generation->ts_xor,
		.timestamp.prescale = generation->encoder_ts_types & 1 << 2,
		.timestamp.hides_width = true,
		.timestamp.vendor = 0xff,
		.component.active_delay = 50000,
		.component.empty_delay = 20000,
		.trig_actions = 1 << RVTRACE_XTRIG_ACTION_NONE | TRIG_ACTIONS,
		.trig_events = generation->trig_events,
		.comp_inputs = COMP_INPUTS,
		.fifo_size = 1024,
		.icnt_bits = 17,
		.hist_bits = 32,
		.repeat_bits = 18,
		.call_stack = 16,
		.count_modes = 1 << RVTRACE_INST_MODE_HISTORY_OPTIMIZED,
		.repeat_branch = true,
	};
	config->inst_features = known_features(generation, te_known_features(config));
	te_set_defaults(config);
	ramsink_config_default(&config->sink);
	pibsink_config_default(&config->pib);
	config->pib.modes &= generation->pib_modes;
	atbsink_config_default(&config->atb);
}

struct outlet_config te_outlet_config(const struct te_config *config)
{
	return (struct outlet_config) {
		.sinks = config->sinks,
		.ram = &config->sink,
		.pib = &config->pib,
		.atb = &config->atb,
	};
}

static const char *check_formats(const struct te_config *config,
				 const struct generation *generation)
{
	if (!config->formats || config->formats & ~FORMATS)
		return "formats is not a set of 0, 1 and 7";
	if (config->formats != 1u << RVTRACE_FORMAT_NTRACE &&
	    !reg_largest(generation->encoder, TE_FORMAT))
		return "formats has one that this generation does not have";
	return NULL;
}

static const char *check_fields(const struct te_config *config,
				const struct generation *generation)
{
	uint32_t modes = trace_modes(generation) | te_more_modes(config);
	uint32_t src_id = reg_largest(generation->encoder, TE_SRC_ID);

	if (!(config->inst_modes & modes))
		return "inst_modes has none that traces";
	if (config->inst_modes &
	    ~(modes | generation->other_modes | 1 << RVTRACE_INST_MODE_OFF))
		return "inst_modes has one that this generation does not have";
	if (!config->sync_modes || config->sync_modes & ~0xfu)
		return "sync_modes is not a set of 0 to 3";
	if (!config->sync_max || config->sync_max & ~0xffffu)
		return "sync_max is not a set of 0 to 15";
	if (!config->sync_max_btm ||
	    config->sync_max_btm & ~(uint32_t)SYNC_MAX_BTM_VALUES)
		return "sync_max_btm is not a set of 0 to 11 and 15";
	if (!config->sync_max_inst || config->sync_max_inst & ~0xffffu)
		return "sync_max_inst is not a set of 0 to 15";
	if (config->src_bits > widest_src(generation) ||
	    config->src_id > src_id)
		return "src_bits or src_id does not fit its field";
	if (config->crossing_type > 2 ||
	    config->crossing_type > reg_largest(generation->encoder, TE_CROSSING_TYPE))
		return "crossing_type is not 0, or of version 0 and 1 or 2";
	if (config->inst_features & ~known_features(generation, te_known_features(config)))
		return "inst_features has one that the formats or this generation do not have";
	if (!config->return_modes || config->return_modes &
	    ~(1u << RETURN_MODE_NONE | 1u << RETURN_MODE_COUNT | 1u << RETURN_MODE_FULL))
		return "return_modes is not a set of 0, 1 and 3";
	return NULL;
}

static const char *check_port(const struct te_config *config)
{
	if (config->port && config->itc)
		return "port and itc have the same messages";
	if (config->port && !te_has_events(config))
		return "port needs N-Trace in formats, a type_width of 2, or an event_srcid_bit";
	return NULL;
}

static const char *check_triggers(const struct te_config *config)
{
	if (config->trig_inputs > TE_TRIGGERS ||
	    config->trig_outputs > TE_TRIGGERS)
		return "trig_inputs or trig_outputs is more than 8";
	if (!(config->trig_actions & 1) ||
	    config->trig_actions & ~(uint32_t)(TRIG_ACTIONS | 1))
		return "trig_actions is not a set of 0, 2, 3, 4 with 0 in it";
	if (config->trig_events & ~0xfu)
		return "trig_events is not a set of 0 to 3";
	return NULL;
}

static const char *check_filters(const struct te_config *config,
				 const struct generation *generation)
{
	if (config->filter_words > TE_FILTER_WORDS ||
	    config->filters > TE_FILTERS ||
	    config->comparators > TE_COMPARATORS)
		return "filter_words, filters or comparators is more than there is room for";
	if (config->filters && !reg_largest(generation->encoder, TE_FILTER))
		return "filters are not of this generation";
	if (config->filter_words &&
	    !reg_largest(generation->encoder, TE_FILTER_WORD))
		return "filter_words are not of this generation";
	if (!config->comp_inputs ||
	    config->comp_inputs & ~(uint32_t)COMP_INPUTS)
		return "comp_inputs is not a set of 0 to 2";
	return NULL;
}

const char *te_config_check(const struct te_config *config)
{
	const struct generation *generation = generation_of(config->generation);
	const struct outlet_config outlet = te_outlet_config(config);
	const char *wrong;

	if (!generation)
		return "no such generation";
	wrong = check_formats(config, generation);
	if (!wrong)
		wrong = check_fields(config, generation);
	if (!wrong)
		wrong = check_port(config);
	if (!wrong)
		wrong = check_triggers(config);
	if (!wrong)
		wrong = check_filters(config, generation);
	if (!wrong)
		wrong = timestamp_config_check(&config->timestamp,
					       generation->timestamp,
					       generation->ts_types);
	if (!wrong && config->fifo_size < 128)
		wrong = "fifo_size is less than 128";
	if (!wrong)
		wrong = outlet_config_check(&outlet, generation);
	if (!wrong)
		wrong = te_check_protocols(config);
	if (!wrong)
		wrong = te_vendor_check(config);
	return wrong;
}

bool te_traces_instructions(const struct te_model *te)
{
	const struct te_protocol *protocol =
		te_protocol_of(&te->config, te->fields[TE_FORMAT]);
	uint32_t modes = trace_modes(te->generation) | protocol->more_modes;

	return modes >> te->fields[TE_INST_MODE] & 1;
}
