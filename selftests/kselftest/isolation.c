// SPDX-License-Identifier: GPL-2.0
/* What a test leaves when it fails is nothing that the next one finds. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "undo.h"

/* It and a process of it have the device open, in a session. */
static void fails_with_all_it_holds(void)
{
	struct reader reader = {};

	EXPECT(reader_open(&reader));
	if (!fork())
		for (;;)
			pause();
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(!"this test fails");
}

static void what_a_test_holds_goes_when_it_fails(void)
{
	int fd;

	EXPECT(run_test(&(struct test)TEST(fails_with_all_it_holds)).failed);
	fd = open(sink_device(), O_RDONLY);
	EXPECT(fd >= 0);
	EXPECT(is(of_sink("tracing"), "1"));
	close(fd);
}

static void dies(void)
{
	raise(SIGKILL);
}

static void fails_in_a_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		fail(__FILE__, __LINE__, "this test fails");
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
}

static void is_skipped(void)
{
	skip("nothing to do");
}

static void outcomes_are_those_of_its_processes(void)
{
	struct outcome o;

	EXPECT(run_test(&(struct test)TEST(dies)).failed);
	EXPECT(!has_failed());
	EXPECT(run_test(&(struct test)TEST(fails_in_a_process)).failed);
	o = run_test(&(struct test)TEST(is_skipped));
	EXPECT(!o.failed && !strcmp(o.skipped, "nothing to do"));
}

static void settings_and_components_come_back(void)
{
	char mode[64], size[64], name[512];

	undo_remember();
	snprintf(mode, sizeof(mode), "%s", get(ENCODER0 "inst_mode"));
	snprintf(size, sizeof(size), "%s", get(of_sink("buffer_size")));
	EXPECT(device_name("encoder0", name, sizeof(name)));
	EXPECT_EQ(put(ENCODER0 "inst_mode", "off"), 0);
	EXPECT_EQ(put(of_sink("buffer_size"), "16384"), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(put("/sys/bus/platform/drivers/rvtrace_tci/unbind", name), 0);
	undo_all();
	EXPECT(is(ENCODER0 "inst_mode", mode));
	EXPECT(is(of_sink("buffer_size"), size));
	EXPECT(is(of_sink("tracing"), "0"));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_a_test_holds_goes_when_it_fails),
		TEST(outcomes_are_those_of_its_processes),
		TEST(settings_and_components_come_back),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
