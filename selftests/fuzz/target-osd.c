// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: the Open SoC Debug packet layer. */
#include <string.h>

#include <rvtrace/osd.h>

#include "target-reader.h"

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

static int next(void *reader, struct said *said)
{
	struct rvtrace_osd_packet p;
	int ret = rvtrace_osd_next(reader, &p);

	if (!ret)
		return 0;
	*said = (struct said) { .offset = p.offset, .size = p.size };
	if (ret < 0)
		return ret;
	promise(p.size == 2 * (4u + p.words));
	promise(p.event_offset <= p.offset);
	promise(p.item == RVTRACE_OSD_ITEM_NONE || p.type == RVTRACE_OSD_EVENT);
	promise(strcmp(rvtrace_osd_name(p.type, p.sub), ""));
	said->what[0] = p.item;
	said->what[1] = sum(&p);
	return ret;
}

READER(osd, 1, 0);

/* What modules are, where reading begins, the size of pieces, packets. */
void fuzz_osd(const uint8_t *bytes, size_t size)
{
	static const uint8_t widths[] = { 0, 16, 32, 64 };
	struct rvtrace_osd_module module = { };
	struct rvtrace_osd_config config = { .modules = &module, .module_count = 1 };
	size_t piece;
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
	read_both(&reader, &config, anywhere, bytes, size, piece);
}
