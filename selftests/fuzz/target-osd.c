// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the Open SoC Debug packet layer. */
#include <string.h>

#include <rvtrace/osd.h>

#include "target.h"

/* What every reader of the same bytes must say. */
struct said {
	int ret;
	uint64_t offset;
	uint32_t size;
	uint8_t item;
	uint64_t sum;
};

/* All that is valid with the item. */
static uint64_t sum(const struct rvtrace_osd_packet *p)
{
	uint64_t words = 0;
	unsigned int i;

	for (i = 0; i < p->words; i++)
		words = words * 31 + rvtrace_osd_word(p, i);
	return words ^ p->value ^ p->pc ^ p->npc << 1 ^ (uint64_t)p->timestamp << 16 ^
	       (uint64_t)p->id << 48 ^ p->missed ^ p->event_offset << 3 ^ p->src;
}

static void check(int ret, const struct rvtrace_osd_packet *p, uint64_t from, uint64_t fed)
{
	promise(p->size && p->offset >= from);
	promise(p->offset + p->size <= fed);
	promise(ret == 1 || strcmp(rvtrace_strerror(ret), "unknown error"));
	if (ret != 1)
		return;
	promise(p->size == 2 * (4u + p->words));
	promise(p->event_offset <= p->offset);
	promise(p->item == RVTRACE_OSD_ITEM_NONE || p->type == RVTRACE_OSD_EVENT);
	promise(strcmp(rvtrace_osd_name(p->type, p->sub), ""));
}

static size_t read_all(const struct rvtrace_osd_config *config, const uint8_t *bytes, size_t size,
		       bool anywhere, size_t piece, struct said *said)
{
	struct rvtrace_osd_packet packet;
	struct rvtrace_osd *reader;
	uint64_t from = 0, offset;
	size_t fed = 0, count = 0;
	int ret;

	promise(!rvtrace_osd_new(config, &reader));
	if (anywhere)
		rvtrace_osd_resync(reader, 0);
	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!rvtrace_osd_feed(reader, copy, take));
		fed += take;
		while ((ret = rvtrace_osd_next(reader, &packet))) {
			check(ret, &packet, from, fed);
			from = packet.offset + packet.size;
			promise(count < size);
			said[count] = (struct said) { .ret = ret, .offset = packet.offset,
						      .size = packet.size };
			if (ret == 1) {
				said[count].item = packet.item;
				said[count].sum = sum(&packet);
			}
			count++;
		}
		promise(rvtrace_osd_pending(reader, &offset) <= fed);
		promise(offset <= fed);
		free(copy);
	} while (fed < size);
	rvtrace_osd_free(reader);
	return count;
}

static void expect_same(const struct said *a, const struct said *b, size_t count)
{
	for (; count; count--, a++, b++)
		promise(a->ret == b->ret && a->offset == b->offset && a->size == b->size &&
			a->item == b->item && a->sum == b->sum);
}

/* What modules are, where reading begins, the size of pieces, packets. */
void fuzz_osd(const uint8_t *bytes, size_t size)
{
	static const uint8_t widths[] = { 0, 16, 32, 64 };
	struct rvtrace_osd_module module = { };
	struct rvtrace_osd_config config = { .modules = &module, .module_count = 1 };
	struct said *whole, *parts;
	size_t count, piece;
	bool anywhere;

	if (size <= OSD_SETTINGS)
		return;
	module.address = bytes[0] >> 4;
	module.kind = (bytes[0] & 3) % 3;
	module.width = widths[bytes[0] >> 2 & 3];
	config.others.kind = (bytes[1] & 3) % 3;
	config.others.width = widths[bytes[1] >> 2 & 3];
	anywhere = bytes[2] & 1;
	piece = 1 + bytes[3];
	bytes += OSD_SETTINGS;
	size -= OSD_SETTINGS;
	whole = calloc(size, sizeof(*whole));
	parts = calloc(size, sizeof(*parts));
	count = read_all(&config, bytes, size, anywhere, size, whole);
	promise(read_all(&config, bytes, size, anywhere, piece, parts) == count);
	expect_same(whole, parts, count);
	free(whole);
	free(parts);
}
