// SPDX-License-Identifier: LGPL-2.1-or-later
/* The kernel's perf side band: perf_event_open(2), "Overflow handling". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <linux/perf_event.h>

#include <rvtrace/sideband.h>

/* sample_id of TID|TIME|CPU, at the end of every record */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

/* Fields of a record, in order, bounded by its payload. */
struct cursor {
	const uint8_t *next;
	const uint8_t *end;
	bool bad;
};

static void take(struct cursor *c, void *out, size_t size)
{
	if ((size_t)(c->end - c->next) < size) {
		memset(out, 0, size);
		c->bad = true;
		return;
	}
	memcpy(out, c->next, size);
	c->next += size;
}

static uint32_t take_u32(struct cursor *c)
{
	uint32_t value;

	take(c, &value, sizeof(value));
	return value;
}

static uint64_t take_u64(struct cursor *c)
{
	uint64_t value;

	take(c, &value, sizeof(value));
	return value;
}

static const char *take_string(struct cursor *c)
{
	const char *text = (const char *)c->next;

	if (!memchr(text, 0, c->end - c->next)) {
		c->bad = true;
		return "";
	}
	return text;
}

static bool parse_mmap2(struct cursor *c, uint16_t misc, struct rvtrace_sideband_event *e)
{
	uint8_t id[24];		/* a build id, or device, inode and its generation */
	uint32_t numbers[2];

	if (misc & PERF_RECORD_MISC_MMAP_DATA)
		return false;
	e->type = RVTRACE_SIDEBAND_MMAP;
	e->pid = take_u32(c);
	e->tid = take_u32(c);
	e->mmap.address = take_u64(c);
	e->mmap.size = take_u64(c);
	e->mmap.offset = take_u64(c);
	take(c, id, sizeof(id));
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (id[0] > RVTRACE_BUILD_ID_MAX) {
			c->bad = true;
			return false;
		}
		e->mmap.build_id_size = id[0];
		memcpy(e->mmap.build_id, id + 4, id[0]);
	} else {
		memcpy(numbers, id, 8);
		memcpy(&e->mmap.inode, id + 8, 8);
		e->mmap.device = makedev(numbers[0], numbers[1]);
	}
	take_u32(c);	/* prot */
	take_u32(c);	/* flags */
	e->name = take_string(c);
	return true;
}

static bool parse_task(struct cursor *c, uint8_t type, struct rvtrace_sideband_event *e)
{
	e->type = type;
	e->pid = take_u32(c);
	e->fork.ppid = take_u32(c);
	e->tid = take_u32(c);
	e->fork.ptid = take_u32(c);
	return true;
}

static bool parse_switch(struct cursor *c, uint16_t misc, struct rvtrace_sideband_event *e)
{
	e->type = RVTRACE_SIDEBAND_SWITCH;
	e->sw.in = !(misc & PERF_RECORD_MISC_SWITCH_OUT);
	e->sw.other_pid = take_u32(c);
	e->sw.other_tid = take_u32(c);
	return true;
}

static bool parse_ksymbol(struct cursor *c, struct rvtrace_sideband_event *e)
{
	uint32_t type_flags;

	e->mmap.address = take_u64(c);
	e->mmap.size = take_u32(c);
	type_flags = take_u32(c);
	e->type = type_flags >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ?
		RVTRACE_SIDEBAND_KSYMBOL_GONE : RVTRACE_SIDEBAND_KSYMBOL;
	e->name = take_string(c);
	return true;
}

/* Returns whether the record is of a kind that is kept. */
static bool parse_record(struct cursor *c, const struct perf_event_header *header,
			 struct rvtrace_sideband_event *e)
{
	memset(e, 0, sizeof(*e));
	e->name = "";
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return parse_mmap2(c, header->misc, e);
	case PERF_RECORD_COMM:
		e->type = header->misc & PERF_RECORD_MISC_COMM_EXEC ?
			RVTRACE_SIDEBAND_EXEC : RVTRACE_SIDEBAND_COMM;
		e->pid = take_u32(c);
		e->tid = take_u32(c);
		e->name = take_string(c);
		return true;
	case PERF_RECORD_FORK:
		return parse_task(c, RVTRACE_SIDEBAND_FORK, e);
	case PERF_RECORD_EXIT:
		return parse_task(c, RVTRACE_SIDEBAND_EXIT, e);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return parse_switch(c, header->misc, e);
	case PERF_RECORD_KSYMBOL:
		return parse_ksymbol(c, e);
	case PERF_RECORD_LOST:
		e->type = RVTRACE_SIDEBAND_LOST;
		take_u64(c);	/* id */
		e->lost = take_u64(c);
		return true;
	default:
		return false;
	}
}

static int fail(struct rvtrace_failure *error, uint64_t offset, const char *what)
{
	return rvtrace_fail(error, EBADMSG, offset, "sideband: offset %llu: %s",
			    (unsigned long long)offset, what);
}

static int append(struct rvtrace_sideband *s, size_t *room, const struct rvtrace_sideband_event *e)
{
	if (s->count == *room) {
		size_t more = *room ? 2 * *room : 256;
		void *events = realloc(s->events, more * sizeof(*s->events));

		if (!events)
			return -ENOMEM;
		s->events = events;
		*room = more;
	}
	s->events[s->count++] = *e;
	return 0;
}

/* By time; events of the same time stay in the order of the file. */
static int by_time(const void *a, const void *b)
{
	const struct rvtrace_sideband_event *x = *(void *const *)a, *y = *(void *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int sort(struct rvtrace_sideband *s)
{
	struct rvtrace_sideband_event **order, *sorted;
	size_t i;

	if (!s->count)
		return 0;
	order = malloc(s->count * sizeof(*order));
	sorted = malloc(s->count * sizeof(*sorted));
	if (!order || !sorted) {
		free(order);
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < s->count; i++)
		order[i] = &s->events[i];
	qsort(order, s->count, sizeof(*order), by_time);
	for (i = 0; i < s->count; i++)
		sorted[i] = *order[i];
	free(order);
	free(s->events);
	s->events = sorted;
	return 0;
}

static int parse_at(const uint8_t *record, const struct perf_event_header *header,
		    struct rvtrace_sideband_event *e)
{
	struct cursor c = { .next = record + sizeof(*header) };
	struct sample_id id;

	if (header->size < sizeof(*header) + sizeof(id))
		return -EBADMSG;
	c.end = record + header->size - sizeof(id);
	memcpy(&id, c.end, sizeof(id));
	if (!parse_record(&c, header, e))
		return c.bad ? -EBADMSG : 0;
	e->time = id.time;
	e->cpu = id.cpu;
	if (e->type == RVTRACE_SIDEBAND_SWITCH) {
		e->pid = id.pid;
		e->tid = id.tid;
	}
	return c.bad ? -EBADMSG : 1;
}

int rvtrace_sideband_parse(const void *data, size_t size, struct rvtrace_sideband *out,
			   struct rvtrace_failure *error)
{
	struct perf_event_header header;
	struct rvtrace_sideband_event event;
	size_t offset = 0, room = 0;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	for (; offset < size; offset += header.size) {
		if (size - offset < sizeof(header)) {
			out->cut = true;
			break;
		}
		memcpy(&header, (const uint8_t *)data + offset, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8) {
			ret = fail(error, offset, "a record of impossible size");
			break;
		}
		if (header.size > size - offset) {
			out->cut = true;
			break;
		}
		ret = parse_at((const uint8_t *)data + offset, &header, &event);
		if (ret < 0) {
			ret = fail(error, offset, "a record whose fields do not fit into it");
			break;
		}
		if (!ret)
			continue;
		if (event.type == RVTRACE_SIDEBAND_LOST)
			out->lost += event.lost;
		ret = append(out, &room, &event);
		if (ret)
			break;
	}
	if (ret >= 0)
		ret = sort(out);
	if (ret < 0)
		rvtrace_sideband_free(out);
	return ret == -ENOMEM ? rvtrace_fail(error, ENOMEM, 0, "sideband: out of memory") : ret;
}

void rvtrace_sideband_free(struct rvtrace_sideband *sideband)
{
	free(sideband->events);
	memset(sideband, 0, sizeof(*sideband));
}
