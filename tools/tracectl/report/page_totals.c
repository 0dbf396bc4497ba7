// SPDX-License-Identifier: GPL-2.0
/* tracectl report --html: names, what functions did in all, and stacks. */
#include <errno.h>
#include <stdlib.h>

#include "page.h"

/* Stacks beyond are counted for the frame below. */
#define NODES_MAX	1000000

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b << 32 ^ b >> 7) * 0x9e3779b97f4a7c15;
	a = (a ^ a >> 29) * 0xbf58476d1ce4e5b9;
	return a ^ a >> 32;
}

static uint64_t text_hash(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211;
	return mix(hash, 1);
}

static uint64_t name_hash(const struct page_name *name)
{
	return name->function ? mix(name->function->id, 2) : text_hash(name->text);
}

static uint64_t node_hash(const struct node *node)
{
	return mix(node->parent, node->name);
}

static void slots_put(struct slots *slots, uint64_t hash, uint32_t number)
{
	size_t at = hash & (slots->count - 1);

	while (slots->list[at])
		at = (at + 1) & (slots->count - 1);
	slots->list[at] = number + 1;
}

/* Room for one more than @count: whether all have to be put again; or -ENOMEM. */
static int slots_grow(struct slots *slots, size_t count)
{
	size_t more = slots->count ? slots->count * 2 : 1024;

	if (count * 2 < slots->count)
		return 0;
	free(slots->list);
	slots->list = calloc(more, sizeof(*slots->list));
	slots->count = slots->list ? more : 0;
	return slots->list ? 1 : -ENOMEM;
}

static uint8_t family_of(const struct view_function *function)
{
	if (!function->name)
		return FAMILY_UNKNOWN;
	if (function->module && function->file)
		return FAMILY_MODULE;
	return function->kernel ? FAMILY_KERNEL : FAMILY_USER;
}

static int add_name(struct page *page, const struct page_name *name, uint32_t *number)
{
	int ret = slots_grow(&page->name_slots, page->name_count);

	if (ret > 0)
		for (uint32_t i = 0; i < page->name_count; i++)
			slots_put(&page->name_slots, name_hash(&page->names[i]), i);
	if (ret >= 0)
		ret = page_grow(&page->names, &page->name_room, page->name_count,
				sizeof(*page->names));
	if (ret)
		return ret;
	*number = page->name_count;
	page->names[page->name_count++] = *name;
	slots_put(&page->name_slots, name_hash(name), *number);
	return 0;
}

static bool same_name(const struct page_name *name, const struct view_function *function,
		      const char *text)
{
	if (function || name->function)
		return name->function == function;
	return !strcmp(name->text, text);
}

int page_name(struct page *page, const struct rvtrace_call_frame *frame, uint32_t *number)
{
	const struct slots *slots = &page->name_slots;
	struct page_name name = { .longest = -1, .self_bound = INT64_MIN,
				  .total_bound = INT64_MIN };
	char buffer[256];
	const char *text = NULL;
	size_t at;

	if (frame->kind == RVTRACE_CALL_FUNCTION)
		name.function = view_function(page->view, frame->function);
	if (!name.function)
		text = view_frame_name(page->view, frame, buffer, sizeof(buffer));
	at = name.function ? mix(name.function->id, 2) : text_hash(text);
	for (at &= slots->count - !!slots->count; slots->count && slots->list[at];
	     at = (at + 1) & (slots->count - 1)) {
		if (same_name(&page->names[slots->list[at] - 1], name.function, text)) {
			*number = slots->list[at] - 1;
			return 0;
		}
	}
	name.family = frame->kind == RVTRACE_CALL_TRAP ? FAMILY_TRAP :
		      frame->kind == RVTRACE_CALL_SIGNAL ? FAMILY_SIGNAL :
		      name.function ? family_of(name.function) : FAMILY_UNKNOWN;
	if (text) {
		name.text = strdup(text);
		if (!name.text)
			return -ENOMEM;
	}
	return add_name(page, &name, number);
}

static bool in_stack(const struct page *page, uint32_t node, uint32_t name)
{
	for (; page->nodes[node].parent; node = page->nodes[node].parent)
		if (page->nodes[node].name == name)
			return true;
	return false;
}

static int add_node(struct page *page, const struct node *node, uint32_t *number)
{
	int ret = slots_grow(&page->node_slots, page->node_count);

	if (ret > 0)
		for (uint32_t i = 0; i < page->node_count; i++)
			slots_put(&page->node_slots, node_hash(&page->nodes[i]), i);
	if (ret >= 0)
		ret = page_grow(&page->nodes, &page->node_room, page->node_count,
				sizeof(*page->nodes));
	if (ret)
		return ret;
	*number = page->node_count;
	page->nodes[page->node_count++] = *node;
	slots_put(&page->node_slots, node_hash(node), *number);
	return 0;
}

/* Node 0 is that of all lanes. */
int page_node(struct page *page, uint32_t parent, uint32_t name, uint32_t *number)
{
	const struct slots *slots = &page->node_slots;
	struct node node = { .parent = parent, .name = name };
	size_t at = node_hash(&node);

	for (at &= slots->count - !!slots->count; slots->count && slots->list[at];
	     at = (at + 1) & (slots->count - 1)) {
		*number = slots->list[at] - 1;
		if (page->nodes[*number].parent == parent && page->nodes[*number].name == name)
			return 0;
	}
	if (page->node_count >= NODES_MAX) {
		page->folded++;
		*number = parent;
		return 0;
	}
	node.again = parent && in_stack(page, parent, name);
	return add_node(page, &node, number);
}

/*
 * How wrong a sum of times may be: each of its ends may be anywhere between its bounds. What is
 * between the same bounds is so together.
 */
static void doubt(int64_t *sum, int64_t *bound, const struct moment *moment)
{
	if (moment->earliest == *bound && moment->known)
		return;
	*bound = moment->earliest;
	*sum += moment_doubt(moment);
}

void totals_own(struct page *page, const struct lane_frame *top, uint32_t node,
		const struct moment *from, const struct moment *to, uint64_t instructions)
{
	struct page_name *name = top ? &page->names[top->name] : NULL;
	bool timed = from && from->known && to->known;

	page->nodes[node].own += instructions;
	if (timed)
		page->nodes[node].self += to->best - from->best;
	if (!name)
		return;
	name->own += instructions;
	if (timed) {
		name->self += to->best - from->best;
		doubt(&name->self_doubt, &name->self_bound, from);
		doubt(&name->self_doubt, &name->self_bound, to);
	}
}

void totals_left(struct page *page, const struct lane_frame *top, uint32_t lane,
		 const struct rvtrace_call_frame *frame, const struct moment *from,
		 const struct moment *to)
{
	struct page_name *name = &page->names[top->name];
	int64_t lasted = to->best - from->best;

	if (frame->kind != RVTRACE_CALL_FUNCTION || view_is_call(frame)) {
		page->nodes[top->node].calls++;
		name->calls++;
	}
	if (!top->again)
		name->instructions += frame->instructions;
	if (!from->known || !to->known)
		return;
	if (!top->again) {
		name->total += lasted;
		doubt(&name->total_doubt, &name->total_bound, from);
		doubt(&name->total_doubt, &name->total_bound, to);
	}
	if (lasted > name->longest) {
		name->longest = lasted;
		name->longest_doubt = moment_doubt(from) + moment_doubt(to);
		name->longest_at = from->best;
		name->longest_lane = lane;
	}
}

void totals_free(struct page *page)
{
	for (size_t i = 0; i < page->name_count; i++)
		free(page->names[i].text);
	free(page->names);
	free(page->nodes);
	free(page->name_slots.list);
	free(page->node_slots.list);
}
