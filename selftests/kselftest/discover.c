// SPDX-License-Identifier: GPL-2.0
/* What components are set to again, and what their registers read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/rvtrace_regs_0.h>

#include "harness.h"

#define REGISTERS	"/sys/kernel/debug/rvtrace_tci/encoder0/registers"

static char text[65536];

/* Return: 0, with the file in text, or a negative errno. */
static int read_registers(void)
{
	int fd = open(REGISTERS, O_RDONLY | O_CLOEXEC), ret = 0;
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += n;
	if (n < 0)
		ret = -errno;
	text[size] = '\0';
	close(fd);
	return ret;
}

/* The line of a register, for which text is cut into lines; NULL when there is none. */
static const char *line_of(unsigned int offset)
{
	char begin[16], *line, *rest = NULL;

	snprintf(begin, sizeof(begin), "0x%03x ", offset);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, begin, strlen(begin)))
			return line;
	return NULL;
}

static bool has_mode(const char *file, mode_t mode)
{
	struct stat st;

	return !stat(file, &st) && (st.st_mode & 0777) == mode && !st.st_uid;
}

static void reset_puts_back_what_was_chosen(void)
{
	char before[64];

	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	snprintf(before, sizeof(before), "%s", get(ENCODER0 "inst_mode"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "off"), 0);
	EXPECT(!is(ENCODER0 "inst_mode", before));
	EXPECT_EQ(put(ENCODER0 "reset", "1\n"), 0);
	EXPECT(is(ENCODER0 "inst_mode", before));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT(is(ENCODER0 "inst_mode", before));
}

static void reset_takes_nothing_but_1(void)
{
	static const char *const wrong[] = { "0", "2", "yes", "1 1", "-1", "encoder0" };

	EXPECT_EQ(put(ENCODER0 "inst_mode", "off"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(put(ENCODER0 "reset", wrong[i]), -EINVAL);
	EXPECT(is(ENCODER0 "inst_mode", "off"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void reset_waits_for_no_session(void)
{
	char file[512];

	for (unsigned int i = 0; component(i); i++) {
		snprintf(file, sizeof(file), "%sreset", component(i));
		EXPECT_EQ(put(file, "1"), 0);
	}
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), -EBUSY);
	EXPECT_EQ(put(of_owner("reset"), "1"), -EBUSY);
	EXPECT(is(of_sink("tracing"), "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
}

static void reset_and_registers_are_roots(void)
{
	EXPECT(has_mode(ENCODER0 "reset", 0200));
	EXPECT(has_mode(REGISTERS, 0400));
}

static void registers_are_as_chosen(void)
{
	char field[128];
	const char *line;

	EXPECT_EQ(put(ENCODER0 "inst_mode", "history"), 0);
	snprintf(field, sizeof(field), " inst_mode=%s ", get(ENCODER0 "inst_mode"));
	EXPECT_EQ(read_registers(), 0);
	line = line_of(0);
	EXPECT(line && strstr(line, field) && strstr(line, " active=1 "));
	EXPECT(strstr(line, " inst_tracing=0 "));
	/* It is in reset again. */
	EXPECT(is(ENCODER0 "active", "0"));
}

/* As the emulated machine has them: each says where it is. */
static void registers_of_pc_sampling_can_be_read(void)
{
	char line[32];

	EXPECT_EQ(read_registers(), 0);
	if (strcmp(get(ENCODER0 "generation"), "TCI 0") || strstr(text, "0x100 0x00000000")) {
		skip("no PC sampling unit");
		return;
	}
	for (unsigned int reg = RVTRACE_PC_CONTROL; reg <= RVTRACE_PC_SAMPLE_LAST; reg += 4) {
		snprintf(line, sizeof(line), "0x%03x 0x%08x\n", reg, 0x50430000 + reg);
		EXPECT(strstr(text, line));
	}
}

static void registers_can_be_read_in_a_session(void)
{
	const char *line;
	long long head;

	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(read_registers(), 0);
		line = line_of(0);
		EXPECT(line && strstr(line, " enable=1 ") && strstr(line, " inst_tracing=1 "));
	}
	head = get_number(of_sink("head"));
	burn(50);
	EXPECT(is(of_sink("tracing"), "1"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(get_number(of_sink("head")) > head);
}

/* What is read of them would be lost to the driver. */
static void registers_that_reading_changes_are_left_out(void)
{
	static const unsigned int precious[] = { 0x00c, 0x024 };

	if (strcmp(get(ENCODER0 "generation"), "TCI 0.9")) {
		skip("of another generation");
		return;
	}
	for (size_t i = 0; i < sizeof(precious) / sizeof(precious[0]); i++) {
		EXPECT_EQ(read_registers(), 0);
		EXPECT(!line_of(precious[i]));
		EXPECT_EQ(read_registers(), 0);
		EXPECT(line_of(precious[i] - 4));
	}
}

/* What the sink says, in the log */
static bool sink_tells(int log, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s: %s", sink_name(), what);
	return is_told(log, line);
}

static void what_is_refused_is_told_of(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	EXPECT(log >= 0);
	sleep(6);	/* the kernel lets ten such lines through in five seconds */
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(ENCODER0 "reset", "1"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "5"), -EINVAL);
	EXPECT(is_told(log, "encoder0: inst_mode: asked for 5, hardware kept "));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "8"), -EINVAL);
	EXPECT(is_told(log, "encoder0: inst_mode: 8 is more than 7"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "no-such-mode\n"), -EINVAL);
	EXPECT(is_told(log, "encoder0: inst_mode: 'no-such-mode' is not one of its values"));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "0x100000000"), -ERANGE);
	EXPECT(is_told(log, "encoder0: inst_mode: '0x100000000' is not one of its values"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(ENCODER0 "inst_mode", "0"), -EBUSY);
	EXPECT(is_told(log, "encoder0: inst_mode: off not written, it is in a session"));
	EXPECT_EQ(put(ENCODER0 "reset", "1"), -EBUSY);
	EXPECT(is_told(log, "encoder0: not reset, it is in a session"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	close(log);
}

static void a_file_that_is_not_written_says_why(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	EXPECT(log >= 0);
	sleep(6);
	lseek(log, 0, SEEK_END);
	EXPECT_EQ(put(ENCODER0 "enable", "on"), -EINVAL);
	EXPECT(is_told(log, "encoder0: enable: 'on' is neither 0 nor 1"));
	EXPECT_EQ(put(ENCODER0 "reset", "0\n"), -EINVAL);
	EXPECT(is_told(log, "encoder0: reset: '0' is not 1"));
	EXPECT_EQ(put(of_sink("tracing"), "2"), -EINVAL);
	EXPECT(sink_tells(log, "tracing: '2' is neither 0 nor 1"));
	EXPECT_EQ(put(of_sink("flush"), "1"), -ENODATA);
	EXPECT(sink_tells(log, "flush: there is no session"));
	EXPECT_EQ(put(of_sink("mode"), "circle"), -EINVAL);
	EXPECT(sink_tells(log, "mode: 'circle' is neither stream nor fill"));
	EXPECT_EQ(put(of_sink("buffer_size"), "4095"), -EINVAL);
	EXPECT(sink_tells(log, "buffer_size: 4095 not written, this buffer size is not supported"));
	EXPECT_EQ(put(of_sink("buffer_size"), "much"), -EINVAL);
	EXPECT(sink_tells(log, "buffer_size: 'much' is not a number of bytes"));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put(ENCODER0 "wait_for_trigger", "1"), -EBUSY);
	EXPECT(is_told(log, "encoder0: wait_for_trigger: 1 not written, it is in a session"));
	EXPECT_EQ(put(of_sink("buffer_size"), "4096"), -EBUSY);
	EXPECT(sink_tells(log, "buffer_size: 4096 not written, a session or a reader uses"));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	close(log);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { };

	return !syscall(SYS_capset, &header, none);
}

/* A descriptor that root opened is not enough. */
static void registers_need_the_capability(void)
{
	int fd = open(REGISTERS, O_RDONLY), status;
	pid_t pid;

	EXPECT(fd >= 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!drop_capabilities())
			_exit(1);
		_exit(read_registers() != -EPERM ||
		      read(fd, text, sizeof(text)) >= 0 || errno != EPERM);
	}
	close(fd);
	EXPECT(waitpid(pid, &status, 0) == pid && !status);
}

static void registers_cannot_be_written(void)
{
	EXPECT(put(REGISTERS, "0x000 0x00000001") < 0);
}

static void registers_have_no_address(void)
{
	EXPECT_EQ(read_registers(), 0);
	EXPECT(!has_address(text, strlen(text)));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(reset_puts_back_what_was_chosen),
		TEST(reset_takes_nothing_but_1),
		TEST(reset_waits_for_no_session),
		TEST(reset_and_registers_are_roots),
		TEST(what_is_refused_is_told_of),
		TEST(a_file_that_is_not_written_says_why),
		TEST(registers_are_as_chosen),
		TEST(registers_of_pc_sampling_can_be_read),
		TEST(registers_can_be_read_in_a_session),
		TEST(registers_that_reading_changes_are_left_out),
		TEST(registers_need_the_capability),
		TEST(registers_cannot_be_written),
		TEST(registers_have_no_address),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
