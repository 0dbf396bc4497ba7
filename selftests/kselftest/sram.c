// SPDX-License-Identifier: GPL-2.0
/*
 * SRAM as a sink: read, polled and mapped as memory is.
 *
 * SRAM_SIZE in the environment: bytes that the hardware has.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static bool choose(const char *sink, const char *ram_mode)
{
	return !put(of_owner("sink"), sink) || !put(of_owner("ram_mode"), ram_mode);
}

static bool choose_sram(void)
{
	if (choose("sram", "sram"))
		return true;
	skip("the sink has no SRAM that can be read");
	return false;
}

/* One session without a reader, that makes some trace */
static bool session(unsigned int ms)
{
	if (put(of_sink("tracing"), "1"))
		return false;
	burn(ms);
	return !put(of_sink("tracing"), "0");
}

static uint64_t read_all(const struct reader *reader)
{
	static char buffer[65536];
	uint64_t bytes = 0;
	ssize_t n;

	while ((n = read(reader->fd, buffer, sizeof(buffer))) > 0)
		bytes += n;
	return bytes;
}

static uint64_t session_bytes(const struct reader *reader)
{
	return reader->control->head - reader->control->session_start;
}

static void size_is_what_the_hardware_has(void)
{
	const char *size = getenv("SRAM_SIZE");

	if (!choose_sram())
		return;
	EXPECT(session(1));
	EXPECT(get_number(of_sink("sram_size")) > 0);
	EXPECT(!size || is(of_sink("sram_size"), size));
}

static void trace_is_read_or_counted(void)
{
	struct reader reader = {};
	uint64_t bytes;

	if (!choose_sram())
		return;
	EXPECT(reader_open(&reader));
	EXPECT(session(20));
	bytes = read_all(&reader);
	EXPECT(bytes > 0);
	EXPECT_EQ(bytes + reader.control->lost, session_bytes(&reader));
	EXPECT(is(of_sink("state"), "idle"));
	reader_close(&reader);
}

static void fill_ends_when_sram_is_full(void)
{
	const struct rvtrace_record_session_end *end;
	struct reader reader = {};
	uint64_t at;

	if (!choose_sram())
		return;
	EXPECT_EQ(put(of_sink("mode"), "fill"), 0);
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (int i = 0; i < 3000 && !strcmp(get(of_sink("state")), "running"); i++)
		burn(10);
	EXPECT(is(of_sink("state"), "stopped"));
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT_EQ(reader.control->lost, 0);
	EXPECT_EQ(session_bytes(&reader), get_number(of_sink("sram_size")));
	end = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END);
	EXPECT(end);
	EXPECT_EQ(end->error, 0);
	EXPECT_EQ(read_all(&reader), session_bytes(&reader));
	reader_close(&reader);
}

static void what_is_overwritten_is_counted(void)
{
	const struct rvtrace_record_session_end *end;
	const struct rvtrace_record_lost *lost;
	struct reader reader = {};
	uint64_t at, before, bytes = 0;
	char size[32];

	if (!choose_sram())
		return;
	EXPECT(session(1));
	idle_sink();
	snprintf(size, sizeof(size), "%s", get(of_sink("sram_size")));
	EXPECT_EQ(put(of_sink("buffer_size"), size), 0);
	EXPECT(reader_open(&reader));
	before = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (int i = 0; i < 3; i++) {
		burn(300);
		EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(reader.control->lost > 0);
	EXPECT_EQ(reader.control->lost,
		  reader.control->valid_from - reader.control->session_start);
	for (at = before; (lost = (const void *)reader_record(&reader, &at,
							      RVTRACE_RECORD_LOST)); ) {
		EXPECT_EQ(lost->header.position, lost->start);
		bytes += lost->end - lost->start;
	}
	EXPECT_EQ(bytes, reader.control->lost);
	at = before;
	end = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END);
	EXPECT(end);
	EXPECT_EQ(end->lost, bytes);
	EXPECT_EQ(end->error, 0);
	EXPECT_EQ(read_all(&reader) + bytes, session_bytes(&reader));
	reader_close(&reader);
}

static void flush_brings_trace_to_the_ring(void)
{
	struct reader reader = {};
	uint64_t at, head;

	if (!choose_sram())
		return;
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(2);
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	head = reader.control->head;
	EXPECT(head > reader.control->session_start);
	EXPECT(reader_record(&reader, &at, RVTRACE_RECORD_GAP));
	EXPECT(read_all(&reader) > 0);
	EXPECT(is(of_sink("state"), "running"));
	burn(2);
	EXPECT_EQ(put(of_sink("flush"), "1"), 0);
	EXPECT(reader.control->head > head);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

static void poll_tells_of_trace(void)
{
	struct reader reader = {};
	struct pollfd fd;

	if (!choose_sram())
		return;
	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(2);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	fd = (struct pollfd){ .fd = reader.fd, .events = POLLIN };
	EXPECT_EQ(poll(&fd, 1, 60000), 1);
	EXPECT(fd.revents & POLLIN);
	reader_close(&reader);
}

static void mapping_has_what_read_returns(void)
{
	static uint8_t bytes[4096];
	struct reader reader = {};
	uint64_t at;
	ssize_t n;

	if (!choose_sram())
		return;
	EXPECT(reader_open(&reader));
	EXPECT(session(2));
	at = reader.control->valid_from;
	EXPECT(at < reader.control->head);
	while ((n = read(reader.fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++, at++)
			if (reader.data[at % reader.control->data_size] != bytes[i])
				break;
		EXPECT_EQ(at, reader.control->tail);
	}
	EXPECT_EQ(at, reader.control->head);
	reader_close(&reader);
}

static void ring_smaller_than_sram_is_refused(void)
{
	if (!choose_sram())
		return;
	EXPECT(session(1));
	if (get_number(of_sink("sram_size")) <= 4096) {
		skip("the SRAM fits in a page");
		return;
	}
	idle_sink();
	EXPECT_EQ(put(of_sink("buffer_size"), "4096"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), -ENOSPC);
	EXPECT(is(of_sink("state"), "idle"));
	EXPECT(is(of_sink("tracing"), "0"));
	EXPECT_EQ(put(of_sink("buffer_size"), get(of_sink("buffer_size_max"))), 0);
	EXPECT(session(1));
}

static void memory_is_used_again_after_sram(void)
{
	struct reader reader = {};

	if (!choose_sram())
		return;
	EXPECT(session(2));
	if (!choose("system-memory", "smem")) {
		skip("the sink has SRAM only");
		return;
	}
	idle_sink();
	EXPECT(reader_open(&reader));
	EXPECT(session(2));
	EXPECT_EQ(reader.control->lost, 0);
	EXPECT_EQ(read_all(&reader), session_bytes(&reader));
	reader_close(&reader);
	EXPECT(choose("sram", "sram"));
	EXPECT(session(2));
}

static const struct test tests[] = {
	TEST(size_is_what_the_hardware_has),
	TEST(trace_is_read_or_counted),
	TEST(fill_ends_when_sram_is_full),
	TEST(what_is_overwritten_is_counted),
	TEST(flush_brings_trace_to_the_ring),
	TEST(poll_tells_of_trace),
	TEST(mapping_has_what_read_returns),
	TEST(ring_smaller_than_sram_is_refused),
	TEST(memory_is_used_again_after_sram),
};

int main(void)
{
	int status = run_tests(tests, sizeof(tests) / sizeof(*tests));

	choose("system-memory", "smem");
	return status;
}
