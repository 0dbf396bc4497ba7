// SPDX-License-Identifier: GPL-2.0
/* Records of which task runs where: what they say, and when there are any. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define CPUS_MAX	64
/* Addresses of the kernel begin with that many ones. */
#define KERNEL_HALF	(~0ULL << 38)

static int ask(const struct reader *reader, uint32_t wanted)
{
	return ioctl(reader->fd, RVTRACE_IOC_TASKS, &wanted) ? -errno : 0;
}

static const struct rvtrace_record_task *next_task(const struct reader *reader, uint64_t *at)
{
	return (const void *)reader_record(reader, at, RVTRACE_RECORD_TASK);
}

/* The next record of a task that does something. */
static const struct rvtrace_record_task *next_event(const struct reader *reader, uint64_t *at,
						    pid_t tid, uint16_t event)
{
	const struct rvtrace_record_task *task;

	while ((task = next_task(reader, at)))
		if (task->tid == tid && task->event == event)
			break;
	return task;
}

/* Records up to @at */
static void consume(const struct reader *reader, uint64_t at)
{
	struct rvtrace_consume what = {
		.position = reader->control->tail,
		.records_position = at,
	};

	if (ioctl(reader->fd, RVTRACE_IOC_CONSUME, &what))
		fail(__FILE__, __LINE__, "records cannot be given back: %s", strerror(errno));
}

/* Open, records consumed, and asked for. Forks need not copy page tables of the whole ring. */
static bool begin(struct reader *reader, uint64_t *first)
{
	if (!reader_open(reader) || ask(reader, 1) ||
	    madvise((void *)reader->data, reader->control->data_size, MADV_DONTFORK))
		return false;
	*first = reader->control->records_head;
	return !put(of_sink("tracing"), "1");
}

/* Return: whether a session of some switches has records of tasks. */
static bool has_tasks(struct reader *reader)
{
	uint64_t at = reader->control->records_head;

	if (put(of_sink("tracing"), "1"))
		fail(__FILE__, __LINE__, "no session");
	usleep(20000);
	put(of_sink("tracing"), "0");
	return next_task(reader, &at);
}

static void are_there_when_asked_for_alone(void)
{
	struct reader reader = {};

	EXPECT(reader_open(&reader));
	EXPECT(!has_tasks(&reader));
	EXPECT_EQ(ask(&reader, RVTRACE_TASKS_ADDRESSES), -EINVAL);
	EXPECT_EQ(ask(&reader, 4 | RVTRACE_TASKS_WANTED), -EINVAL);
	EXPECT_EQ(ioctl(reader.fd, RVTRACE_IOC_TASKS, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT(!has_tasks(&reader));
	EXPECT_EQ(ask(&reader, 1), 0);
	EXPECT_EQ(ask(&reader, 1), 0);
	EXPECT(has_tasks(&reader));
	EXPECT_EQ(ask(&reader, 0), 0);
	EXPECT(!has_tasks(&reader));
	EXPECT_EQ(ask(&reader, 1), 0);
	reader_close(&reader);
	memset(&reader, 0, sizeof(reader));
	EXPECT(reader_open(&reader));
	EXPECT(!has_tasks(&reader));
	reader_close(&reader);
}

static void asked_for_in_a_session_the_first_says_what_was_missed(void)
{
	const struct rvtrace_record_task *task;
	struct reader reader = {};
	uint64_t at;

	EXPECT(reader_open(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	at = reader.control->records_head;
	EXPECT_EQ(ask(&reader, 1), 0);
	task = next_task(&reader, &at);
	EXPECT(task && task->flags & RVTRACE_TASK_LOST);
	task = next_task(&reader, &at);
	EXPECT(!task || !(task->flags & RVTRACE_TASK_LOST));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	reader_close(&reader);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Each hart is interrupted to say what it runs. */
static void asking_again_and_again_interrupts_harts_seldom(void)
{
	uint64_t at, begun, now, harts = sysconf(_SC_NPROCESSORS_ONLN), said = 0;
	const struct rvtrace_record_task *task;
	struct reader reader = {};

	EXPECT(reader_open(&reader));
	EXPECT_EQ(ask(&reader, 1), 0);
	at = reader.control->records_head;
	begun = now_ns();
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (unsigned int i = 0; i < 5; i++) {
		EXPECT_EQ(ask(&reader, 0), 0);
		EXPECT_EQ(ask(&reader, 1), 0);
	}
	now = now_ns();
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while ((task = next_task(&reader, &at)))
		said += task->event == RVTRACE_TASK_RUNS;
	EXPECT_EQ(said, 6 * harts);
	EXPECT(now - begun >= 5 * 100000000ULL);
	reader_close(&reader);
}

static pid_t fork_and_wait(void (*child)(void))
{
	pid_t pid = fork();

	if (!pid) {
		child();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

static void nothing(void)
{
}

static void *fork_often(void *data)
{
	for (unsigned int i = 0; i < *(unsigned int *)data; i++)
		fork_and_wait(nothing);
	return NULL;
}

/* Threads on all harts, every one of which forks. */
static bool storm(unsigned int forks)
{
	pthread_t threads[8];
	unsigned int n = 0;

	while (n < 8 && !pthread_create(&threads[n], NULL, fork_often, &forks))
		n++;
	for (unsigned int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n == 8;
}

struct end {
	int in;
	int out;
};

/* Each waits for the other. */
static void *swap_often(void *data)
{
	const struct end *end = data;
	char c = 0;

	for (unsigned int i = 0; i < 1000; i++)
		if (write(end->out, &c, 1) != 1 || read(end->in, &c, 1) != 1)
			break;
	return NULL;
}

/* A thousand records or more, for less than forks cost. */
static bool swap_threads(void)
{
	int there[2], back[2];
	pthread_t thread;
	bool swapped;

	if (pipe(there))
		return false;
	if (pipe(back)) {
		close(there[0]);
		close(there[1]);
		return false;
	}
	swapped = !pthread_create(&thread, NULL, swap_often, &(struct end){ there[0], back[1] });
	if (swapped) {
		swap_often(&(struct end){ back[0], there[1] });
		pthread_join(thread, NULL);
	}
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return swapped;
}

/* Switches that nobody takes, until there is no room for more */
static bool fill_records(const struct reader *reader)
{
	for (unsigned int i = 0; i < 200 && !reader->control->records_lost; i++)
		if (!swap_threads())
			return false;
	return reader->control->records_lost;
}

/* What each hart is known to run, and since when */
struct harts {
	pid_t runs[CPUS_MAX];
	uint64_t times[CPUS_MAX];
	unsigned int switches;
};

/* Each hart: what it runs, then what takes the place of what it ran before, without a hole. */
static void take_switches(struct harts *harts, const struct reader *reader, uint64_t *at)
{
	const struct rvtrace_record_task *task;

	while ((task = next_task(reader, at))) {
		uint32_t cpu = task->header.cpu;

		EXPECT(cpu < CPUS_MAX && !(task->flags & RVTRACE_TASK_LOST));
		EXPECT(task->header.time >= harts->times[cpu]);
		EXPECT(task->comm[0] && !task->comm[sizeof(task->comm) - 1]);
		harts->times[cpu] = task->header.time;
		if (task->event != RVTRACE_TASK_SWITCH && task->event != RVTRACE_TASK_RUNS)
			continue;
		EXPECT(harts->runs[cpu] == -1 || harts->runs[cpu] ==
		       (task->event == RVTRACE_TASK_SWITCH ? task->other : task->tid));
		harts->switches += task->event == RVTRACE_TASK_SWITCH;
		harts->runs[cpu] = task->tid;
	}
	consume(reader, *at);
}

static void switches_have_no_hole(void)
{
	struct reader reader = {};
	struct harts harts = {};
	unsigned int i;
	uint64_t at;

	for (i = 0; i < CPUS_MAX; i++)
		harts.runs[i] = -1;
	EXPECT(begin(&reader, &at));
	/* Slow machines switch so often that there is room for no more. */
	for (i = 0; i < 8; i++) {
		EXPECT(storm(1));
		take_switches(&harts, &reader, &at);
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	take_switches(&harts, &reader, &at);
	EXPECT_EQ(reader.control->records_lost, 0);
	for (i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		EXPECT(harts.runs[i] != -1);
	printf("# %u switches\n", harts.switches);
	EXPECT(harts.switches >= 64);
	reader_close(&reader);
}

static void rename_and_exec(void)
{
	prctl(PR_SET_NAME, "another name");
	execl("/bin/sleep", "sleep", "0.01", NULL);
}

static void fork_exec_exit_and_rename_are_told(void)
{
	const struct rvtrace_record_task *task;
	struct reader reader = {};
	uint64_t at, id;
	pid_t child;

	EXPECT(begin(&reader, &at));
	child = fork_and_wait(rename_and_exec);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);

	task = next_event(&reader, &at, child, RVTRACE_TASK_FORK);
	EXPECT(task && task->other == getpid() && task->pid == child);
	EXPECT(!strcmp(task->comm, "ksft-tasks") && !(task->flags & RVTRACE_TASK_KERNEL));
	id = task->id;
	task = next_event(&reader, &at, child, RVTRACE_TASK_SWITCH);
	EXPECT(task && task->id == id);
	task = next_event(&reader, &at, child, RVTRACE_TASK_RENAME);
	EXPECT(task && task->id == id && !strcmp(task->comm, "another name"));
	task = next_event(&reader, &at, child, RVTRACE_TASK_EXEC);
	EXPECT(task && task->id == id && task->other == child && !strcmp(task->comm, "sleep"));
	task = next_event(&reader, &at, child, RVTRACE_TASK_EXIT);
	EXPECT(task && task->id == id);
	EXPECT(!next_event(&reader, &at, child, RVTRACE_TASK_FORK));
	reader_close(&reader);
}

static pid_t thread_id;
static int told[2];

static void *exec_in_thread(void *data)
{
	(void)data;
	thread_id = syscall(SYS_gettid);
	if (write(told[1], &thread_id, sizeof(thread_id)) == sizeof(thread_id))
		execl("/bin/true", "true", NULL);
	_exit(1);
}

static void start_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, exec_in_thread, NULL))
		pthread_join(thread, NULL);
}

/* It takes the place of the first one. */
static void thread_that_execs_is_its_process(void)
{
	const struct rvtrace_record_task *task;
	struct reader reader = {};
	uint64_t at, id;
	pid_t child;

	EXPECT(!pipe(told));
	EXPECT(begin(&reader, &at));
	child = fork_and_wait(start_thread);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(read(told[0], &thread_id, sizeof(thread_id)) == sizeof(thread_id));
	close(told[0]);
	close(told[1]);

	task = next_event(&reader, &at, thread_id, RVTRACE_TASK_FORK);
	EXPECT(task && task->pid == child && task->other == child);
	id = task->id;
	task = next_event(&reader, &at, child, RVTRACE_TASK_EXEC);
	EXPECT(task && task->pid == child && task->other == thread_id && task->id != id);
	reader_close(&reader);
}

/* A reader that does not come: what it misses is counted, and other records find room. */
static void what_finds_no_room_is_counted(void)
{
	const struct rvtrace_record_task *task = NULL;
	struct reader reader = {};
	uint64_t at, from, lost;

	EXPECT(begin(&reader, &at));
	EXPECT(fill_records(&reader));
	from = reader.control->records_head;
	consume(&reader, reader.control->records_head);
	/* The sampler moves what harts kept. */
	usleep(100000);
	lost = reader.control->records_lost;
	task = next_task(&reader, &from);
	EXPECT(task && task->flags & RVTRACE_TASK_LOST);
	task = next_task(&reader, &from);
	EXPECT(task && !(task->flags & RVTRACE_TASK_LOST));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT_EQ(reader.control->records_lost, lost);
	EXPECT(reader_record(&reader, &from, RVTRACE_RECORD_SESSION_END));
	printf("# %llu lost\n", (unsigned long long)lost);
	reader_close(&reader);
}

static void session_end_finds_room_among_tasks(void)
{
	struct reader reader = {};
	uint64_t at;

	EXPECT(begin(&reader, &at));
	EXPECT(fill_records(&reader));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(reader_record(&reader, &at, RVTRACE_RECORD_SESSION_END));
	reader_close(&reader);
}

/* An id names one task, and tells nothing of where it is. */
static void ids_are_no_addresses(void)
{
	const struct rvtrace_record_task *task;
	uint64_t at, idle[CPUS_MAX] = {};
	struct reader reader = {};
	unsigned int seen = 0;

	EXPECT(begin(&reader, &at));
	EXPECT(storm(2));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while ((task = next_task(&reader, &at))) {
		EXPECT((task->id & KERNEL_HALF) != KERNEL_HALF && task->id >> 38);
		EXPECT_EQ(task->task, 0);
		if (task->tid || task->header.cpu >= CPUS_MAX)
			continue;
		EXPECT(task->flags & RVTRACE_TASK_KERNEL && !task->pid);
		EXPECT(!idle[task->header.cpu] || idle[task->header.cpu] == task->id);
		idle[task->header.cpu] = task->id;
		seen++;
	}
	EXPECT(seen);
	for (unsigned int i = 1; i < CPUS_MAX; i++)
		EXPECT(!idle[i] || idle[i] != idle[0]);
	reader_close(&reader);
}

/* Each task has one, as long as it is there. */
static void say_what_tp_is_when_asked(void)
{
	const struct rvtrace_record_task *task;
	struct { uint64_t id, task; } seen[64];
	struct reader reader = {};
	unsigned int count = 0, same = 0, i;
	uint64_t at;

	EXPECT(begin(&reader, &at));
	EXPECT_EQ(ask(&reader, RVTRACE_TASKS_WANTED | RVTRACE_TASKS_ADDRESSES), 0);
	at = reader.control->records_head;
	EXPECT(storm(2));
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while ((task = next_task(&reader, &at))) {
		EXPECT(task->task >> 63);
		for (i = 0; i < count && seen[i].id != task->id; i++)
			;
		if (i == count && count < 64) {
			seen[count].id = task->id;
			seen[count++].task = task->task;
		} else if (i < count) {
			EXPECT_EQ(task->task, seen[i].task);
			same++;
		}
	}
	EXPECT(count > 2 && same > 2);
	reader_close(&reader);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(are_there_when_asked_for_alone),
		TEST(asked_for_in_a_session_the_first_says_what_was_missed),
		TEST(asking_again_and_again_interrupts_harts_seldom),
		TEST(switches_have_no_hole),
		TEST(fork_exec_exit_and_rename_are_told),
		TEST(thread_that_execs_is_its_process),
		TEST(what_finds_no_room_is_counted),
		TEST(session_end_finds_room_among_tasks),
		TEST(ids_are_no_addresses),
		TEST(say_what_tp_is_when_asked),
	};
	/* No test looks at what the harts trace, which costs more than all else. */
	bool off = set_encoders("inst_mode", "off");
	int status = run_tests(tests, sizeof(tests) / sizeof(*tests));

	return set_encoders("reset", "1") && off ? status : EXIT_FAILURE;
}
