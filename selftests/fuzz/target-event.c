// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: software trace events, what they are parts of, and dictionaries. */
#include <string.h>

#include <rvtrace/event.h>
#include <rvtrace/event_dictionary.h>
#include <rvtrace/event_string.h>

#include "target.h"

/* What every reader of the same bytes must say. */
struct said {
	int ret;
	struct rvtrace_event event;
};

static void check_event(const struct rvtrace_event_config *config,
			const struct rvtrace_event *event)
{
	promise(event->type <= RVTRACE_EVENT_LOST);
	promise(event->carrier == config->carrier);
	promise(!event->channel || config->carrier == RVTRACE_EVENT_ITC);
	promise(event->channel < RVTRACE_EVENT_CHANNELS && event->lane < 4);
	if (event->type == RVTRACE_EVENT_LOST)
		return;
	promise(event->width && event->width <= 64 && event->width % 8 == 0);
	if (event->type == RVTRACE_EVENT_VALUE && event->width < 64)
		promise(!(event->value >> event->width));
	promise(!(event->flags & RVTRACE_EVENT_SWITCHED) ||
		(event->flags & RVTRACE_EVENT_HAS_THREAD && event->thread == event->value));
	if (event->type == RVTRACE_EVENT_VALUE)
		promise(event->group == rvtrace_event_group(event->id, config->thread_switch));
}

static void put_together(struct rvtrace_event_strings *strings, const struct rvtrace_event *event)
{
	struct rvtrace_event_string string;

	if (event->type == RVTRACE_EVENT_LOST)
		rvtrace_event_strings_lost(strings);
	if (event->type != RVTRACE_EVENT_VALUE ||
	    rvtrace_event_strings_add(strings, event, 0, &string) != 1)
		return;
	promise(string.length <= RVTRACE_EVENT_STRING_MAX);
	promise(strlen(string.text) <= string.length);
}

static size_t read_all(const struct rvtrace_event_config *config, const uint8_t *bytes, size_t size,
		       size_t piece, struct said *said)
{
	struct rvtrace_event_strings *strings = rvtrace_event_strings_new(true);
	struct rvtrace_events *reader;
	struct rvtrace_event event;
	size_t fed = 0, count = 0;
	int ret;

	promise(!rvtrace_events_new(config, &reader));
	do {
		size_t take = piece < size - fed ? piece : size - fed;
		uint8_t *copy = malloc(take);

		/* A copy of its own: who reads behind it is caught. */
		memcpy(copy, bytes + fed, take);
		promise(!rvtrace_events_feed(reader, copy, take));
		fed += take;
		while ((ret = rvtrace_events_next(reader, &event))) {
			promise(event.offset < fed && count < size);
			promise(ret == 1 || strcmp(rvtrace_strerror(ret), "unknown error"));
			if (ret == 1) {
				check_event(config, &event);
				put_together(strings, &event);
			}
			said[count++] = (struct said) { .ret = ret, .event = event };
		}
		promise(rvtrace_events_pending(reader, NULL) <= fed);
		free(copy);
	} while (fed < size);
	rvtrace_event_strings_free(strings);
	rvtrace_events_free(reader);
	return count;
}

static void expect_same(const struct said *a, const struct said *b, size_t count)
{
	for (; count; count--, a++, b++) {
		const struct rvtrace_event *x = &a->event, *y = &b->event;

		promise(a->ret == b->ret && x->offset == y->offset && x->value == y->value);
		promise(x->id == y->id && x->type == y->type && x->flags == y->flags);
		promise(x->time == y->time && x->thread == y->thread && x->hart == y->hart);
	}
}

static void etrace_settings(const uint8_t *bytes, struct rvtrace_etrace_params *params)
{
	rvtrace_etrace_params_default(params);
	params->iaddress_width = bytes[0] & 8 ? 32 : 64;
	params->notime = bytes[0] >> 4 & 1;
	params->time_width = 64;
	params->privilege_width = 2;
	params->context_width = 16;
	params->nocontext = bytes[0] >> 5 & 1;
	params->srcid_width = bytes[1] & 15;
	params->timestamp_width = bytes[0] & 64 ? 16 : 0;
	params->sign_padding = bytes[0] >> 7;
	params->type_width = bytes[1] & 64 ? 8 : 2;
	if (bytes[1] & 32 && params->srcid_width)
		params->event_srcid_bit = params->srcid_width - 1;
	else
		params->type_event = 2 + (bytes[1] >> 7);
}

/* The carrier and its parameters, which values are threads, the size of pieces; the stream. */
void fuzz_event(const uint8_t *bytes, size_t size)
{
	struct rvtrace_event_config config = { .size = sizeof(config) };
	struct said *whole, *parts;
	size_t count, piece;

	if (size <= EVENT_SETTINGS)
		return;
	config.carrier = bytes[0] & 3;
	config.threads = bytes[0] >> 2 & 1;
	if (config.carrier == RVTRACE_EVENT_ETRACE) {
		etrace_settings(bytes, &config.etrace);
	} else if (config.carrier != RVTRACE_EVENT_STM) {
		config.ntrace.xlen = bytes[0] & 8 ? 32 : 64;
		config.ntrace.sifive = bytes[0] >> 4 & 1;
		config.ntrace.src_bits = (bytes[1] & 15) % 13;
	}
	config.time_bits = bytes[1] & 16 ? 40 : 0;
	config.thread_switch = bytes[1] & 32 ? 0x41 : 0;
	piece = 1 + bytes[2];
	bytes += EVENT_SETTINGS;
	size -= EVENT_SETTINGS;
	whole = calloc(size, sizeof(*whole));
	parts = calloc(size, sizeof(*parts));
	count = read_all(&config, bytes, size, size, whole);
	promise(read_all(&config, bytes, size, piece, parts) == count);
	expect_same(whole, parts, count);
	free(whole);
	free(parts);
}

/* Formats that were let through can be used. */
static void use_entry(const struct rvtrace_event_entry *entry)
{
	static const uint64_t values[] = { 0, 1, 'a', UINT64_MAX };
	char text[RVTRACE_EVENT_TEXT_MAX];
	size_t i;

	promise(*entry->name && strlen(entry->name) <= RVTRACE_EVENT_NAME_MAX);
	promise(strcmp(rvtrace_event_kind_name(entry->kind), ""));
	if (!entry->format)
		return;
	promise(!rvtrace_event_format_check(entry->format));
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		rvtrace_event_format(entry->format, values[i], 16u << i % 3, text);
}

/* A file of a dictionary. */
void fuzz_event_dictionary(const uint8_t *bytes, size_t size)
{
	struct rvtrace_event_dictionary *dictionary = rvtrace_event_dictionary_new(0, true);
	struct rvtrace_failure error = { };
	const struct rvtrace_event_entry *entry;
	char *text = malloc(size + 1);
	size_t i;
	int ret;

	memcpy(text, bytes, size);
	text[size] = 0;
	ret = rvtrace_event_dictionary_parse(dictionary, text, "input", &error);
	promise(!ret || (error.code == -ret && !strncmp(error.text, "input: ", 7)));
	for (i = 0; (entry = rvtrace_event_dictionary_get(dictionary, i)); i++) {
		use_entry(entry);
		promise(entry->index == i);
		promise(rvtrace_event_dictionary_find(dictionary, entry->program, entry->id));
	}
	promise(!ret || i == 3);
	rvtrace_event_dictionary_free(dictionary);
	free(text);
}
