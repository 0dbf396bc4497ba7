// SPDX-License-Identifier: GPL-2.0
/*
 * bench-switches none|untold|told ROUNDS TRIPS: what a switch of tasks costs on the machine, hart
 * after hart: without the driver, while it traces, while it records switches as well. In a line for
 * each round: nanoseconds of a switch; the longest time with interrupts off meanwhile, and while
 * what was recorded is given back, both in microseconds and 0 unless the kernel measures it.
 *
 * One hart at a time: the others wait for it. With --icount all share one clock, which goes on
 * while another hart has its turn.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "selftests/kselftest/harness.h"

#define LATENCY	"/sys/kernel/tracing/tracing_max_latency"

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void pin(unsigned int hart)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(hart, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* A token goes there and back. */
static void trip(int in, int out, bool first)
{
	char token = 0;

	if (first && write(out, &token, 1) != 1)
		die("write");
	if (read(in, &token, 1) != 1)
		die("read");
	if (!first && write(out, &token, 1) != 1)
		die("write");
}

/* Nanoseconds that all trips on this hart take, which switch twice each */
static uint64_t make_trips(unsigned int trips)
{
	int there[2], back[2], status;
	uint64_t begin;
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		for (unsigned int i = 0; i <= trips; i++)
			trip(there[0], back[1], false);
		_exit(0);
	}
	/* The first one waits until the other process is there. */
	trip(back[0], there[1], true);
	put(LATENCY, "0");
	begin = now();
	for (unsigned int i = 0; i < trips; i++)
		trip(back[0], there[1], true);
	begin = now() - begin;
	if (waitpid(child, &status, 0) != child || status)
		die("the other process");
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return begin;
}

static void make_round(unsigned int harts, unsigned int trips)
{
	long long longest = 0, latency;
	uint64_t ns = 0;

	for (unsigned int hart = 0; hart < harts; hart++) {
		pin(hart);
		ns += make_trips(trips);
		latency = get_number(LATENCY);
		longest = latency > longest ? latency : longest;
	}
	printf("%.1f %lld ", (double)ns / (2.0 * trips * harts), longest);
}

static void begin(struct reader *reader, bool told)
{
	uint32_t wanted = told ? RVTRACE_TASKS_WANTED : 0;

	if (!find_sink() || !reader_open(reader))
		die("the device");
	if (ioctl(reader->fd, RVTRACE_IOC_TASKS, &wanted))
		die("RVTRACE_IOC_TASKS");
	if (put(of_sink("tracing"), "1"))
		die("tracing");
}

/* First where no record begins: that is found out last. */
static void give_back(const struct reader *reader)
{
	const struct rvtrace_control *control = reader->control;
	struct rvtrace_consume what = {
		.position = control->tail,
		.records_position = control->records_head - 4,
	};

	put(LATENCY, "0");
	if (!ioctl(reader->fd, RVTRACE_IOC_CONSUME, &what) ||
	    reader_consume(reader, control->head, NULL))
		die("RVTRACE_IOC_CONSUME");
}

int main(int argc, char **argv)
{
	unsigned int harts = sysconf(_SC_NPROCESSORS_ONLN), rounds, trips;
	struct reader reader = {};
	uint64_t lost = 0;
	bool driver;

	if (argc != 4)
		return 2;
	driver = strcmp(argv[1], "none");
	rounds = strtoul(argv[2], NULL, 10);
	trips = strtoul(argv[3], NULL, 10);
	if (driver)
		begin(&reader, !strcmp(argv[1], "told"));
	for (unsigned int i = 0; i < rounds; i++) {
		make_round(harts, trips);
		if (driver)
			give_back(&reader);
		printf("%lld\n", driver ? get_number(LATENCY) : 0);
	}
	if (!driver)
		return 0;
	lost = reader.control->records_lost;
	put(of_sink("tracing"), "0");
	reader_close(&reader);
	/* What finds no room costs less. */
	if (lost)
		fprintf(stderr, "bench-switches: %llu records lost\n", (unsigned long long)lost);
	return lost ? EXIT_FAILURE : 0;
}
