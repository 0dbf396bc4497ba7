// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who ran where, from writes to tp: see pointers.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/fail.h"
#include "tools/lib/base/task_address.h"
#include "pointers.h"

#define REGISTER_TP	4

/* From @offset on the task at @value ran, the first one of a piece if @begins at @ns. */
struct pointer {
	uint64_t offset;
	uint64_t value;		/* 0: not known */
	uint64_t ns;
	bool begins;
	bool known;
	struct rvtrace_stretch stretch;
};

/* The address of a task */
struct task {
	int32_t tid;
	uint64_t value;
};

struct rvtrace_pointers {
	const struct rvtrace_switches *switches;
	unsigned int cpu;
	struct pointer *list;
	size_t count, room;
	struct task *tasks;
	size_t task_count;
};

struct rvtrace_pointers *rvtrace_pointers_new(const struct rvtrace_switches *switches,
					      unsigned int cpu)
{
	struct rvtrace_pointers *p = calloc(1, sizeof(*p));

	if (p) {
		p->switches = switches;
		p->cpu = cpu;
	}
	return p;
}

void rvtrace_pointers_free(struct rvtrace_pointers *pointers)
{
	if (!pointers)
		return;
	free(pointers->list);
	free(pointers->tasks);
	free(pointers);
}

static int append(struct rvtrace_pointers *p, const struct pointer *pointer)
{
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 256;
		void *list = realloc(p->list, room * sizeof(*p->list));

		if (!list)
			return -ENOMEM;
		p->list = list;
		p->room = room;
	}
	p->list[p->count++] = *pointer;
	return 0;
}

int rvtrace_pointers_begin(struct rvtrace_pointers *pointers, uint64_t offset, uint64_t ns)
{
	return append(pointers, &(struct pointer) { .offset = offset, .ns = ns, .begins = true });
}

int rvtrace_pointers_add(struct rvtrace_pointers *pointers, uint64_t offset, uint64_t value)
{
	struct pointer *last = &pointers->list[pointers->count - 1];

	if (!is_task_address(value, 64) || value == last->value)
		return 0;
	/* who ran when the piece began is told when the kernel is entered */
	if (!last->value) {
		last->value = value;
		return 0;
	}
	return append(pointers, &(struct pointer) { .offset = offset, .value = value });
}

static struct task *find_task(const struct rvtrace_pointers *p, int32_t tid)
{
	for (size_t i = 0; i < p->task_count; i++)
		if (p->tasks[i].tid == tid)
			return &p->tasks[i];
	return NULL;
}

/* Take the stretches from @first on for those of the piece. Return: whether they can be. */
static bool try(struct rvtrace_pointers *p, size_t piece, size_t count, size_t first)
{
	struct rvtrace_stretch stretch;
	size_t before = p->task_count;
	struct task *task;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!rvtrace_switches_get(p->switches, p->cpu, first + i, &stretch))
			break;
		if (!stretch.known)
			continue;
		task = find_task(p, stretch.tid);
		if (!task)
			p->tasks[p->task_count++] = (struct task) { stretch.tid,
								    p->list[piece + i].value };
		else if (task->value != p->list[piece + i].value)
			break;
		p->list[piece + i].stretch = stretch;
		p->list[piece + i].known = true;
	}
	if (i == count)
		return true;
	p->task_count = before;
	for (i = 0; i < count; i++)
		p->list[piece + i].known = false;
	return false;
}

/* The stretch at @ns, or the first one. */
static size_t stretch_at(const struct rvtrace_pointers *p, uint64_t ns)
{
	size_t begun = rvtrace_switches_begun(p->switches, p->cpu, ns);

	return begun ? begun - 1 : 0;
}

/*
 * The match nearest to @near, not before @least. Return: its last stretch, which may go on in the
 * next piece; @least without a match.
 */
static size_t match_piece(struct rvtrace_pointers *p, size_t piece, size_t count, size_t near,
			  size_t least)
{
	struct rvtrace_stretch stretch;
	bool more = true;

	for (size_t distance = 0; more || near >= least + distance; distance++) {
		more = rvtrace_switches_get(p->switches, p->cpu, near + distance + count - 1,
					    &stretch);
		if (more && try(p, piece, count, near + distance))
			return near + distance + count - 1;
		if (distance && near >= least + distance && try(p, piece, count, near - distance))
			return near - distance + count - 1;
	}
	return least;
}

int rvtrace_pointers_match(struct rvtrace_pointers *pointers)
{
	struct rvtrace_pointers *p = pointers;
	size_t piece, end, least = 0, near;

	p->tasks = calloc(p->count + 1, sizeof(*p->tasks));
	if (!p->tasks)
		return -ENOMEM;
	for (piece = 0; piece < p->count; piece = end) {
		for (end = piece + 1; end < p->count && !p->list[end].begins; end++)
			;
		near = p->list[piece].ns ? stretch_at(p, p->list[piece].ns) : least;
		if (near < least)
			near = least;
		if (p->list[piece].value)
			least = match_piece(p, piece, end - piece, near, least);
	}
	return 0;
}

bool rvtrace_pointers_at(const struct rvtrace_pointers *pointers, uint64_t offset,
			 struct rvtrace_stretch *stretch)
{
	size_t low = 0, high = pointers->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pointers->list[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	*stretch = (struct rvtrace_stretch) { .until = UINT64_MAX, .pid = -1, .tid = -1 };
	if (!low || !pointers->list[low - 1].known)
		return false;
	*stretch = pointers->list[low - 1].stretch;
	return true;
}

struct reading {
	struct rvtrace_pointers *pointers;
	const struct packet_reader *packets;
	void *reader;
	struct rvtrace_failure *error;
};

static int take_writes(const struct reading *r)
{
	struct packet_write write;
	int ret, err = 0;

	while (!err && (ret = r->packets->next_write(r->reader, &write)) != 0)
		if (ret < 0)
			err = rvtrace_pointers_begin(r->pointers, write.offset, 0);
		else if (write.rd == REGISTER_TP)
			err = rvtrace_pointers_add(r->pointers, write.offset, write.value);
	return err;
}

static int add_chunk(const struct reading *r, const struct rvtrace_chunk *chunk)
{
	const uint64_t units = r->packets->units;
	uint64_t next = units * chunk->offset;

	switch (chunk->type) {
	case RVTRACE_CHUNK_SESSION_START:
		return rvtrace_pointers_begin(r->pointers, next, chunk->time);
	case RVTRACE_CHUNK_DATA:
		return r->packets->feed(r->reader, chunk->data, chunk->length) ? -EINVAL :
		       take_writes(r);
	case RVTRACE_CHUNK_OVERWRITTEN:
		next += units * chunk->length;
		/* fallthrough */
	case RVTRACE_CHUNK_LOST:
		r->packets->seek(r->reader, next, false);
		return rvtrace_pointers_begin(r->pointers, next, chunk->time);
	default:
		return 0;
	}
}

static int take_chunk(void *data, const struct rvtrace_chunk *chunk)
{
	const struct reading *reading = data;
	int ret = add_chunk(reading, chunk);

	return ret ? fail(reading->error, ret, "pointers", strerror(-ret)) : 0;
}

int rvtrace_pointers_load(struct rvtrace_recording *recording, size_t sink,
			  const struct packet_reader *packets, void *reader,
			  const struct rvtrace_switches *switches, struct rvtrace_pointers **out,
			  struct rvtrace_failure *error)
{
	const struct rvtrace_recording_sink *s = rvtrace_recording_sink(recording, sink);
	struct rvtrace_pointers *p = rvtrace_pointers_new(switches, s->sources[0].cpus[0]);
	struct reading reading = { p, packets, reader, error };
	int ret;

	if (!p || rvtrace_pointers_begin(p, 0, 0))
		ret = fail(error, -ENOMEM, "pointers", "out of memory");
	else
		ret = rvtrace_recording_each_chunk(recording, sink, take_chunk, &reading, error);
	if (!ret && rvtrace_pointers_match(p))
		ret = fail(error, -ENOMEM, "pointers", "out of memory");
	if (ret)
		rvtrace_pointers_free(p);
	else
		*out = p;
	return ret;
}
