// SPDX-License-Identifier: GPL-2.0
/* Instructions of the flow and of the window: see align.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "selftests/calls/align.h"
#include "tools/machine/truth.h"

#define PROOF	64	/* instructions that are at a place by no accident */

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("rvtrace-compare-calls");
	exit(1);
}

static uint32_t shorten(uint64_t pc)
{
	return pc >> 1 ^ pc >> 33;
}

static uint32_t code_word(const struct rvtrace_insn_iter *iter)
{
	return iter->size < 4 ? 0 : iter->code[0] | iter->code[1] << 8 | iter->code[2] << 16 |
				    (uint32_t)iter->code[3] << 24;
}

static void take_instruction(struct align_hart *hart, const struct rvtrace_insn_iter *iter)
{
	uint32_t code = code_word(iter);

	if (code == TRUTH_MARKER_BEGIN && hart->begin == ALIGN_NOWHERE)
		hart->begin = hart->count;
	if (hart->count == hart->room) {
		hart->room = hart->room ? 2 * hart->room : 1 << 20;
		hart->pcs = need(reallocarray(hart->pcs, hart->room, sizeof(*hart->pcs)));
	}
	hart->pcs[hart->count++] = shorten(iter->address);
	if (code == TRUTH_MARKER_END)
		hart->end = hart->count;
}

void align_break(struct align_hart *hart)
{
	if (hart->break_count == hart->break_room) {
		hart->break_room = hart->break_room ? 2 * hart->break_room : 64;
		hart->breaks = need(reallocarray(hart->breaks, hart->break_room,
						 sizeof(*hart->breaks)));
	}
	hart->breaks[hart->break_count++] = hart->count;
}

void align_take(struct align_hart *hart, const struct rvtrace_flow_item *item)
{
	struct rvtrace_insn_iter iter;

	switch (item->type) {
	case RVTRACE_FLOW_BLOCKS:
		rvtrace_insn_iter_init(&iter, item);
		while (rvtrace_insn_iter_next(&iter))
			take_instruction(hart, &iter);
		break;
	case RVTRACE_FLOW_NO_IMAGE:
	case RVTRACE_FLOW_TAIL:
	case RVTRACE_FLOW_UNFOLLOWED:
	case RVTRACE_FLOW_OVERFLOW:
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_STOP:
	case RVTRACE_FLOW_ERROR:
		align_break(hart);
		break;
	}
}

/* The addresses of the window, shortened */
static uint32_t *read_truth(struct align_hart *hart, const char *prefix)
{
	const uint64_t *words;
	uint32_t *pcs;
	size_t count, i;
	char path[4096];
	struct stat st;
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s.%" PRIu64, prefix, hart->id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof(struct truth_header)) {
		fprintf(stderr, "rvtrace-compare-calls: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		fprintf(stderr, "rvtrace-compare-calls: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	words = (const uint64_t *)((const char *)map + sizeof(struct truth_header));
	count = (st.st_size - sizeof(struct truth_header)) / sizeof(*words);
	pcs = need(malloc((count + 1) * sizeof(*pcs)));
	for (i = 0; i < count; i++) {
		if (!(words[i] & 1))
			pcs[hart->truth_count++] = shorten(words[i]);
		else if (TRUTH_KIND(words[i]) == TRUTH_STATE)
			i += 2;
	}
	munmap(map, st.st_size);
	return pcs;
}

static void add_segment(struct align_hart *hart, uint64_t ordinal, uint64_t index, uint64_t length)
{
	if (!length)
		return;
	if (hart->segment_count == hart->segment_room) {
		hart->segment_room = hart->segment_room ? 2 * hart->segment_room : 64;
		hart->segments = need(reallocarray(hart->segments, hart->segment_room,
						   sizeof(*hart->segments)));
	}
	hart->segments[hart->segment_count++] = (struct align_segment) { ordinal, index, length };
	hart->matched += length;
}

static uint64_t same(const struct align_hart *hart, const uint32_t *truth, uint64_t ordinal,
		     uint64_t index, uint64_t limit)
{
	uint64_t n = 0;

	while (n < limit && index + n < hart->truth_count &&
	       hart->pcs[ordinal + n] == truth[index + n])
		n++;
	return n;
}

/* The first place from @index on where instructions from @ordinal on are; ALIGN_NOWHERE. */
static uint64_t place(const struct align_hart *hart, const uint32_t *truth, uint64_t ordinal,
		      uint64_t index, uint64_t length)
{
	uint64_t proof = length < PROOF ? length : PROOF;

	for (; index + proof <= hart->truth_count; index++)
		if (truth[index] == hart->pcs[ordinal] &&
		    same(hart, truth, ordinal, index, proof) == proof)
			return index;
	return ALIGN_NOWHERE;
}

int align_match(struct align_hart *hart, const char *prefix)
{
	uint64_t ordinal = hart->begin, index = 0, next, length, at;
	uint32_t *truth = read_truth(hart, prefix);
	size_t i = 0;

	if (!truth)
		return -1;
	if (ordinal == ALIGN_NOWHERE) {
		fprintf(stderr, "rvtrace-compare-calls: hart %" PRIu64 ": no opening marker\n",
			hart->id);
		free(truth);
		return -1;
	}
	while (i < hart->break_count && hart->breaks[i] <= ordinal)
		i++;
	while (ordinal < hart->end) {
		next = i < hart->break_count && hart->breaks[i] < hart->end ? hart->breaks[i] :
		       hart->end;
		length = next - ordinal;
		at = length ? place(hart, truth, ordinal, index, length) : ALIGN_NOWHERE;
		if (at != ALIGN_NOWHERE) {
			uint64_t n = same(hart, truth, ordinal, at, length);

			add_segment(hart, ordinal, at, n);
			index = at + n;
			hart->misplaced += length - n;
		} else {
			hart->misplaced += length;
		}
		ordinal = next;
		i++;
	}
	free(truth);
	return 0;
}

uint64_t align_index(const struct align_hart *hart, uint64_t ordinal)
{
	size_t from = 0, to = hart->segment_count;
	const struct align_segment *segment;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (hart->segments[middle].ordinal <= ordinal)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return ALIGN_NOWHERE;
	segment = &hart->segments[from - 1];
	if (ordinal - segment->ordinal > segment->length)
		return ALIGN_NOWHERE;
	return segment->index + (ordinal - segment->ordinal);
}

bool align_gap(const struct align_hart *hart, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = 0; i < hart->segment_count; i++)
		if (hart->segments[i].index <= from &&
		    to - hart->segments[i].index <= hart->segments[i].length)
			return false;
	return true;
}
