// SPDX-License-Identifier: GPL-2.0
/* tracectl export: names of frames, lanes and gaps. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rvtrace/ntrace.h>

#include "export.h"

int export_grow(void *array, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *old, *new;

	if (count < *room)
		return 0;
	while (more <= count)
		more *= 2;
	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, more, size);
	if (!new)
		return -ENOMEM;
	memset((char *)new + *room * size, 0, (more - *room) * size);
	memcpy(array, &new, sizeof(new));
	*room = more;
	return 0;
}

static size_t place_of(const struct export_table *table, uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 0x9e3779b97f4a7c15ULL ^ b) * 0xbf58476d1ce4e5b9ULL;
	size_t place = (hash ^ hash >> 29) & (table->room - 1);

	while (table->values[place] && (table->keys[place][0] != a || table->keys[place][1] != b))
		place = (place + 1) & (table->room - 1);
	return place;
}

static int enlarge(struct export_table *table)
{
	struct export_table more = { .room = table->room ? table->room * 2 : 256 };

	more.keys = calloc(more.room, sizeof(*more.keys));
	more.values = calloc(more.room, sizeof(*more.values));
	if (!more.keys || !more.values) {
		export_table_free(&more);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->room; i++) {
		size_t place;

		if (!table->values[i])
			continue;
		place = place_of(&more, table->keys[i][0], table->keys[i][1]);
		memcpy(more.keys[place], table->keys[i], sizeof(*more.keys));
		more.values[place] = table->values[i];
		more.count++;
	}
	export_table_free(table);
	*table = more;
	return 0;
}

uint32_t *export_table_find(struct export_table *table, uint64_t a, uint64_t b)
{
	size_t place;

	if (table->count * 2 >= table->room && enlarge(table))
		return NULL;
	place = place_of(table, a, b);
	if (!table->values[place]) {
		table->keys[place][0] = a;
		table->keys[place][1] = b;
		table->count++;
	}
	return &table->values[place];
}

void export_table_free(struct export_table *table)
{
	free(table->keys);
	free(table->values);
	*table = (struct export_table) { };
}

/* The text is the name's from now on. */
static uint32_t add(struct export *x, char *text, const char *file, uint32_t function)
{
	/* 0 is no name */
	size_t number = x->name_count ? x->name_count : 1;

	if (!text || number >= UINT32_MAX ||
	    export_grow(&x->names, &x->name_room, number, sizeof(*x->names))) {
		free(text);
		return 0;
	}
	x->names[number] = (struct export_name) {
		.text = text, .file = file, .function = function,
	};
	x->name_count = number + 1;
	return number;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

uint32_t export_name_of_text(struct export *x, const char *text)
{
	uint64_t hash = hash_of(text);
	uint32_t *value;

	/* texts of the same hash are under the next numbers */
	for (uint64_t i = 0; ; i++) {
		value = export_table_find(&x->by_text, hash, i);
		if (!value)
			return 0;
		if (!*value)
			break;
		if (!strcmp(x->names[*value].text, text))
			return *value;
	}
	*value = add(x, strdup(text), NULL, 0);
	return *value;
}

static uint32_t name_function(struct export *x, const struct view_function *function)
{
	uint32_t *value;

	if (export_grow(&x->by_function, &x->function_room, function->id,
			sizeof(*x->by_function)))
		return 0;
	value = &x->by_function[function->id];
	if (!*value)
		*value = add(x, strdup(function->name), function->file, function->id);
	return *value;
}

uint32_t export_name(struct export *x, const struct rvtrace_call_frame *frame)
{
	const struct view_function *function = view_function(x->view, frame->function);
	char buffer[PATH_MAX + 64];

	if (frame->kind == RVTRACE_CALL_FUNCTION && function && function->named)
		return name_function(x, function);
	return export_name_of_text(x, view_frame_name(x->view, frame, buffer, sizeof(buffer)));
}

void export_names_free(struct export *x)
{
	for (size_t i = 0; i < x->name_count; i++)
		free((char *)x->names[i].text);
	free(x->names);
	free(x->by_function);
	export_table_free(&x->by_text);
}

const char *export_lane_comm(const struct export *x, const struct export_lane *lane,
			     char name[EXPORT_LANE_NAME])
{
	const struct view_lane *known = view_lane(x->view, lane->number);

	if (!known)
		snprintf(name, EXPORT_LANE_NAME, "lane %" PRIu32, lane->number);
	else if (known->tid < 0)
		snprintf(name, EXPORT_LANE_NAME, "hart %" PRIu64, known->hart);
	else if (!known->tid)
		snprintf(name, EXPORT_LANE_NAME, "idle %" PRIu64, known->hart);
	else if (*known->comm)
		snprintf(name, EXPORT_LANE_NAME, "%s", known->comm);
	else
		snprintf(name, EXPORT_LANE_NAME, "%d", known->tid);
	return name;
}

const char *export_lane_name(const struct export *x, const struct export_lane *lane,
			     char name[EXPORT_LANE_NAME])
{
	const struct view_lane *known = view_lane(x->view, lane->number);
	size_t used;

	export_lane_comm(x, lane, name);
	used = strlen(name);
	if (!known || known->tid <= 0)
		return name;
	if (known->pid >= 0)
		snprintf(name + used, EXPORT_LANE_NAME - used, " %d/%d", known->pid, known->tid);
	else if (*known->comm)
		snprintf(name + used, EXPORT_LANE_NAME - used, " %d", known->tid);
	return name;
}

uint64_t export_hart(const struct export *x, uint32_t source)
{
	const struct trace_input *in = x->view->decode ? &x->view->decode->input : NULL;

	return in && in->sources && source < in->source_count && in->sources[source].has_hart ?
	       in->sources[source].hart : source;
}

const char *export_gap_name(bool is_loss)
{
	return is_loss ? "[lost]" : "[not followed]";
}

const char *export_gap_reason(const struct rvtrace_flow_item *item, char text[EXPORT_REASON])
{
	static const char *const reasons[] = {
		[RVTRACE_FLOW_SYNC] = "not synchronized",
		[RVTRACE_FLOW_STOP] = "trace stopped",
		[RVTRACE_FLOW_OVERFLOW] = "overflow",
		[RVTRACE_FLOW_LOST] = "bytes lost",
		[RVTRACE_FLOW_NO_IMAGE] = "no image",
		[RVTRACE_FLOW_ERROR] = "error",
		[RVTRACE_FLOW_UNKNOWN] = "unknown message",
		[RVTRACE_FLOW_ACCESSES_LOST] = "data accesses lost",
		[RVTRACE_FLOW_RANGE] = "no image",
		[RVTRACE_FLOW_TAIL] = "end of the trace",
		[RVTRACE_FLOW_UNFOLLOWED] = "unknown flow",
	};

	if (item->type == RVTRACE_FLOW_LOST && item->lost.bytes)
		snprintf(text, EXPORT_REASON, "%" PRIu64 " bytes lost", item->lost.bytes);
	else
		snprintf(text, EXPORT_REASON, "%s",
			 item->type < sizeof(reasons) / sizeof(*reasons) && reasons[item->type] ?
			 reasons[item->type] : "unknown");
	return text;
}

const char *export_item_name(const struct rvtrace_flow_item *item, char text[EXPORT_REASON])
{
	static const char *const accesses[] = {
		[RVTRACE_ETRACE_LOAD] = "load", [RVTRACE_ETRACE_STORE] = "store",
		[RVTRACE_ETRACE_ATOMIC] = "atomic", [RVTRACE_ETRACE_CSR] = "csr",
	};

	switch (item->type) {
	case RVTRACE_FLOW_DATA:
		snprintf(text, EXPORT_REASON, "event 0x%" PRIx32, item->data.id);
		return text;
	case RVTRACE_FLOW_ACCESS:
		return item->access->kind < sizeof(accesses) / sizeof(*accesses) ?
		       accesses[item->access->kind] : "access";
	case RVTRACE_FLOW_STOP:
		return "trace stopped";
	case RVTRACE_FLOW_REGISTER:
		return "register written";
	case RVTRACE_FLOW_TRACEPOINT:
		snprintf(text, EXPORT_REASON, "trace point %" PRIu32, item->tracepoint.number);
		return text;
	case RVTRACE_FLOW_CIRCUIT:
		return "circuit event";
	default:
		return NULL;
	}
}

const char *export_flags(uint16_t flags, uint16_t mask, char text[EXPORT_REASON])
{
	static const char *const words[] = {
		"tail", "older", "part", "resumed", "cut", "suspended", "unwound", "inferred",
		"earlier", "later", "replaced",
	};
	size_t used = 0;

	*text = 0;
	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (flags & mask & 1u << i)
			used += snprintf(text + used, EXPORT_REASON - used, "%s%s",
					 used ? " " : "", words[i]);
	return text;
}
