// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: items of several harts in order of time, see decode_order.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "decode_order.h"

/* Bytes of text that are held, so many and some for each byte of trace; and the most */
#define HELD		(32ULL << 20)
#define HELD_PER_BYTE	16
#define HELD_MAX	(512ULL << 20)

/* Text of one time; of several of the same time, what came first, @number, is printed first. */
struct piece {
	uint64_t time;
	uint64_t number;
	size_t size;
};

/**
 * struct queue - what is held of a source
 * @source: the source
 * @waited: others wait for it: it is known to have times
 * @reached: nothing older comes of it
 * @passed: up to there others were printed without it
 * @late: what came last is older than that
 * @pieces: from member @first to before @end, room for @room
 * @text: of them, bytes from @text_first to before @text_end, room for @text_room
 */
struct queue {
	uint32_t source;
	bool waited;
	uint64_t reached;
	uint64_t passed;
	bool late;
	struct piece *pieces;
	size_t first, end, room;
	char *text;
	size_t text_first, text_end, text_room;
};

/**
 * struct order - the order of one output
 * @out: where it goes
 * @pipe: what takes the text of an item instead
 * @on: it does
 * @failed: there was no memory for more
 * @text: of the item under way, @size bytes, room for @room
 * @queues: of the sources that have had an item, @count of them
 * @held: bytes in all
 * @held_max: as many at most
 * @back: how often something came that is older than what was printed
 * @pieces: that there have been
 * @printed: something was: in JSON, what comes before it is a comma too many
 */
struct order {
	struct out out;
	FILE *pipe;
	bool on;
	bool failed;
	char *text;
	size_t size, room;
	struct queue **queues;
	size_t count;
	uint64_t held;
	uint64_t held_max;
	uint64_t back;
	uint64_t pieces;
	bool printed;
};

static bool grow(char **text, size_t *room, size_t size)
{
	size_t more = *room ? *room : 4096;
	char *grown;

	if (size <= *room)
		return true;
	while (more < size)
		more *= 2;
	grown = realloc(*text, more);
	if (!grown)
		return false;
	*text = grown;
	*room = more;
	return true;
}

static ssize_t take_text(void *cookie, const char *bytes, size_t size)
{
	struct order *o = cookie;

	if (!grow(&o->text, &o->room, o->size + size)) {
		o->failed = true;
		errno = ENOMEM;
		return 0;
	}
	memcpy(o->text + o->size, bytes, size);
	o->size += size;
	return size;
}

static void put(struct order *o, const char *text, size_t size)
{
	size_t skip = size && global.json && !o->printed;

	o->printed |= size > 0;
	out_bytes(&o->out, text + skip, size - skip);
}

static struct queue *queue_of(struct order *o, uint32_t source)
{
	struct queue *queue, **queues;
	size_t i;

	for (i = 0; i < o->count; i++)
		if (o->queues[i]->source == source)
			return o->queues[i];
	queues = realloc(o->queues, (o->count + 1) * sizeof(*queues));
	if (queues)
		o->queues = queues;
	queue = calloc(1, sizeof(*queue));
	if (!queues || !queue) {
		free(queue);
		return NULL;
	}
	queue->source = source;
	return o->queues[o->count++] = queue;
}

/* What was printed leaves its room to what comes. */
static void compact(struct queue *q)
{
	memmove(q->text, q->text + q->text_first, q->text_end - q->text_first);
	q->text_end -= q->text_first;
	q->text_first = 0;
	memmove(q->pieces, q->pieces + q->first, (q->end - q->first) * sizeof(*q->pieces));
	q->end -= q->first;
	q->first = 0;
}

static bool add_piece(struct order *o, struct queue *q, uint64_t time, size_t size)
{
	if (q->end > q->first && q->pieces[q->end - 1].time == time) {
		q->pieces[q->end - 1].size += size;
		return true;
	}
	if (q->end == q->room) {
		size_t room = q->room ? 2 * q->room : 64;
		void *pieces = realloc(q->pieces, room * sizeof(*q->pieces));

		if (!pieces)
			return false;
		q->pieces = pieces;
		q->room = room;
	}
	q->pieces[q->end++] = (struct piece) { time, o->pieces++, size };
	return true;
}

static bool append(struct order *o, struct queue *q, const char *text, size_t size)
{
	if (!size)
		return true;
	/* at most half of what is moved was printed: each byte moves once or so */
	if (q->text_first > q->text_end / 2)
		compact(q);
	if (!grow(&q->text, &q->text_room, q->text_end + size) ||
	    !add_piece(o, q, q->reached, size))
		return false;
	memcpy(q->text + q->text_end, text, size);
	q->text_end += size;
	o->held += size;
	return true;
}

static bool is_older(const struct piece *a, const struct piece *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* The oldest piece; NULL: nothing is held. */
static struct queue *oldest(const struct order *o)
{
	struct queue *best = NULL;

	for (size_t i = 0; i < o->count; i++) {
		struct queue *q = o->queues[i];

		if (q->first < q->end &&
		    (!best || is_older(&q->pieces[q->first], &best->pieces[best->first])))
			best = q;
	}
	return best;
}

static uint64_t print_piece(struct order *o, struct queue *q)
{
	const struct piece piece = q->pieces[q->first++];

	put(o, q->text + q->text_first, piece.size);
	q->text_first += piece.size;
	o->held -= piece.size;
	if (q->first == q->end) {
		q->first = 0;
		q->end = 0;
		q->text_first = 0;
		q->text_end = 0;
	}
	return piece.time;
}

/* Whether something older may still come. */
static bool must_wait(const struct order *o, uint64_t time)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct queue *q = o->queues[i];

		if (q->first == q->end && q->waited && q->reached < time)
			return true;
	}
	return false;
}

/* What is in order; then what is too much to be held. */
static void drain(struct order *o)
{
	bool waits = false;
	struct queue *q;
	uint64_t time;
	size_t i;

	while ((q = oldest(o)) && (!(waits = must_wait(o, q->pieces[q->first].time)) ||
				   o->held > o->held_max)) {
		time = print_piece(o, q);
		for (i = 0; i < o->count; i++) {
			if (o->queues[i]->reached < time)
				o->queues[i]->reached = time;
			if (waits)
				o->queues[i]->passed = time;
		}
	}
}

static void drain_all(struct order *o)
{
	struct queue *q;

	while ((q = oldest(o)))
		print_piece(o, q);
}

/* Bytes of the first line; in JSON, where a line begins with the end of the one before. */
static size_t line_size(const char *text, size_t size)
{
	const char *end = memchr(text + (global.json ? 2 : 0), '\n', size - (global.json ? 2 : 0));

	if (!end)
		return size;
	return end - text + (global.json ? -1 : 1);
}

/* Runs of blocks may be cut anywhere: what is done when too much is held must not depend on it. */
static int add_text(struct order *o, struct queue *q, const char *text, size_t size)
{
	while (size) {
		size_t part = o->held + size <= o->held_max ? size : line_size(text, size);

		if (!append(o, q, text, part))
			return -ENOMEM;
		drain(o);
		text += part;
		size -= part;
	}
	return 0;
}

static int add_entry(struct order *o, const struct order_entry *entry, const char *text)
{
	struct queue *q;
	int ret;

	/* of all harts */
	if (entry->source == RVTRACE_SOURCE_ALL) {
		drain_all(o);
		put(o, text, entry->size);
		return 0;
	}
	q = queue_of(o, entry->source);
	if (!q)
		return -ENOMEM;
	if (entry->has_time) {
		o->back += entry->time < q->passed && !q->late;
		q->late = entry->time < q->passed;
		q->waited = true;
		if (q->reached < entry->time)
			q->reached = entry->time;
	}
	ret = add_text(o, q, text, entry->size);
	drain(o);
	return ret;
}

static struct order_entry entry_of(const struct rvtrace_flow_item *item, size_t size)
{
	return (struct order_entry) {
		.source = item->source, .has_time = item->flags & RVTRACE_FLOW_HAS_TIME,
		.time = item->time, .size = size,
	};
}

static int log_item(struct order_log *log, const struct out *out,
		    const struct rvtrace_flow_item *item)
{
	uint64_t written = out->flushed + out->used;
	struct order_entry entry = entry_of(item, written - log->logged);
	struct order_entry *last = log->count ? &log->entries[log->count - 1] : NULL;

	log->logged = written;
	if (last && last->source == entry.source && last->has_time == entry.has_time &&
	    last->time == entry.time) {
		last->size += entry.size;
		return 0;
	}
	if (log->count == log->room) {
		size_t room = log->room ? 2 * log->room : 256;
		void *entries = realloc(log->entries, room * sizeof(*log->entries));

		if (!entries)
			return -ENOMEM;
		log->entries = entries;
		log->room = room;
	}
	log->entries[log->count++] = entry;
	return 0;
}

int order_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct order *o = d->order;
	struct order_entry entry;
	int ret;

	if (d->log)
		return log_item(d->log, &d->out, item);
	if (!o || !o->on)
		return 0;
	out_flush(&d->out);
	entry = entry_of(item, o->size);
	ret = o->failed ? -ENOMEM : add_entry(o, &entry, o->text);
	o->size = 0;
	return ret ? ret : -o->out.error;
}

bool order_is_on(const struct decode *d)
{
	return d->order && d->order->on;
}

int order_logged(struct decode *d, struct order_log *log, const char *text)
{
	int ret = 0;

	for (size_t i = 0; i < log->count && !ret; i++) {
		ret = add_entry(d->order, &log->entries[i], text);
		text += log->entries[i].size;
	}
	log->count = 0;
	return ret ? ret : -d->order->out.error;
}

static struct order *order_new(FILE *file)
{
	const cookie_io_functions_t functions = { .write = take_text };
	struct order *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->out.file = file;
	o->pipe = fopencookie(o, "w", functions);
	if (!o->pipe) {
		free(o);
		return NULL;
	}
	setvbuf(o->pipe, NULL, _IONBF, 0);
	return o;
}

/* Those that the recording tells of, from the start on; others from their first time on. */
static int expect_sources(const struct decode *d)
{
	struct queue *queue;

	for (size_t i = 0; i < d->input.source_count; i++) {
		if (!d->totals.sources[i].seen || !filter_shows(&d->input, i))
			continue;
		queue = queue_of(d->order, i);
		if (!queue)
			return -ENOMEM;
		queue->waited = true;
	}
	return 0;
}

int order_begin(struct decode *d)
{
	if (d->input.source_count < 2 || d->output > OUTPUT_PC ||
	    d->output == OUTPUT_CALLS || d->log)
		return 0;
	if (!d->order)
		d->order = order_new(d->out.file);
	if (!d->order)
		return -ENOMEM;
	out_flush(&d->out);
	d->order->held_max = d->input.stream_bytes < (HELD_MAX - HELD) / HELD_PER_BYTE ?
			     HELD + HELD_PER_BYTE * d->input.stream_bytes : HELD_MAX;
	d->order->back = 0;
	d->order->on = true;
	d->order->printed = d->out.printed;
	d->out.printed = true;
	d->out.file = d->order->pipe;
	return expect_sources(d);
}

static void forget_queues(struct order *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->queues[i]->pieces);
		free(o->queues[i]->text);
		free(o->queues[i]);
	}
	o->count = 0;
}

void order_end(struct decode *d)
{
	struct order *o = d->order;

	if (!o || !o->on)
		return;
	drain_all(o);
	forget_queues(o);
	out_flush(&o->out);
	if (o->back)
		warn_text("steps back in time: %llu: messages of a hart arrived late, and at most %llu MiB of instructions of other harts wait for it (--hart shows one alone)",
			  (unsigned long long)o->back, (unsigned long long)(o->held_max >> 20));
	o->on = false;
	o->size = 0;
	d->out.printed = o->printed;
	d->out.file = o->out.file;
	d->out.used = 0;
	if (!d->out.error)
		d->out.error = o->out.error;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	forget_queues(order);
	fclose(order->pipe);
	free(order->queues);
	free(order->text);
	free(order);
}
