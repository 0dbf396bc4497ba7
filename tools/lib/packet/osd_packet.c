// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open SoC Debug packet layer: see rvtrace/osd.h. */
#include <stdlib.h>
#include <string.h>

#include <rvtrace/osd.h>

#include "tools/lib/base/sized.h"
#include "pieces.h"
#include "reader.h"

#define WORD		2	/* bytes */
#define PACKET_MAX	(WORD * (1 + RVTRACE_OSD_WORDS_MAX))
#define HEADER		(WORD * (1 + RVTRACE_OSD_HEADER_WORDS))

/* FLAGS */
#define FLAGS_TYPE(flags)	((flags) >> 14)
#define FLAGS_SUB(flags)	((flags) >> 10 & 0xf)
#define FLAGS_RESERVED(flags)	((flags) & 0x3ff)

/* Words of the payload */
#define STM_WORDS(bits)		(3 + (bits) / 16)
#define CTM_WORDS(bits)		(3 + 2 * (bits) / 16)
#define EVENT_WORDS_MAX		CTM_WORDS(64)
#define OVERFLOW_WORDS		1

/* Longest packet that reading can begin with: as long as the published hardware makes them. */
#define SEARCH_WORDS_MAX	12
#define SEARCH_MAX		(WORD * (1 + SEARCH_WORDS_MAX) + HEADER)

/* The last word of CTM's events. */
#define CTM_MODE(word)		((word) & 0x3)
#define CTM_RET			(1 << 2)
#define CTM_CALL		(1 << 3)
#define CTM_MODECHANGE		(1 << 4)

/*
 * An event whose last packet is yet to come. @bad: it is longer than any, and only its end is of
 * interest.
 */
struct open_event {
	uint64_t offset;
	uint32_t size;		/* bytes of its packets */
	uint16_t src;
	bool bad;
	uint8_t words;
	uint16_t payload[EVENT_WORDS_MAX];
};

/*
 * @data, @end: unread bytes of the caller
 * @offset: stream offset of the next byte to be read
 * @held: bytes before @data that are unread, too, from @held_at on
 * @searching: look for a place where a packet may begin
 */
struct rvtrace_osd {
	const uint8_t *data;
	const uint8_t *end;
	uint64_t offset;
	bool searching;
	uint32_t held_at;
	uint32_t held_end;
	uint8_t held[PACKET_MAX + SEARCH_MAX];
	size_t open_count;
	struct open_event open[RVTRACE_OSD_OPEN_MAX];
	struct rvtrace_osd_module modules[RVTRACE_OSD_MODULES_MAX];
	size_t module_count;
	struct rvtrace_osd_module others;
};

_Static_assert(SEARCH_MAX <= PACKET_MAX, "what is held while searching is held while reading");

static bool module_valid(const struct rvtrace_osd_module *module)
{
	return module->kind <= RVTRACE_OSD_OTHER && (!module->width || module->width == 16 ||
						     module->width == 32 || module->width == 64);
}

int rvtrace_osd_new(const struct rvtrace_osd_config *config, struct rvtrace_osd **reader)
{
	struct rvtrace_osd *r;
	size_t i;

	if (config->module_count > RVTRACE_OSD_MODULES_MAX || !module_valid(&config->others) ||
	    !all_zero(config->reserved, sizeof(config->reserved)))
		return RVTRACE_ERR_INVALID;
	for (i = 0; i < config->module_count; i++)
		if (!module_valid(&config->modules[i]))
			return RVTRACE_ERR_INVALID;
	r = calloc(1, sizeof(*r));
	if (!r)
		return RVTRACE_ERR_NO_MEMORY;
	if (config->module_count)
		memcpy(r->modules, config->modules, config->module_count * sizeof(*r->modules));
	r->module_count = config->module_count;
	r->others = config->others;
	*reader = r;
	return 0;
}

void rvtrace_osd_free(struct rvtrace_osd *reader)
{
	free(reader);
}

int rvtrace_osd_feed(struct rvtrace_osd *reader, const void *data, size_t size)
{
	return feed_bytes(&reader->data, &reader->end, data, size);
}

void rvtrace_osd_resync(struct rvtrace_osd *reader, uint64_t offset)
{
	reader->data = NULL;
	reader->end = NULL;
	reader->offset = offset;
	reader->held_at = 0;
	reader->held_end = 0;
	reader->open_count = 0;
	reader->searching = true;
}

size_t rvtrace_osd_pending(const struct rvtrace_osd *reader, uint64_t *offset)
{
	size_t size = reader->held_end - reader->held_at, i;
	uint64_t first = reader->offset;

	for (i = 0; i < reader->open_count; i++) {
		size += reader->open[i].size;
		if (reader->open[i].offset < first)
			first = reader->open[i].offset;
	}
	if (offset)
		*offset = first;
	return size;
}

/* The next @size bytes side by side; NULL: more have to be fed. */
static const uint8_t *look(struct rvtrace_osd *r, size_t size)
{
	size_t held = r->held_end - r->held_at, take = r->end - r->data;

	if (!held && take >= size)
		return r->data;
	if (held >= size)
		return r->held + r->held_at;
	if (r->held_at) {
		memmove(r->held, r->held + r->held_at, held);
		r->held_at = 0;
		r->held_end = held;
	}
	if (take > size - held)
		take = size - held;
	if (take)
		memcpy(r->held + held, r->data, take);
	r->held_end += take;
	r->data += take;
	return r->held_end == size ? r->held : NULL;
}

/* The next @size bytes, which look() has found, are read. They stay until the next look(). */
static void advance(struct rvtrace_osd *r, size_t size)
{
	r->offset += size;
	if (r->held_at == r->held_end) {
		r->data += size;
		return;
	}
	r->held_at += size;
}

static inline unsigned int get_word(const uint8_t *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static bool event_sub_known(unsigned int sub)
{
	return sub == RVTRACE_OSD_EVENT_LAST || sub == RVTRACE_OSD_EVENT_CONTINUED ||
	       sub == RVTRACE_OSD_EVENT_OVERFLOW;
}

/* A word count and header that can be. */
static bool header_likely(const uint8_t *bytes)
{
	unsigned int words = get_word(bytes), flags = get_word(bytes + HEADER - WORD);

	if (words < RVTRACE_OSD_HEADER_WORDS || words > RVTRACE_OSD_WORDS_MAX ||
	    FLAGS_RESERVED(flags) || FLAGS_TYPE(flags) == RVTRACE_OSD_RESERVED)
		return false;
	return FLAGS_TYPE(flags) != RVTRACE_OSD_EVENT || event_sub_known(FLAGS_SUB(flags));
}

/* A trace packet in front of another header; @bytes: SEARCH_MAX of them. */
static bool place_likely(const uint8_t *bytes)
{
	unsigned int words = get_word(bytes), flags = get_word(bytes + HEADER - WORD);

	if (!header_likely(bytes) || FLAGS_TYPE(flags) != RVTRACE_OSD_EVENT ||
	    words == RVTRACE_OSD_HEADER_WORDS || words > SEARCH_WORDS_MAX)
		return false;
	if (FLAGS_SUB(flags) == RVTRACE_OSD_EVENT_OVERFLOW &&
	    words != RVTRACE_OSD_HEADER_WORDS + OVERFLOW_WORDS)
		return false;
	return header_likely(bytes + WORD * (1 + words));
}

/* Whether a place where a packet may begin is found. */
static bool search(struct rvtrace_osd *r)
{
	const uint8_t *bytes;

	if (r->offset % WORD && look(r, 1))
		advance(r, 1);
	while ((bytes = look(r, SEARCH_MAX))) {
		if (place_likely(bytes)) {
			r->searching = false;
			return true;
		}
		advance(r, WORD);
	}
	return false;
}

static const struct rvtrace_osd_module *find_module(const struct rvtrace_osd *r, uint16_t address)
{
	size_t i;

	for (i = 0; i < r->module_count; i++)
		if (r->modules[i].address == address)
			return &r->modules[i];
	return &r->others;
}

static struct open_event *find_open(struct rvtrace_osd *r, uint16_t src)
{
	size_t i;

	for (i = 0; i < r->open_count; i++)
		if (r->open[i].src == src)
			return &r->open[i];
	return NULL;
}

/* Appends the payload of @p. */
static void keep_payload(struct open_event *event, const struct rvtrace_osd_packet *p)
{
	unsigned int i;

	event->size += p->size;
	if (event->words + p->words > EVENT_WORDS_MAX) {
		event->bad = true;
		return;
	}
	for (i = 0; i < p->words; i++)
		event->payload[event->words++] = rvtrace_osd_word(p, i);
}

static int take_continued(struct rvtrace_osd *r, const struct rvtrace_osd_packet *p)
{
	struct open_event *event = find_open(r, p->src);

	if (!p->words)
		return RVTRACE_ERR_TRUNCATED;
	if (!event) {
		if (r->open_count == RVTRACE_OSD_OPEN_MAX)
			return RVTRACE_ERR_TOO_LONG;
		event = &r->open[r->open_count++];
		*event = (struct open_event) { .offset = p->offset, .src = p->src };
	}
	keep_payload(event, p);
	return 1;
}

/* Least significant word first. */
static uint64_t get_number(const uint16_t *words, unsigned int bits)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < bits / 16; i++)
		value |= (uint64_t)words[i] << 16 * i;
	return value;
}

/* The width at which an event has @words words. */
static int find_width(const struct rvtrace_osd_module *module, unsigned int words,
		      unsigned int *width)
{
	static const uint8_t widths[] = { 16, 32, 64 };
	int err = RVTRACE_ERR_TRAILING;
	size_t i = sizeof(widths);

	while (i--) {
		unsigned int want = module->kind == RVTRACE_OSD_STM ? STM_WORDS(widths[i]) :
				    CTM_WORDS(widths[i]);

		if (module->width && module->width != widths[i])
			continue;
		*width = widths[i];
		if (words == want)
			return 0;
		if (words < want)
			err = RVTRACE_ERR_TRUNCATED;
	}
	return err;
}

static int parse_event(const struct rvtrace_osd_module *module, const struct open_event *event,
		       struct rvtrace_osd_packet *p)
{
	const uint16_t *words = event->payload;
	unsigned int width, flags;
	int err;

	if (module->kind == RVTRACE_OSD_OTHER)
		return 1;
	if (event->bad)
		return RVTRACE_ERR_TRAILING;
	err = find_width(module, event->words, &width);
	if (err)
		return err;
	p->width = width;
	p->event_offset = event->offset;
	p->timestamp = get_number(words, 32);
	if (module->kind == RVTRACE_OSD_STM) {
		p->item = RVTRACE_OSD_ITEM_STM;
		p->id = words[2];
		p->value = get_number(words + 3, width);
		return 1;
	}
	p->item = RVTRACE_OSD_ITEM_CTM;
	p->npc = get_number(words + 2, width);
	p->pc = get_number(words + 2 + width / 16, width);
	flags = words[event->words - 1];
	p->mode = CTM_MODE(flags);
	p->is_ret = flags & CTM_RET;
	p->is_call = flags & CTM_CALL;
	p->is_modechange = flags & CTM_MODECHANGE;
	return 1;
}

/* The last packet of an event. */
static int take_last(struct rvtrace_osd *r, struct rvtrace_osd_packet *p)
{
	struct open_event *open = find_open(r, p->src), event = { .offset = p->offset };

	if (open) {
		event = *open;
		*open = r->open[--r->open_count];
	}
	keep_payload(&event, p);
	return parse_event(find_module(r, p->src), &event, p);
}

/* The hardware ends an event before it tells that others were lost. */
static int take_overflow(struct rvtrace_osd *r, struct rvtrace_osd_packet *p)
{
	struct open_event *open = find_open(r, p->src);

	if (open) {
		*open = r->open[--r->open_count];
		return RVTRACE_ERR_TRUNCATED;
	}
	if (p->words != OVERFLOW_WORDS)
		return p->words ? RVTRACE_ERR_TRAILING : RVTRACE_ERR_TRUNCATED;
	p->item = RVTRACE_OSD_ITEM_OVERFLOW;
	p->missed = rvtrace_osd_word(p, 0);
	return 1;
}

static int take_event(struct rvtrace_osd *r, struct rvtrace_osd_packet *p)
{
	switch (p->sub) {
	case RVTRACE_OSD_EVENT_LAST:
		return take_last(r, p);
	case RVTRACE_OSD_EVENT_CONTINUED:
		return take_continued(r, p);
	case RVTRACE_OSD_EVENT_OVERFLOW:
		return take_overflow(r, p);
	}
	return find_module(r, p->src)->kind == RVTRACE_OSD_OTHER ? 1 : RVTRACE_ERR_FIELD;
}

/* "Register access": an address in requests, data in writes and answers to reads. */
static int check_access(const struct rvtrace_osd_packet *p)
{
	unsigned int words = 1 << (p->sub & 0x3), want;

	switch (p->sub & ~0x3u) {
	case RVTRACE_OSD_READ:
		want = 1;
		break;
	case RVTRACE_OSD_WRITE:
		want = 1 + words;
		break;
	case RVTRACE_OSD_READ_SUCCESS:
		want = words;
		break;
	default:
		if (p->sub != RVTRACE_OSD_READ_ERROR && p->sub < RVTRACE_OSD_WRITE_SUCCESS)
			return RVTRACE_ERR_FIELD;
		want = 0;
	}
	if (p->words == want)
		return 1;
	return p->words < want ? RVTRACE_ERR_TRUNCATED : RVTRACE_ERR_TRAILING;
}

/* A word count that cannot be. */
static int fail_count(struct rvtrace_osd *r, struct rvtrace_osd_packet *p, unsigned int words)
{
	p->size = WORD;
	advance(r, WORD);
	r->open_count = 0;
	r->searching = true;
	return words < RVTRACE_OSD_HEADER_WORDS ? RVTRACE_ERR_TRUNCATED : RVTRACE_ERR_TOO_LONG;
}

int rvtrace_osd_next(struct rvtrace_osd *r, struct rvtrace_osd_packet *p)
{
	const uint8_t *bytes;
	unsigned int words, flags;

	if (r->searching && !search(r))
		return 0;
	bytes = look(r, WORD);
	if (!bytes)
		return 0;
	*p = (struct rvtrace_osd_packet) { .offset = r->offset };
	words = get_word(bytes);
	if (words < RVTRACE_OSD_HEADER_WORDS || words > RVTRACE_OSD_WORDS_MAX)
		return fail_count(r, p, words);
	bytes = look(r, WORD * (1 + words));
	if (!bytes)
		return 0;
	p->raw = bytes;
	p->size = WORD * (1 + words);
	p->dest = get_word(bytes + WORD);
	p->src = get_word(bytes + 2 * WORD);
	flags = get_word(bytes + 3 * WORD);
	p->type = FLAGS_TYPE(flags);
	p->sub = FLAGS_SUB(flags);
	p->words = words - RVTRACE_OSD_HEADER_WORDS;
	advance(r, p->size);
	if (p->type == RVTRACE_OSD_EVENT)
		return take_event(r, p);
	return p->type == RVTRACE_OSD_REG ? check_access(p) : 1;
}

const char *rvtrace_osd_name(unsigned int type, unsigned int sub)
{
	static const char *const accesses[] = {
		[RVTRACE_OSD_READ / 4] = "REQ_READ_REG",
		[RVTRACE_OSD_WRITE / 4] = "REQ_WRITE_REG",
		[RVTRACE_OSD_READ_SUCCESS / 4] = "RESP_READ_REG_SUCCESS",
	};

	if (type == RVTRACE_OSD_PLAIN)
		return "PLAIN";
	if (type == RVTRACE_OSD_EVENT && sub == RVTRACE_OSD_EVENT_CONTINUED)
		return "EVENT_CONTINUED";
	if (type == RVTRACE_OSD_EVENT)
		return sub == RVTRACE_OSD_EVENT_OVERFLOW ? "OVERFLOW" : "EVENT";
	if (type != RVTRACE_OSD_REG)
		return "RESERVED";
	switch (sub) {
	case RVTRACE_OSD_READ_ERROR:
		return "RESP_READ_REG_ERROR";
	case RVTRACE_OSD_WRITE_SUCCESS:
		return "RESP_WRITE_REG_SUCCESS";
	case RVTRACE_OSD_WRITE_ERROR:
		return "RESP_WRITE_REG_ERROR";
	}
	return sub / 4 < sizeof(accesses) / sizeof(accesses[0]) ? accesses[sub / 4] : "RESERVED";
}

PACKET_READER(osd, resync, .units = 1);
