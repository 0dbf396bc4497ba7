// SPDX-License-Identifier: GPL-2.0
/*
 * Every hart switches tasks as fast as it can, and each switch is recorded. One process gives
 * back what it read all the time, at positions right and wrong; another reads. What is lost
 * has to be counted. Whether the kernel could bear it is in its log.
 *
 *	ksft-soak [-t SECONDS]		of each test
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define HARTS_MAX	64

static unsigned int seconds_to_run = 5;

/* How often something was given back, and refused, shared with the process that does it */
static struct {
	unsigned long taken;
	unsigned long refused;
} *storm;

/**
 * struct taken - what a reader found
 * @bytes: of trace
 * @lost: bytes of trace that records say are lost
 * @tasks: records of tasks
 * @holes: those that say that some before them are lost
 */
struct taken {
	uint64_t bytes;
	uint64_t lost;
	uint64_t tasks;
	uint64_t holes;
};

static pid_t start(void (*what)(const struct reader *reader, unsigned int hart),
		   const struct reader *reader, unsigned int hart)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	what(reader, hart);
	_exit(EXIT_FAILURE);
}

/* Two of them on a hart take turns. */
static void yield_always(const struct reader *reader, unsigned int hart)
{
	cpu_set_t set;

	(void)reader;
	CPU_ZERO(&set);
	CPU_SET(hart, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		for (;;)
			sched_yield();
}

/* Gives back nothing new, or a position beyond the head, or one where no record begins. */
static void consume_always(const struct reader *reader, unsigned int hart)
{
	const struct rvtrace_control *control = reader->control;

	(void)hart;
	for (unsigned int i = 0; ; i++) {
		struct rvtrace_consume what = {
			.position = i % 8 == 6 ? UINT64_MAX : control->tail,
			.records_position = i % 2 ? control->records_head - 4 :
						    control->records_tail,
		};

		if (ioctl(reader->fd, RVTRACE_IOC_CONSUME, &what))
			storm->refused++;
		else
			storm->taken++;
	}
}

static void take_records(struct taken *taken, const struct reader *reader, uint64_t *at)
{
	uint64_t head = __atomic_load_n(&reader->control->records_head, __ATOMIC_ACQUIRE);

	while (*at < head) {
		const struct rvtrace_record *record = (const void *)
			(reader->records + *at % reader->control->records_size);

		if (record->type == RVTRACE_RECORD_LOST) {
			const struct rvtrace_record_lost *lost = (const void *)record;

			taken->lost += lost->end - lost->start;
		} else if (record->type == RVTRACE_RECORD_TASK) {
			const struct rvtrace_record_task *task = (const void *)record;

			taken->tasks++;
			taken->holes += task->flags & RVTRACE_TASK_LOST;
		}
		*at += record->size;
	}
}

static ssize_t take(struct taken *taken, const struct reader *reader, uint64_t *at)
{
	static char buffer[256 << 10];
	struct rvtrace_consume what = {};
	ssize_t n;

	n = read(reader->fd, buffer, sizeof(buffer));
	if (n > 0)
		taken->bytes += n;
	take_records(taken, reader, at);
	what.position = reader->control->tail;
	what.records_position = *at;
	if (ioctl(reader->fd, RVTRACE_IOC_CONSUME, &what))
		fail(__FILE__, __LINE__, "records cannot be given back: %s", strerror(errno));
	return n;
}

/* Of all harts, since the machine was started */
static uint64_t switches_so_far(void)
{
	FILE *file = fopen("/proc/stat", "r");
	unsigned long long switches = 0;
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "ctxt %llu", &switches) == 1)
			break;
	if (file)
		fclose(file);
	return switches;
}

static void take_for(unsigned int seconds, struct taken *taken, const struct reader *reader,
		     uint64_t *at)
{
	struct pollfd news = { .fd = reader->fd, .events = POLLIN };
	time_t until = time(NULL) + seconds;

	while (time(NULL) < until) {
		poll(&news, 1, 100);
		take(taken, reader, at);
	}
}

/* All of them, on every hart the test may run on; none for want of processes */
static unsigned int start_all(const struct reader *reader, pid_t *pids)
{
	unsigned int harts = sysconf(_SC_NPROCESSORS_ONLN), n = 0;

	for (unsigned int i = 0; i < harts && i < HARTS_MAX; i++) {
		pids[n++] = start(yield_always, reader, i);
		pids[n++] = start(yield_always, reader, i);
	}
	pids[n++] = start(consume_always, reader, 0);
	return n;
}

static bool end_all(const pid_t *pids, unsigned int n)
{
	bool ran = true;

	for (unsigned int i = 0; i < n; i++) {
		/* One that has ended had a reason. */
		ran &= pids[i] > 0 && !waitpid(pids[i], NULL, WNOHANG) && !kill(pids[i], SIGKILL);
		if (pids[i] > 0)
			waitpid(pids[i], NULL, 0);
	}
	return ran;
}

static void report(const struct taken *taken, uint64_t switches, const struct rvtrace_control *c)
{
	printf("# %u s, %llu switches, %llu records of tasks, %llu dropped in %llu holes\n",
	       seconds_to_run, (unsigned long long)switches, (unsigned long long)taken->tasks,
	       (unsigned long long)c->records_lost, (unsigned long long)taken->holes);
	printf("# %llu bytes read, %llu lost; given back %lu times, refused %lu times\n",
	       (unsigned long long)taken->bytes, (unsigned long long)c->lost, storm->taken,
	       storm->refused);
}

/* @traced: there is trace to lose, and harts are much slower. */
static void soak(bool traced)
{
	uint32_t wanted = RVTRACE_TASKS_WANTED;
	pid_t pids[2 * HARTS_MAX + 1];
	struct reader reader = {};
	struct taken taken = {};
	uint64_t at, switches;
	unsigned int n;

	EXPECT(traced || set_encoders("inst_mode", "off"));
	EXPECT(reader_open(&reader));
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, &wanted), 0);
	at = reader.control->records_head;
	/* Who gives back all the time would leave it no turn. */
	EXPECT_EQ(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
				     &(struct sched_param){ .sched_priority = 1 }), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	n = start_all(&reader, pids);
	switches = switches_so_far();
	take_for(seconds_to_run, &taken, &reader, &at);
	switches = switches_so_far() - switches;
	EXPECT(end_all(pids, n));
	/* There is room again for a record that says whether others are lost. */
	take(&taken, &reader, &at);
	usleep(100000);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while (take(&taken, &reader, &at) > 0)
		;
	report(&taken, switches, reader.control);

	/* Nothing is missing that is not counted. */
	EXPECT(taken.tasks + reader.control->records_lost >= switches);
	EXPECT_EQ(!taken.holes, !reader.control->records_lost);
	EXPECT_EQ(taken.lost, reader.control->lost);
	EXPECT_EQ(taken.bytes + taken.lost, reader.control->head - reader.control->session_start);
	/* And everything was tried. */
	EXPECT(switches > 100 * seconds_to_run && taken.tasks && (taken.bytes || !traced));
	EXPECT(storm->taken && storm->refused);
	reader_close(&reader);
	EXPECT(set_encoders("reset", "1"));
}

static void harts_that_are_traced(void)
{
	soak(true);
}

static void harts_that_are_not_traced_switch_faster(void)
{
	soak(false);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(harts_that_are_traced),
		TEST(harts_that_are_not_traced_switch_faster),
	};
	int option;

	while ((option = getopt(argc, argv, "t:")) > 0) {
		if (option != 't')
			return EXIT_FAILURE;
		seconds_to_run = atoi(optarg);
	}
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (storm == MAP_FAILED)
		return EXIT_FAILURE;
	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
