// SPDX-License-Identifier: GPL-2.0
/* The flow of one hart, as it is decoded: see compare-flow.h. */
#include <errno.h>
#include <sys/mman.h>

#include "selftests/compare/compare-flow.h"
#include "selftests/storm/announce.h"
#include "tools/machine/truth.h"

#define OFFSET_EVERY	256	/* bytes of trace between two FLOW_OFFSET */

void compare_flow_init(struct compare_flow *flow)
{
	*flow = (struct compare_flow) { .digits = -1 };
}

void compare_flow_free(struct compare_flow *flow)
{
	if (flow->room)
		munmap(flow->items, flow->room * sizeof(*flow->items));
}

static int push(struct compare_flow *flow, uint64_t item)
{
	if (flow->count == flow->room) {
		size_t room = flow->room ? 2 * flow->room : 1 << 16;
		void *items;

		/* mremap() grows without a second copy. */
		items = flow->room ?
			mremap(flow->items, flow->room * sizeof(item), room * sizeof(item),
			       MREMAP_MAYMOVE) :
			mmap(NULL, room * sizeof(item), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (items == MAP_FAILED)
			return -ENOMEM;
		flow->items = items;
		flow->room = room;
	}
	flow->items[flow->count++] = item;
	return 0;
}

static uint32_t code_word(const struct rvtrace_insn_iter *iter)
{
	return iter->size < 4 ? 0 : iter->code[0] | iter->code[1] << 8 | iter->code[2] << 16 |
				    (uint32_t)iter->code[3] << 24;
}

/* What a comparison that starts here does not know any more is said again. */
int compare_flow_break(struct compare_flow *flow, enum flow_event kind, uint64_t offset)
{
	flow->has_space = false;
	flow->has_thread = false;
	flow->digits = -1;
	return push(flow, flow_event(kind, offset));
}

int compare_flow_offset(struct compare_flow *flow, uint64_t offset)
{
	if (offset - flow->offset < OFFSET_EVERY)
		return 0;
	flow->offset = offset;
	return push(flow, flow_event(FLOW_OFFSET, offset));
}

int compare_flow_space(struct compare_flow *flow, uint64_t space)
{
	if (flow->has_space && flow->space == space)
		return 0;
	flow->has_space = true;
	flow->space = space;
	flow->digits = -1;
	return push(flow, flow_event(FLOW_SPACE, space));
}

int compare_flow_thread(struct compare_flow *flow, uint64_t thread)
{
	if (flow->has_thread && flow->thread == thread)
		return 0;
	flow->has_thread = true;
	flow->thread = thread;
	return push(flow, flow_event(FLOW_THREAD, thread));
}

static int hear_announcement(struct compare_flow *flow, uint32_t code)
{
	if (code == ANNOUNCE_OPEN) {
		flow->digits = 0;
		flow->pid = 0;
	} else if (flow->digits >= 0 && (code & ANNOUNCE_MASK) == ANNOUNCE_DIGIT) {
		flow->digits++;
		flow->pid = flow->pid << 4 | (code >> 20 & 15);
	} else if (flow->digits == ANNOUNCE_DIGITS && code == ANNOUNCE_CLOSE) {
		flow->digits = -1;
		return push(flow, flow_event(FLOW_PID, flow->pid));
	}
	return 0;
}

int compare_flow_gap(struct compare_flow *flow, const struct rvtrace_flow_item *item)
{
	return push(flow, flow_event(FLOW_OFFSET, item->offset)) |
	       compare_flow_break(flow, FLOW_GAP, item->unfollowed.halfwords);
}

int compare_flow_range(struct compare_flow *flow, const struct rvtrace_flow_item *item,
		       unsigned int priv)
{
	int ret = push(flow, flow_insn(item->address, priv));

	if (!ret && item->range.last != item->address)
		ret = compare_flow_break(flow, FLOW_NO_IMAGE, item->offset) |
		      push(flow, flow_insn(item->range.last, priv));
	return ret;
}

int compare_flow_insn(struct compare_flow *flow, const struct rvtrace_insn_iter *iter,
		      unsigned int priv)
{
	uint32_t code = code_word(iter);
	int ret = 0;

	if (code == TRUTH_MARKER_BEGIN) {
		ret = push(flow, flow_event(FLOW_BEGIN, 0));
		ret |= push(flow, flow_event(FLOW_SPACE, flow->space));
		ret |= push(flow, flow_event(FLOW_THREAD, flow->thread));
	} else if (code == TRUTH_MARKER_END) {
		ret = push(flow, flow_event(FLOW_END, 0));
	}
	ret |= push(flow, flow_insn_of_size(iter->address, priv, iter->size));
	return ret | hear_announcement(flow, code);
}
