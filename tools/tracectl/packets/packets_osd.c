// SPDX-License-Identifier: GPL-2.0
/* Packets of Open SoC Debug: their fields by name. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/time_bits.h"
#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "packets.h"

#define TIME_BITS	32

struct reader {
	struct rvtrace_osd *osd;
	struct rvtrace_osd_packet packet;
	bool timed;
	uint64_t latest;	/* time of an event of any module, if there was one */
};

static const char *const kinds[] = {
	[RVTRACE_OSD_STM] = "stm", [RVTRACE_OSD_CTM] = "ctm", [RVTRACE_OSD_OTHER] = "other",
};

/* KIND[:WIDTH] */
static const char *parse_kind(struct rvtrace_osd_module *module, const char *text)
{
	size_t length = strcspn(text, ":"), kind;
	uint64_t width;

	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		if (strlen(kinds[kind]) == length && !memcmp(kinds[kind], text, length))
			break;
	if (kind > RVTRACE_OSD_OTHER)
		return "neither stm nor ctm nor other";
	module->kind = kind;
	if (!text[length])
		return NULL;
	if (parse_number(text + length + 1, &width) || (width != 16 && width != 32 && width != 64))
		return "the width is neither 16 nor 32 nor 64";
	module->width = width;
	return NULL;
}

const char *packets_osd_module(struct osd_modules *modules, const char *text)
{
	const char *colon = strchr(text, ':');
	struct rvtrace_osd_module module = { };
	char number[16] = "";
	uint64_t address;
	size_t i;

	if (*text < '0' || *text > '9') {
		modules->others = module;
		return parse_kind(&modules->others, text);
	}
	if (!colon || (size_t)(colon - text) >= sizeof(number))
		return "no ADDRESS:KIND";
	memcpy(number, text, colon - text);
	if (parse_number(number, &address) || address > UINT16_MAX)
		return "the address is not a number up to 0xffff";
	for (i = 0; i < modules->count; i++)
		if (modules->list[i].address == address)
			return "the address was given before";
	if (modules->count == RVTRACE_OSD_MODULES_MAX)
		return "too many modules";
	module.address = address;
	modules->list[modules->count++] = module;
	return parse_kind(&modules->list[modules->count - 1], colon + 1);
}

void *packets_osd_open(const struct osd_modules *modules)
{
	const struct rvtrace_osd_config config = {
		.modules = modules->list, .module_count = modules->count,
		.others = modules->others,
	};
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || rvtrace_osd_new(&config, &reader->osd)) {
		free(reader);
		return NULL;
	}
	return reader;
}

static int feed(void *data, const void *bytes, size_t size)
{
	struct reader *reader = data;

	return rvtrace_osd_feed(reader->osd, bytes, size);
}

static int next(void *data, struct packet *packet)
{
	struct reader *reader = data;
	const struct rvtrace_osd_packet *p = &reader->packet;
	int ret = rvtrace_osd_next(reader->osd, &reader->packet);

	*packet = (struct packet) { .offset = p->offset, .size = p->size };
	if (ret <= 0)
		return ret;
	packet->raw = p->raw;
	packet->name = p->item == RVTRACE_OSD_ITEM_STM ? "STM" :
		       p->item == RVTRACE_OSD_ITEM_CTM ? "CTM" : rvtrace_osd_name(p->type, p->sub);
	if (p->item == RVTRACE_OSD_ITEM_STM || p->item == RVTRACE_OSD_ITEM_CTM) {
		reader->latest = reader->timed ? nearest_time(reader->latest, p->timestamp,
							      TIME_BITS) : p->timestamp;
		reader->timed = true;
		packet->has_time = true;
		packet->time = reader->latest;
	}
	return ret;
}

/* Up to 4 words of the payload, the most significant one first. */
static uint64_t number(const struct rvtrace_osd_packet *p, unsigned int first, unsigned int words)
{
	uint64_t value = 0;

	while (words--)
		value = value << 16 | rvtrace_osd_word(p, first++);
	return value;
}

static void access_fields(struct out *out, const struct rvtrace_osd_packet *p)
{
	unsigned int at = 0;

	if (p->words && (p->sub & ~0x3u) != RVTRACE_OSD_READ_SUCCESS)
		packet_hex(out, "ADDR", rvtrace_osd_word(p, at++));
	if (p->words - at > 4) {
		packet_hex(out, "DATA[127:64]", number(p, at, 4));
		packet_hex(out, "DATA[63:0]", number(p, at + 4, 4));
	} else if (p->words > at) {
		packet_hex(out, "DATA", number(p, at, p->words - at));
	}
}

static void fields(const void *data, struct out *out)
{
	const struct reader *reader = data;
	const struct rvtrace_osd_packet *p = &reader->packet;

	packet_hex(out, "DEST", p->dest);
	packet_hex(out, "SRC", p->src);
	packet_number(out, "TYPE", p->type);
	packet_number(out, "TYPE_SUB", p->sub);
	switch (p->item) {
	case RVTRACE_OSD_ITEM_STM:
		packet_hex(out, "timestamp", p->timestamp);
		packet_hex(out, "id", p->id);
		packet_hex(out, "value", p->value);
		return;
	case RVTRACE_OSD_ITEM_CTM:
		packet_hex(out, "timestamp", p->timestamp);
		packet_hex(out, "npc", p->npc);
		packet_hex(out, "pc", p->pc);
		packet_number(out, "mode", p->mode);
		packet_number(out, "ret", p->is_ret);
		packet_number(out, "call", p->is_call);
		packet_number(out, "modechange", p->is_modechange);
		return;
	case RVTRACE_OSD_ITEM_OVERFLOW:
		packet_number(out, "missed", p->missed);
		return;
	}
	if (p->type == RVTRACE_OSD_REG)
		access_fields(out, p);
	else
		packet_number(out, "words", p->words);
}

static void resync(void *data, uint64_t offset)
{
	struct reader *reader = data;

	rvtrace_osd_resync(reader->osd, offset);
}

static size_t pending(const void *data, uint64_t *offset)
{
	const struct reader *reader = data;

	return rvtrace_osd_pending(reader->osd, offset);
}

static void close_reader(void *data)
{
	struct reader *reader = data;

	rvtrace_osd_free(reader->osd);
	free(reader);
}

const struct packet_format packets_osd = {
	.feed = feed, .next = next, .fields = fields, .resync = resync, .pending = pending,
	.close = close_reader,
};
