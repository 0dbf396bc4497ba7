// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl export: folded stacks, as flame graph tools read them: "name;frame;frame COUNT". Each
 * distinct stack is a node in memory; they are written at the end, in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/utf8.h"
#include "export.h"

/**
 * struct node - a stack
 * @parent: the one without the innermost frame, 0: it is the name of threads
 * @name: of the innermost frame
 * @count: what is written
 * @child: its first one, in order; 0: none
 * @next: the next one of @parent
 */
struct node {
	uint32_t parent;
	uint32_t name;
	uint64_t count;
	uint32_t child;
	uint32_t next;
};

/**
 * struct folded - the file
 * @nodes: from 1
 * @count: how many, with the unused one
 * @room: members of @nodes
 * @found: numbers of nodes, by parent and name
 * @shown: names as they are written; by name
 * @line: the stack under way, @used bytes, room for @line_room
 */
struct folded {
	struct node *nodes;
	size_t count;
	size_t room;
	struct export_table found;
	char **shown;
	char *line;
	size_t used;
	size_t line_room;
};

static int begin(struct export *x)
{
	struct folded *folded = calloc(1, sizeof(*folded));

	x->own = folded;
	if (!folded)
		return -ENOMEM;
	folded->count = 1;
	return export_grow(&folded->nodes, &folded->room, 1, sizeof(*folded->nodes));
}

/* 0 without memory */
static uint32_t node_of(struct export *x, uint32_t parent, uint32_t name)
{
	struct folded *folded = x->own;
	uint32_t *value = name ? export_table_find(&folded->found, parent, name) : NULL;

	if (!value || *value)
		return value ? *value : 0;
	if (folded->count >= UINT32_MAX ||
	    export_grow(&folded->nodes, &folded->room, folded->count, sizeof(*folded->nodes)))
		return 0;
	folded->nodes[folded->count] = (struct node) { .parent = parent, .name = name };
	*value = folded->count;
	return folded->count++;
}

/* The name of a thread may change: what is open stays where it is. */
static uint32_t root_of(struct export *x, const struct export_lane *lane)
{
	char name[EXPORT_LANE_NAME];

	return node_of(x, 0, export_name_of_text(x, export_lane_comm(x, lane, name)));
}

/* The stack of @depth frames of a lane. */
static uint32_t stack_of(struct export *x, const struct export_lane *lane, size_t depth)
{
	return depth ? lane->stack[depth - 1].node : root_of(x, lane);
}

static uint32_t gap_of(struct export *x, const struct export_lane *lane)
{
	uint32_t below = stack_of(x, lane, lane->depth);
	const char *name = export_gap_name(lane->gap_is_loss);

	return below ? node_of(x, below, export_name_of_text(x, name)) : 0;
}

static int add(struct export *x, uint32_t node, uint64_t count)
{
	struct folded *folded = x->own;

	if (node)
		folded->nodes[node].count += count;
	return node ? 0 : -ENOMEM;
}

static int enter(struct export *x, const struct export_step *step)
{
	uint32_t below = stack_of(x, step->lane, step->lane->depth - 1);

	step->frame->node = below ? node_of(x, below, step->frame->name) : 0;
	return add(x, step->frame->node, x->weight == EXPORT_BY_CALLS &&
					 step->frame->is_call);
}

static int leave(struct export *x, const struct export_step *step)
{
	return x->weight != EXPORT_BY_INSTRUCTIONS ? 0 :
	       add(x, step->frame->node, step->event->frame->own_instructions);
}

static int pass(struct export *x, struct export_lane *lane, uint64_t time)
{
	return x->weight != EXPORT_BY_TIME ? 0 :
	       add(x, lane->in_gap ? gap_of(x, lane) : stack_of(x, lane, lane->depth), time);
}

/* Nobody knows how much was executed in it: it counts as one, to be seen at all. */
static int gap(struct export *x, const struct export_step *step)
{
	return add(x, gap_of(x, step->lane), x->weight != EXPORT_BY_TIME);
}

/* One that took no time would not be seen. */
static int gap_end(struct export *x, const struct export_step *step)
{
	return x->weight != EXPORT_BY_TIME || step->lane->time > step->lane->gap ? 0 :
	       add(x, gap_of(x, step->lane), 1);
}

/* Semicolons are between frames, and lines end. */
static char *show(const char *text)
{
	size_t room = strlen(text) * 4 + 1;
	char *shown = malloc(room);

	if (!shown)
		return NULL;
	utf8_copy_visible(shown, room, text);
	for (char *c = shown; *c; c++)
		if (*c == ';')
			*c = ':';
	return shown;
}

static int show_names(struct export *x)
{
	struct folded *folded = x->own;

	folded->shown = calloc(x->name_count + 1, sizeof(*folded->shown));
	if (!folded->shown)
		return -ENOMEM;
	for (size_t i = 1; i < x->name_count; i++) {
		folded->shown[i] = show(x->names[i].text);
		if (!folded->shown[i])
			return -ENOMEM;
	}
	return 0;
}

static int by_name(const void *a, const void *b, void *data)
{
	const struct folded *folded = data;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	int order = strcmp(folded->shown[folded->nodes[one].name],
			   folded->shown[folded->nodes[other].name]);

	return order ?: (one > other) - (one < other);
}

/* Children of each node in the order of their names. */
static int link_nodes(struct folded *folded)
{
	uint32_t *order = malloc(folded->count * sizeof(*order));
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 1; i < folded->count; i++)
		order[i - 1] = i;
	qsort_r(order, folded->count - 1, sizeof(*order), by_name, folded);
	for (i = folded->count - 1; i--; ) {
		struct node *node = &folded->nodes[order[i]];

		node->next = folded->nodes[node->parent].child;
		folded->nodes[node->parent].child = order[i];
	}
	free(order);
	return 0;
}

static int append(struct folded *folded, const char *text)
{
	size_t size = strlen(text);

	if (export_grow(&folded->line, &folded->line_room, folded->used + size + 1, 1))
		return -ENOMEM;
	if (folded->used)
		folded->line[folded->used++] = ';';
	memcpy(folded->line + folded->used, text, size);
	folded->used += size;
	return 0;
}

static void cut(struct folded *folded, const char *text)
{
	size_t size = strlen(text);

	folded->used -= size < folded->used ? size + 1 : size;
}

/*
 * Functions of several files may have one name, and names that differ in what cannot be written as
 * well: their stacks are one line each, which every reader adds up.
 */
static int put_line(struct export *x, const struct node *node)
{
	struct folded *folded = x->own;
	int ret = append(folded, folded->shown[node->name]);

	if (ret || !node->count)
		return ret;
	out_bytes(x->out, folded->line, folded->used);
	out_char(x->out, ' ');
	out_number(x->out, node->count);
	out_char(x->out, '\n');
	return -x->out->error;
}

static int end(struct export *x)
{
	struct folded *folded = x->own;
	uint32_t at;
	int ret = show_names(x);

	if (!ret)
		ret = link_nodes(folded);
	for (at = folded->nodes[0].child; at && !ret; ) {
		struct node *node = &folded->nodes[at];

		ret = put_line(x, node);
		at = node->child;
		while (!at && node != folded->nodes) {
			cut(folded, folded->shown[node->name]);
			at = node->next;
			node = &folded->nodes[node->parent];
		}
	}
	return ret;
}

static void free_folded(struct export *x)
{
	struct folded *folded = x->own;

	if (!folded)
		return;
	for (size_t i = 0; folded->shown && i < x->name_count; i++)
		free(folded->shown[i]);
	free(folded->shown);
	free(folded->nodes);
	free(folded->line);
	export_table_free(&folded->found);
	free(folded);
}

const struct export_format export_folded = {
	.name = "folded",
	.begin = begin, .enter = enter, .leave = leave, .pass = pass, .gap = gap,
	.gap_end = gap_end, .end = end, .free = free_folded,
};
