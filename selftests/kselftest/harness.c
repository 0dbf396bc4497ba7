// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
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
#include "undo.h"

#define SKIPPED		4
#define COMPONENTS	"/sys/bus/rvtrace_tci/devices/"

#define SINKS		"/sys/class/rvtrace_sink/"
/* Paths that are in use at the same time */
#define PATHS		16

/* Of the test that runs, shared with its processes */
static struct outcome *outcome;
static pid_t running;
static char sink[64];

void fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	outcome->failed = true;
	printf("# %s:%d: ", file, line);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

bool has_failed(void)
{
	return outcome->failed;
}

void skip(const char *why)
{
	snprintf(outcome->skipped, sizeof(outcome->skipped), "%s", why);
}

int put(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

const char *get(const char *file)
{
	static char contents[4096];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, contents, sizeof(contents) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = snprintf(contents, sizeof(contents), "error %d", errno);
	contents[n] = '\0';
	contents[strcspn(contents, "\n")] = '\0';
	return contents;
}

long long get_number(const char *file)
{
	return strtoll(get(file), NULL, 0);
}

bool is(const char *file, const char *value)
{
	const char *contents = get(file);

	if (!strcmp(contents, value))
		return true;
	printf("# %s: '%s', not '%s'\n", file, contents, value);
	return false;
}

bool takes(const char *file, const char *value)
{
	char before[512];
	int ret;

	snprintf(before, sizeof(before), "%s", get(file));
	ret = put(file, value);
	if (!ret)
		return true;
	if (ret != -EINVAL && ret != -ERANGE)
		fail(__FILE__, __LINE__, "%s: '%s': %d", file, value, ret);
	if (strcmp(get(file), before))
		fail(__FILE__, __LINE__, "%s: '%s' changed it from %s to %s", file, value, before,
		     get(file));
	return false;
}

void refuses(const char *file, const char *value)
{
	if (takes(file, value))
		fail(__FILE__, __LINE__, "%s: '%s' was taken", file, value);
}

bool is_listed(const char *list, const char *value)
{
	size_t length = strlen(value);

	for (const char *p = strstr(list, value); p; p = strstr(p + 1, value))
		if ((p == list || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
			return true;
	return false;
}

void each_choice_in(const char *folder, void (*each)(const char *file, const char *available))
{
	char file[1024], available[4096], *end;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s%s", folder, entry->d_name);
		end = strstr(file, "_available");
		if (!end)
			continue;
		snprintf(available, sizeof(available), "%s", get(file));
		*end = '\0';
		each(file, available);
	}
	if (dir)
		closedir(dir);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

const char *component(unsigned int n)
{
	static char folder[512];
	struct dirent **entries;
	int count = scandir(COMPONENTS, &entries, is_visible, alphasort);

	folder[0] = '\0';
	for (int i = 0; i < count; i++) {
		if ((unsigned int)i == n)
			snprintf(folder, sizeof(folder), COMPONENTS "%s/", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return *folder ? folder : NULL;
}

bool is_one_of_many(const char *file)
{
	const char *number = strrchr(file, '/');

	while (number > file && strchr("0123456789", number[-1]))
		number--;
	return atoi(number) > 1;
}

bool find_sink(void)
{
	char name[sizeof(sink)], folder[128];

	snprintf(name, sizeof(name), "%s", get(ENCODER0 "sink_name"));
	snprintf(folder, sizeof(folder), SINKS "%s", name);
	if (strncmp(name, "rvtrace", 7) || access(folder, F_OK))
		return false;
	strcpy(sink, name);
	return true;
}

bool comes(const char *file)
{
	for (int i = 0; i < 3000 && access(file, F_OK); i++)
		usleep(10000);
	return !access(file, F_OK);
}

bool device_name(const char *component, char *name, size_t size)
{
	char path[512], link[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "/sys/bus/rvtrace_tci/devices/%s", component);
	if (!realpath(path, link))
		return false;
	slash = strrchr(link, '/');
	*slash = '\0';
	slash = strrchr(link, '/');
	snprintf(name, size, "%s", slash + 1);
	return true;
}

bool sink_comes(void)
{
	for (int i = 0; i < 3000; i++) {
		if (find_sink() && !access(sink_device(), F_OK))
			return true;
		usleep(10000);
	}
	return false;
}

const char *sink_name(void)
{
	return sink;
}

const char *sink_device(void)
{
	static char path[sizeof(sink) + 8];

	snprintf(path, sizeof(path), "/dev/%s", sink);
	return path;
}

const char *of_sink(const char *file)
{
	static char paths[PATHS][128];
	static unsigned int next;
	char *path = paths[next++ % PATHS];

	snprintf(path, sizeof(paths[0]), SINKS "%s/%s", sink, file);
	return path;
}

const char *of_owner(const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), COMPONENTS "%s/%s", get(of_sink("component")), file);
	return path;
}

bool has_address(const char *text, size_t size)
{
	unsigned int digits = 0;

	for (size_t i = 0; i < size; i++) {
		digits = strchr("0123456789abcdef", text[i]) && text[i] ? digits + 1 : 0;
		/* All ones are a mask. */
		if (digits == 16 && !strncmp(text + i - 15, "ffff", 4) &&
		    strncmp(text + i - 15, "ffffffffffffffff", 16))
			return true;
	}
	return false;
}

bool run_on_encoder0(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(get_number(ENCODER0 "cpus"), &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

bool is_reading(pid_t task)
{
	char file[64];
	int call;

	snprintf(file, sizeof(file), "/proc/%d/syscall", task);
	for (int i = 0; i < 3000; i++) {
		if (sscanf(get(file), "%d ", &call) == 1 && call == SYS_read)
			return true;
		usleep(10000);
	}
	return false;
}

void burn(unsigned int ms)
{
	struct timespec start, now;
	volatile unsigned int sum = 0;
	unsigned int rounds = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		rounds++;
		for (unsigned int i = 0; i < 20000; i++)
			if ((i * 2654435761U) >> 30)
				sum += i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (rounds < ms / 4 ||
		 (now.tv_sec - start.tv_sec) * 1000 +
		 (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

bool trace_something(void)
{
	if (put(of_sink("tracing"), "1"))
		return false;
	burn(10);
	return !put(of_sink("tracing"), "0");
}

static const void *map(int fd, uint64_t offset, size_t size)
{
	const void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);

	return p == MAP_FAILED ? NULL : p;
}

bool set_encoders(const char *name, const char *value)
{
	bool good = true;
	char file[600];

	for (unsigned int i = 0; component(i); i++) {
		snprintf(file, sizeof(file), "%sinst_mode", component(i));
		if (access(file, F_OK))
			continue;
		snprintf(file, sizeof(file), "%s%s", component(i), name);
		good &= !put(file, value);
	}
	return good;
}

bool reader_open(struct reader *reader)
{
	reader->fd = open(sink_device(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reader->fd < 0)
		return false;
	reader->control = map(reader->fd, RVTRACE_MMAP_CONTROL, sizeof(*reader->control));
	if (!reader->control)
		return false;
	reader->records = map(reader->fd, RVTRACE_MMAP_RECORDS, reader->control->records_size);
	reader->data = map(reader->fd, RVTRACE_MMAP_DATA, reader->control->data_size);
	return reader->records && reader->data;
}

void reader_close(struct reader *reader)
{
	if (reader->data)
		munmap((void *)reader->data, reader->control->data_size);
	if (reader->records)
		munmap((void *)reader->records, reader->control->records_size);
	if (reader->control)
		munmap((void *)reader->control, sizeof(*reader->control));
	close(reader->fd);
}

int reader_consume(const struct reader *reader, uint64_t position, struct rvtrace_consume *c)
{
	struct rvtrace_consume own;

	if (!c)
		c = &own;
	*c = (struct rvtrace_consume){
		.position = position,
		.records_position = reader->control->records_head,
	};
	return ioctl(reader->fd, RVTRACE_IOC_CONSUME, c) ? -errno : 0;
}

const struct rvtrace_record *reader_record(const struct reader *reader,
					   uint64_t *position, uint16_t type)
{
	uint64_t head = __atomic_load_n(&reader->control->records_head, __ATOMIC_ACQUIRE);

	while (*position < head) {
		const struct rvtrace_record *record = (const void *)
			(reader->records + *position % reader->control->records_size);

		*position += record->size;
		if (record->type == type)
			return record;
	}
	return NULL;
}

bool is_told(int log, const char *what)
{
	char line[2048];
	bool told = false;
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		told = told || strstr(line, what);
	}
	if (!told)
		printf("# not told: %s\n", what);
	return told;
}

void idle_sink(void)
{
	put(of_sink("tracing"), "0");
	if (!strcmp(get(of_sink("state")), "stopped")) {
		char buffer[65536];
		int fd = open(sink_device(), O_RDONLY | O_NONBLOCK);

		while (fd >= 0 && read(fd, buffer, sizeof(buffer)) > 0)
			;
		close(fd);
	}
	put(of_sink("mode"), "stream");
	put(of_sink("buffer_size"), get(of_sink("buffer_size_max")));
}

static void terminated(int number)
{
	if (running > 0)
		kill(-running, SIGKILL);
	_exit(128 + number);
}

static void __attribute__((noreturn)) run_in_group(const struct test *test)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	running = 0;
	test->run();
	fflush(stdout);
	_exit(0);
}

/* All of the group end, and it is known when they have. */
static void end_group(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-group, NULL, 0) > 0)
		;
}

struct outcome run_test(const struct test *test)
{
	struct outcome *outer = outcome, result;
	pid_t before = running;
	int status = 0;

	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (outcome == MAP_FAILED)
		abort();
	/* Processes whose parent ended are waited for here. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(stdout);
	running = fork();
	if (!running)
		run_in_group(test);
	setpgid(running, running);
	if (running < 0 || waitpid(running, &status, 0) != running || status)
		fail(__FILE__, __LINE__, "%s: wait status %#x", test->name, status);
	if (running > 0)
		end_group(running);
	result = *outcome;
	munmap(outcome, sizeof(*outcome));
	outcome = outer;
	running = before;
	return result;
}

int run_tests(const struct test *tests, size_t count)
{
	unsigned int failures = 0;

	signal(SIGTERM, terminated);
	signal(SIGINT, terminated);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	if (!find_sink()) {
		printf("1..0 # SKIP no trace sink\n");
		return SKIPPED;
	}
	printf("1..%zu\n", count);
	undo_remember();
	for (size_t i = 0; i < count; i++) {
		struct outcome o;

		find_sink();
		idle_sink();
		o = run_test(&tests[i]);
		if (o.failed)
			undo_all();
		failures += o.failed;
		printf("%sok %zu - %s%s%s\n", o.failed ? "not " : "", i + 1, tests[i].name,
		       *o.skipped && !o.failed ? " # SKIP " : "", o.failed ? "" : o.skipped);
	}
	find_sink();
	idle_sink();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
