// SPDX-License-Identifier: LGPL-2.1-or-later
/* E-Trace packet layer: parameters of the encoder. See rvtrace/etrace.h. */
#include <string.h>

#include "tools/lib/base/sized.h"
#include "etrace_config.h"
#include "etrace_internal.h"

#define NO_OPTION	RVTRACE_ETRACE_NO_OPTION
#define FIRST_DATA	7	/* of the options, RVTRACE_ETRACE_NO_ADDRESS */

#define PARAM(member, low, high, preset) \
	{ .name = #member, .offset = offsetof(struct rvtrace_etrace_params, member), \
	  .min = (low), .max = (high), .value = (preset) }
#define REQUIRED(member, low, high, preset) \
	{ .name = #member, .offset = offsetof(struct rvtrace_etrace_params, member), \
	  .min = (low), .max = (high), .value = (preset), .required = true }
/* Where a mode is in ioptions or doptions, and whether it is on at first. */
#define OPTION(member, number, preset) \
	{ .name = "option_" member, .min = 0, .max = 31, .value = (preset), .option = true, \
	  .offset = offsetof(struct rvtrace_etrace_params, option) + (number) }
#define MODE(member, number) \
	{ .name = "mode_" member, .min = 0, .max = 1, .mode = 1u << (number) }

/* Defaults: E-Trace 2.0, "Discovery of encoder parameters". */
static const struct etrace_param params_table[] = {
	REQUIRED(arch, 0, 255, 0),
	PARAM(blocks, 0, 255, 1),
	REQUIRED(bpred_size, 0, 16, 0),
	REQUIRED(cache_size, 0, 16, 0),
	REQUIRED(call_counter_size, 0, 15, 0),
	PARAM(ctype_width, 0, 255, 1),
	REQUIRED(context_width, 0, 64, 1),
	REQUIRED(time_width, 0, 64, 1),
	REQUIRED(ecause_width, 0, 64, 4),
	PARAM(ecause_choice, 0, 255, 5),
	REQUIRED(f0s_width, 0, 8, 0),
	PARAM(filter_context, 0, 1, 1),
	PARAM(filter_time, 0, 1, 1),
	PARAM(filter_excint, 0, 255, 1),
	PARAM(filter_privilege, 0, 1, 1),
	PARAM(filter_tval, 0, 1, 1),
	REQUIRED(iaddress_lsb, 0, 3, 1),
	REQUIRED(iaddress_width, 8, 64, 32),
	PARAM(iretire_width, 0, 255, 2),
	PARAM(ilastsize_width, 0, 255, 1),
	PARAM(itype_width, 0, 255, 4),
	REQUIRED(nocontext, 0, 1, 1),
	REQUIRED(notime, 0, 1, 1),
	REQUIRED(privilege_width, 0, 8, 2),
	PARAM(retires, 0, 255, 1),
	REQUIRED(return_stack_size, 0, 15, 0),
	REQUIRED(sijump, 0, 1, 0),
	PARAM(impdef_width, 0, 255, 1),
	PARAM(comparators, 0, 255, 1),
	PARAM(filters, 0, 255, 1),
	PARAM(taken_branches, 0, 255, 1),
	PARAM(daddress_width, 8, 64, 32),
	PARAM(dblock_width, 0, 255, 1),
	PARAM(data_width, 8, 128, 32),
	PARAM(dsize_width, 0, 255, 3),
	PARAM(dtype_width, 1, 4, 1),
	PARAM(iaddr_lsbs_width, 0, 255, 1),
	PARAM(lrid_width, 0, 8, 1),
	PARAM(lresp_width, 0, 255, 1),
	PARAM(ldata_width, 0, 255, 32),
	PARAM(sdata_width, 0, 255, 32),
	PARAM(srcid_width, 0, 16, 0),
	PARAM(timestamp_width, 0, 64, 0),
	PARAM(type_width, 0, 8, 0),
	PARAM(type_inst, 0, 255, 0),
	PARAM(type_data, 0, 255, 1),
	PARAM(type_event, 0, 255, RVTRACE_ETRACE_NO_EVENTS),
	PARAM(event_srcid_bit, 0, 255, RVTRACE_ETRACE_NO_EVENTS),
	PARAM(sign_padding, 0, 1, 0),
	PARAM(protocol_minor, 0, 15, 0),
	PARAM(encoder_mode_width, 0, 32, 1),
	PARAM(ioptions_width, 0, 32, 5),
	PARAM(denable_width, 0, 1, 0),
	PARAM(dloss_width, 0, 1, 0),
	PARAM(doptions_width, 0, 32, 0),
	OPTION("sijump", 0, NO_OPTION),
	OPTION("implicit_return", 1, 0),
	OPTION("branch_prediction", 2, 4),
	OPTION("jump_target_cache", 3, 3),
	OPTION("implicit_exception", 4, 1),
	OPTION("full_address", 5, 2),
	OPTION("resync_disabled", 6, NO_OPTION),
	OPTION("no_address", 7, NO_OPTION),
	OPTION("no_data", 8, NO_OPTION),
	OPTION("full_daddress", 9, NO_OPTION),
	OPTION("full_data", 10, NO_OPTION),
	PARAM(split, 0, 1, 0),
	PARAM(ddiff_width, 1, 2, 2),
	PARAM(iret_ext, 0, 1, 0),
	PARAM(infer_all_returns, 0, 1, 0),
	PARAM(mmacas_ext, 0, 1, 0),
	MODE("sijump", 0),
	MODE("implicit_return", 1),
	MODE("branch_prediction", 2),
	MODE("jump_target_cache", 3),
	MODE("implicit_exception", 4),
	MODE("full_address", 5),
	MODE("resync_disabled", 6),
	MODE("no_address", 7),
	MODE("no_data", 8),
	MODE("full_daddress", 9),
	MODE("full_data", 10),
};

#define PARAMS	(sizeof(params_table) / sizeof(params_table[0]))

_Static_assert(PARAMS <= ETRACE_PARAMS_MAX, "a bit for each");
_Static_assert(RVTRACE_ETRACE_FULL_DATA == 1u << (RVTRACE_ETRACE_MODES - 1), "all modes");

const struct etrace_param *etrace_param(size_t index)
{
	return index < PARAMS ? &params_table[index] : NULL;
}

static uint8_t *member(struct rvtrace_etrace_params *params, const struct etrace_param *param)
{
	return (uint8_t *)params + param->offset;
}

void etrace_param_set(struct rvtrace_etrace_params *params, const struct etrace_param *param,
		      unsigned int value)
{
	if (!param->mode)
		*member(params, param) = value;
	else if (value)
		params->modes |= param->mode;
	else
		params->modes &= ~param->mode;
}

unsigned int etrace_param_get(const struct rvtrace_etrace_params *params,
			      const struct etrace_param *param)
{
	if (param->mode)
		return !!(params->modes & param->mode);
	return *((const uint8_t *)params + param->offset);
}

bool etrace_param_may_be(const struct etrace_param *param, uint64_t value)
{
	return (value >= param->min && value <= param->max) ||
	       (param->option && value == NO_OPTION);
}

int etrace_param_find(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < PARAMS; i++) {
		size_t own = strlen(params_table[i].name);

		if (!strncmp(name, params_table[i].name, own) &&
		    (length == own || !strcmp(name + own, "_p")))
			return i;
	}
	return -1;
}

void rvtrace_etrace_params_default(struct rvtrace_etrace_params *params)
{
	size_t i;

	memset(params, 0, sizeof(*params));
	for (i = 0; i < PARAMS; i++)
		etrace_param_set(params, &params_table[i], params_table[i].value);
}

bool rvtrace_etrace_param(const struct rvtrace_etrace_params *params, size_t index,
			  const char **name, unsigned int *value)
{
	const struct etrace_param *param = etrace_param(index);

	if (!param)
		return false;
	*name = param->name;
	*value = etrace_param_get(params, param);
	return true;
}

int rvtrace_etrace_params_set(struct rvtrace_etrace_params *params, const char *name,
			      uint64_t value)
{
	int index = etrace_param_find(name);

	if (index < 0 || !etrace_param_may_be(&params_table[index], value))
		return RVTRACE_ERR_INVALID;
	etrace_param_set(params, &params_table[index], value);
	return 0;
}

struct complaint {
	const char *name;
	const char *why;
};

/* Parameters one by one. */
static struct complaint check_ranges(const struct rvtrace_etrace_params *params)
{
	size_t i;

	for (i = 0; i < PARAMS; i++)
		if (!etrace_param_may_be(&params_table[i],
					 etrace_param_get(params, &params_table[i])))
			return (struct complaint){ params_table[i].name, "is out of range" };
	if (params->timestamp_width % 8)
		return (struct complaint){ "timestamp_width", "is not a whole number of bytes" };
	if (params->data_width & (params->data_width - 1))
		return (struct complaint){ "data_width", "is not a power of 2" };
	return (struct complaint){ NULL };
}

/* The standard support packet says these in few bits, and nothing else is possible. */
static struct complaint check_standard(const struct rvtrace_etrace_params *params)
{
	static const char why[] = "is not what a standard support packet can say";

	if (!params->notime && params->time_width % 16)
		return (struct complaint){ "time_width", why };
	if (params->f0s_width > 3)
		return (struct complaint){ "f0s_width", why };
	if (params->return_stack_size > 7)
		return (struct complaint){ "return_stack_size", why };
	if (params->bpred_size > 7)
		return (struct complaint){ "bpred_size", why };
	if (params->cache_size > 7)
		return (struct complaint){ "cache_size", why };
	return (struct complaint){ NULL };
}

/* In doptions, not ioptions. */
static bool says_data(const struct etrace_param *option)
{
	return option->offset - offsetof(struct rvtrace_etrace_params, option) >= FIRST_DATA;
}

/* Bits of ioptions and doptions that two options share. */
static struct complaint check_shared_options(const struct rvtrace_etrace_params *params)
{
	unsigned int i, k;

	for (i = 0; i < PARAMS; i++) {
		for (k = 0; k < i; k++) {
			const struct etrace_param *a = &params_table[k], *b = &params_table[i];
			unsigned int bit = etrace_param_get(params, b);

			if (!a->option || !b->option || bit == NO_OPTION ||
			    bit != etrace_param_get(params, a) ||
			    says_data(a) != says_data(b))
				continue;
			return (struct complaint){ b->name, "is the bit of another option" };
		}
	}
	return (struct complaint){ NULL };
}

static struct complaint check_options(const struct rvtrace_etrace_params *params)
{
	static const char *const widths[] = { "ioptions_width", "doptions_width" };
	unsigned int i;

	for (i = 0; i < RVTRACE_ETRACE_MODES; i++) {
		bool data = 1u << i >= RVTRACE_ETRACE_NO_ADDRESS;
		unsigned int width = data ? params->doptions_width : params->ioptions_width;

		if (params->option[i] != NO_OPTION && params->option[i] >= width)
			return (struct complaint){ widths[data], "has no room for all options" };
	}
	return check_shared_options(params);
}

/* Modes that are on from the beginning need what the encoder has for them. */
static struct complaint check_modes(const struct rvtrace_etrace_params *params)
{
	if (params->modes & RVTRACE_ETRACE_BRANCH_PREDICTION && !params->bpred_size)
		return (struct complaint){ "mode_branch_prediction", "is 1, but bpred_size is 0" };
	if (params->modes & RVTRACE_ETRACE_JUMP_TARGET_CACHE && !params->cache_size)
		return (struct complaint){ "mode_jump_target_cache", "is 1, but cache_size is 0" };
	if (params->modes & RVTRACE_ETRACE_IMPLICIT_RETURN && !params->return_stack_size &&
	    !params->call_counter_size)
		return (struct complaint){ "mode_implicit_return", "is 1, but there is no return stack" };
	return (struct complaint){ NULL };
}

/* Encapsulation 1.0, "type": 2 and more is other than instruction and data trace. */
static struct complaint check_events(const struct rvtrace_etrace_params *params)
{
	static const char name[] = "type_event";

	if (params->event_srcid_bit != RVTRACE_ETRACE_NO_EVENTS &&
	    params->event_srcid_bit >= params->srcid_width)
		return (struct complaint){ "event_srcid_bit", "does not fit into srcid_width" };
	if (params->event_srcid_bit != RVTRACE_ETRACE_NO_EVENTS &&
	    params->type_event != RVTRACE_ETRACE_NO_EVENTS)
		return (struct complaint){ "event_srcid_bit", "contradicts type_event" };
	if (params->type_event == RVTRACE_ETRACE_NO_EVENTS)
		return (struct complaint){ NULL };
	if (params->type_width < 2)
		return (struct complaint){ name, "needs a type_width of 2 or more" };
	if (params->type_width < 8 && params->type_event >> params->type_width)
		return (struct complaint){ name, "does not fit into type_width" };
	if (params->type_event == params->type_inst || params->type_event == params->type_data)
		return (struct complaint){ name, "is that of instruction or data trace" };
	return (struct complaint){ NULL };
}

/* What one parameter says against another one. */
static struct complaint check_combinations(const struct rvtrace_etrace_params *params)
{
	struct complaint complaint;

	if (!all_zero(params->reserved, sizeof(params->reserved)))
		return (struct complaint){ "reserved", "is not 0" };
	if (!params->nocontext && !params->context_width)
		return (struct complaint){ "context_width", "is 0, but nocontext is 0 too" };
	if (!params->notime && !params->time_width)
		return (struct complaint){ "time_width", "is 0, but notime is 0 too" };
	if (!params->f0s_width && params->bpred_size && params->cache_size)
		return (struct complaint){ "f0s_width",
					   "is 0, but neither bpred_size nor cache_size is" };
	if (!params->type_width && params->type_inst)
		return (struct complaint){ "type_inst", "is not 0, but type_width is" };
	if (params->type_width < 8 && params->type_inst >> params->type_width)
		return (struct complaint){ "type_inst", "does not fit into type_width" };
	if (params->type_width && params->type_width < 8 &&
	    params->type_data >> params->type_width)
		return (struct complaint){ "type_data", "does not fit into type_width" };
	if (params->type_width && params->type_inst == params->type_data)
		return (struct complaint){ "type_data", "is the same as type_inst" };
	complaint = check_events(params);
	if (!complaint.name)
		complaint = check_modes(params);
	if (complaint.name)
		return complaint;
	return params->protocol_minor ? check_standard(params) : check_options(params);
}

int rvtrace_etrace_params_check(const struct rvtrace_etrace_params *params, const char **name,
				const char **why)
{
	struct complaint complaint = check_ranges(params);

	if (!complaint.name)
		complaint = check_combinations(params);
	if (!complaint.name)
		return 0;
	if (name)
		*name = complaint.name;
	if (why)
		*why = complaint.why;
	return RVTRACE_ERR_INVALID;
}

/* 2.0.5 draft, "Standard Support Packet format": time_width to cache_size. */
static void take_sizes(struct rvtrace_etrace_params *params, uint32_t sizes)
{
	unsigned int time = sizes & 0x7;

	params->notime = !time;
	params->time_width = 16 * time;
	params->f0s_width = sizes >> 3 & 0x3;
	params->return_stack_size = sizes >> 5 & 0x7;
	params->call_counter_size = sizes >> 8 & 0xf;
	params->bpred_size = sizes >> 12 & 0x7;
	params->cache_size = sizes >> 15 & 0x7;
}

bool etrace_returns_are_possible(const struct rvtrace_etrace_params *params)
{
	return !(params->modes & RVTRACE_ETRACE_IMPLICIT_RETURN) || params->iret_ext ||
	       params->protocol_minor || !params->return_stack_size || !params->call_counter_size;
}

/* Modes need what the encoder has for them. */
static bool modes_are_possible(const struct rvtrace_etrace_params *params)
{
	if (params->modes & RVTRACE_ETRACE_BRANCH_PREDICTION && !params->bpred_size)
		return false;
	if (params->modes & RVTRACE_ETRACE_JUMP_TARGET_CACHE && !params->cache_size)
		return false;
	if (!(params->modes & RVTRACE_ETRACE_IMPLICIT_RETURN))
		return true;
	return (params->return_stack_size || params->call_counter_size) &&
	       etrace_returns_are_possible(params);
}

int rvtrace_etrace_params_support(struct rvtrace_etrace_params *params,
				  const struct rvtrace_etrace_te_inst *inst)
{
	struct rvtrace_etrace_params next = *params;

	next.modes = inst->modes;
	if (inst->standard) {
		take_sizes(&next, inst->sizes);
		next.iret_ext = inst->ioptions >> 7 & 1;
		next.mmacas_ext = inst->doptions & 1;
	}
	if (!modes_are_possible(&next) ||
	    (inst->standard && rvtrace_etrace_params_check(&next, NULL, NULL)))
		return RVTRACE_ERR_FIELD;
	*params = next;
	return 0;
}
