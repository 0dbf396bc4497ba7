// SPDX-License-Identifier: GPL-2.0
/* The char device: mmap, and what belongs to it: poll, ioctl, records. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static void mapping_is_shared_and_begins_where_its_object_does(void)
{
	static const uint64_t offsets[] = {
		4096, RVTRACE_MMAP_RECORDS - 4096, RVTRACE_MMAP_RECORDS + 4096,
		RVTRACE_MMAP_DATA - 4096, RVTRACE_MMAP_DATA << 1, 1ULL << 62, -4096ULL,
	};
	int fd = open(sink_device(), O_RDONLY);
	void *p;

	EXPECT(fd >= 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED);
	p = mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_DATA + 100);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, offsets[i]);
		EXPECT(p == MAP_FAILED);
	}
	close(fd);
}

/* Pages of a mapping outlive it in a pipe; so the device has no other reader until they go. */
static void nobody_reads_while_an_earlier_reader_has_pages(void)
{
	static const uint64_t offsets[] = {
		RVTRACE_MMAP_CONTROL, RVTRACE_MMAP_RECORDS, RVTRACE_MMAP_DATA,
	};
	struct iovec page = { .iov_len = 4096 };
	int pipes[2], fd, again;
	size_t size;
	char *map;

	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		EXPECT_EQ(pipe(pipes), 0);
		fd = open(sink_device(), O_RDONLY);
		EXPECT(fd >= 0);
		size = offsets[i] == RVTRACE_MMAP_CONTROL ? 4096 : 16384;
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offsets[i]);
		EXPECT(map != MAP_FAILED);
		page.iov_base = map + size - page.iov_len;
		EXPECT_EQ(vmsplice(pipes[1], &page, 1, 0), 4096);
		EXPECT_EQ(munmap(map, size), 0);
		EXPECT_EQ(close(fd), 0);
		again = open(sink_device(), O_RDONLY);
		EXPECT(again < 0 && errno == EBUSY);
		EXPECT_EQ(put(of_sink("tracing"), "1"), -EBUSY);
		close(pipes[0]);
		close(pipes[1]);
		fd = open(sink_device(), O_RDONLY);
		EXPECT(fd >= 0);
		close(fd);
	}
}

static void mapping_can_shrink_and_move_but_not_grow(void)
{
	struct reader reader = {};
	uint8_t *p, *place, *moved;
	uint64_t sum = 0;

	EXPECT(reader_open(&reader));
	EXPECT(trace_something());
	p = mmap(NULL, 65536, PROT_READ, MAP_SHARED, reader.fd, RVTRACE_MMAP_DATA);
	EXPECT(p != MAP_FAILED);
	EXPECT(mremap(p, 65536, 131072, MREMAP_MAYMOVE) == MAP_FAILED);
	EXPECT(mremap(p, 0, 65536, MREMAP_MAYMOVE) == MAP_FAILED);
	EXPECT(mremap(p, 65536, 32768, 0) == p);
	EXPECT_EQ(munmap(p, 8192), 0);
	place = mmap(NULL, 24576, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(place != MAP_FAILED);
	moved = mremap(p + 8192, 24576, 24576, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	EXPECT(moved == place);
	EXPECT(!memcmp(moved, reader.data + 8192, 24576));
	EXPECT_EQ(madvise(moved, 24576, MADV_DONTNEED), 0);
	EXPECT(!memcmp(moved, reader.data + 8192, 24576));
	for (int i = 0; i < 24576; i++)
		sum += moved[i];
	EXPECT(sum > 0);
	EXPECT(mprotect(moved, 4096, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	munmap(moved, 24576);
	reader_close(&reader);
}

static void mapping_of_a_child_keeps_the_device(void)
{
	struct reader reader = {};
	int status, ends[2];
	uint64_t first;
	pid_t pid;
	char byte;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(pipe(ends), 0);
	EXPECT(trace_something());
	first = *(const uint64_t *)reader.data;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		close(reader.fd);
		_exit(read(ends[0], &byte, 1) != 0 || *(const uint64_t *)reader.data != first);
	}
	reader_close(&reader);
	EXPECT(open(sink_device(), O_RDONLY) < 0 && errno == EBUSY);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), -EBUSY);
	close(ends[1]);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	close(ends[0]);
	EXPECT(reader_open(&reader));
	reader_close(&reader);
}

static void mapping_is_read_only_and_bounded(void)
{
	uint64_t size = get_number(of_sink("buffer_size"));
	int fd = open(sink_device(), O_RDWR);
	void *p;

	EXPECT(fd >= 0);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, RVTRACE_MMAP_CONTROL);
	EXPECT(p == MAP_FAILED && errno == EACCES);
	p = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED && errno == EACCES);
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED && errno == EACCES);
	p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_CONTROL);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, size + 4096, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0x20000000);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_DATA + 4096);
	EXPECT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_DATA);
	EXPECT(p != MAP_FAILED);
	EXPECT(mprotect(p, 4096, PROT_READ | PROT_WRITE) < 0);
	EXPECT(mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0);
	munmap(p, size);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_RECORDS);
	EXPECT(p != MAP_FAILED);
	munmap(p, 4096);
	close(fd);
}

static void mapping_and_read_show_the_same_bytes(void)
{
	struct reader reader = {};
	static uint8_t buffer[1 << 20];
	uint64_t position;
	ssize_t n;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(reader.control->abi_version, RVTRACE_ABI_VERSION);
	EXPECT_EQ(reader.control->data_size, get_number(of_sink("buffer_size")));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	position = reader.control->tail;
	EXPECT_EQ(position, reader.control->session_start);
	while ((n = read(reader.fd, buffer, sizeof(buffer))) > 0) {
		EXPECT(!memcmp(buffer, reader.data + position % reader.control->data_size, n));
		position += n;
	}
	EXPECT_EQ(position, reader.control->head);
	EXPECT_EQ(reader.control->tail, position);
	reader_close(&reader);
}

static void data_mapping_can_be_written_directly_to_disk(void)
{
	struct reader reader = {};
	int fd = open("/data/rvtrace-direct", O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0600);

	if (fd < 0) {
		skip("no disk at /data");
		return;
	}
	EXPECT(reader_open(&reader));
	EXPECT_EQ(write(fd, reader.data, 65536), 65536);
	close(fd);
	unlink("/data/rvtrace-direct");
	reader_close(&reader);
}

static int consume(int fd, uint64_t position, uint64_t records, uint32_t reserved)
{
	struct rvtrace_consume c = {
		.position = position,
		.records_position = records,
		.reserved = reserved,
	};

	return ioctl(fd, RVTRACE_IOC_CONSUME, &c) ? -errno : 0;
}

static void consume_checks_its_argument(void)
{
	const struct rvtrace_control *control;
	struct reader reader = {};
	uint64_t tail, records;

	EXPECT(reader_open(&reader));
	control = reader.control;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	tail = control->tail;
	records = control->records_tail;
	EXPECT_EQ(consume(reader.fd, tail + 16, records, 0), 0);
	EXPECT_EQ(control->tail, tail + 16);
	EXPECT_EQ(consume(reader.fd, tail, records, 0), -EINVAL);
	EXPECT_EQ(consume(reader.fd, control->head + 1, records, 0), -EINVAL);
	EXPECT_EQ(consume(reader.fd, tail + 32, records, 1), -EINVAL);
	EXPECT_EQ(consume(reader.fd, tail + 32, records + 4, 0), -EINVAL);
	EXPECT_EQ(consume(reader.fd, tail + 32, records + 8, 0), -EINVAL);
	EXPECT_EQ(consume(reader.fd, tail + 32, control->records_head - 8, 0), -EINVAL);
	EXPECT_EQ(consume(reader.fd, tail + 32, control->records_head + 8, 0), -EINVAL);
	EXPECT_EQ(control->tail, tail + 16);
	EXPECT(ioctl(reader.fd, RVTRACE_IOC_CONSUME, NULL) < 0 && errno == EFAULT);
	EXPECT_EQ(reader_consume(&reader, control->head, NULL), 0);
	EXPECT_EQ(control->state, RVTRACE_STATE_IDLE);
	EXPECT_EQ(control->records_tail, control->records_head);
	reader_close(&reader);
}

static void consume_gives_a_fresh_sample(void)
{
	struct rvtrace_consume c = {};
	struct reader reader = {};
	uint64_t head;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	c.position = reader.control->tail;
	c.records_position = reader.control->records_tail;
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_CONSUME, &c), 0);
	head = c.head;
	EXPECT_EQ(c.state, RVTRACE_STATE_RUNNING);
	for (int i = 0; i < 100 && c.head == head; i++) {
		burn(1);
		EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_CONSUME, &c), 0);
	}
	EXPECT(c.head > head);
	EXPECT(c.valid_from <= c.position);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

static int poll_events(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) < 0 ? -errno : p.revents;
}

static void poll_waits_for_the_watermark(void)
{
	const struct rvtrace_control *control;
	struct reader reader = {};
	uint64_t watermark = 1 << 20, records;
	int events;

	EXPECT(reader_open(&reader));
	control = reader.control;
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_WATERMARK, &(uint64_t){ 0 }), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_WATERMARK,
			&(uint64_t){ control->data_size + 1 }), -1);
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_WATERMARK, &watermark), 0);
	EXPECT_EQ(poll_events(reader.fd, 0), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(poll_events(reader.fd, 0), POLLIN); /* records */
	do {
		burn(5);
		/* With records to read there is something to read. */
		do {
			records = control->records_head;
			EXPECT_EQ(consume(reader.fd, control->tail, records, 0), 0);
			events = poll_events(reader.fd, 0);
		} while (control->records_head != records);
	} while (events != POLLIN);
	EXPECT(control->head - control->tail >= watermark);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(poll_events(reader.fd, 0), POLLIN); /* the session ended */
	EXPECT_EQ(reader_consume(&reader, control->head, NULL), 0);
	EXPECT_EQ(poll_events(reader.fd, 0), 0);
	reader_close(&reader);
}

static unsigned int records_of(const struct reader *reader, uint64_t at, uint16_t type)
{
	unsigned int count = 0;

	while (reader_record(reader, &at, type))
		count++;
	return count;
}

static void records_tell_the_session(void)
{
	const struct rvtrace_record_session_begin *begin;
	const struct rvtrace_record_address_space *space;
	const struct rvtrace_record_session_end *end;
	const struct rvtrace_record_clock *clock;
	uint64_t at, first, trace_time = 0;
	struct reader reader = {};
	bool named = false;

	EXPECT(reader_open(&reader));
	first = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	/* Clocks come at the beginning, every second, and in the end. */
	for (int i = 0; i < 300 && records_of(&reader, first, RVTRACE_RECORD_CLOCK) < 2; i++)
		burn(100);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);

	at = first;
	begin = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_BEGIN);
	EXPECT(begin && (const uint8_t *)begin ==
	       reader.records + first % reader.control->records_size);
	EXPECT_EQ(begin->session, reader.control->session);
	EXPECT_EQ(begin->header.position, reader.control->session_start);
	for (at = first; (clock = (const void *)reader_record(&reader, &at,
							      RVTRACE_RECORD_CLOCK)); ) {
		EXPECT(clock->trace_time > trace_time);
		trace_time = clock->trace_time;
		EXPECT(clock->realtime > 1700000000ULL * 1000000000);
	}
	EXPECT(records_of(&reader, first, RVTRACE_RECORD_CLOCK) >= 3);
	for (at = first; (space = (const void *)reader_record(&reader, &at,
						RVTRACE_RECORD_ADDRESS_SPACE)); ) {
		EXPECT(!space->pid == !space->context);
		named = named || (space->pid == getpid() && !strcmp(space->comm, "ksft-mapping"));
	}
	EXPECT(named);
	at = first;
	end = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END);
	EXPECT(end && at == reader.control->records_head);
	EXPECT_EQ(end->header.position, reader.control->head);
	EXPECT_EQ(end->session, begin->session);
	EXPECT_EQ(end->error, 0);
	reader_close(&reader);
}

static uint32_t context_of(struct reader *reader, uint64_t at, pid_t pid, const char *comm)
{
	const struct rvtrace_record_address_space *space;
	uint32_t context = 0;

	while ((space = (const void *)reader_record(reader, &at, RVTRACE_RECORD_ADDRESS_SPACE)))
		if (space->pid == pid && !strcmp(space->comm, comm))
			context = space->context;
	return context;
}

static void fork_and_exec_get_contexts_of_their_own(void)
{
	uint32_t parent, child, program;
	struct reader reader = {};
	uint64_t first;
	pid_t pid;

	EXPECT(reader_open(&reader));
	first = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	pid = fork();
	if (!pid) {
		burn(30);
		execlp("sleep", "sleep", "0.05", NULL);
		_exit(1);
	}
	burn(30);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	parent = context_of(&reader, first, getpid(), "ksft-mapping");
	child = context_of(&reader, first, pid, "ksft-mapping");
	program = context_of(&reader, first, pid, "sleep");
	EXPECT(parent && child && program);
	EXPECT(parent != child && child != program && parent != program);
	reader_close(&reader);
}

static void buffer_size_is_busy_while_open_or_mapped(void)
{
	int fd = open(sink_device(), O_RDONLY);
	void *p;

	EXPECT(fd >= 0);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), -EBUSY);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, RVTRACE_MMAP_CONTROL);
	EXPECT(p != MAP_FAILED);
	close(fd);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), -EBUSY);
	munmap(p, 4096);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), 0);
}

static void old_trace_is_not_shown_to_the_next_reader(void)
{
	struct reader reader = {};
	uint64_t i, nonzero = 0;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(reader_consume(&reader, reader.control->head, NULL), 0);
	for (i = 0; i < 65536; i++)
		nonzero += !!reader.data[i];
	EXPECT(nonzero > 0);
	reader_close(&reader);
	EXPECT(reader_open(&reader));
	for (i = 0; i < reader.control->data_size; i += 8)
		EXPECT_EQ(*(const uint64_t *)(reader.data + i), 0);
	reader_close(&reader);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(mapping_is_shared_and_begins_where_its_object_does),
		TEST(nobody_reads_while_an_earlier_reader_has_pages),
		TEST(mapping_can_shrink_and_move_but_not_grow),
		TEST(mapping_of_a_child_keeps_the_device),
		TEST(mapping_is_read_only_and_bounded),
		TEST(mapping_and_read_show_the_same_bytes),
		TEST(data_mapping_can_be_written_directly_to_disk),
		TEST(consume_checks_its_argument),
		TEST(consume_gives_a_fresh_sample),
		TEST(poll_waits_for_the_watermark),
		TEST(records_tell_the_session),
		TEST(fork_and_exec_get_contexts_of_their_own),
		TEST(buffer_size_is_busy_while_open_or_mapped),
		TEST(old_trace_is_not_shown_to_the_next_reader),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
