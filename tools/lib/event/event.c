// SPDX-License-Identifier: LGPL-2.1-or-later
/* Software trace events of every carrier: see rvtrace/event.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/sized.h"
#include "tools/lib/base/task_address.h"
#include "tools/lib/base/time_bits.h"
#include "event_internal.h"

static const struct event_carrier *const carriers[] = {
	[RVTRACE_EVENT_PORT] = &event_ntrace_carrier,
	[RVTRACE_EVENT_ITC] = &event_ntrace_carrier,
	[RVTRACE_EVENT_STM] = &event_osd_carrier,
	[RVTRACE_EVENT_ETRACE] = &event_etrace_carrier,
};

unsigned int rvtrace_event_group(uint16_t id, uint16_t thread_switch)
{
	if (!id)
		return RVTRACE_EVENT_UNUSED;
	if (id == (thread_switch ? thread_switch : RVTRACE_EVENT_ID_THREAD_SWITCH))
		return RVTRACE_EVENT_SYS;
	switch (id >> 14) {
	case 0:
		return RVTRACE_EVENT_USER;
	case 1:
		return RVTRACE_EVENT_COM;
	case 2:
		return RVTRACE_EVENT_RESERVED;
	}
	return RVTRACE_EVENT_SYS;
}

const char *rvtrace_event_group_name(unsigned int group)
{
	static const char *const names[] = {
		[RVTRACE_EVENT_UNUSED] = "N/A", [RVTRACE_EVENT_USER] = "USER",
		[RVTRACE_EVENT_COM] = "COM", [RVTRACE_EVENT_RESERVED] = "Reserved",
		[RVTRACE_EVENT_SYS] = "SYS",
	};

	return group < sizeof(names) / sizeof(names[0]) ? names[group] : "";
}

static bool config_valid(const struct rvtrace_event_config *config)
{
	return config->carrier < sizeof(carriers) / sizeof(carriers[0]) &&
	       config->time_bits <= 64 && config->threads <= RVTRACE_EVENT_THREADS_ALL;
}

static int copy_harts(struct rvtrace_events *r)
{
	size_t size = r->config.hart_count * sizeof(*r->harts);

	if (!size)
		return 0;
	r->harts = malloc(size);
	if (!r->harts)
		return RVTRACE_ERR_NO_MEMORY;
	memcpy(r->harts, r->config.harts, size);
	return 0;
}

int rvtrace_events_new(const struct rvtrace_event_config *config, struct rvtrace_events **reader)
{
	struct rvtrace_events *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return RVTRACE_ERR_NO_MEMORY;
	ret = sized_take(&r->config, sizeof(r->config), config,
			 &r->config.hart_count + 1);
	if (!ret && !config_valid(&r->config))
		ret = RVTRACE_ERR_INVALID;
	if (ret) {
		free(r);
		return ret;
	}
	r->carrier = carriers[r->config.carrier];
	r->latest = r->config.time_near;
	if (!r->config.thread_switch)
		r->config.thread_switch = RVTRACE_EVENT_ID_THREAD_SWITCH;
	ret = copy_harts(r);
	if (!ret)	/* the parameters of all carriers share one address */
		ret = r->carrier->packets->new(&r->config.ntrace, &r->reader);
	if (ret) {
		rvtrace_events_free(r);
		return ret;
	}
	*reader = r;
	return 0;
}

void rvtrace_events_free(struct rvtrace_events *reader)
{
	struct source *source;

	if (!reader)
		return;
	while ((source = reader->first)) {
		reader->first = source->next;
		free(source->stacks);
		free(source);
	}
	reader->carrier->packets->free(reader->reader);
	free(reader->harts);
	free(reader);
}

int rvtrace_events_feed(struct rvtrace_events *reader, const void *data, size_t size)
{
	return reader->carrier->packets->feed(reader->reader, data, size);
}

size_t rvtrace_events_pending(const struct rvtrace_events *reader, uint64_t *offset)
{
	return reader->carrier->packets->pending(reader->reader, offset);
}

/**
 * event_forget() - something of a source is missing
 * @source: the source
 * @known: which of its values are unknown from here on
 *
 * The time comes back with the next one that is absolute.
 */
void event_forget(struct source *source, uint8_t known)
{
	source->known &= ~known;
	if (source->stacks)
		memset(source->stacks, 0, RVTRACE_EVENT_CHANNELS * sizeof(*source->stacks));
}

static void forget_all(struct rvtrace_events *r)
{
	struct source *source;

	for (source = r->first; source; source = source->next)
		event_forget(source, UINT8_MAX);
}

void rvtrace_events_resync(struct rvtrace_events *reader, uint64_t offset)
{
	forget_all(reader);
	reader->carrier->packets->seek(reader->reader, offset, false);
}

void rvtrace_events_restart(struct rvtrace_events *reader, unsigned int number)
{
	reader->latest = restart_near(number, reader->carrier->time_bits(&reader->config));
	reader->timed = true;
	reader->config.time_bits = restart_bits(reader->config.time_bits);
	if (reader->carrier->packets->restart)
		reader->carrier->packets->restart(reader->reader);
	for (struct source *source = reader->first; source; source = source->next)
		source->known &= ~RVTRACE_EVENT_HAS_TIME;
}

/**
 * event_source() - state of a source, made when it is first asked for
 * @r: the reader
 * @number: SRC of messages, address of a module
 *
 * Return: the source, NULL without memory.
 */
struct source *event_source(struct rvtrace_events *r, uint16_t number)
{
	struct source *source = r->sources[number];

	if (source)
		return source;
	source = calloc(1, sizeof(*source));
	if (!source)
		return NULL;
	source->hart = number < r->config.hart_count ? r->harts[number] : number;
	source->next = r->first;
	r->first = source;
	r->sources[number] = source;
	return source;
}

/**
 * event_begin() - fill in what all events of a source share
 * @r: the reader
 * @source: the source
 * @event: its event
 */
void event_begin(const struct rvtrace_events *r, const struct source *source,
		 struct rvtrace_event *event)
{
	event->hart = source->hart;
	event->carrier = r->config.carrier;
	event->time = source->time;
	event->thread = source->thread;
	event->context = source->context;
	event->priv = source->priv;
	event->flags |= source->known;
}

static bool names_thread(const struct rvtrace_events *r, const struct rvtrace_event *event)
{
	return r->config.threads == RVTRACE_EVENT_THREADS_ALL ||
	       is_task_address(event->value, event->width);
}

static void switch_thread(const struct rvtrace_events *r, struct source *source,
			  struct rvtrace_event *event)
{
	if (!names_thread(r, event))
		return;
	if (!(source->known & RVTRACE_EVENT_HAS_THREAD) || source->thread != event->value)
		event->flags |= RVTRACE_EVENT_SWITCHED;
	source->thread = event->value;
	source->known |= RVTRACE_EVENT_HAS_THREAD;
	event->thread = source->thread;
	event->flags |= RVTRACE_EVENT_HAS_THREAD;
}

/**
 * event_lose() - make an event of type LOST
 * @r: the reader
 * @source: the source that lost events
 * @event: its value is how many, in 16 bits
 *
 * Return: 1.
 */
int event_lose(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	event_forget(source, RVTRACE_EVENT_HAS_THREAD);
	event_begin(r, source, event);
	event->type = RVTRACE_EVENT_LOST;
	event->width = 0;
	if (event->value == UINT16_MAX)
		event->flags |= RVTRACE_EVENT_AT_LEAST;
	return 1;
}

/**
 * event_end() - make an event of type VALUE
 * @r: the reader
 * @source: the source that emitted it
 * @event: its identifier, value and width are set
 *
 * Return: 1.
 */
int event_end(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	event_begin(r, source, event);
	event->type = RVTRACE_EVENT_VALUE;
	event->group = rvtrace_event_group(event->id, r->config.thread_switch);
	if (event->id == r->config.thread_switch && !(event->flags & RVTRACE_EVENT_INCOMPLETE))
		switch_thread(r, source, event);
	return 1;
}

/* Nobody knows whose message it was. */
static int fail(struct rvtrace_events *r, int ret, struct rvtrace_event *event)
{
	forget_all(r);
	*event = (struct rvtrace_event) { .offset = r->offset, .value = r->size };
	return ret;
}

int rvtrace_events_next(struct rvtrace_events *reader, struct rvtrace_event *event)
{
	int ret;

	while ((ret = reader->carrier->read(reader)) > 0) {
		ret = reader->carrier->take(reader, event);
		if (ret)
			break;
	}
	return ret < 0 ? fail(reader, ret, event) : ret;
}
