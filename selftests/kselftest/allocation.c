// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail, one after the other: whatever the driver does then, it
 * says ENOMEM or goes without, and the next try goes on as if nothing had been.
 *
 * /proc/thread-self/fail-nth counts allocations of this thread; of these only
 * those that have a function of a module in their stack, and there must be no
 * module but the driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define DRIVER		"/sys/bus/platform/drivers/rvtrace_tci/"
#define MODULES_SIZE	(2UL << 30)
#define COMPONENTS_MAX	64
#define FAR		(64UL << 30)
/* How many failures may pass before a try without one */
#define TRIES		16

/* One of how many sites is tried */
static unsigned int every = 1;
static int fail_nth;

/* Components by their names, and the platform devices that they are bound to. */
static struct {
	char name[64];
	char device[256];
} components[COMPONENTS_MAX];
static unsigned int component_count;
static const char *device;

/* Where the kernel's text begins; modules are in the 2 GiB before it. */
static unsigned long kernel_text(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long address, found = 0;
	char name[256];

	if (!symbols)
		return 0;
	while (!found && fscanf(symbols, "%lx %*c %255s%*[^\n]", &address, name) == 2)
		if (!strcmp(name, "_stext"))
			found = address;
	fclose(symbols);
	return found;
}

static bool put_all(const char *file, const char *value)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	char path[256];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/%s", kinds[i], file);
		if (put(path, value))
			return false;
	}
	return true;
}

/* Of a kernel without that filter every allocation of the thread counts. */
static bool only_of_modules(void)
{
	unsigned long text = kernel_text();
	char from[32], to[32];

	if (access(DEBUGFS "failslab/require-start", F_OK))
		return true;
	snprintf(from, sizeof(from), "%#lx", text - MODULES_SIZE);
	snprintf(to, sizeof(to), "%#lx", text);
	return text && put_all("require-start", from) && put_all("require-end", to);
}

/* Only what a function, or what that calls, allocates. */
static bool only_of(const char *function)
{
	unsigned long address, start = 0, end = ULONG_MAX;
	char name[256], from[32], to[32];
	FILE *symbols;

	for (int pass = 0; pass < 2; pass++) {
		symbols = fopen("/proc/kallsyms", "re");
		if (!symbols)
			return false;
		while (fscanf(symbols, "%lx %*c %255s%*[^\n]", &address, name) == 2) {
			if (!pass && !strcmp(name, function))
				start = address;
			else if (pass && address > start && address < end)
				end = address;
		}
		fclose(symbols);
	}
	snprintf(from, sizeof(from), "%#lx", start);
	snprintf(to, sizeof(to), "%#lx", end);
	return start && put_all("require-start", from) && put_all("require-end", to);
}

/* Return: NULL or why allocations cannot be made to fail. */
static const char *prepare(void)
{
	if (access(FAIL_NTH, F_OK) || access(DEBUGFS "failslab", F_OK))
		return "this kernel does not inject faults";
	if (!only_of_modules() || !put_all("ignore-gfp-wait", "N") || !put_all("verbose", "0") ||
	    put(DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N") ||
	    put(DEBUGFS "fail_page_alloc/min-order", "0"))
		return "faults cannot be set up";
	return NULL;
}

static void fail_from_now_on(unsigned int nth)
{
	char number[16];
	int n = snprintf(number, sizeof(number), "%u", nth);

	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (write(fail_nth, number, n) != n)
		abort();
}

/* Return: whether an allocation has failed. */
static bool end_of_failing(void)
{
	char left[16] = "";

	if (pread(fail_nth, left, sizeof(left) - 1, 0) < 0 || write(fail_nth, "0", 1) != 1)
		abort();
	close(fail_nth);
	return !strtoul(left, NULL, 10);
}

/* @tried_again: by the kernel, so that no failure of the operation comes of it */
struct operation {
	int (*begin)(void);
	int (*undo)(void);
	bool tried_again;
};

static bool works(const struct operation *operation, unsigned int site)
{
	int ret = operation->begin();

	ret = ret ?: operation->undo();
	if (ret)
		fail(__FILE__, __LINE__, "error %d without a failure, after the one at site %u",
		     ret, site);
	return !ret;
}

/*
 * Let every allocation of an operation fail in turn. What a failure leaves behind, the
 * next try meets on its way to the next failure; the last try of all succeeds.
 */
static void fail_everywhere(const struct operation *operation, const char *what)
{
	unsigned int site, refused = 0, without = 0;
	int ret, err;

	for (site = 1; ; site += every) {
		bool failed;

		fail_from_now_on(site);
		ret = operation->begin();
		failed = end_of_failing();
		if (ret && (!failed || ret != -ENOMEM)) {
			fail(__FILE__, __LINE__, "%s: error %d at site %u", what, ret, site);
			return;
		}
		err = ret ? 0 : operation->undo();
		if (err) {
			fail(__FILE__, __LINE__, "%s: error %d of undoing, site %u", what, err,
			     site);
			return;
		}
		if (!failed)
			break;
		if (ret)
			refused++;
		else
			without++;
		if (site / every % TRIES == 0 && !works(operation, site))
			return;
	}
	printf("# %s: ENOMEM at %u sites, goes without at %u\n", what, refused, without);
	if (!(operation->tried_again ? without : refused))
		fail(__FILE__, __LINE__, "%s: no allocation failed", what);
}

static void find_components(void)
{
	const char *folder;

	while (component_count < COMPONENTS_MAX && (folder = component(component_count))) {
		/* .../DEVICE/NAME */
		char *path = realpath(folder, NULL), *slash = path ? strrchr(path, '/') : NULL;

		if (!slash)
			abort();
		*slash = '\0';
		snprintf(components[component_count].name, sizeof(components->name), "%s",
			 slash + 1);
		snprintf(components[component_count].device, sizeof(components->device), "%s",
			 strrchr(path, '/') + 1);
		component_count++;
		free(path);
	}
}

static int override_all(const char *driver)
{
	int ret = 0;

	for (unsigned int i = 0; i < component_count && !ret; i++) {
		char path[512];

		snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver_override",
			 components[i].device);
		ret = put(path, driver);
	}
	return ret;
}

static int load(void)
{
	struct utsname name;
	char path[512];
	int fd, ret;

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/extra/rvtrace.ko", name.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	/* What module_add_driver() says without memory for the module's folder of drivers. */
	return ret == -EINVAL ? -ENOMEM : ret;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "rvtrace", O_NONBLOCK) ? -errno : 0;
}

/*
 * Without components: each is bound by itself below. Where memory for a bus fails, Linux
 * 6.12 warns of a fault of its own; whoever reads the log is told when it may.
 */
static void loading_the_module(void)
{
	static const struct operation operation = { .begin = load, .undo = unload };

	EXPECT_EQ(unload(), 0);
	EXPECT_EQ(override_all("none"), 0);
	put("/dev/kmsg", "<4>ksft-allocation: bus_register() may fail");
	fail_everywhere(&operation, "load");
	put("/dev/kmsg", "<4>ksft-allocation: bus_register() must not fail");
	EXPECT_EQ(override_all("\n"), 0);
	EXPECT_EQ(load(), 0);
	EXPECT(sink_comes());
}

static int bind_one(void)
{
	return put(DRIVER "bind", device);
}

static int unbind_one(void)
{
	return put(DRIVER "unbind", device);
}

/* The first of each role */
static void binding_a_component(void)
{
	static const struct operation operation = { .begin = bind_one, .undo = unbind_one };

	for (unsigned int i = 0; i < component_count && !has_failed(); i++) {
		const char *name = components[i].name;

		if (strcmp(name + strcspn(name, "0123456789"), "0"))
			continue;
		device = components[i].device;
		EXPECT_EQ(unbind_one(), 0);
		fail_everywhere(&operation, name);
		EXPECT_EQ(bind_one(), 0);
	}
}

/* Attaching them allocates; nobody tells when those that were not needed for half a second have gone. */
static void wait_for_probes_to_go(void)
{
	usleep(800000);
}

#define AUTOPROBE	"/sys/bus/platform/drivers_autoprobe"

/* As if the module had just been loaded */
static int begin_anew(void)
{
	int ret = unload() ?: load();

	return ret ?: only_of("stm_register_device") ? 0 : -ENOENT;
}

static int unbind_and_begin_anew(void)
{
	return unbind_one() ?: begin_anew();
}

/* Only the first encoder has it registered. */
static void registering_with_the_stm_class(void)
{
	static const struct operation operation = {
		.begin = bind_one, .undo = unbind_and_begin_anew,
	};

	if (access("/dev/rvtrace_stm", F_OK) || access(DEBUGFS "failslab/require-start", F_OK)) {
		skip("no device of the STM class, or allocations cannot be told apart");
		return;
	}
	for (unsigned int i = 0; i < component_count; i++)
		if (!strcmp(components[i].name, "encoder0"))
			device = components[i].device;
	EXPECT_EQ(put(AUTOPROBE, "0"), 0);
	EXPECT_EQ(begin_anew(), 0);
	fail_everywhere(&operation, "STM class");
	EXPECT_EQ(put(AUTOPROBE, "1"), 0);
	EXPECT_EQ(unload(), 0);
	EXPECT(only_of_modules());
	EXPECT_EQ(load(), 0);
	EXPECT(sink_comes());
}

static int begin_session(void)
{
	return put(of_sink("tracing"), "1");
}

/* What was traced is read, so that the next session finds the ring as this one did. */
static int end_session(void)
{
	int ret = put(of_sink("tracing"), "0");
	int fd = open(sink_device(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	static char buffer[65536];

	if (fd < 0)
		return -errno;
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
	wait_for_probes_to_go();
	return ret ?: is(of_sink("state"), "idle") ? ret : -EBUSY;
}

static void beginning_a_session(void)
{
	static const struct operation operation = { .begin = begin_session, .undo = end_session };

	fail_everywhere(&operation, "start");
	EXPECT(is(ENCODER0 "enable", "0"));
}

static int enable_encoder(void)
{
	return put(ENCODER0 "enable", "1");
}

static void enabling_an_encoder(void)
{
	static const struct operation operation = { .begin = enable_encoder, .undo = end_session };

	fail_everywhere(&operation, "enable");
}

static struct reader reader;

static int open_device(void)
{
	int fd = open(sink_device(), O_RDONLY | O_CLOEXEC);

	reader.fd = fd;
	return fd < 0 ? -errno : 0;
}

static int close_device(void)
{
	int ret = close(reader.fd) ? -errno : 0;

	wait_for_probes_to_go();
	return ret;
}

static void opening_the_device(void)
{
	static const struct operation operation = { .begin = open_device, .undo = close_device };

	wait_for_probes_to_go();
	fail_everywhere(&operation, "open");
}

static int ask_for_tasks(void)
{
	return ioctl(reader.fd, RVTRACE_IOC_TASKS, &(uint32_t){ 1 }) ? -errno : 0;
}

static int ask_no_longer(void)
{
	int ret = ioctl(reader.fd, RVTRACE_IOC_TASKS, &(uint32_t){ 0 }) ? -errno : 0;

	wait_for_probes_to_go();
	return ret;
}

static void asking_for_tasks(void)
{
	static const struct operation operation = { .begin = ask_for_tasks, .undo = ask_no_longer };

	EXPECT_EQ(open_device(), 0);
	fail_everywhere(&operation, "tasks");
	EXPECT_EQ(close_device(), 0);
}

/* Far from everything else, so that page tables are needed. */
static int map_records(void)
{
	reader.records = mmap((void *)FAR, 4096, PROT_READ, MAP_SHARED, reader.fd,
			      RVTRACE_MMAP_RECORDS);
	return reader.records == MAP_FAILED ? -errno : 0;
}

static int unmap_records(void)
{
	return munmap((void *)reader.records, 4096) ? -errno : 0;
}

static void mapping_the_records(void)
{
	static const struct operation operation = { .begin = map_records, .undo = unmap_records };

	EXPECT_EQ(open_device(), 0);
	fail_everywhere(&operation, "mmap");
	EXPECT_EQ(close_device(), 0);
}

/* More than a table of pages maps */
#define TOUCHED	(8UL << 20)

static sigjmp_buf fault;

static void jump_out(int signal)
{
	(void)signal;
	siglongjmp(fault, 1);
}

/* Where there is no memory for page tables, the kernel makes some, and tries again. */
static int touch_data(void)
{
	const volatile char *data = mmap((void *)FAR, TOUCHED, PROT_READ, MAP_SHARED, reader.fd,
					 RVTRACE_MMAP_DATA);
	int ret = 0;

	if (data == MAP_FAILED)
		return -errno;
	if (sigsetjmp(fault, 1))
		ret = -EFAULT;
	else
		(void)data[0];
	return ret;
}

static int unmap_data(void)
{
	return munmap((void *)FAR, TOUCHED) ? -errno : 0;
}

static void touching_the_data(void)
{
	static const struct operation operation = {
		.begin = touch_data, .undo = unmap_data, .tried_again = true,
	};
	char size[32], before[32];

	snprintf(before, sizeof(before), "%s", get(of_sink("buffer_size")));
	snprintf(size, sizeof(size), "%lu", TOUCHED);
	if (put(of_sink("buffer_size"), size)) {
		skip("the ring cannot be of 8 MiB");
		return;
	}
	signal(SIGBUS, jump_out);
	EXPECT_EQ(open_device(), 0);
	fail_everywhere(&operation, "page fault");
	EXPECT_EQ(close_device(), 0);
	signal(SIGBUS, SIG_DFL);
	EXPECT_EQ(put(of_sink("buffer_size"), before), 0);
}

int main(int argc, char *argv[])
{
	static const struct test tests[] = {
		TEST(loading_the_module),
		TEST(binding_a_component),
		TEST(registering_with_the_stm_class),
		TEST(beginning_a_session),
		TEST(enabling_an_encoder),
		TEST(opening_the_device),
		TEST(asking_for_tasks),
		TEST(mapping_the_records),
		TEST(touching_the_data),
	};
	const char *why;
	int option;

	while ((option = getopt(argc, argv, "e:")) != -1) {
		if (option == 'e')
			every = strtoul(optarg, NULL, 10);
		if (option != 'e' || !every) {
			fprintf(stderr, "usage: %s [-e N]\n", argv[0]);
			return 2;
		}
	}
	why = prepare();
	if (why) {
		printf("TAP version 13\n1..0 # SKIP %s\n", why);
		return 4;
	}
	find_components();
	return run_tests(tests, sizeof(tests) / sizeof(*tests));
}
