// SPDX-License-Identifier: GPL-2.0
/* What root does for the owner of a recording, it does with the owner's rights. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "tools/lib/base/owner.h"
#include "tools/lib/recording/recorder.h"

#define OWNER	65534
#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
#define SECRET	"nobody's business\n"

static char folder[] = "/tmp/rvtrace-owner-XXXXXX", path[128], secret[128];
static int directory;

/* A directory of the owner's, beside it a file of root's */
static int setup(void **state)
{
	FILE *file;

	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (geteuid() || !mkdtemp(folder))
		return geteuid() ? 0 : -1;
	snprintf(path, sizeof(path), "%s/recording", folder);
	snprintf(secret, sizeof(secret), "%s/secret", folder);
	if (chmod(folder, 0755) || mkdir(path, 0755) || chown(path, OWNER, OWNER))
		return -1;
	file = fopen(secret, "w");
	if (!file || fputs(SECRET, file) < 0 || fclose(file) || chmod(secret, 0600))
		return -1;
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory < 0;
}

static int teardown(void **state)
{
	char command[160];

	(void)state;
	if (geteuid())
		return 0;
	close(directory);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void need_root(void)
{
	if (geteuid()) {
		print_message("only root can be somebody else\n");
		skip();
	}
}

static void assert_secret_is_kept(void)
{
	char text[64] = "";
	struct stat st;
	FILE *file;

	assert_int_equal(stat(secret, &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	file = fopen(secret, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, SECRET);
	assert_int_equal(st.st_size, strlen(SECRET));
}

static void the_kernel_decides_as_for_the_owner(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	need_root();
	assert_int_equal(rvtrace_owner_begin(OWNER, OWNER, 0), 0);
	assert_int_equal(rvtrace_owner_begin(0, 0, 0), -EPERM);
	assert_int_equal(rvtrace_owner_begin(OWNER - 1, OWNER, 0), -EPERM);
	assert_int_equal(rvtrace_owner_begin(OWNER, OWNER, 0), 0);
	assert_int_equal(open(secret, O_RDONLY), -1);
	assert_int_equal(errno, EACCES);
	fd = openat(directory, "file", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(st.st_uid, OWNER);
	assert_int_equal(st.st_gid, OWNER);
	rvtrace_owner_end();
	assert_int_equal(open(secret, O_RDONLY), -1);
	rvtrace_owner_end();
}

static void afterwards_everything_is_as_before(void **state)
{
	gid_t groups[3] = { 7, 8, 9 }, now[8];
	int fd;

	(void)state;
	need_root();
	assert_int_equal(setgroups(3, groups), 0);
	assert_int_equal(rvtrace_owner_begin(OWNER, OWNER, 0), 0);
	assert_int_equal(getgroups(8, now), 0);
	errno = ENOTTY;
	rvtrace_owner_end();
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(getgroups(8, now), 3);
	assert_memory_equal(groups, now, sizeof(groups));
	assert_int_equal(setfsuid(-1), 0);
	assert_int_equal(setfsgid(-1), getegid());
	fd = open(secret, O_RDWR);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(setgroups(0, NULL), 0);
}

static void who_is_not_root_stays_what_he_is(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(seteuid(OWNER), 0);
	assert_int_equal(rvtrace_owner_begin(OWNER, -1, 0), 0);
	rvtrace_owner_end();
	assert_int_equal(rvtrace_owner_begin(OWNER - 1, -1, 0), -EPERM);
	assert_int_equal(setfsuid(-1), OWNER);
	assert_int_equal(seteuid(0), 0);
}

static struct rvtrace_recorder *record(void)
{
	const struct rvtrace_recorder_options options = { .uid = OWNER, .gid = OWNER };
	struct rvtrace_failure error = { 0 };
	struct json_object *metadata = json_object_new_object();
	struct rvtrace_recorder *recorder;
	struct iovec iov = { "12345678", 8 };

	json_object_object_add(metadata, "sinks", json_tokener_parse("[{\"name\":\"s0\"}]"));
	assert_int_equal(rvtrace_recorder_new(dup(directory), "x", &options, &recorder, &error), 0);
	assert_int_equal(rvtrace_recorder_add_sink(recorder, "s0", &error), 0);
	assert_int_equal(rvtrace_recorder_begin(recorder, metadata, &error), 0);
	assert_int_equal(rvtrace_recorder_write(recorder, 0, 0, &iov, 1, &error), 0);
	json_object_put(metadata);
	return recorder;
}

static void files_of_a_recording_are_the_owners(void **state)
{
	static const char *const files[] = {
		"metadata.json", "metadata.copy.json", "s0.idx", "s0.records", "s0.0000.bin",
	};
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recorder *recorder;
	struct stat st;
	size_t i;

	(void)state;
	need_root();
	recorder = record();
	assert_int_equal(rvtrace_recorder_finish(recorder, &error), 0);
	rvtrace_recorder_free(recorder);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(fstatat(directory, files[i], &st, 0), 0);
		assert_int_equal(st.st_uid, OWNER);
		assert_int_equal(st.st_gid, OWNER);
	}
}

/* As with a hard link, or with a bind mount in a mount namespace */
static void put_the_secret_there(const char *name)
{
	unlinkat(directory, name, 0);
	assert_int_equal(linkat(AT_FDCWD, secret, directory, name, 0), 0);
}

static void a_recording_that_goes_on_leads_to_no_other_file(void **state)
{
	static const char *const names[] = { "s0.idx", "s0.records", "s0.0000.bin", "sideband" };
	const struct rvtrace_recorder_options options = { .uid = OWNER, .gid = OWNER };
	struct rvtrace_failure error = { 0 };
	struct rvtrace_recorder *recorder;
	size_t i;

	(void)state;
	need_root();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		rvtrace_recorder_free(record());
		put_the_secret_there(names[i]);
		assert_int_not_equal(rvtrace_recorder_resume(dup(directory), "x", &options,
							     &recorder, &error), 0);
		assert_null(recorder);
		assert_secret_is_kept();
		assert_int_equal(teardown(state) | setup(state), 0);
	}
}

static void a_repair_by_root_leads_to_no_other_file(void **state)
{
	static const char *const names[] = {
		"s0.idx", "s0.records", "sideband", "metadata.json.tmp", "images/index.jsonl",
	};
	struct rvtrace_failure error = { 0 };
	size_t i;

	(void)state;
	need_root();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		rvtrace_recorder_free(record());
		assert_int_equal(mkdirat(directory, "images", 0755), 0);
		put_the_secret_there(names[i]);
		rvtrace_recording_recover(directory, "x", false, NULL, NULL, &error);
		assert_secret_is_kept();
		assert_int_equal(teardown(state) | setup(state), 0);
	}
}

/* In a process that becomes the owner: 0, or the line of what is not so */
static int whoever_becomes_the_owner(void)
{
	const gid_t group = 7;
	gid_t groups[8];
	FILE *status;
	char line[256];
	uint64_t left;
	int private = 0;

	if (rvtrace_owner_become(OWNER, OWNER - 1, &group, 1, ~0ULL))
		return __LINE__;
	if (getgroups(8, groups) != 1 || groups[0] != group || getgid() != OWNER - 1)
		return __LINE__;
	if (open(secret, O_RDONLY) >= 0 || openat(directory, "mine", O_CREAT | O_RDWR, 0600) < 0)
		return __LINE__;
	if (!setuid(0) || !setresuid(-1, 0, -1) || !setgid(0) || !setgroups(0, NULL))
		return __LINE__;
	/* whoever is the owner, too, neither traces it nor opens what it has open */
	if (prctl(PR_GET_DUMPABLE))
		return __LINE__;
	/* what was written for root goes on as the owner */
	if (rvtrace_owner_begin(OWNER, OWNER - 1, 0) || rvtrace_owner_begin(OWNER, OWNER - 1, 0))
		return __LINE__;
	rvtrace_owner_end();
	rvtrace_owner_end();
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status)) {
		private += !strcmp(line, "NoNewPrivs:\t1\n");
		if ((!strncmp(line, "CapInh", 6) || !strncmp(line, "CapPrm", 6) ||
		     !strncmp(line, "CapEff", 6)) && (sscanf(line + 7, "%" SCNx64, &left) != 1 || left))
			return __LINE__;
	}
	return private ? 0 : __LINE__;
}

static void what_becomes_the_owner_has_no_way_back(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_root();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		status = whoever_becomes_the_owner();
		fprintf(stderr, status ? "line %d\n" : "", status);
		_exit(status != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_secret_is_kept();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_decides_as_for_the_owner),
		TEST(afterwards_everything_is_as_before),
		TEST(files_of_a_recording_are_the_owners),
		TEST(a_recording_that_goes_on_leads_to_no_other_file),
		TEST(a_repair_by_root_leads_to_no_other_file),
		TEST(what_becomes_the_owner_has_no_way_back),
		/* the last: what fails in it leaves another user */
		TEST(who_is_not_root_stays_what_he_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
