// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-data.h"
#include "tools/encode/etrace-payload.h"
#include "tools/encode/etrace.h"

/* Bits of the longest payload: a trap; format, subformat, branch, interrupt and thaddr besides. */
static unsigned int longest(const struct etrace_params *p)
{
	unsigned int bits = 2 + 2 + 1 + p->privilege_width + p->ecause_width + 1 + 1 +
			    2 * p->iaddress_width - p->iaddress_lsb;

	if (!p->notime)
		bits += p->time_width;
	if (!p->nocontext)
		bits += p->context_width;
	return bits;
}

static bool has_mode(const struct etrace_params *p, enum etrace_mode mode)
{
	return p->modes >> mode & 1;
}

static const char *check_widths(const struct etrace_params *p)
{
	if (p->iaddress_width < 8 || p->iaddress_width > 64)
		return "iaddress_width is not 8 to 64";
	if (p->iaddress_lsb > 2)
		return "iaddress_lsb is not 0 to 2";
	if (!p->nocontext && (!p->context_width || p->context_width > 64))
		return "context_width is not 1 to 64";
	if (!p->notime && (!p->time_width || p->time_width > 64))
		return "time_width is not 1 to 64";
	if (p->ecause_width > 64)
		return "ecause_width is not 0 to 64";
	if (p->privilege_width > 8)
		return "privilege_width is not 0 to 8";
	return NULL;
}

static const char *check_tables(const struct etrace_params *p)
{
	if (p->bpred_size > ETRACE_MAX_PREDICTOR)
		return "bpred_size is not 0 to 16";
	if (p->cache_size > ETRACE_MAX_CACHE)
		return "cache_size is not 0 to 16";
	if (p->return_stack_size > ETRACE_MAX_RETURN_STACK)
		return "return_stack_size is not 0 to 15";
	if (p->call_counter_size > 15)
		return "call_counter_size is not 0 to 15";
	if (p->return_stack_size && p->call_counter_size && !p->irets)
		return "return_stack_size and call_counter_size together need irets";
	if (p->f0s_width > 8)
		return "f0s_width is not 0 to 8";
	if (p->bpred_size && p->cache_size && !p->f0s_width)
		return "f0s_width is 0 with two kinds of format 0";
	return NULL;
}

static const char *check_modes(const struct etrace_params *p)
{
	if (has_mode(p, ETRACE_BRANCH_PREDICTION) && !p->bpred_size)
		return "branch prediction needs bpred_size";
	if (has_mode(p, ETRACE_JUMP_TARGET_CACHE) && !p->cache_size)
		return "the jump target cache needs cache_size";
	if (has_mode(p, ETRACE_IMPLICIT_RETURN) && !p->return_stack_size &&
	    !p->call_counter_size)
		return "implicit return needs return_stack_size or call_counter_size";
	if (p->sync_mode != ETRACE_SYNC_OFF && !p->sync_interval)
		return "sync_interval is 0";
	if (p->sync_waits && p->sync_mode != ETRACE_SYNC_PACKETS)
		return "sync_waits needs a resynchronization that counts packets";
	return NULL;
}

static const char *check_encapsulation(const struct etrace_params *p)
{
	if (p->src_bits > 16)
		return "src_bits is not 0 to 16";
	if (p->src_bits && p->src >> p->src_bits)
		return "src does not fit into src_bits";
	if (p->flow > 3)
		return "flow is not 0 to 3";
	if (p->timestamp_bytes > 8)
		return "timestamp_bytes is not 0 to 8";
	if (p->type_bits > 8)
		return "type_bits is not 0 to 8";
	if (p->type_inst >> p->type_bits || (p->data && p->type_data >> p->type_bits))
		return "a type does not fit into type_bits";
	if (p->data && p->type_inst == p->type_data)
		return "data trace needs a type of its own";
	if ((longest(p) + 7) / 8 * 8 + p->type_bits + p->src_bits % 8 > ETRACE_MAX_PAYLOAD)
		return "a trap with these widths is longer than 31 bytes";
	return NULL;
}

static const char *check_support(const struct etrace_params *p)
{
	if (p->irets && !p->standard_support)
		return "irets needs the standard support packet";
	if (p->standard_support) {
		if (!p->notime && p->time_width % 16)
			return "the standard support packet needs time_width in steps of 16";
		if (p->return_stack_size > 7 || p->bpred_size > 7 || p->cache_size > 7 ||
		    p->f0s_width > 3)
			return "the standard support packet cannot tell a table this large";
		return NULL;
	}
	if (p->encoder_mode_width > 8)
		return "encoder_mode_width is not 0 to 8";
	if (p->ioptions_width > 32)
		return "ioptions_width is not 0 to 32";
	if (p->denable_width > 1 || p->dloss_width > 1)
		return "denable_width or dloss_width is not 0 or 1";
	if (p->doptions_width > 32)
		return "doptions_width is not 0 to 32";
	for (unsigned int i = 0; i < ETRACE_MODES; i++) {
		unsigned int width = i < ETRACE_NO_ADDRESS ? p->ioptions_width : p->doptions_width;

		if (p->option[i] != ETRACE_NO_OPTION && p->option[i] >= width)
			return "an option lies outside ioptions or doptions";
	}
	return NULL;
}

const char *etrace_params_check(const struct etrace_params *params)
{
	static const char *(*const checks[])(const struct etrace_params *) = {
		check_widths, check_tables, check_modes, check_encapsulation, check_support,
		etrace_check_data,
	};
	const char *wrong = NULL;

	for (unsigned int i = 0; !wrong && i < sizeof(checks) / sizeof(*checks); i++)
		wrong = checks[i](params);
	return wrong;
}

size_t etrace_synchronization(const struct etrace_params *params, uint8_t *out)
{
	size_t nulls = 31 + params->timestamp_bytes + params->src_bits / 8;

	for (size_t i = 0; i < nulls; i++)
		out[i] = 0;		/* null.idle */
	out[nulls] = 0x80;		/* null.alignment */
	return nulls + 1;
}
