// SPDX-License-Identifier: LGPL-2.1-or-later
/* Strings in events: see rvtrace/event_string.h. */
#include <stdlib.h>
#include <string.h>

#include <linux/rvtrace.h>
#include <rvtrace/event_string.h>

/* Who emits: @origin is a thread by what the trace says, by its number, or a hart. */
enum origin {
	ORIGIN_HART,
	ORIGIN_THREAD,
	ORIGIN_TID,
};

/*
 * A string under way, or one that is complete but was the first one since events were lost.
 * @whole: the loss, by number, behind which its beginning is known to be a beginning
 * @last: the event that it went on with
 */
struct open_string {
	uint64_t origin;
	uint64_t used;		/* when, by number of the event */
	uint64_t whole;
	uint16_t id;
	uint8_t kind;		/* enum origin */
	uint8_t channel;	/* stimulus register */
	bool incomplete;
	uint16_t length;
	char *text;
	struct rvtrace_event last;
};

/* @list: in no order; @losses: how often events were lost */
struct rvtrace_event_strings {
	bool stm_class;
	struct open_string list[RVTRACE_EVENT_STRINGS_MAX];
	size_t count;
	uint64_t events;
	uint64_t losses;
	uint64_t dropped;
	char text[RVTRACE_EVENT_STRING_MAX + 1];
};

struct rvtrace_event_strings *rvtrace_event_strings_new(bool stm_class)
{
	struct rvtrace_event_strings *strings = calloc(1, sizeof(*strings));

	if (strings)
		strings->stm_class = stm_class;
	return strings;
}

void rvtrace_event_strings_free(struct rvtrace_event_strings *strings)
{
	size_t i;

	if (!strings)
		return;
	for (i = 0; i < strings->count; i++)
		free(strings->list[i].text);
	free(strings);
}

void rvtrace_event_strings_lost(struct rvtrace_event_strings *strings)
{
	strings->losses++;
}

uint64_t rvtrace_event_strings_dropped(const struct rvtrace_event_strings *strings)
{
	return strings->dropped;
}

static bool is_of_class(const struct rvtrace_event_strings *strings,
			const struct rvtrace_event *event)
{
	return strings->stm_class && rvtrace_event_stm_class(event->id);
}

static void set_origin(struct open_string *string, const struct rvtrace_event *event, int32_t tid,
		       bool of_class)
{
	/* All events of a channel */
	string->id = of_class ? event->id & (RVTRACE_STM_CLASS | RVTRACE_STM_CLASS_CHANNEL) :
				event->id;
	string->channel = event->carrier == RVTRACE_EVENT_ITC ? event->channel : 0;
	if (event->flags & RVTRACE_EVENT_HAS_THREAD) {
		string->kind = ORIGIN_THREAD;
		string->origin = event->thread;
	} else if (tid > 0) {
		string->kind = ORIGIN_TID;
		string->origin = tid;
	} else {
		string->kind = ORIGIN_HART;
		string->origin = event->source;
	}
}

static struct open_string *find(struct rvtrace_event_strings *strings,
				const struct open_string *like)
{
	size_t i;

	for (i = 0; i < strings->count; i++) {
		struct open_string *string = &strings->list[i];

		if (string->id == like->id && string->kind == like->kind &&
		    string->channel == like->channel && string->origin == like->origin)
			return string;
	}
	return NULL;
}

/* A place in the list: a new one, else that which was used longest ago. */
static struct open_string *place(struct rvtrace_event_strings *strings)
{
	struct open_string *oldest = strings->list;
	size_t i;

	if (strings->count < RVTRACE_EVENT_STRINGS_MAX)
		return &strings->list[strings->count++];
	for (i = 1; i < strings->count; i++)
		if (strings->list[i].used < oldest->used)
			oldest = &strings->list[i];
	strings->dropped += oldest->length != 0;
	return oldest;
}

/* Behind a string that was dropped, what begins may be the rest of it. */
static struct open_string *get(struct rvtrace_event_strings *strings,
			       const struct open_string *like)
{
	struct open_string *string = find(strings, like);
	char *text;

	if (string)
		return string;
	text = malloc(RVTRACE_EVENT_STRING_MAX + 1);
	if (!text)
		return NULL;
	string = place(strings);
	free(string->text);
	*string = *like;
	string->text = text;
	string->incomplete = strings->dropped != 0;
	return string;
}

/* What was put together is complete; the next one begins. */
static void finish(struct rvtrace_event_strings *strings, struct open_string *string, bool more,
		   struct rvtrace_event_string *out)
{
	memcpy(strings->text, string->text, string->length);
	strings->text[string->length] = 0;
	*out = (struct rvtrace_event_string) {
		.text = strings->text, .length = string->length,
		.incomplete = string->incomplete, .more = more,
	};
	string->length = 0;
	if (more)
		return;
	string->incomplete = false;
	string->whole = strings->losses;
}

/* Of the STM class, identifiers say how many bits were written, and FLAG is the end of a message. */
static unsigned int bits_of(const struct rvtrace_event *event, bool of_class)
{
	unsigned int bits = 8 << (event->id & RVTRACE_STM_CLASS_SIZE);

	if (!of_class)
		return event->width;
	if (event->id & RVTRACE_STM_CLASS_FLAG)
		return 0;
	return bits < event->width ? bits : event->width;
}

int rvtrace_event_strings_add(struct rvtrace_event_strings *strings,
			      const struct rvtrace_event *event, int32_t tid,
			      struct rvtrace_event_string *out)
{
	bool of_class = is_of_class(strings, event);
	unsigned int shift, bits = bits_of(event, of_class);
	struct open_string like = { }, *string;

	set_origin(&like, event, tid, of_class);
	string = get(strings, &like);
	if (!string)
		return RVTRACE_ERR_NO_MEMORY;
	string->used = ++strings->events;
	string->last = *event;
	if (string->whole != strings->losses) {
		/* What came before the loss has no end. */
		string->length = 0;
		string->incomplete = true;
		string->whole = strings->losses;
	}
	if (event->flags & RVTRACE_EVENT_INCOMPLETE)
		string->incomplete = true;
	for (shift = 0; shift < bits; shift += 8) {
		char character = (char)(event->value >> shift);

		if (!character && !of_class) {
			finish(strings, string, false, out);
			return 1;
		}
		string->text[string->length++] = character;
	}
	if (of_class && event->id & RVTRACE_STM_CLASS_FLAG) {
		finish(strings, string, false, out);
		return 1;
	}
	if (string->length + 8 <= RVTRACE_EVENT_STRING_MAX)
		return 0;
	finish(strings, string, true, out);
	return 1;
}

int rvtrace_event_strings_end(struct rvtrace_event_strings *strings, struct rvtrace_event *last,
			      struct rvtrace_event_string *out)
{
	struct open_string *oldest = NULL;
	size_t i;

	for (i = 0; i < strings->count; i++) {
		struct open_string *string = &strings->list[i];

		if (string->length && (!oldest || string->used < oldest->used))
			oldest = string;
	}
	if (!oldest)
		return 0;
	oldest->incomplete = true;
	*last = oldest->last;
	finish(strings, oldest, false, out);
	return 1;
}
