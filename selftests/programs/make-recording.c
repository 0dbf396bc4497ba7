// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings without hardware: a trace that was made elsewhere, and what rvtraced would have
 * written beside it.
 *
 *   rvtrace-make-recording DIRECTORY METADATA TRACE < SCRIPT
 *
 * METADATA is JSON, with one sink "s0". Lines of SCRIPT, times in ns of CLOCK_MONOTONIC:
 *
 *   at TIME                           what follows is written then
 *   trace BYTES                       the next ones of TRACE; at the end, all that are left
 *   lost BYTES                        of the trace, which are not in TRACE
 *   overwritten BYTES                 the first ones of the last "trace"
 *   clock TICKS TIME                  the trace's timestamp at a time
 *   restart TIME                      timestamps count from 0 again, from here on
 *   gap REASON                        an encoder ran untraced, numbers as in linux/rvtrace.h
 *   fork TIME PID TID PARENT          a process, or a thread if TID is not PID
 *   switch TIME CPU PID TID in|out
 *   task TIME CPU EVENT PID TID OTHER FLAGS NAME
 *                                     record of a task, numbers as in linux/rvtrace.h
 *   tp VALUE                          what tp is of the tasks that follow, in hexadecimal
 *   space TIME CONTEXT PID NAME       scontext CONTEXT names a process from then on
 *   line FILE JSON                    of a .jsonl file, as images/maps.jsonl
 *   error TEXT                        of metadata.json
 *   say TEXT                          on standard output: all before has been done
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include <linux/rvtrace.h>

#include "selftests/unit/sideband-builder.h"
#include "tools/lib/recording/recorder.h"

#define CHUNK	65536

static struct rvtrace_recorder *recorder;
static struct rvtrace_failure error;
static unsigned int line_number;
static uint64_t written_at;	/* 0: now */
static FILE *trace;
static bool begun;		/* the session */
static uint64_t position;	/* behind what was written or lost */
static uint64_t last;		/* of the last write */

/* In place of the C library's: the recorder writes when the script says. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!written_at)
		return syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec) { written_at / 1000000000, written_at % 1000000000 };
	return 0;
}

static void die(const char *what)
{
	fprintf(stderr, "rvtrace-make-recording: line %u: %s\n", line_number, what);
	exit(1);
}

static void check(int ret)
{
	if (ret < 0)
		die(*error.text ? error.text : strerror(-ret));
}

static void add_records(struct builder *b)
{
	const struct iovec iov = { b->bytes, b->size };

	check(rvtrace_recorder_sideband(recorder, &iov, 1, &error));
}

static bool clock_line(const char *line)
{
	struct rvtrace_record_clock record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_CLOCK },
	};
	unsigned long long ticks, time;

	if (sscanf(line, "clock %llu %llu", &ticks, &time) != 2)
		return false;
	record.trace_time = ticks;
	record.header.time = time;
	check(rvtrace_recorder_records(recorder, 0, &record, sizeof(record), &error));
	return true;
}

static bool restart_line(const char *line)
{
	struct rvtrace_record record = {
		.size = sizeof(record), .type = RVTRACE_RECORD_RESTART, .position = position,
	};
	unsigned long long time;

	if (sscanf(line, "restart %llu", &time) != 1)
		return false;
	record.time = time;
	check(rvtrace_recorder_records(recorder, 0, &record, sizeof(record), &error));
	return true;
}

static bool gap_line(const char *line)
{
	struct rvtrace_record_gap record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_GAP,
			    .position = position },
	};

	if (sscanf(line, "gap %u", &record.reason) != 1)
		return false;
	check(rvtrace_recorder_records(recorder, 0, &record, sizeof(record), &error));
	return true;
}

static bool fork_line(const char *line)
{
	unsigned int pid, tid, parent;
	unsigned long long time;
	struct builder b = { };

	if (sscanf(line, "fork %llu %u %u %u", &time, &pid, &tid, &parent) != 4)
		return false;
	begin(&b, PERF_RECORD_FORK, 0);
	put_u32(&b, pid);
	put_u32(&b, parent);
	put_u32(&b, tid);
	put_u32(&b, parent);
	put_u64(&b, time);
	finish(&b, pid, time, 0);
	add_records(&b);
	return true;
}

static bool switch_line(const char *line)
{
	struct builder b = { };
	unsigned int cpu, pid, tid;
	unsigned long long time;
	char way[4];

	if (sscanf(line, "switch %llu %u %u %u %3s", &time, &cpu, &pid, &tid, way) != 5)
		return false;
	add_switch(&b, time, cpu, pid, !strcmp(way, "in"));
	/* behind the process in the sample id: TID, TIME, CPU */
	memcpy(b.bytes + b.size - 20, &tid, sizeof(tid));
	add_records(&b);
	return true;
}

/* What tp is meanwhile, of the tasks of the lines that follow */
static uint64_t tp;

static bool tp_line(const char *line)
{
	unsigned long long value;

	if (sscanf(line, "tp %llx", &value) != 1)
		return false;
	tp = value;
	return true;
}

static bool task_line(const char *line)
{
	struct rvtrace_record_task record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_TASK },
	};
	unsigned long long time;
	unsigned int cpu, event, flags;
	char name[sizeof(record.comm) + 1] = "";

	if (sscanf(line, "task %llu %u %u %d %d %d %u %16[^\n]", &time, &cpu, &event, &record.pid,
		   &record.tid, &record.other, &flags, name) < 7)
		return false;
	record.header.time = time;
	record.header.cpu = cpu;
	record.event = event;
	record.flags = flags;
	record.id = record.tid;
	record.task = tp;
	memcpy(record.comm, name, sizeof(record.comm));
	check(rvtrace_recorder_records(recorder, 0, &record, sizeof(record), &error));
	return true;
}

static bool space_line(const char *line)
{
	struct rvtrace_record_address_space record = {
		.header = { .size = sizeof(record), .type = RVTRACE_RECORD_ADDRESS_SPACE },
	};
	unsigned long long time;
	char name[sizeof(record.comm) + 1] = "";

	if (sscanf(line, "space %llu %u %d %16[^\n]", &time, &record.context, &record.pid,
		   name) < 3)
		return false;
	record.header.time = time;
	memcpy(record.comm, name, sizeof(record.comm));
	check(rvtrace_recorder_records(recorder, 0, &record, sizeof(record), &error));
	return true;
}

static bool json_line(const char *line)
{
	struct json_object *object;
	char file[64];
	int used = 0;

	if (sscanf(line, "line %63s %n", file, &used) != 1)
		return false;
	object = json_tokener_parse(line + used);
	if (!object)
		die("no JSON");
	check(rvtrace_recorder_line(recorder, file, object, &error));
	json_object_put(object);
	return true;
}

static void mark(enum rvtrace_chunk_type type, uint64_t where, uint64_t length)
{
	check(rvtrace_recorder_mark(recorder, 0, type, where, length, 0, &error));
}

static void write_trace(uint64_t length)
{
	static uint8_t bytes[CHUNK];
	struct iovec iov = { bytes, 0 };

	if (!begun)
		mark(RVTRACE_CHUNK_SESSION_START, 0, 0);
	begun = true;
	last = position;
	while ((iov.iov_len = fread(bytes, 1, length < CHUNK ? length : CHUNK, trace))) {
		check(rvtrace_recorder_write(recorder, 0, position, &iov, 1, &error));
		position += iov.iov_len;
		length -= iov.iov_len;
	}
	check(rvtrace_recorder_confirm(recorder, 0, &error));
}

static bool trace_line(char *line)
{
	unsigned long long number;

	if (sscanf(line, "at %llu", &number) == 1) {
		written_at = number;
	} else if (sscanf(line, "trace %llu", &number) == 1) {
		write_trace(number);
	} else if (sscanf(line, "lost %llu", &number) == 1) {
		mark(RVTRACE_CHUNK_LOST, position, number);
		position += number;
	} else if (sscanf(line, "overwritten %llu", &number) == 1) {
		mark(RVTRACE_CHUNK_OVERWRITTEN, last, number);
	} else if (!strncmp(line, "error ", 6)) {
		line[strcspn(line, "\n")] = 0;
		rvtrace_recorder_add_error(recorder, line + 6);
	} else if (!strncmp(line, "say ", 4)) {
		fputs(line + 4, stdout);
		fflush(stdout);
	} else {
		return false;
	}
	return true;
}

static void begin_recording(const char *path, const char *metadata)
{
	struct json_object *object = json_object_from_file(metadata);
	int fd = rvtrace_recording_directory(path, &error);
	const struct rvtrace_recorder_options options = { .uid = -1, .gid = -1 };

	if (!object)
		die(json_util_get_last_err());
	check(fd);
	check(rvtrace_recorder_new(fd, path, &options, &recorder, &error));
	check(rvtrace_recorder_add_sink(recorder, "s0", &error));
	check(rvtrace_recorder_begin(recorder, object, &error));
	json_object_put(object);
}

int main(int argc, char **argv)
{
	static char line[65536];

	if (argc != 4) {
		fputs("Usage: rvtrace-make-recording DIRECTORY METADATA TRACE < SCRIPT\n", stderr);
		return 2;
	}
	trace = fopen(argv[3], "rb");
	if (!trace)
		die(argv[3]);
	begin_recording(argv[1], argv[2]);
	while (fgets(line, sizeof(line), stdin)) {
		line_number++;
		if (!trace_line(line) && !clock_line(line) && !restart_line(line) &&
		    !gap_line(line) && !fork_line(line) && !switch_line(line) && !task_line(line) &&
		    !tp_line(line) &&
		    !space_line(line) && !json_line(line))
			die("none of what lines may be");
	}
	write_trace(UINT64_MAX);
	mark(RVTRACE_CHUNK_SESSION_END, position, 0);
	fclose(trace);
	check(rvtrace_recorder_finish(recorder, &error));
	rvtrace_recorder_free(recorder);
	return 0;
}
