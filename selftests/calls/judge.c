// SPDX-License-Identifier: GPL-2.0
/* Frames of the call layer against those of the shadow stack: see judge.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/calls/judge.h"

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static const char *const kinds[] = { "call", "trap", "signal" };

static void show_shadow(const struct judge *judge, uint32_t number)
{
	static const char *const ends[] = { "open", "returned", "unwound", "replaced", "dead" };
	const struct shadow_frame *f = &judge->shadow->frames[number];

	printf("  truth: frame %" PRIu32 ", %s of 0x%" PRIx64 " by privilege %u, to return to 0x%"
	       PRIx64 ", sp 0x%" PRIx64 ", thread %" PRIu32 ", entered: hart %" PRIu32
	       " instruction %" PRIu64 ", %s: hart %" PRIu32 " instruction %" PRIu64
	       ", parent %" PRId32 "\n",
	       number, kinds[f->kind], f->target, f->priv, f->link, f->sp, f->thread,
	       f->entered.hart, f->entered.index, ends[f->end], f->left.hart, f->left.index,
	       (int32_t)f->parent);
}

static void show_layer(const struct judge *judge, uint32_t number)
{
	const struct layer_frame *f = &judge->layer->frames[number];
	const struct align_hart *from = &judge->harts[f->entered_source];
	const struct align_hart *to = &judge->harts[f->left_source];
	uint64_t address;
	const char *file;

	printf("  layer: frame %" PRIu64 ", %s %s, address 0x%" PRIx64 ", to return to 0x%" PRIx64
	       ", flags 0x%x and 0x%x, thread %" PRId32 " lane %" PRIu32 ", entered: hart %" PRIu64
	       " instruction %" PRId64 ", %s: hart %" PRIu64 " instruction %" PRId64
	       ", parent %" PRIu64 "\n",
	       f->first.id, kinds[f->first.kind],
	       names_of(judge->names, f->first.function, &file, &address), f->first.address,
	       f->first.return_address, f->first.flags, f->last.flags, f->thread, f->lane, from->id,
	       (int64_t)align_index(from, f->entered_ordinal), f->is_left ? "left" : "open", to->id,
	       (int64_t)align_index(to, f->left_ordinal), f->first.parent);
}

void judge_differ(struct judge *judge, const char *what, uint32_t shadow, uint32_t layer)
{
	if (judge->differences++ >= judge->show)
		return;
	printf("difference: %s\n", what);
	if (shadow != SHADOW_NONE)
		show_shadow(judge, shadow);
	if (layer != LAYER_NONE)
		show_layer(judge, layer);
}

/* Frames that an instruction, trap or signal opened; not those that the layer only found. */
static bool is_opened(const struct layer_frame *frame)
{
	if (frame->first.flags & RVTRACE_CALL_RESUMED)
		return false;
	if (frame->first.kind != RVTRACE_CALL_FUNCTION)
		return true;
	return frame->first.return_address && !frame->handler &&
	       !(frame->first.flags & RVTRACE_CALL_TAIL);
}

static bool has_gaps(const struct judge *judge)
{
	unsigned int i;

	for (i = 0; i < JUDGE_SOURCES; i++)
		if (judge->harts[i].traced && judge->harts[i].segment_count > 1)
			return true;
	return false;
}

static void count(struct judge *judge, uint32_t shadow, uint32_t layer)
{
	uint64_t *const counts[] = { &judge->calls, &judge->traps, &judge->signals };
	const struct shadow_frame *truth = &judge->shadow->frames[shadow];
	const struct layer_frame *frame = &judge->layer->frames[layer];

	if (truth->kind == SHADOW_CALL && truth->target != frame->first.address)
		judge_differ(judge, "called another address", shadow, layer);
	if (truth->kind == SHADOW_CALL && truth->link != frame->first.return_address)
		judge_differ(judge, "to return elsewhere", shadow, layer);
	judge->tails += frame->is_left && frame->first.id != frame->last.id;
	judge->unwound += frame->is_left && frame->last.flags & RVTRACE_CALL_UNWOUND;
	judge->layer_of[shadow] = layer;
	judge->shadow_of[layer] = shadow;
	++*counts[judge->shadow->frames[shadow].kind];
}

static void miss(struct judge *judge, uint32_t number, const struct align_hart *hart)
{
	const struct shadow_frame *frame = &judge->shadow->frames[number];

	/* return_to_handler() calls where a frame waits that is older than the windows. */
	if (frame->kind == SHADOW_CALL && frame->priv && frame->parent == SHADOW_NONE &&
	    frame->end != SHADOW_RETURNED)
		judge->older++;
	else if (align_gap(hart, frame->entered.index ? frame->entered.index - 1 : 0,
		      frame->entered.index))
		judge->in_gaps++;
	else
		judge_differ(judge, "the layer misses it", number, LAYER_NONE);
}

static bool is_older(const struct judge *judge, uint32_t number, uint64_t hart, uint64_t index)
{
	return judge->layer->frames[number].first.kind == RVTRACE_CALL_SIGNAL &&
	       shadow_has_place(&judge->shadow->unknown, hart, index);
}

/* The next frame of the hart from @number on */
static uint32_t next_shadow(const struct judge *judge, uint32_t number, uint64_t hart)
{
	while (number < judge->shadow->count && judge->shadow->frames[number].entered.hart != hart)
		number++;
	return number;
}

static uint64_t index_of(const struct judge *judge, uint32_t number)
{
	const struct layer_frame *frame = &judge->layer->frames[number];

	return align_index(&judge->harts[frame->entered_source], frame->entered_ordinal);
}

static uint32_t next_layer(const struct judge *judge, uint32_t number, uint32_t source,
			   uint64_t hart)
{
	const struct shadow_hart *window = &judge->shadow->harts[hart];

	for (; number < judge->layer->count; number++) {
		const struct layer_frame *frame = &judge->layer->frames[number];
		uint64_t index;

		if (frame->entered_source != source || !is_opened(frame))
			continue;
		index = index_of(judge, number);
		/* what the first and the last record opens may not be told by the other */
		if (index != ALIGN_NOWHERE && index > window->begin_index + 1 &&
		    index < window->end_index)
			break;
	}
	return number;
}

/* Both have the frames of a hart in order of its instructions. */
static void match(struct judge *judge, uint32_t source)
{
	const struct align_hart *hart = &judge->harts[source];
	const struct shadow_hart *window = &judge->shadow->harts[hart->id];
	uint32_t s = next_shadow(judge, 0, hart->id);
	uint32_t l = next_layer(judge, 0, source, hart->id);

	while (s < judge->shadow->count || l < judge->layer->count) {
		uint64_t mine = s < judge->shadow->count ? judge->shadow->frames[s].entered.index :
				UINT64_MAX;
		uint64_t its = l < judge->layer->count ? index_of(judge, l) : UINT64_MAX;

		if (mine != UINT64_MAX &&
		    (mine <= window->begin_index + 1 || mine >= window->end_index)) {
			s = next_shadow(judge, s + 1, hart->id);
			continue;
		}
		if (mine < its) {
			miss(judge, s, hart);
			s = next_shadow(judge, s + 1, hart->id);
		} else if (its < mine) {
			if (is_older(judge, l, hart->id, its))
				judge->older++;
			else
				judge_differ(judge, "what the layer opened was not", SHADOW_NONE,
					     l);
			l = next_layer(judge, l + 1, source, hart->id);
		} else {
			if (judge->shadow->frames[s].kind == judge->layer->frames[l].first.kind)
				count(judge, s, l);
			else
				judge_differ(judge, "of another kind", s, l);
			s = next_shadow(judge, s + 1, hart->id);
			l = next_layer(judge, l + 1, source, hart->id);
		}
	}
}

/* A frame of a coroutine that went on, as the layer entered it again. */
static bool is_again(const struct shadow_frame *truth, const struct layer_frame *frame)
{
	return frame->first.flags & RVTRACE_CALL_RESUMED &&
	       (frame->first.return_address == truth->link ||
		frame->first.address == truth->target);
}

static uint32_t known_parent(const struct judge *judge, uint32_t number)
{
	do
		number = judge->layer->frames[number].parent;
	while (number != LAYER_NONE && judge->shadow_of[number] == SHADOW_NONE);
	return number;
}

static void judge_parent(struct judge *judge, uint32_t s, uint32_t l)
{
	uint32_t parent = judge->shadow->frames[s].parent;
	uint32_t its = known_parent(judge, l);

	while (parent != SHADOW_NONE && judge->layer_of[parent] == LAYER_NONE)
		parent = judge->shadow->frames[parent].parent;
	if (parent != SHADOW_NONE && judge->shadow->frames[parent].suspended &&
	    is_again(&judge->shadow->frames[parent],
		     &judge->layer->frames[judge->layer->frames[l].parent]))
		judge->resumed++;
	else if (parent == SHADOW_NONE && (its == LAYER_NONE || judge->shadow->frames[s].coroutine))
		judge->orphans++;
	else if (parent != SHADOW_NONE && its == judge->layer_of[parent])
		return;
	else if (parent != SHADOW_NONE && its == LAYER_NONE && has_gaps(judge))
		judge->cut++;
	else
		judge_differ(judge, "another caller", s, l);
}

static bool left_there(const struct judge *judge, const struct shadow_frame *truth,
		       const struct layer_frame *frame)
{
	const struct align_hart *hart = &judge->harts[frame->left_source];

	return frame->is_left && hart->id == truth->left.hart &&
	       align_index(hart, frame->left_ordinal) == truth->left.index;
}

/* Whether what the layer entered again ends where the frame does. */
static bool ends_again(const struct judge *judge, const struct shadow_frame *truth)
{
	uint32_t i;

	for (i = 0; i < judge->layer->count; i++)
		if (is_again(truth, &judge->layer->frames[i]) &&
		    left_there(judge, truth, &judge->layer->frames[i]))
			return true;
	return false;
}

/* What the layer enters again goes on there. */
static void judge_again(struct judge *judge)
{
	uint32_t i;

	for (i = 0; i < judge->layer->count; i++) {
		const struct layer_frame *frame = &judge->layer->frames[i];
		const struct align_hart *hart = &judge->harts[frame->entered_source];
		uint64_t index;

		if (!(frame->first.flags & RVTRACE_CALL_RESUMED))
			continue;
		index = align_index(hart, frame->entered_ordinal);
		if (index != ALIGN_NOWHERE &&
		    index > judge->shadow->harts[hart->id].begin_index + 1 &&
		    index < judge->shadow->harts[hart->id].end_index &&
		    !shadow_has_place(&judge->shadow->coroutines, hart->id, index))
			judge_differ(judge, "entered again, yet no coroutine goes on", SHADOW_NONE,
				     i);
	}
}

/* Whether the layer left it before the windows ended. */
static bool left_inside(const struct judge *judge, const struct layer_frame *frame)
{
	const struct align_hart *hart = &judge->harts[frame->left_source];
	uint64_t index;

	if (!frame->is_left || frame->last.flags & RVTRACE_CALL_CUT)
		return false;
	index = align_index(hart, frame->left_ordinal);
	return index != ALIGN_NOWHERE && index < judge->shadow->harts[hart->id].end_index;
}

static void judge_end(struct judge *judge, uint32_t s, uint32_t l)
{
	const struct shadow_frame *truth = &judge->shadow->frames[s];
	const struct layer_frame *frame = &judge->layer->frames[l];
	unsigned int flags = frame->is_left ? frame->last.flags : 0;

	switch (truth->end) {
	case SHADOW_OPEN:
		judge->open++;
		if (left_inside(judge, frame) &&
		    !(truth->suspended && flags & (RVTRACE_CALL_UNWOUND | RVTRACE_CALL_SUSPENDED)))
			judge_differ(judge, "left, yet it goes on", s, l);
		return;
	case SHADOW_DEAD:
		judge->dead++;
		if (frame->is_left && !flags)
			judge_differ(judge, "returned, yet its thread ended in it", s, l);
		return;
	case SHADOW_REPLACED:
		judge->replaced++;
		if (!frame->is_left || !(flags & (RVTRACE_CALL_UNWOUND | RVTRACE_CALL_CUT)))
			judge_differ(judge, "not left by execve()", s, l);
		return;
	}
	if (left_there(judge, truth, frame)) {
		if (!truth->either && !truth->suspended &&
		    !(flags & RVTRACE_CALL_UNWOUND) != (truth->end == SHADOW_RETURNED))
			judge_differ(judge, "left in another way", s, l);
	} else if (truth->suspended && flags & (RVTRACE_CALL_UNWOUND | RVTRACE_CALL_SUSPENDED)) {
		judge->suspended++;
		if (!truth->switched && !ends_again(judge, truth))
			judge_differ(judge, "entered again, and left elsewhere", s, l);
	} else if (flags & RVTRACE_CALL_CUT && has_gaps(judge)) {
		judge->cut++;
	} else {
		judge_differ(judge, "left elsewhere", s, l);
	}
}

/*
 * struct binding - a thread of the truth and one of the layer are the same
 * @lane, @thread: of the layer, @lane LAYER_NONE: none yet
 * @epoch: of the truth
 * @may_change: the layer may see another program with its first instruction alone
 */
struct binding {
	uint32_t lane;
	int32_t thread;
	uint32_t epoch;
	bool may_change;
};

static void judge_thread(struct judge *judge, struct binding *bindings, uint32_t *threads,
			 uint32_t s, uint32_t l)
{
	const struct shadow_frame *truth = &judge->shadow->frames[s];
	const struct layer_frame *frame = &judge->layer->frames[l];
	struct binding *binding = &bindings[truth->thread];
	uint32_t *thread = &threads[frame->lane];

	if (frame->thread < 0) {
		judge->unknown++;
		return;
	}
	if (binding->lane == LAYER_NONE || binding->epoch != truth->epoch ||
	    (binding->may_change && binding->lane != frame->lane)) {
		*binding = (struct binding) {
			frame->lane, frame->thread, truth->epoch,
			binding->lane != LAYER_NONE && binding->epoch != truth->epoch &&
				binding->lane == frame->lane,
		};
		if (*thread == SHADOW_NONE)
			*thread = truth->thread;
	}
	if (binding->lane != frame->lane || *thread != truth->thread)
		judge_differ(judge, "of another thread", s, l);
}

void judge_frames(struct judge *judge)
{
	struct binding *bindings = need(malloc((judge->shadow->thread_count + 1) *
					       sizeof(*bindings)));
	uint32_t *threads = need(malloc((judge->layer->lane_count + 1) * sizeof(*threads)));
	uint32_t i;

	for (i = 0; i < judge->shadow->thread_count; i++)
		bindings[i].lane = LAYER_NONE;
	memset(threads, 0xff, judge->layer->lane_count * sizeof(*threads));
	judge->layer_of = need(malloc((judge->shadow->count + 1) * sizeof(uint32_t)));
	judge->shadow_of = need(malloc((judge->layer->count + 1) * sizeof(uint32_t)));
	memset(judge->layer_of, 0xff, judge->shadow->count * sizeof(uint32_t));
	memset(judge->shadow_of, 0xff, judge->layer->count * sizeof(uint32_t));
	for (i = 0; i < JUDGE_SOURCES; i++)
		if (judge->harts[i].traced)
			match(judge, i);
	for (i = 0; i < judge->shadow->count; i++) {
		uint32_t l = judge->layer_of[i];

		if (l == LAYER_NONE)
			continue;
		judge_parent(judge, i, l);
		judge_end(judge, i, l);
		judge_thread(judge, bindings, threads, i, l);
	}
	judge_again(judge);
	free(bindings);
	free(threads);
}
