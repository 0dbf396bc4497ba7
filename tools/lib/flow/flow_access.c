// SPDX-License-Identifier: LGPL-2.1-or-later
/* Accesses to their instructions: see flow_access.h and, for what is promised, rvtrace/flow.h. */
#include <stdlib.h>

#include "flow_access.h"
#include "flow_etrace.h"

/* Who a source is, in an item; the rest of its flags say what the item is about. */
#define WHO_FLAGS	(RVTRACE_FLOW_HAS_PRIV | RVTRACE_FLOW_HAS_CONTEXT | RVTRACE_FLOW_V)

/**
 * struct access_stage - between the walks and who reads items
 * @sources: those with a queue
 * @waiting: accesses in all queues
 * @fresh: whose queue has got one
 * @item: the item under way, if @has_item; of a run of blocks what is left
 * @tail: the rest of a block, before that; NULL: there is none
 * @insn: accesses of the instruction at @pc, if @taking: the last one of what was handed out
 * @left: how many are still to come; of a vector it is not known
 * @shown, @shown_count: accesses handed out by this read
 * @tails: rests of blocks, one for each of them at most
 */
struct access_stage {
	struct source **sources;
	size_t source_count;
	size_t waiting;
	struct source *fresh;
	struct rvtrace_flow_item item;
	bool has_item;
	bool taking;
	struct rvtrace_flow_block *tail;
	struct rvtrace_insn_access insn;
	unsigned int left;
	uint64_t pc;
	struct rvtrace_flow_access shown[ACCESS_SHOWN_MAX];
	struct rvtrace_flow_block tails[ACCESS_SHOWN_MAX];
	size_t shown_count;
	size_t tail_count;
};

struct access_stage *flow_access_new(void)
{
	return calloc(1, sizeof(struct access_stage));
}

void flow_access_free(struct access_stage *stage)
{
	if (stage)
		free(stage->sources);
	free(stage);
}

void flow_access_free_queue(struct access_queue *queue)
{
	if (queue)
		free(queue->entries);
	free(queue);
}

/**
 * flow_access_queue() - the queue of the current source
 * @flow: the decoder
 *
 * Return: the queue, made when it is first asked for; NULL without memory.
 */
struct access_queue *flow_access_queue(struct rvtrace_flow *flow)
{
	struct access_stage *stage = flow->accesses;
	struct source *source = flow->source, **sources;

	if (source->accesses)
		return source->accesses;
	sources = realloc(stage->sources, (stage->source_count + 1) * sizeof(*sources));
	source->accesses = calloc(1, sizeof(*source->accesses));
	if (sources)
		stage->sources = sources;
	if (!sources || !source->accesses) {
		flow->failed = true;
		return NULL;
	}
	sources[stage->source_count++] = source;
	return source->accesses;
}

static struct access_entry *head_of(struct access_queue *queue)
{
	return &queue->entries[queue->head & (queue->room - 1)];
}

static bool grow(struct access_queue *queue)
{
	size_t room = queue->room ? 2 * queue->room : 64;
	struct access_entry *entries = malloc(room * sizeof(*entries));

	if (!entries)
		return false;
	for (size_t i = 0; i < queue->count; i++)
		entries[i] = queue->entries[(queue->head + i) & (queue->room - 1)];
	free(queue->entries);
	queue->entries = entries;
	queue->room = room;
	queue->head = 0;
	return true;
}

/* More than can be kept came without code. Those that wait go out, and so do those up to it. */
static void overrun(struct access_queue *queue, uint64_t report)
{
	for (size_t i = 0; i < queue->count; i++)
		queue->entries[i].adrift = true;
	queue->overrun = report;
	queue->has_overrun = true;
}

/**
 * flow_access_put() - the current source has made an access
 * @flow: the decoder; its source has a queue
 * @access: the access
 */
void flow_access_put(struct rvtrace_flow *flow, const struct rvtrace_flow_access *access)
{
	struct source *source = flow->source;
	struct access_queue *queue = source->accesses;
	const struct etrace_state *state = source->etrace;
	struct access_entry *entry;

	if (queue->count == queue->room && !grow(queue)) {
		flow->failed = true;
		return;
	}
	entry = &queue->entries[(queue->head + queue->count++) & (queue->room - 1)];
	flow_stamp(flow, source, RVTRACE_FLOW_ACCESS, &entry->item);
	entry->access = *access;
	entry->report = state->reports;
	entry->adrift = !source->synced || source->gap || !state->known ||
			(queue->has_overrun && queue->overrun == state->reports);
	flow->accesses->waiting++;
	flow->accesses->fresh = source;
	flow->accessed = true;
	if (queue->count == ACCESS_QUEUE_MAX)
		overrun(queue, state->reports);
}

/* The oldest access of a source, into @item; the caller has made sure of room. */
static void hand_out(struct access_stage *stage, struct access_queue *queue,
		     struct rvtrace_flow_item *item)
{
	struct access_entry *entry = head_of(queue);
	struct rvtrace_flow_access *shown = &stage->shown[stage->shown_count++];

	*item = entry->item;
	*shown = entry->access;
	item->access = shown;
	queue->head++;
	queue->count--;
	stage->waiting--;
	if ((shown->flags & RVTRACE_ACCESS_RESPONSE) && queue->requester_known[shown->lrid])
		flow_event_address(item, queue->requesters[shown->lrid]);
	if (shown->flags & (RVTRACE_ACCESS_REQUEST | RVTRACE_ACCESS_RESPONSE))
		queue->requester_known[shown->lrid] = false;
}

/* The instruction before made it. */
static void hand_out_taken(struct access_stage *stage, struct access_queue *queue,
			   struct rvtrace_flow_item *item)
{
	const struct rvtrace_flow_item *run = &stage->item;

	hand_out(stage, queue, item);
	flow_event_address(item, stage->pc);
	item->flags = (item->flags & ~WHO_FLAGS) | (run->flags & WHO_FLAGS);
	item->priv = run->priv;
	item->context = run->context;
	item->process = run->process;
	item->thread = run->thread;
	if (item->access->flags & RVTRACE_ACCESS_REQUEST) {
		queue->requesters[item->access->lrid] = stage->pc;
		queue->requester_known[item->access->lrid] = true;
	}
}

static bool made_by(const struct rvtrace_insn_access *insn,
		    const struct rvtrace_flow_access *access)
{
	bool same_size = insn->size == RVTRACE_INSN_SIZE_ANY || insn->size == access->size;

	switch (access->kind) {
	case RVTRACE_ETRACE_LOAD:
		return insn->kind == RVTRACE_INSN_LOADS && same_size;
	case RVTRACE_ETRACE_STORE:
		return insn->kind == RVTRACE_INSN_STORES && same_size;
	case RVTRACE_ETRACE_CSR:
		return insn->kind == RVTRACE_INSN_CSR && insn->subtype == access->subtype &&
		       (!(access->flags & RVTRACE_ACCESS_HAS_ADDRESS) ||
			insn->csr == access->address);
	}
	if (access->subtype == RVTRACE_ETRACE_SC_FAILED)
		return insn->kind == RVTRACE_INSN_STORES && insn->conditional && same_size;
	if (access->subtype == RVTRACE_ETRACE_CAS_FAILED)
		return insn->kind == RVTRACE_INSN_ATOMIC && insn->conditional && same_size;
	return insn->kind == RVTRACE_INSN_ATOMIC && insn->subtype == access->subtype && same_size;
}

/* The instruction before makes more of them; of vectors only accesses that say so are taken. */
static bool goes_on(const struct access_stage *stage, struct access_queue *queue)
{
	const struct access_entry *head;

	if (!stage->taking || !queue->count)
		return false;
	head = head_of(queue);
	if (head->adrift || !made_by(&stage->insn, &head->access))
		return false;
	return stage->insn.count ? stage->left :
	       stage->left || head->access.flags & RVTRACE_ACCESS_MULTIPLE;
}

/*
 * Responses have their instruction already. What should have been walked over long ago has none:
 * not by the next report, which may be of a later visit than is known then, but by the one after.
 */
static bool is_loose(const struct source *source, struct access_queue *queue)
{
	const struct access_entry *head;

	if (!queue->count)
		return false;
	head = head_of(queue);
	return head->adrift || head->access.flags & RVTRACE_ACCESS_RESPONSE ||
	       head->report + 2 < source->etrace->reports;
}

/* Behind this event nobody can tell what waits. */
static bool breaks_off(const struct rvtrace_flow_item *item)
{
	switch (item->type) {
	case RVTRACE_FLOW_STOP:
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_ERROR:
	case RVTRACE_FLOW_ACCESSES_LOST:
		return true;
	case RVTRACE_FLOW_OVERFLOW:
		return item->overflow.code != RVTRACE_NTRACE_ECODE_DATA;
	}
	return false;
}

/* An access of @source that comes before what follows; @all: all do. Return: whether there is. */
static bool hand_out_loose(struct access_stage *stage, const struct source *source, bool all,
			   struct rvtrace_flow_item *item)
{
	struct access_queue *queue = source->accesses;

	if (!queue || !queue->count || !(all || is_loose(source, queue)))
		return false;
	hand_out(stage, queue, item);
	return true;
}

/* The same, of every source; @unknown: of those that are not synchronized. */
static bool hand_out_any(struct access_stage *stage, bool unknown, struct rvtrace_flow_item *item)
{
	for (size_t i = 0; i < stage->source_count; i++)
		if ((!unknown || !stage->sources[i]->synced) &&
		    hand_out_loose(stage, stage->sources[i], true, item))
			return true;
	return false;
}

/*
 * The next instruction that made the oldest access, in @count blocks at @list. Return: the block,
 * cut behind it, with the rest in @tail; @count if there is none.
 */
static uint32_t find(struct rvtrace_flow *flow, struct access_queue *queue,
		     struct rvtrace_flow_block *list, uint32_t count,
		     struct rvtrace_flow_block *tail)
{
	struct access_stage *stage = flow->accesses;
	const struct rvtrace_flow_access *access = &head_of(queue)->access;

	for (uint32_t i = 0; i < count; i++) {
		struct rvtrace_flow_item one = { .blocks = { .list = &list[i], .count = 1 } };
		struct rvtrace_insn_iter iter;

		rvtrace_insn_iter_init(&iter, &one);
		while (rvtrace_insn_iter_next(&iter)) {
			if (!rvtrace_insn_access(&flow->config.isa, iter.code, iter.size,
						 &stage->insn) ||
			    !made_by(&stage->insn, access))
				continue;
			stage->pc = iter.address;
			tail->address = iter.address + iter.size;
			tail->code = iter.code + iter.size;
			tail->instructions = iter.left;
			tail->size = list[i].address + list[i].size - tail->address;
			list[i].instructions -= iter.left;
			list[i].size -= tail->size;
			return i;
		}
	}
	return count;
}

/* What is left of a run, or up to an instruction that has an access. */
static void hand_out_blocks(struct rvtrace_flow *flow, struct access_queue *queue,
			    struct rvtrace_flow_item *item)
{
	struct access_stage *stage = flow->accesses;
	struct rvtrace_flow_item *run = &stage->item;
	struct rvtrace_flow_block *list = &flow->run[run->blocks.list - flow->run];
	struct rvtrace_flow_block *tail = &stage->tails[stage->tail_count];
	uint32_t count = run->blocks.count, found;

	if (stage->tail) {
		list = stage->tail;
		count = 1;
	}
	found = queue && queue->count ? find(flow, queue, list, count, tail) : count;
	*item = *run;
	item->address = list->address;
	item->blocks.list = list;
	item->blocks.count = found < count ? found + 1 : count;
	item->blocks.instructions = 0;
	for (uint32_t i = 0; i < item->blocks.count; i++)
		item->blocks.instructions += list[i].instructions;
	if (!stage->tail) {
		run->blocks.list += item->blocks.count;
		run->blocks.count -= item->blocks.count;
	}
	stage->tail = NULL;
	stage->taking = found < count;
	stage->left = stage->insn.count ? stage->insn.count : 1;
	if (stage->taking && tail->instructions) {
		stage->tail = tail;
		stage->tail_count++;
	}
	stage->has_item = stage->tail || run->blocks.count || stage->taking;
}

/* Something of the item under way. Return: false: it was over. */
static bool go_on(struct rvtrace_flow *flow, struct rvtrace_flow_item *item)
{
	struct access_stage *stage = flow->accesses;
	const struct source *source = stage->item.source == RVTRACE_SOURCE_ALL ? NULL :
				      flow->sources[stage->item.source];
	struct access_queue *queue = source ? source->accesses : NULL;

	if (queue && goes_on(stage, queue)) {
		stage->left -= stage->left > 0;
		hand_out_taken(stage, queue, item);
		return true;
	}
	if (source && hand_out_loose(stage, source, breaks_off(&stage->item), item))
		return true;
	if (!source && breaks_off(&stage->item) && hand_out_any(stage, false, item))
		return true;
	stage->taking = false;
	stage->has_item = false;
	if (stage->item.type != RVTRACE_FLOW_BLOCKS) {
		*item = stage->item;
		return true;
	}
	if (!stage->tail && !stage->item.blocks.count)
		return false;
	hand_out_blocks(flow, queue, item);
	return true;
}

/* What precedes the next walk. Return: whether there was any. */
static bool hand_out_fresh(struct access_stage *stage, struct rvtrace_flow_item *item)
{
	if (stage->fresh && hand_out_loose(stage, stage->fresh, false, item))
		return true;
	stage->fresh = NULL;
	return false;
}

/**
 * flow_access_read() - rvtrace_flow_read() of a stream that may have data trace
 * @flow: the decoder
 * @items: as there
 * @max: as there
 *
 * Return: as there.
 */
int flow_access_read(struct rvtrace_flow *flow, struct rvtrace_flow_item *items, size_t max)
{
	struct access_stage *stage = flow->accesses;
	size_t count = 0;
	int ret;

	stage->shown_count = 0;
	stage->tail_count = 0;
	/* that of the read before is still to come: its place is used last */
	if (stage->tail) {
		stage->tails[0] = *stage->tail;
		stage->tail = &stage->tails[0];
		stage->tail_count = 1;
	}
	while (count < max && stage->shown_count < ACCESS_SHOWN_MAX &&
	       stage->tail_count < ACCESS_SHOWN_MAX) {
		if (stage->has_item) {
			count += go_on(flow, &items[count]);
			continue;
		}
		if (hand_out_fresh(stage, &items[count])) {
			count++;
			continue;
		}
		/* what was handed out lies where the next items will */
		if (count)
			break;
		if (!stage->waiting) {
			ret = flow_read(flow, items, max);
			if (ret || !flow->accessed)
				return ret;
			continue;
		}
		ret = flow_read(flow, &stage->item, 1);
		if (ret < 0)
			return ret;
		stage->has_item = ret;
		if (ret || flow->accessed)
			continue;
		if (!hand_out_any(stage, true, &items[count]))
			break;
		count++;
	}
	return (int)count;
}

/**
 * flow_access_idle() - whether nothing is there to be read
 * @flow: the decoder
 *
 * Accesses that wait for code need more of the stream.
 *
 * Return: whether it is so.
 */
bool flow_access_idle(const struct rvtrace_flow *flow)
{
	return !flow->accesses->has_item && !flow->accesses->fresh;
}
