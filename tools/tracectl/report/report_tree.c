// SPDX-License-Identifier: GPL-2.0
/* tracectl report --function: what functions called, all calls together and the longest one. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "report_tree.h"

#define LEVELS	256	/* of callees; what is deeper is its caller's */

/**
 * struct report_place - where a lane is
 * @stack: what executes, the innermost last; @depth of them, room for @room
 * @root: the call that was asked for, under way; NULL: none is
 * @node: the innermost node of it
 * @below: frames below @root
 * @beyond: frames above @node that are too deep to have nodes
 * @rested: since then it does not run, if @rests
 */
struct report_place {
	struct report_label *stack;
	size_t depth;
	size_t room;
	struct report_node *root;
	struct report_node *node;
	size_t below;
	size_t beyond;
	bool rests;
	struct rvtrace_call_time rested;
};

struct report_tree *report_tree_new(const char *pattern)
{
	struct report_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->pattern = pattern;
	return tree;
}

static void free_below(struct report_node *node)
{
	struct report_node *child = node->child, *next;

	while (child) {
		next = child->next;
		free_below(child);
		free(child);
		child = next;
	}
	node->child = NULL;
}

static void free_node(struct report_node *node)
{
	if (node)
		free_below(node);
	free(node);
}

void report_tree_free(struct report_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->place_count; i++) {
		if (!tree->places[i])
			continue;
		free_node(tree->places[i]->root);
		free(tree->places[i]->stack);
		free(tree->places[i]);
	}
	free(tree->places);
	free(tree->path);
	free_node(tree->slowest);
	free_below(&tree->all);
	free(tree);
}

static struct report_place *place_of(struct report_tree *tree, uint32_t lane)
{
	struct report_place **more;

	if (lane >= tree->place_count) {
		more = reallocarray(tree->places, lane + 1, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + tree->place_count, 0,
		       (lane + 1 - tree->place_count) * sizeof(*more));
		tree->places = more;
		tree->place_count = lane + 1;
	}
	if (!tree->places[lane])
		tree->places[lane] = calloc(1, sizeof(**tree->places));
	return tree->places[lane];
}

static struct report_label label_of(const struct rvtrace_call_frame *frame)
{
	return (struct report_label) {
		.function = frame->function, .kind = frame->kind, .trap = frame->trap,
		.has_cause = frame->has_cause, .cause = frame->cause, .address = frame->address,
	};
}

static bool same(const struct report_label *a, const struct report_label *b)
{
	return a->kind == b->kind && a->function == b->function &&
	       (a->kind != RVTRACE_CALL_TRAP || (a->trap == b->trap && a->cause == b->cause)) &&
	       (a->function || a->kind != RVTRACE_CALL_FUNCTION || a->address == b->address);
}

static struct report_node *child_of(struct report_node *node, const struct report_label *label)
{
	struct report_node *child;

	for (child = node->child; child; child = child->next)
		if (same(&child->label, label))
			return child;
	child = calloc(1, sizeof(*child));
	if (!child)
		return NULL;
	child->label = *label;
	child->above = node;
	child->next = node->child;
	node->child = child;
	return child;
}

/* What the call did is part of what all did. */
static int merge(struct report_node *into, const struct report_node *node)
{
	struct report_node *same_node = child_of(into, &node->label), *child;
	int ret = 0;

	if (!same_node)
		return -ENOMEM;
	same_node->calls += node->calls;
	same_node->cpu += node->cpu;
	same_node->total += node->total;
	same_node->instructions += node->instructions;
	for (child = node->child; child && !ret; child = child->next)
		ret = merge(same_node, child);
	return ret;
}

static bool matches(const struct report_tree *tree, const struct view *view,
		    const struct rvtrace_call_frame *frame)
{
	const struct view_function *function = view_function(view, frame->function);

	return frame->kind == RVTRACE_CALL_FUNCTION && function && function->named &&
	       !fnmatch(tree->pattern, function->name, 0);
}

static int enter(struct report_tree *tree, const struct view *view, struct report_place *place,
		 const struct rvtrace_call_frame *frame)
{
	const struct report_label label = label_of(frame);
	size_t room = place->room ? 2 * place->room : 32;
	void *more;

	if (place->depth == place->room) {
		more = reallocarray(place->stack, room, sizeof(*place->stack));
		if (!more)
			return -ENOMEM;
		place->stack = more;
		place->room = room;
	}
	if (place->root && place->depth - place->below >= LEVELS) {
		place->beyond++;
	} else if (place->root) {
		place->node = child_of(place->node, &label);
		if (!place->node)
			return -ENOMEM;
	} else if (matches(tree, view, frame)) {
		place->root = calloc(1, sizeof(*place->root));
		if (!place->root)
			return -ENOMEM;
		place->root->label = label;
		place->node = place->root;
		place->below = place->depth;
	}
	place->stack[place->depth++] = label;
	return 0;
}

/* The call is over: the longest one is kept. */
static int end(struct report_tree *tree, struct report_place *place,
	       const struct rvtrace_call_event *event)
{
	struct report_node *root = place->root;
	struct rvtrace_call_span span;
	int ret = merge(&tree->all, root);

	place->root = NULL;
	if (!view_duration(event->frame, &span) || !view_is_whole(event->frame) ||
	    (tree->slowest && span.best <= tree->span.best)) {
		free_node(root);
		return ret;
	}
	free_node(tree->slowest);
	tree->slowest = root;
	tree->span = span;
	tree->at = event->frame->entered;
	tree->lane = event->lane;
	free(tree->path);
	tree->path_count = place->below;
	tree->path = reallocarray(NULL, place->below + 1, sizeof(*tree->path));
	if (!tree->path)
		return -ENOMEM;
	memcpy(tree->path, place->stack, place->below * sizeof(*tree->path));
	return ret;
}

static int leave(struct report_tree *tree, struct report_place *place,
		 const struct rvtrace_call_event *event)
{
	struct rvtrace_call_span total, cpu;

	if (!place->depth)
		return 0;
	place->depth--;
	if (place->beyond) {
		place->beyond--;
		return 0;
	}
	if (!place->root)
		return 0;
	view_cpu_time(event->frame, &cpu);
	view_duration(event->frame, &total);
	place->node->calls += event->frame->kind != RVTRACE_CALL_FUNCTION ||
			      view_is_call(event->frame);
	place->node->cpu += cpu.best;
	place->node->total += total.best;
	place->node->instructions += event->frame->instructions;
	place->node = place->node->above;
	return place->depth == place->below ? end(tree, place, event) : 0;
}

/* How long the thread did not run, where it stopped. */
static int rest(struct report_place *place, const struct rvtrace_call_event *event)
{
	static const struct report_label label = { .kind = REPORT_REST };
	struct rvtrace_call_span span;
	struct report_node *node;

	if (event->type == RVTRACE_CALL_REST) {
		place->rests = true;
		place->rested = event->time;
		return 0;
	}
	if (!place->root || !place->rests || !rvtrace_call_span(&place->rested, &event->time, &span))
		return 0;
	place->rests = false;
	node = child_of(place->node, &label);
	if (!node)
		return -ENOMEM;
	node->calls++;
	node->total += span.best;
	return 0;
}

int report_tree_take(struct report_tree *tree, const struct view *view,
		     const struct rvtrace_call_event *event)
{
	struct report_place *place = place_of(tree, event->lane);

	if (!place)
		return -ENOMEM;
	switch (event->type) {
	case RVTRACE_CALL_ENTER:
		return enter(tree, view, place, event->frame);
	case RVTRACE_CALL_LEAVE:
		return leave(tree, place, event);
	case RVTRACE_CALL_RUN:
	case RVTRACE_CALL_REST:
		return rest(place, event);
	}
	return 0;
}

void report_tree_sort(struct report_node *node)
{
	struct report_node *sorted = NULL, *child, *next, **at;

	for (child = node->child; child; child = next) {
		next = child->next;
		for (at = &sorted; *at && (*at)->total >= child->total; at = &(*at)->next)
			;
		child->next = *at;
		*at = child;
		report_tree_sort(child);
	}
	node->child = sorted;
}

const char *report_label_name(const struct view *view, const struct report_label *label,
			      char *buffer, size_t size)
{
	const struct rvtrace_call_frame frame = {
		.function = label->function, .kind = label->kind, .trap = label->trap,
		.has_cause = label->has_cause, .cause = label->cause, .address = label->address,
	};

	return label->kind == REPORT_REST ? "(did not run)" :
	       view_frame_name(view, &frame, buffer, size);
}
