// SPDX-License-Identifier: LGPL-2.1-or-later
/* Software trace events of every carrier: see rvtrace/event.h. */
#include <stdlib.h>
#include <string.h>

#include <rvtrace/event.h>

#include "tools/lib/base/task_address.h"
#include "tools/lib/base/time_bits.h"
#include "tools/lib/packet/etrace_internal.h"

#define SOURCES		0x10000	/* addresses of Open SoC Debug; SRC has at most 12 bits */
#define OSD_TIME_BITS	32

#define OWNER_CHANNEL	15	/* its words are not of rvtrace/stm.h */

/* IDTAG of a stimulus register: its byte offset */
#define TAG_MAX		(4 * RVTRACE_EVENT_CHANNELS - 1)
#define LANE_WORD	0
#define LANE_ID		2

/* Words of a stimulus register that no identifier has taken; the oldest ones fall out. */
struct stack {
	uint32_t words[RVTRACE_EVENT_WORDS];
	uint8_t top;		/* where the next one goes */
	uint8_t count;
};

/*
 * @known: which of the others mean something: HAS_TIME, _THREAD, _CONTEXT, _PRIV
 * @time_offset: ETRACE: what to add to the times of packets
 */
struct source {
	uint64_t hart;
	uint64_t time;
	uint64_t time_offset;
	uint64_t thread;
	uint64_t context;
	uint8_t priv;
	uint8_t known;
	struct stack *stacks;	/* RVTRACE_EVENT_CHANNELS of them, or NULL */
	struct source *next;	/* of those that there are */
};

/*
 * @latest: time of the last message or event that had one, of any source
 * @timed: STM: there was one
 */
struct rvtrace_events {
	struct rvtrace_event_config config;
	struct rvtrace_ntrace *ntrace;
	struct rvtrace_osd *osd;
	struct rvtrace_etrace *etrace;
	struct rvtrace_ntrace_message message;
	struct rvtrace_osd_packet packet;
	struct rvtrace_etrace_packet etrace_packet;
	uint64_t *harts;
	uint64_t latest;
	bool timed;
	struct source *first;
	struct source *sources[SOURCES];
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
	return config->carrier <= RVTRACE_EVENT_ETRACE && config->time_bits <= 64 &&
	       config->threads <= RVTRACE_EVENT_THREADS_ALL;
}

static int open_reader(struct rvtrace_events *r)
{
	if (r->config.carrier == RVTRACE_EVENT_STM)
		return rvtrace_osd_new(&r->config.osd, &r->osd);
	if (r->config.carrier == RVTRACE_EVENT_ETRACE)
		return rvtrace_etrace_new(&r->config.etrace, &r->etrace);
	return rvtrace_ntrace_new(&r->config.ntrace, &r->ntrace);
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
	struct rvtrace_events *r;
	int ret;

	if (!config_valid(config))
		return RVTRACE_ERR_INVALID;
	r = calloc(1, sizeof(*r));
	if (!r)
		return RVTRACE_ERR_NO_MEMORY;
	r->config = *config;
	r->latest = config->time_near;
	if (!r->config.thread_switch)
		r->config.thread_switch = RVTRACE_EVENT_ID_THREAD_SWITCH;
	ret = copy_harts(r);
	if (!ret)
		ret = open_reader(r);
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
	rvtrace_ntrace_free(reader->ntrace);
	rvtrace_osd_free(reader->osd);
	rvtrace_etrace_free(reader->etrace);
	free(reader->harts);
	free(reader);
}

int rvtrace_events_feed(struct rvtrace_events *reader, const void *data, size_t size)
{
	if (reader->etrace)
		return rvtrace_etrace_feed(reader->etrace, data, size);
	return reader->osd ? rvtrace_osd_feed(reader->osd, data, size) :
			     rvtrace_ntrace_feed(reader->ntrace, data, size);
}

size_t rvtrace_events_pending(const struct rvtrace_events *reader, uint64_t *offset)
{
	if (reader->etrace)
		return rvtrace_etrace_pending(reader->etrace, offset);
	return reader->osd ? rvtrace_osd_pending(reader->osd, offset) :
			     rvtrace_ntrace_pending(reader->ntrace, offset);
}

/* Something of the source is missing. The time comes back with the next one that is absolute. */
static void forget(struct source *source, uint8_t known)
{
	source->known &= ~known;
	if (source->stacks)
		memset(source->stacks, 0, RVTRACE_EVENT_CHANNELS * sizeof(*source->stacks));
}

static void forget_all(struct rvtrace_events *r)
{
	struct source *source;

	for (source = r->first; source; source = source->next)
		forget(source, UINT8_MAX);
}

void rvtrace_events_resync(struct rvtrace_events *reader, uint64_t offset)
{
	forget_all(reader);
	if (reader->etrace)
		rvtrace_etrace_resync(reader->etrace, offset);
	else if (reader->osd)
		rvtrace_osd_resync(reader->osd, offset);
	else
		rvtrace_ntrace_resync(reader->ntrace, offset);
}

/* Of timestamps as they are sent, the narrowest */
static unsigned int stamp_bits(const struct rvtrace_events *reader)
{
	return reader->osd ? OSD_TIME_BITS :
	       reader->etrace ? etrace_time_bits(&reader->config.etrace) : reader->config.time_bits;
}

void rvtrace_events_restart(struct rvtrace_events *reader, unsigned int number)
{
	reader->latest = restart_near(number, stamp_bits(reader));
	reader->timed = true;
	reader->config.time_bits = restart_bits(reader->config.time_bits);
	if (reader->etrace)
		rvtrace_etrace_restart(reader->etrace);
	for (struct source *source = reader->first; source; source = source->next)
		source->known &= ~RVTRACE_EVENT_HAS_TIME;
}

/* NULL without memory. */
static struct source *get_source(struct rvtrace_events *r, uint16_t number)
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

/* What events of a source have in common. */
static void begin_event(const struct rvtrace_events *r, const struct source *source,
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

/* Value: how many, as 16 bits have room for. */
static int lose_events(struct rvtrace_events *r, struct source *source,
		       struct rvtrace_event *event)
{
	forget(source, RVTRACE_EVENT_HAS_THREAD);
	begin_event(r, source, event);
	event->type = RVTRACE_EVENT_LOST;
	event->width = 0;
	if (event->value == UINT16_MAX)
		event->flags |= RVTRACE_EVENT_AT_LEAST;
	return 1;
}

/* Identifier, value and width are set. */
static int end_event(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	begin_event(r, source, event);
	event->type = RVTRACE_EVENT_VALUE;
	event->group = rvtrace_event_group(event->id, r->config.thread_switch);
	if (event->id == r->config.thread_switch && !(event->flags & RVTRACE_EVENT_INCOMPLETE))
		switch_thread(r, source, event);
	return 1;
}

/* Stimulus registers */

static void push(struct stack *stack, uint32_t word)
{
	stack->words[stack->top] = word;
	stack->top = (stack->top + 1) % RVTRACE_EVENT_WORDS;
	if (stack->count < RVTRACE_EVENT_WORDS)
		stack->count++;
}

static uint32_t pop(struct stack *stack)
{
	stack->top = (stack->top + RVTRACE_EVENT_WORDS - 1) % RVTRACE_EVENT_WORDS;
	stack->count--;
	return stack->words[stack->top];
}

/*
 * The last words that were written; the least significant ones came first. Where there are fewer,
 * nothing tells which of the value they are.
 */
static void take_words(struct stack *stack, struct rvtrace_event *event)
{
	unsigned int want = event->width / 32;
	uint64_t value = 0;

	if (stack->count < want) {
		event->flags |= RVTRACE_EVENT_INCOMPLETE;
		want = stack->count;
	}
	while (want--)
		value = value << 32 | pop(stack);
	event->value = value;
}

static int stimulus(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	unsigned int channel = m->id / 4, lane = m->id % 4;

	if (m->id > TAG_MAX)
		return RVTRACE_ERR_FIELD;
	event->channel = channel;
	if (channel == OWNER_CHANNEL || (lane != LANE_WORD && lane != LANE_ID)) {
		event->type = RVTRACE_EVENT_STIMULUS;
		event->lane = lane;
		event->value = m->data;
		event->width = lane == LANE_WORD ? 32 : lane == LANE_ID ? 16 : 8;
		begin_event(r, source, event);
		return m->data >> event->width ? RVTRACE_ERR_FIELD : 1;
	}
	if (!source->stacks) {
		source->stacks = calloc(RVTRACE_EVENT_CHANNELS, sizeof(*source->stacks));
		if (!source->stacks)
			return RVTRACE_ERR_NO_MEMORY;
	}
	if (lane == LANE_WORD) {
		if (m->data > UINT32_MAX)
			return RVTRACE_ERR_FIELD;
		push(&source->stacks[channel], m->data);
		return 0;
	}
	if (m->data > UINT16_MAX)
		return RVTRACE_ERR_FIELD;
	event->id = m->data;
	event->width = r->config.ntrace.xlen;
	take_words(&source->stacks[channel], event);
	return end_event(r, source, event);
}

/* Messages */

/* "Timestamp Reporting", as the flow layer has it */
static void take_time(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	bool absolute = m->has_sync || m->tcode == RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC;
	uint64_t time = m->tstamp;

	if (!m->has_tstamp || (!absolute && !(source->known & RVTRACE_EVENT_HAS_TIME)))
		return;
	if (!absolute)
		time = r->config.ntrace.sifive ? source->time ^ time : source->time + time;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	source->time = nearest_time(r->latest, time, r->config.time_bits);
	r->latest = source->time;
}

static void take_context(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_ntrace_message *m = &r->message;

	if (m->format == RVTRACE_NTRACE_PROCESS_SOFTWARE ||
	    m->format == RVTRACE_NTRACE_PROCESS_RESERVED)
		return;
	source->priv = m->priv;
	source->known |= RVTRACE_EVENT_HAS_PRIV;
	if (m->format != RVTRACE_NTRACE_PROCESS_SCONTEXT)
		return;
	source->context = m->context;
	source->known |= RVTRACE_EVENT_HAS_CONTEXT;
}

/* Where an encoder tells what it lost, and that is no event, none was. */
static int take_loss(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	uint8_t gone = RVTRACE_EVENT_HAS_PRIV | RVTRACE_EVENT_HAS_CONTEXT;

	if (r->config.carrier == RVTRACE_EVENT_PORT && m->ecode &&
	    !(m->ecode & RVTRACE_NTRACE_ECODE_DATA)) {
		source->known &= ~gone;
		return 0;
	}
	forget(source, gone | RVTRACE_EVENT_HAS_THREAD);
	begin_event(r, source, event);
	event->type = RVTRACE_EVENT_LOST;
	event->flags |= RVTRACE_EVENT_AT_LEAST;
	return 1;
}

static int take_port(struct rvtrace_events *r, struct source *source, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;

	if (m->id > UINT16_MAX ||
	    (r->config.ntrace.xlen == 32 && m->data > UINT32_MAX))
		return RVTRACE_ERR_FIELD;
	event->id = m->id;
	event->value = m->data;
	event->width = r->config.ntrace.xlen;
	return end_event(r, source, event);
}

static int take_message(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_ntrace_message *m = &r->message;
	struct source *source = get_source(r, m->src);

	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	*event = (struct rvtrace_event) { .offset = m->offset, .source = m->src };
	take_time(r, source);
	switch (m->tcode) {
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		if (r->config.carrier == RVTRACE_EVENT_PORT)
			return take_port(r, source, event);
		return stimulus(r, source, event);
	case RVTRACE_NTRACE_OWNERSHIP:
		take_context(r, source);
		return 0;
	case RVTRACE_NTRACE_ERROR:
		return take_loss(r, source, event);
	}
	return 0;
}

/* Nobody knows whose message it was. */
static int fail_at(struct rvtrace_events *r, int ret, uint64_t offset, uint32_t size,
		   struct rvtrace_event *event)
{
	forget_all(r);
	*event = (struct rvtrace_event) { .offset = offset, .value = size };
	return ret;
}

static int next_of_ntrace(struct rvtrace_events *r, struct rvtrace_event *event)
{
	int ret;

	while ((ret = rvtrace_ntrace_next(r->ntrace, &r->message)) > 0) {
		ret = take_message(r, event);
		if (ret)
			break;
	}
	if (ret < 0)
		return fail_at(r, ret, r->message.offset, r->message.size, event);
	return ret;
}

/* E-Trace */

static void take_now(struct rvtrace_events *r, struct source *source)
{
	unsigned int bits = etrace_time_bits(&r->config.etrace);
	const struct rvtrace_etrace_packet *p = &r->etrace_packet;

	if (!p->has_now)
		return;
	/* Where times are less than whole, the first is the nearest. */
	if (!(source->known & RVTRACE_EVENT_HAS_TIME))
		source->time_offset = bits < 64 ?
			nearest_time(r->latest, p->now, bits) - p->now : 0;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	source->time = nearest_time(r->latest, p->now + source->time_offset, r->config.time_bits);
	r->latest = source->time;
}

/* Support packets tell no context; where packets were lost, that may have changed. */
static void take_inst(struct rvtrace_events *r, struct source *source)
{
	const struct rvtrace_etrace_te_inst *inst = &r->etrace_packet.inst;
	int priv = etrace_privilege(inst->privilege);

	if (inst->format != RVTRACE_ETRACE_SYNC)
		return;
	if (inst->subformat == RVTRACE_ETRACE_SUPPORT) {
		if (inst->qual_status == RVTRACE_ETRACE_TRACE_LOST)
			source->known &= ~(RVTRACE_EVENT_HAS_PRIV | RVTRACE_EVENT_HAS_CONTEXT);
		return;
	}
	source->known &= ~RVTRACE_EVENT_HAS_PRIV;
	if (r->config.etrace.privilege_width && priv >= 0) {
		source->priv = priv;
		source->known |= RVTRACE_EVENT_HAS_PRIV;
	}
	if (inst->has_context) {
		source->context = inst->context;
		source->known |= RVTRACE_EVENT_HAS_CONTEXT;
	}
}

static int take_etrace(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_etrace_packet *p = &r->etrace_packet;
	struct source *source = get_source(r, p->srcid);

	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	take_now(r, source);
	if (p->kind == RVTRACE_ETRACE_TE_INST)
		take_inst(r, source);
	if (p->kind != RVTRACE_ETRACE_EVENT)
		return 0;
	*event = (struct rvtrace_event) {
		.offset = p->offset, .source = p->srcid, .id = p->event.id,
		.value = p->event.value,
		.width = r->config.etrace.iaddress_width <= 32 ? 32 : 64,
	};
	return p->event.id ? end_event(r, source, event) : lose_events(r, source, event);
}

static int next_of_etrace(struct rvtrace_events *r, struct rvtrace_event *event)
{
	int ret;

	while ((ret = rvtrace_etrace_next(r->etrace, &r->etrace_packet)) > 0) {
		ret = take_etrace(r, event);
		if (ret)
			break;
	}
	if (ret < 0)
		return fail_at(r, ret, r->etrace_packet.offset, r->etrace_packet.size, event);
	return ret;
}

/* Open SoC Debug */

static int take_packet(struct rvtrace_events *r, struct rvtrace_event *event)
{
	const struct rvtrace_osd_packet *p = &r->packet;
	struct source *source;

	if (p->item != RVTRACE_OSD_ITEM_STM && p->item != RVTRACE_OSD_ITEM_OVERFLOW)
		return 0;
	source = get_source(r, p->src);
	if (!source)
		return RVTRACE_ERR_NO_MEMORY;
	*event = (struct rvtrace_event) { .offset = p->offset, .source = p->src };
	if (p->item == RVTRACE_OSD_ITEM_OVERFLOW) {
		event->value = p->missed;
		return lose_events(r, source, event);
	}
	source->time = r->timed || r->config.time_near ?
		       nearest_time(r->latest, p->timestamp, OSD_TIME_BITS) : p->timestamp;
	source->known |= RVTRACE_EVENT_HAS_TIME;
	r->latest = source->time;
	r->timed = true;
	event->id = p->id;
	event->value = p->value;
	event->width = p->width;
	return end_event(r, source, event);
}

static int next_of_osd(struct rvtrace_events *r, struct rvtrace_event *event)
{
	int ret;

	while ((ret = rvtrace_osd_next(r->osd, &r->packet)) > 0) {
		ret = take_packet(r, event);
		if (ret)
			break;
	}
	if (ret < 0)
		return fail_at(r, ret, r->packet.offset, r->packet.size, event);
	return ret;
}

int rvtrace_events_next(struct rvtrace_events *reader, struct rvtrace_event *event)
{
	if (reader->etrace)
		return next_of_etrace(reader, event);
	return reader->osd ? next_of_osd(reader, event) : next_of_ntrace(reader, event);
}
