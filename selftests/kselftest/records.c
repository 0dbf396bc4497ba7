// SPDX-License-Identifier: GPL-2.0
/* Records of what the kernel does while it is traced, and who may read them. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* A module that is not needed and comes alone. */
#define MODULE		"tun"
#define NOBODY		65534
/* Lasting code of larger modules is not recorded. */
#define CODE_MAX	65536
/* Other code is, in pieces of at most so many bytes. */
#define CODE_PIECE	8192

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_module(void)
{
	return !run("rmmod " MODULE " 2> /dev/null; modprobe -n " MODULE " 2> /dev/null");
}

static const struct rvtrace_record_text *text(const struct reader *reader, uint64_t *at,
					      uint32_t flags)
{
	const struct rvtrace_record_text *record;

	while ((record = (const void *)reader_record(reader, at, RVTRACE_RECORD_TEXT)))
		if (record->flags == flags && !strcmp(record->name, MODULE))
			return record;
	return NULL;
}

/* Bytes of a text whose code was recorded, in order and without a hole. */
static uint64_t recorded_code(struct reader *reader, uint64_t first,
			      const struct rvtrace_record_text *text)
{
	const struct rvtrace_record_code *code;
	uint64_t done = 0;

	while ((code = (const void *)reader_record(reader, &first, RVTRACE_RECORD_CODE)))
		if (code->address == text->address + done && done < text->size &&
		    code->length <= code->header.size - sizeof(*code))
			done += code->length;
	return done;
}

static unsigned long long address_of_module(void)
{
	char line[512], name[64];
	unsigned long long address = 0;
	FILE *file = fopen("/proc/modules", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %*s %*s %*s %*s %llx", name, &address) == 2 &&
		    !strcmp(name, MODULE))
			break;
	if (file)
		fclose(file);
	return address;
}

static void modules_that_come_and_go_are_recorded(void)
{
	const struct rvtrace_record_text *come, *init, *freed, *gone;
	unsigned long long address;
	struct reader reader = {};
	uint64_t first, at;

	if (!has_module())
		return skip("no module " MODULE);
	EXPECT(reader_open(&reader));
	first = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(run("modprobe " MODULE), 0);
	address = address_of_module();
	EXPECT_EQ(run("rmmod " MODULE), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);

	at = first;
	come = text(&reader, &at, 0);
	EXPECT(come);
	init = text(&reader, &at, RVTRACE_TEXT_INIT);
	EXPECT(init);
	freed = text(&reader, &at, RVTRACE_TEXT_INIT | RVTRACE_TEXT_GONE);
	EXPECT(freed);
	gone = text(&reader, &at, RVTRACE_TEXT_GONE);
	EXPECT(gone);
	EXPECT(address && come->address == address && come->size);
	EXPECT(gone->address == come->address && gone->size == come->size);
	EXPECT(init->address && init->address != come->address);
	EXPECT(freed->address == init->address && freed->size == init->size);
	EXPECT(come->header.time <= init->header.time && init->header.time < gone->header.time);
	EXPECT_EQ(recorded_code(&reader, first, come), come->size <= CODE_MAX ? come->size : 0);
	EXPECT_EQ(recorded_code(&reader, first, init), init->size);
	reader_close(&reader);
}

/* 1: a reader without rights finds records of the module; 4: of its code; 2: where, or what. */
static int look_without_rights(void)
{
	const struct rvtrace_record_text *record;
	const struct rvtrace_record_code *code;
	struct reader reader = {};
	int found = 0;
	uint64_t at;

	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) || !reader_open(&reader))
		return 255;
	at = reader.control->records_tail;
	while ((record = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_TEXT)))
		found |= record->address || record->size ? 2 : 1;
	at = reader.control->records_tail;
	while ((code = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_CODE)))
		found |= code->address || code->length || code->bytes[0] ? 2 : 4;
	/* What was consumed by others is mapped as well. */
	for (at = 0; at + sizeof(*record) <= reader.control->records_size; at += 8) {
		record = (const void *)(reader.records + at);
		if (record->header.type == RVTRACE_RECORD_TEXT &&
		    record->header.size == sizeof(*record) && record->address)
			found |= 2;
	}
	return found;
}

static int in_child(int (*function)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(function());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int load_without_rights(void)
{
	struct reader reader = {};
	uint64_t at;
	int status;

	if (!reader_open(&reader))
		return 254;
	at = reader.control->records_head;
	status = run("modprobe " MODULE);
	return status ? 253 : text(&reader, &at, 0) ? 1 : 0;
}

/* To everybody; udev, told of the session, would give the device its rights back later. */
static bool open_to_all(void)
{
	return !run("udevadm settle --timeout=300") && !chmod(sink_device(), 0644);
}

/* Nobody reads while the module comes; then somebody who may not know where. */
static void addresses_are_not_for_readers_without_the_right(void)
{
	struct stat before;

	if (!has_module())
		return skip("no module " MODULE);
	EXPECT_EQ(stat(sink_device(), &before), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(run("modprobe " MODULE), 0);
	EXPECT_EQ(run("rmmod " MODULE), 0);
	EXPECT_EQ(in_child(load_without_rights), 1);
	EXPECT(open_to_all());
	EXPECT_EQ(in_child(look_without_rights), 1 | 4);
	EXPECT_EQ(chmod(sink_device(), before.st_mode & 07777), 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	run("rmmod " MODULE);
}

static bool is_zero(const struct rvtrace_record *record)
{
	const char *bytes = (const char *)record;

	for (uint32_t i = sizeof(*record); i < record->size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Whether a pad that was not consumed lies over something older. */
static bool pad_hides_something(const struct reader *reader)
{
	uint64_t at = reader->control->records_tail;
	const struct rvtrace_record *pad;

	while ((pad = reader_record(reader, &at, RVTRACE_RECORD_PAD)))
		if (!is_zero(pad))
			return true;
	return false;
}

/*
 * Records of tasks, which are small, until so many bytes are left to where the ring ends. The head
 * says how many there are when something was consumed.
 */
static bool fill_up_to_end(const struct reader *reader, uint64_t left)
{
	const struct rvtrace_control *control = reader->control;
	uint64_t size = control->records_size, first = control->records_head;
	uint64_t wanted = first + size - left - first % size;
	bool ok = !ioctl(reader->fd, RVTRACE_IOC_TASKS, &(uint32_t){ 1 });

	for (unsigned int i = 0; i < size && ok && control->records_head < wanted; i++) {
		prctl(PR_SET_NAME, i % 2 ? "one" : "another");
		if (i % 128 == 0 || wanted - control->records_head < size / 8)
			ok = !reader_consume(reader, control->head, NULL);
	}
	prctl(PR_SET_NAME, "ksft-records");
	return ok && !ioctl(reader->fd, RVTRACE_IOC_TASKS, &(uint32_t){ 0 }) &&
	       !reader_consume(reader, control->head, NULL);
}

/* Bytes of its code, as recorded when it came; 0 when it did not */
static uint64_t load_and_unload_module(const struct reader *reader)
{
	uint64_t at = reader->control->records_head;
	const struct rvtrace_record_text *module;

	if (run("modprobe " MODULE) || run("rmmod " MODULE))
		return 0;
	module = text(reader, &at, 0);
	return module ? module->size : 0;
}

static bool has_pad(const struct reader *reader)
{
	uint64_t at = reader->control->records_tail;

	return reader_record(reader, &at, RVTRACE_RECORD_PAD);
}

/* The code of a module does not fit where the ring ends, and older records were there. */
static bool make_pad(const struct reader *reader)
{
	unsigned int pads = 0;

	/* One lap for what was where the pad comes */
	for (int i = 0; i < 10 && pads < 2 && fill_up_to_end(reader, CODE_PIECE * 3 / 4); i++) {
		if (!load_and_unload_module(reader))
			break;
		pads += has_pad(reader);
	}
	return pads == 2 && has_pad(reader);
}

static int look_under_pads(void)
{
	struct reader reader = {};

	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) || !reader_open(&reader))
		return 255;
	return has_pad(&reader) ? pad_hides_something(&reader) : 254;
}

static void nothing_is_under_a_pad(void)
{
	struct reader reader = {};
	struct stat before;
	uint64_t size;

	if (!has_module())
		return skip("no module " MODULE);
	EXPECT_EQ(stat(sink_device(), &before), 0);
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT(reader_open(&reader));
	size = load_and_unload_module(&reader);
	EXPECT(size);
	/* With KASAN it is too large to be recorded. */
	if (size <= CODE_MAX) {
		EXPECT(make_pad(&reader));
		EXPECT(!pad_hides_something(&reader));
		reader_close(&reader);
		EXPECT(open_to_all());
		EXPECT_EQ(in_child(look_under_pads), 0);
		EXPECT_EQ(chmod(sink_device(), before.st_mode & 07777), 0);
	} else {
		skip("code of module " MODULE " is not recorded");
		reader_close(&reader);
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
}

/* The number that names an address space of a process of this program, or 0. */
static uint32_t number_of(const struct reader *reader, uint64_t at, pid_t pid)
{
	const struct rvtrace_record_address_space *space;

	while ((space = (const void *)reader_record(reader, &at, RVTRACE_RECORD_ADDRESS_SPACE)))
		if (space->pid == pid && !strcmp(space->comm, "ksft-records"))
			return space->context;
	return 0;
}

/* The session begins in the child: it is the first to be named. */
static pid_t start_in_vfork_child(void)
{
	pid_t pid = vfork();

	if (pid)
		return pid;
	put(of_sink("tracing"), "1");
	burn(20);
	execl("/bin/sleep", "sleep", "0.05", NULL);
	_exit(1);
}

/* What it has while exec is under way is its own already, and not renamed yet. */
static void vfork_child_is_its_parent(void)
{
	struct reader reader = {};
	uint32_t number;
	uint64_t first;
	pid_t pid;

	EXPECT(reader_open(&reader));
	first = reader.control->records_head;
	pid = start_in_vfork_child();
	EXPECT(pid > 0);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	number = number_of(&reader, first, getpid());
	EXPECT(number);
	EXPECT(number_of(&reader, first, pid) != number);
	reader_close(&reader);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Runs on the second hart until it is killed; nothing takes its place meanwhile. */
static pid_t start_occupant(void)
{
	static const struct sched_param priority = { .sched_priority = 1 };
	pid_t pid = fork();

	if (pid)
		return pid;
	run_on(1);
	sched_setscheduler(0, SCHED_FIFO, &priority);
	for (;;)
		burn(1000);
}

/* Waits until nothing takes its hart for long. */
static bool occupies(pid_t pid)
{
	for (int i = 0; i < 3000 && sched_getscheduler(pid) != SCHED_FIFO; i++)
		usleep(10000);
	return sched_getscheduler(pid) == SCHED_FIFO;
}

/* As many address spaces as a narrow scontext has no numbers for. */
static void run_many(unsigned int count)
{
	pid_t pid;

	while (count--) {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/**
 * struct turns - how a process had its hart so far
 * @ran: nanoseconds
 * @came: how often it was given the hart
 * @went: how often another took it
 */
struct turns {
	unsigned long long ran;
	unsigned long long came;
	unsigned long long went;
};

static bool read_turns(pid_t pid, struct turns *turns)
{
	static const char went[] = "nonvoluntary_ctxt_switches:";
	char line[256];
	FILE *file;
	bool found = false;

	snprintf(line, sizeof(line), "/proc/%d/schedstat", pid);
	if (sscanf(get(line), "%llu %*u %llu", &turns->ran, &turns->came) != 2)
		return false;
	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	file = fopen(line, "r");
	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, went, strlen(went)) &&
			sscanf(line + strlen(went), "%llu", &turns->went) == 1;
	if (file)
		fclose(file);
	return found;
}

/* It had its hart all the time between the two. */
static bool held_hart(const struct turns *before, const struct turns *after)
{
	return after->came == before->came && after->went == before->went &&
	       after->ran > before->ran;
}

/**
 * struct numbers - address spaces, from their records
 * @occupant: a process
 * @context: its number; 0: not known yet
 * @given: another address space got that number
 */
struct numbers {
	pid_t occupant;
	uint32_t context;
	bool given;
};

static void follow_numbers(const struct reader *reader, uint64_t *at, struct numbers *numbers)
{
	const struct rvtrace_record_address_space *space;

	numbers->given = false;
	while ((space = (const void *)reader_record(reader, at, RVTRACE_RECORD_ADDRESS_SPACE))) {
		if (space->pid == numbers->occupant)
			numbers->context = space->context;
		else if (numbers->context && space->context == numbers->context)
			numbers->given = true;
	}
}

/*
 * More address spaces come and go than a narrow scontext has numbers for, while the occupant
 * has its hart. The kernel may take that away for a moment, and a busy machine makes the
 * moments many: what happened then says nothing, and is tried again.
 */
static bool number_is_kept(const struct reader *reader, struct numbers *numbers, bool *held)
{
	uint64_t at = reader->control->records_tail;
	struct turns before, after;

	if (!read_turns(numbers->occupant, &before))
		return false;
	follow_numbers(reader, &at, numbers);
	run_many(20);
	follow_numbers(reader, &at, numbers);
	*held = read_turns(numbers->occupant, &after) && held_hart(&before, &after) &&
		numbers->context;
	return !reader_consume(reader, reader->control->head, NULL) &&
	       !(*held && numbers->given);
}

static void context_in_use_is_not_given_to_others(void)
{
	struct numbers numbers = {};
	struct reader reader = {};
	unsigned int times = 0;
	bool held;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || access("/proc/self/schedstat", F_OK))
		return skip("one hart, or the kernel does not tell who had it");
	EXPECT(reader_open(&reader));
	EXPECT_EQ(reader_consume(&reader, reader.control->head, NULL), 0);
	run_on(0);
	numbers.occupant = start_occupant();
	EXPECT(occupies(numbers.occupant));
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	for (unsigned int i = 0; i < 50 && times < 3; i++) {
		EXPECT(number_is_kept(&reader, &numbers, &held));
		times += held;
	}
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	printf("# it had its hart %u times long enough\n", times);
	if (!times)
		skip("no process had a hart to itself for 20 forks");
}

static void clock_is_that_of_the_records(void)
{
	unsigned long long trace[2], monotonic[2], realtime;
	const struct rvtrace_record_clock *clock;
	struct reader reader = {};
	uint64_t at;

	EXPECT(is(of_sink("clock"), "error 61"));
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	EXPECT_EQ(sscanf(get(of_sink("clock")), "%llu %llu %llu", trace, monotonic, &realtime), 3);
	EXPECT_EQ(sscanf(get(of_sink("clock")), "%llu %llu %llu", trace + 1, monotonic + 1,
			 &realtime), 3);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	EXPECT(is(of_sink("clock"), "error 61"));
	EXPECT(trace[1] >= trace[0] && monotonic[1] > monotonic[0]);
	clock = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_CLOCK);
	EXPECT(clock && clock->header.time < monotonic[0] && clock->trace_time <= trace[0]);
	while ((clock = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_CLOCK)))
		EXPECT(clock->header.time > monotonic[1] && clock->trace_time >= trace[1]);
	reader_close(&reader);
}

/* At the beginning, after one and two seconds, and at the end. */
static void expect_clocks(void)
{
	struct reader reader = {};
	unsigned int clocks = 0;
	uint64_t at;

	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	usleep(2500000);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while (reader_record(&reader, &at, RVTRACE_RECORD_CLOCK))
		clocks++;
	EXPECT(clocks >= 4);
	reader_close(&reader);
}

/* Also where trace leaves the chip, and no memory is looked at. */
static void clocks_are_paired_once_a_second(void)
{
	char before[256];

	expect_clocks();
	snprintf(before, sizeof(before), "%s", get(of_owner("sink")));
	if (put(of_owner("sink"), "pib"))
		return;
	EXPECT_EQ(put(of_owner("pib_mode"), "parallel-4"), 0);
	expect_clocks();
	EXPECT_EQ(put(of_owner("sink"), before), 0);
}

static void frequency_is_that_of_the_clocks(void)
{
	const struct rvtrace_record_clock *clock;
	unsigned long long hz, first = 0, from = 0, counted = 0;
	struct reader reader = {};
	char source[32];
	uint64_t at;

	EXPECT_EQ(sscanf(get(ENCODER0 "timestamp_frequency"), "%llu %31s", &hz, source), 2);
	EXPECT(!strcmp(source, "measured") || !strcmp(source, "devicetree"));
	EXPECT(reader_open(&reader));
	at = reader.control->records_head;
	EXPECT_EQ(put(of_sink("tracing"), "1"), 0);
	burn(500);
	EXPECT_EQ(put(of_sink("tracing"), "0"), 0);
	while ((clock = (const void *)reader_record(&reader, &at, RVTRACE_RECORD_CLOCK))) {
		if (!from) {
			first = clock->trace_time;
			from = clock->header.time;
		}
		counted = (clock->trace_time - first) * 1000000000ULL;
		if (clock->header.time > from)
			counted /= clock->header.time - from;
	}
	EXPECT(counted > hz - hz / 50 && counted < hz + hz / 50);
	reader_close(&reader);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(modules_that_come_and_go_are_recorded),
		TEST(addresses_are_not_for_readers_without_the_right),
		TEST(nothing_is_under_a_pad),
		TEST(vfork_child_is_its_parent),
		TEST(context_in_use_is_not_given_to_others),
		TEST(clock_is_that_of_the_records),
		TEST(clocks_are_paired_once_a_second),
		TEST(frequency_is_that_of_the_clocks),
	};

	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
