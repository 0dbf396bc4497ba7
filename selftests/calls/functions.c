// SPDX-License-Identifier: GPL-2.0
/* Calls and instructions of functions: see functions.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/calls/functions.h"

#define NOTHING	UINT32_MAX	/* no function executed before */

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static void add_run(struct function_hart *hart, uint64_t ordinal, uint32_t id, bool begins)
{
	if (hart->count == hart->room) {
		hart->room = hart->room ? 2 * hart->room : 1 << 16;
		hart->runs = need(reallocarray(hart->runs, hart->room, sizeof(*hart->runs)));
	}
	hart->runs[hart->count++] = (struct function_run) { ordinal, id, begins };
}

void functions_take(struct functions *functions, struct names *names,
		    const struct rvtrace_flow_item *item, uint64_t ordinal)
{
	struct function_hart *hart = &functions->harts[item->source];
	int32_t priv = item->flags & RVTRACE_FLOW_HAS_PRIV ? item->priv : -1;
	struct rvtrace_insn_iter iter;

	if (item->type != RVTRACE_FLOW_BLOCKS)
		return;
	if (hart->process != item->process || hart->priv != priv)
		hart->last = (struct rvtrace_call_function) { };
	hart->process = item->process;
	hart->priv = priv;
	rvtrace_insn_iter_init(&iter, item);
	for (; rvtrace_insn_iter_next(&iter); ordinal++) {
		uint32_t before = hart->count ? hart->runs[hart->count - 1].id : NOTHING;
		bool begins;

		if (iter.address < hart->last.start || iter.address >= hart->last.end)
			names_find(names, item, iter.address, iter.code, &hart->last);
		begins = hart->last.begins && iter.address == hart->last.start;
		if (begins || hart->last.id != before)
			add_run(hart, ordinal, hart->last.id, begins);
	}
}

/*
 * struct past - what a thread executed last
 * @id: function, NOTHING
 * @traps: the same of what traps interrupted, @depth of them
 */
struct past {
	uint32_t id;
	uint32_t *traps;
	size_t depth, room;
};

/* struct count - of a function */
struct count {
	uint64_t calls;
	uint64_t instructions;
};

/*
 * struct walk - through the instructions of a hart
 * @pasts: by serial number of the thread
 * @past: of the one that executes
 * @next_call, @next_switch: the records that come next
 * @called: the next instruction is called
 */
struct walk {
	const struct shadow *shadow;
	const struct shadow_hart *hart;
	uint32_t id;
	struct count *counts;
	struct past *pasts;
	struct past *past;
	size_t next_call;
	size_t next_switch;
	bool called;
};

static void trap(struct walk *walk)
{
	struct past *past = walk->past;

	if (past->depth == past->room) {
		past->room = past->room ? 2 * past->room : 16;
		past->traps = need(reallocarray(past->traps, past->room, sizeof(*past->traps)));
	}
	past->traps[past->depth++] = walk->called ? NOTHING : past->id;
	past->id = NOTHING;
	walk->called = false;
}

static void take_call(struct walk *walk, const struct truth_call *call)
{
	switch (call->kind) {
	case TRUTH_CALL_CALL:
	case TRUTH_CALL_SWAP:
		walk->called = true;
		break;
	case TRUTH_CALL_TRAP:
		trap(walk);
		break;
	case TRUTH_CALL_XRET:
		walk->past->id = walk->past->depth ? walk->past->traps[--walk->past->depth] :
						     NOTHING;
		break;
	}
}

/* What was logged before the instruction at @index executes */
static void advance(struct walk *walk, uint64_t index)
{
	const struct truth_call *calls = walk->hart->calls;

	for (; walk->next_switch < walk->shadow->switch_count; walk->next_switch++) {
		const struct shadow_switch *s = &walk->shadow->switches[walk->next_switch];

		if (s->hart != walk->hart->now.hart)
			continue;
		if (s->index > index)
			break;
		walk->past = &walk->pasts[s->thread];
	}
	for (; walk->next_call < walk->hart->count; walk->next_call++) {
		const struct truth_call *call = &calls[walk->next_call];

		if (call->index + (call->kind != TRUTH_CALL_TRAP) > index)
			break;
		if (call->kind != TRUTH_CALL_WINDOW && call->kind != TRUTH_CALL_STATE)
			take_call(walk, call);
	}
}

static void take_run(struct walk *walk, const struct function_run *run, uint64_t index,
		     uint64_t length)
{
	struct count *count = &walk->counts[run->id];

	advance(walk, index);
	if (run->begins && (walk->called || walk->past->id != run->id))
		count->calls++;
	walk->called = false;
	walk->past->id = run->id;
	count->instructions += length;
	/* a trap inside, or a call of what follows */
	if (length > 1)
		advance(walk, index + length - 1);
}

/* The part of a run that is in the windows */
static void walk_run(struct walk *walk, const struct align_hart *hart,
		     const struct function_run *run, uint64_t end)
{
	uint64_t ordinal, index;

	for (ordinal = run->ordinal; ordinal < end; ordinal++) {
		index = align_index(hart, ordinal);
		if (index == ALIGN_NOWHERE || index >= hart->truth_count)
			continue;
		take_run(walk, &(struct function_run) {
			.id = run->id, .begins = run->begins && ordinal == run->ordinal,
		}, index, 1);
	}
}

static void write_all(FILE *file, const struct names *names, const struct count *counts)
{
	const char *name, *path, *comma = "";
	uint64_t address;
	uint32_t id;

	fputs("{\"functions\":[", file);
	for (id = 1; id < names_end(names); id++) {
		if (!counts[id].instructions)
			continue;
		name = names_of(names, id, &path, &address);
		fprintf(file, "%s\n{\"name\":\"%s\",\"file\":\"%s\",\"address\":\"0x%" PRIx64
			"\",\"calls\":%" PRIu64 ",\"instructions\":%" PRIu64 "}", comma, name, path,
			address, counts[id].calls, counts[id].instructions);
		comma = ",";
	}
	fprintf(file, "],\n\"unknown_instructions\":%" PRIu64 "}\n", counts[0].instructions);
}

int functions_write(const struct functions *functions, const char *path,
		    const struct names *names, const struct align_hart *harts,
		    const struct shadow *shadow)
{
	struct count *counts = need(calloc(names_end(names) + 1, sizeof(*counts)));
	struct past *pasts = need(calloc(shadow->thread_count + FUNCTION_SOURCES, sizeof(*pasts)));
	FILE *file = fopen(path, "w");
	size_t r;
	uint32_t i;

	for (i = 0; i < shadow->thread_count + FUNCTION_SOURCES; i++)
		pasts[i].id = NOTHING;
	for (i = 0; i < FUNCTION_SOURCES && file; i++) {
		const struct function_hart *hart = &functions->harts[i];
		struct walk walk = {
			.shadow = shadow, .hart = &shadow->harts[harts[i].id], .counts = counts,
			.pasts = pasts, .past = &pasts[shadow->thread_count + i],
		};

		if (!harts[i].traced)
			continue;
		for (r = 0; r < hart->count; r++)
			walk_run(&walk, &harts[i], &hart->runs[r],
				 r + 1 < hart->count ? hart->runs[r + 1].ordinal :
						       harts[i].count);
	}
	if (file)
		write_all(file, names, counts);
	free(counts);
	free(pasts);
	if (file && !fclose(file))
		return 0;
	perror(path);
	return -1;
}
