// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of an encoder of E-Trace: what it is made of is in the device tree, for no register
 * says it; what it was told is in its registers.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rvtrace/etrace.h>
#include <rvtrace/recording.h>

#include "describe_format.h"
#include "device_tree.h"

/* Features, and the modes of E-Trace that they turn on */
static const struct {
	const char *attribute;
	const char *mode;
} modes[] = {
	{ "inst_en_sequential_jump", "mode_sijump" },
	{ "inst_en_call_stack", "mode_implicit_return" },
	{ "inst_en_branch_prediction", "mode_branch_prediction" },
	{ "inst_en_jump_target_cache", "mode_jump_target_cache" },
	{ "inst_no_trap_addr", "mode_implicit_exception" },
	{ "inst_no_addr_diff", "mode_full_address" },
};

static void put(struct json_object *object, const char *name, int64_t value)
{
	json_object_object_add(object, name, json_object_new_int64(value));
}

/* Whether the device tree says anything. */
static bool put_fixed(struct json_object *object, const char *encoder)
{
	struct rvtrace_etrace_params params;
	unsigned int value;
	const char *name;
	int64_t cell;
	size_t i;

	rvtrace_etrace_params_default(&params);
	for (i = 0; rvtrace_etrace_param(&params, i, &name, &value); i++) {
		cell = device_tree_cell(encoder, "etrace", name);
		if (cell >= 0)
			put(object, name, cell);
	}
	return json_object_object_length(object);
}

static uint64_t number(struct json_object *attributes, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(attributes, name, &value))
		return 0;
	return strtoull(json_object_get_string(value), NULL, 0);
}

/* "trTsWidth indicates the number of bits in timestamp fields", which are whole bytes. */
static void put_timestamp(struct json_object *object, struct json_object *attributes)
{
	if (!number(attributes, "ts_enable"))
		put(object, "timestamp_width", 0);
	else if (!json_object_object_get_ex(object, "timestamp_width", NULL))
		put(object, "timestamp_width", (number(attributes, "ts_width") + 7) / 8 * 8);
}

/* Where srcID is not sent that wide, no packet is one of an event. */
static void put_srcid(struct json_object *object, struct json_object *attributes)
{
	uint64_t width = number(attributes, "inhibit_src") ? 0 : number(attributes, "src_bits");

	put(object, "srcid_width", width);
	if (number(object, "event_srcid_bit") >= width)
		json_object_object_del(object, "event_srcid_bit");
}

struct json_object *describe_etrace(const char *encoder, struct json_object *attributes)
{
	struct json_object *object = json_object_new_object();
	size_t i;

	if (!put_fixed(object, encoder)) {
		json_object_put(object);
		return NULL;
	}
	put_srcid(object, attributes);
	put_timestamp(object, attributes);
	/* Before 1.0 there is no register for it. */
	if (json_object_object_get_ex(attributes, "protocol_minor", NULL))
		put(object, "protocol_minor", number(attributes, "protocol_minor"));
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		put(object, modes[i].mode, !!number(attributes, modes[i].attribute));
	return object;
}

int describe_etrace_check(struct json_object *metadata, struct rvtrace_failure *error)
{
	struct rvtrace_etrace_params params;

	return rvtrace_etrace_params_from_json(metadata, "device tree, node etrace", &params,
					       error);
}

/* E-Trace 2.0, "Implicit return mode": a counter is for programs that return where they came from. */
static bool counts_calls(struct json_object *metadata)
{
	struct rvtrace_failure error;
	struct rvtrace_etrace_params params;

	return !rvtrace_etrace_params_from_json(metadata, "", &params, &error) &&
	       params.modes & RVTRACE_ETRACE_IMPLICIT_RETURN && !params.return_stack_size;
}

/* Whether a source id of @source, those of its harts, has the bit that tells events */
static bool has_event_bit(struct json_object *source)
{
	struct json_object *etrace, *bit;
	int id, end, harts;

	if (!json_object_object_get_ex(source, "etrace", &etrace) ||
	    !json_object_object_get_ex(etrace, "event_srcid_bit", &bit))
		return false;
	id = json_object_get_int(json_object_object_get(source, "src_id"));
	harts = json_object_array_length(json_object_object_get(source, "harts"));
	end = id + (harts ? harts : 1);
	for (; id < end; id++)
		if (id >> json_object_get_int(bit) & 1)
			return true;
	return false;
}

/* A source of which packets would be taken for events, or NULL */
static const char *only_events(struct json_object *sources)
{
	struct json_object *source;
	size_t i;

	for (i = 0; i < json_object_array_length(sources); i++) {
		source = json_object_array_get_idx(sources, i);
		if (has_event_bit(source))
			return json_object_get_string(
				json_object_object_get(source, "component"));
	}
	return NULL;
}

void describe_etrace_doubt(struct json_object *metadata, struct json_object *sources, char *text,
			   size_t size)
{
	const char *source = only_events(sources);

	if (source)
		snprintf(text, size,
			 "%s: its src_id has the bit of srcID that marks events, so its trace reads as events: choose another src_id",
			 source);
	else if (counts_calls(metadata))
		snprintf(text, size,
			 "encoders count calls, and have no return stack: where tasks switch, returns lead elsewhere than the trace says; set inst_en_call_stack to 0");
}
