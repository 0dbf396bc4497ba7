// SPDX-License-Identifier: GPL-2.0
/* The char device: open, read and close. What is mapped: mapping.c. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static void only_one_reader_at_a_time(void)
{
	int first = open(sink_device(), O_RDONLY), second;

	EXPECT(first >= 0);
	second = open(sink_device(), O_RDONLY);
	EXPECT(second < 0 && errno == EBUSY);
	close(first);
	first = open(sink_device(), O_RDONLY);
	EXPECT(first >= 0);
	close(first);
}

static void device_is_a_stream_to_read(void)
{
	int fd = open(sink_device(), O_RDWR);

	EXPECT(fd >= 0);
	EXPECT(write(fd, "x", 1) < 0 && errno == EINVAL);
	EXPECT(lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE);
	EXPECT(ioctl(fd, _IO(RVTRACE_IOC_MAGIC, 99)) < 0 && errno == ENOTTY);
	close(fd);
}

static void nonblocking_read_does_not_wait(void)
{
	int fd = open(sink_device(), O_RDONLY | O_NONBLOCK);
	char byte;

	EXPECT(fd >= 0);
	EXPECT(read(fd, &byte, 1) < 0 && errno == EAGAIN);
	EXPECT_EQ(read(fd, &byte, 0), 0);
	close(fd);
}

/*
 * A child that reads until the end of file. Its pipe says when it has opened
 * the device, which is waited for here, and then how many bytes it read.
 */
static pid_t start_cat(int *result)
{
	static char buffer[131072];
	uint64_t total = 0;
	char opened = 0;
	int ends[2], fd;
	ssize_t n;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid) {
		close(ends[1]);
		*result = ends[0];
		return read(ends[0], &opened, 1) == 1 ? pid : -1;
	}
	alarm(60);
	fd = open(sink_device(), O_RDONLY);
	if (fd < 0 || write(ends[1], &opened, 1) != 1)
		_exit(1);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		total += n;
	if (n < 0 || write(ends[1], &total, sizeof(total)) != sizeof(total))
		_exit(1);
	_exit(0);
}

static bool end_cat(pid_t pid, int result, uint64_t *total)
{
	int status;

	if (read(result, total, sizeof(*total)) != sizeof(*total))
		*total = 0;
	close(result);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static uint64_t session_bytes(uint64_t head_before)
{
	uint64_t size = get_number(of_sink("buffer_size"));
	uint64_t start = (head_before + size - 1) / size * size;

	return get_number(of_sink("head")) - start;
}

/* Where a slow kernel's reader is too late, bytes are lost: in a ring that wrapped, and counted. */
static bool is_all(uint64_t total, uint64_t head_before)
{
	uint64_t lost = get_number(of_sink("lost")), size = get_number(of_sink("buffer_size"));
	uint64_t all = session_bytes(head_before);

	if (total + lost == all && (!lost || all > size))
		return true;
	printf("# of %" PRIu64 " bytes, %" PRIu64 " were read, %" PRIu64 " are lost\n",
	       all, total, lost);
	return false;
}

static void reader_before_start_gets_the_session(void)
{
	uint64_t head = get_number(of_sink("head")), total;
	int result;
	pid_t pid = start_cat(&result);

	EXPECT(pid > 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(50);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(end_cat(pid, result, &total));
	EXPECT(is_all(total, head));
	EXPECT(is(of_sink("state"), "idle"));
}

static void reader_during_a_session_gets_it_from_its_start(void)
{
	uint64_t head = get_number(of_sink("head")), total;
	int result;
	pid_t pid;

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	pid = start_cat(&result);
	EXPECT(pid > 0);
	burn(20);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(end_cat(pid, result, &total));
	EXPECT(is_all(total, head));
}

static void reader_after_stop_gets_the_rest_and_ends(void)
{
	uint64_t head = get_number(of_sink("head")), total;
	int result;
	pid_t pid;

	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(10);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	pid = start_cat(&result);
	EXPECT(pid > 0);
	EXPECT(end_cat(pid, result, &total));
	EXPECT(is_all(total, head));
	EXPECT(is(of_sink("state"), "idle"));
}

static void every_byte_is_read_or_counted_as_lost(void)
{
	uint64_t head, total;
	int result;
	pid_t pid;

	EXPECT_EQ(put(of_sink("buffer_size"), "16384"), 0);
	head = get_number(of_sink("head"));
	pid = start_cat(&result);
	EXPECT(pid > 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(500);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(end_cat(pid, result, &total));
	EXPECT(total > 0);
	EXPECT(get_number(of_sink("lost")) > 0);
	EXPECT(is_all(total, head));
}

static void blocked_reader_can_be_interrupted(void)
{
	int result, status;
	pid_t pid = start_cat(&result);

	EXPECT(pid > 0);
	EXPECT(is_reading(pid));
	EXPECT_EQ(kill(pid, SIGTERM), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status));
	close(result);
}

/* Nothing waits for a reader that waits for trace; the reader gives up after 60 s. */
static void blocked_reader_blocks_nobody(void)
{
	uint64_t head = get_number(of_sink("head")), total;
	int result;
	pid_t pid = start_cat(&result);

	EXPECT(pid > 0);
	EXPECT(is_reading(pid));
	EXPECT(open(sink_device(), O_RDONLY) < 0 && errno == EBUSY);
	EXPECT_EQ(put(of_sink("buffer_size"), "65536"), -EBUSY);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(20);
	EXPECT(open(sink_device(), O_RDONLY) < 0 && errno == EBUSY);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(end_cat(pid, result, &total));
	EXPECT(total > 0);
	EXPECT(is_all(total, head));
	EXPECT(is(of_sink("state"), "idle"));
}

/* Read until the end of file, in a child that shares @fd. */
static pid_t start_sharer(int fd, size_t piece, int result)
{
	static char buffer[65536];
	uint64_t total = 0;
	ssize_t n;
	pid_t pid = fork();

	if (pid)
		return pid;
	alarm(60);
	while ((n = read(fd, buffer, piece)) > 0)
		total += n;
	_exit(n < 0 || write(result, &total, sizeof(total)) != sizeof(total));
}

static void readers_that_share_a_file_get_every_byte_once(void)
{
	uint64_t head = get_number(of_sink("head")), first, second;
	int fd = open(sink_device(), O_RDONLY), ends[2], status;
	pid_t pids[2];

	EXPECT(fd >= 0);
	EXPECT_EQ(pipe(ends), 0);
	pids[0] = start_sharer(fd, 65536, ends[1]);
	pids[1] = start_sharer(fd, 1000, ends[1]);
	EXPECT(pids[0] > 0 && pids[1] > 0);
	EXPECT(is_reading(pids[0]) && is_reading(pids[1]));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(200);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(waitpid(pids[i], &status, 0), pids[i]);
		EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	EXPECT_EQ(read(ends[0], &first, sizeof(first)), sizeof(first));
	EXPECT_EQ(read(ends[0], &second, sizeof(second)), sizeof(second));
	EXPECT(first + second > 0);
	EXPECT(is_all(first + second, head));
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void reads_of_any_size_give_the_same_bytes(void)
{
	static const size_t sizes[] = { 1, 3, 7, 1, 4095, 4097, 1, 65537 };
	struct reader reader = {};
	static uint8_t buffer[70000];
	uint64_t position, size;
	ssize_t n = 1;

	EXPECT(reader_open(&reader));
	EXPECT(trace_something());
	position = reader.control->session_start;
	size = reader.control->data_size;
	for (unsigned int i = 0; n > 0; i++) {
		size_t wanted = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];

		n = read(reader.fd, buffer, wanted);
		EXPECT(n >= 0 && (size_t)n <= wanted);
		EXPECT(!memcmp(buffer, reader.data + position % size, n));
		position += n;
		EXPECT_EQ(reader.control->tail, position);
	}
	EXPECT_EQ(position, reader.control->head);
	reader_close(&reader);
}

static const unsigned long bad_pointers[] = { 0, 1, 4095, -4096UL, 1UL << 62 };

static void read_to_nowhere_consumes_nothing(void)
{
	struct reader reader = {};
	uint64_t tail;

	EXPECT(reader_open(&reader));
	EXPECT(trace_something());
	tail = reader.control->tail;
	for (unsigned int i = 0; i < sizeof(bad_pointers) / sizeof(bad_pointers[0]); i++)
		EXPECT(read(reader.fd, (void *)bad_pointers[i], 4096) < 0 && errno == EFAULT);
	EXPECT(read(reader.fd, (void *)reader.data, 4096) < 0 && errno == EFAULT);
	EXPECT_EQ(reader.control->tail, tail);
	reader_close(&reader);
}

static void read_into_half_a_buffer_fills_that(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *buffer = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct reader reader = {};
	uint64_t start, size;

	EXPECT(buffer != MAP_FAILED && !mprotect(buffer + page, page, PROT_NONE));
	EXPECT(reader_open(&reader));
	EXPECT(trace_something());
	start = reader.control->tail;
	size = reader.control->data_size;
	EXPECT(reader.control->head - start > page);
	EXPECT_EQ(read(reader.fd, buffer + page - 100, 200), 100);
	EXPECT(!memcmp(buffer + page - 100, reader.data + start % size, 100));
	EXPECT(read(reader.fd, buffer + page, 100) < 0 && errno == EFAULT);
	EXPECT_EQ(reader.control->tail, start + 100);
	EXPECT_EQ(reader.control->lost, 0);
	reader_close(&reader);
	munmap(buffer, 2 * page);
}

static void other_ways_to_read_are_refused(void)
{
	int fd = open(sink_device(), O_RDONLY), ends[2], null = open("/dev/null", O_WRONLY);
	char byte;

	EXPECT(fd >= 0 && null >= 0);
	EXPECT_EQ(pipe(ends), 0);
	EXPECT(pread(fd, &byte, 1, 0) < 0 && errno == ESPIPE);
	EXPECT(splice(fd, NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK) < 0 && errno == EINVAL);
	EXPECT(sendfile(null, fd, NULL, 4096) < 0 && errno == EINVAL);
	EXPECT(write(fd, &byte, 1) < 0 && errno == EBADF);
	EXPECT(ftruncate(fd, 0) < 0);
	EXPECT(fallocate(fd, 0, 0, 4096) < 0);
	close(ends[0]);
	close(ends[1]);
	close(null);
	close(fd);
}

static void unknown_commands_and_bad_pointers_are_refused(void)
{
	static const unsigned long others[] = {
		0, 0x5401, _IO(RVTRACE_IOC_MAGIC, 0), _IOR(RVTRACE_IOC_MAGIC, 1, uint64_t),
		_IOWR(RVTRACE_IOC_MAGIC, 0, uint64_t), _IO(RVTRACE_IOC_MAGIC, 255), ~0UL,
	};
	int fd = open(sink_device(), O_RDONLY);

	EXPECT(fd >= 0);
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		EXPECT(ioctl(fd, others[i], NULL) < 0 && errno == ENOTTY);
	for (unsigned int i = 0; i < sizeof(bad_pointers) / sizeof(bad_pointers[0]); i++) {
		EXPECT(ioctl(fd, RVTRACE_IOC_CONSUME, bad_pointers[i]) < 0 && errno == EFAULT);
		EXPECT(ioctl(fd, RVTRACE_IOC_WATERMARK, bad_pointers[i]) < 0 && errno == EFAULT);
	}
	close(fd);
}

static void signalled(int number)
{
	(void)number;
}

/* A child that reads for ever, with a handler for SIGUSR1; its exit status says how it ended. */
static pid_t start_signalled(int flags)
{
	struct sigaction action = { .sa_handler = signalled, .sa_flags = flags };
	char byte;
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	alarm(60);
	sigaction(SIGUSR1, &action, NULL);
	fd = open(sink_device(), O_RDONLY);
	if (fd < 0)
		_exit(100);
	_exit(read(fd, &byte, 1) < 0 ? errno : 0);
}

static void signals_interrupt_or_restart_a_read(void)
{
	pid_t pid = start_signalled(0);
	int status;

	EXPECT(is_reading(pid));
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), EINTR);

	pid = start_signalled(SA_RESTART);
	EXPECT(is_reading(pid));
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT(is_reading(pid));
	EXPECT(trace_something());
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

static pid_t read_task;

static void *read_until_the_end(void *argument)
{
	static char buffer[65536];
	uintptr_t total = 0;
	ssize_t n;

	__atomic_store_n(&read_task, syscall(SYS_gettid), __ATOMIC_RELEASE);
	while ((n = read(*(int *)argument, buffer, sizeof(buffer))) > 0)
		total += n;
	return (void *)total;
}

static void closing_leaves_a_read_alone(void)
{
	int fd = open(sink_device(), O_RDONLY), copy = fd;
	pthread_t thread;
	void *total;
	char byte;

	EXPECT(fd >= 0);
	EXPECT_EQ(pthread_create(&thread, NULL, read_until_the_end, &copy), 0);
	while (!__atomic_load_n(&read_task, __ATOMIC_ACQUIRE))
		usleep(1000);
	EXPECT(is_reading(read_task));
	close(fd);
	EXPECT(open(sink_device(), O_RDONLY) < 0 && errno == EBUSY);
	EXPECT(trace_something());
	EXPECT_EQ(pthread_join(thread, &total), 0);
	EXPECT((uintptr_t)total > 0);
	EXPECT(read(fd, &byte, 1) < 0 && errno == EBADF);
	fd = open(sink_device(), O_RDONLY);
	EXPECT(fd >= 0);
	close(fd);
}

/* Read what there is of a session that ended, page by page. Return: whether none is zeros. */
static void *read_pages(void *argument)
{
	static const char zeros[4096];
	char page[sizeof(zeros)];
	uintptr_t good = true;

	while (read(*(int *)argument, page, sizeof(page)) == sizeof(page))
		good &= !!memcmp(page, zeros, sizeof(page));
	return (void *)good;
}

/* The ring is cleared for the next session, but not under who still reads this one. */
static void reader_at_a_start_gets_trace(void)
{
	int fd = open(sink_device(), O_RDONLY | O_NONBLOCK);
	uint64_t head, half = get_number(of_sink("buffer_size")) / 2;
	pthread_t thread;
	void *good;

	EXPECT(fd >= 0);
	for (unsigned int i = 0; i < 5; i++) {
		head = get_number(of_sink("head"));
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		for (unsigned int n = 0; n < 200 && session_bytes(head) < half; n++)
			burn(50);
		EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
		EXPECT_EQ(pthread_create(&thread, NULL, read_pages, &fd), 0);
		EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
		EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
		EXPECT_EQ(pthread_join(thread, &good), 0);
		EXPECT(good);
	}
	close(fd);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(only_one_reader_at_a_time),
		TEST(device_is_a_stream_to_read),
		TEST(nonblocking_read_does_not_wait),
		TEST(reader_before_start_gets_the_session),
		TEST(reader_during_a_session_gets_it_from_its_start),
		TEST(reader_after_stop_gets_the_rest_and_ends),
		TEST(every_byte_is_read_or_counted_as_lost),
		TEST(blocked_reader_can_be_interrupted),
		TEST(blocked_reader_blocks_nobody),
		TEST(readers_that_share_a_file_get_every_byte_once),
		TEST(reads_of_any_size_give_the_same_bytes),
		TEST(read_to_nowhere_consumes_nothing),
		TEST(read_into_half_a_buffer_fills_that),
		TEST(other_ways_to_read_are_refused),
		TEST(unknown_commands_and_bad_pointers_are_refused),
		TEST(signals_interrupt_or_restart_a_read),
		TEST(closing_leaves_a_read_alone),
		TEST(reader_at_a_start_gets_trace),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
