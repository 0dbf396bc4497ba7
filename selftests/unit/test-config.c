// SPDX-License-Identifier: GPL-2.0
/* Configuration of the daemon. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/config.h"

struct files {
	char folder[64];
	char main[128];
	char extra_folder[136];
	char extra[160];
	struct config config;
	char error[256];
};

static int set_up(void **state)
{
	struct files *files = calloc(1, sizeof(*files));

	strcpy(files->folder, "/tmp/test-config-XXXXXX");
	if (!mkdtemp(files->folder))
		return -1;
	snprintf(files->main, sizeof(files->main), "%s/a.conf", files->folder);
	snprintf(files->extra_folder, sizeof(files->extra_folder), "%s.d", files->main);
	snprintf(files->extra, sizeof(files->extra), "%s/x.conf", files->extra_folder);
	config_defaults(&files->config, "/state");
	*state = files;
	return 0;
}

static int tear_down(void **state)
{
	struct files *files = *state;

	unlink(files->main);
	unlink(files->extra);
	rmdir(files->extra_folder);
	rmdir(files->folder);
	free(files);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int load(struct files *files, const char *text)
{
	write_file(files->main, text);
	return config_load(&files->config, files->main, true, files->error, sizeof(files->error));
}

static void times(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(config_parse_time("0", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(config_parse_time("90", &value), 0);
	assert_int_equal(value, 90);
	assert_int_equal(config_parse_time("90s", &value), 0);
	assert_int_equal(value, 90);
	assert_int_equal(config_parse_time("2m", &value), 0);
	assert_int_equal(value, 120);
	assert_int_equal(config_parse_time("24h", &value), 0);
	assert_int_equal(value, 86400);
	assert_int_equal(config_parse_time("10000d", &value), 0);
	assert_int_equal(value, 864000000);
	assert_int_equal(config_parse_time("10001d", &value), -1);
	assert_int_equal(config_parse_time("18446744073709551617", &value), -1);
	assert_int_equal(config_parse_time("1hm", &value), -1);
	assert_int_equal(config_parse_time("1w", &value), -1);
	assert_int_equal(config_parse_time("-1", &value), -1);
	assert_int_equal(config_parse_time("", &value), -1);
	assert_int_equal(config_parse_time("h", &value), -1);
}

/* Others get through it whatever the umask; what is there stays as it is. */
static void directory(void **state)
{
	struct files *files = *state;
	mode_t mask = umask(0077);
	struct stat st;

	snprintf(files->config.directory, sizeof(files->config.directory), "%s", files->extra_folder);
	assert_int_equal(config_make_directory(&files->config), 0);
	umask(mask);
	assert_int_equal(stat(files->extra_folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	assert_int_equal(chmod(files->extra_folder, 0700), 0);
	assert_int_equal(config_make_directory(&files->config), 0);
	assert_int_equal(stat(files->extra_folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	strcat(files->config.directory, "/none/x");
	assert_int_equal(config_make_directory(&files->config), -ENOENT);
}

static void every_setting_is_read(void **state)
{
	struct files *files = *state;

	assert_int_equal(load(files, "[record]\ndirectory = /data\nsegment_size = 1M\n"
			      "min_free = 2G\nwatermark = 64k\nsideband = no\nthreads = no\n"
			      "group_access = yes\n[limits]\nconnections = 3\nsessions = 2\n"
			      "session_size = 1G\ndetached_time = 7d\nsilent_time = 5m\n"
			      "[daemon]\ngroup = wheel\nnice = -5\nrealtime = 3\n"), 0);
	assert_string_equal(files->config.directory, "/data");
	assert_int_equal(files->config.segment_size, 1 << 20);
	assert_int_equal(files->config.min_free, 2ULL << 30);
	assert_int_equal(files->config.watermark, 65536);
	assert_false(files->config.sideband);
	assert_false(files->config.threads);
	assert_true(files->config.group_access);
	assert_int_equal(files->config.connections, 3);
	assert_int_equal(files->config.sessions, 2);
	assert_int_equal(files->config.session_size, 1 << 30);
	assert_int_equal(files->config.detached_time, 604800);
	assert_int_equal(files->config.silent_time, 300);
	assert_string_equal(files->config.group, "wheel");
	assert_int_equal(files->config.nice, -5);
	assert_int_equal(files->config.realtime, 3);
}

static void later_files_win(void **state)
{
	struct files *files = *state;

	mkdir(files->extra_folder, 0700);
	write_file(files->extra, "[daemon]\nnice = 3\n");
	assert_int_equal(load(files, "[daemon]\nnice = 1\ngroup = g\n"), 0);
	assert_int_equal(files->config.nice, 3);
	assert_string_equal(files->config.group, "g");
}

#define LONG_50	"12345678901234567890123456789012345678901234567890"
#define LONG	LONG_50 LONG_50 LONG_50 LONG_50

static void mistakes_name_file_and_line(void **state)
{
	static const struct {
		const char *text;
		int line;
		const char *what;
	} cases[] = {
		{ "[record]\nsegment_size = big\n", 2, "'big' is not a size" },
		{ "[record]\n\nsegment_size = 1k\n", 3, "less than 65536" },
		{ "[record]\nwatermrak = 1\n", 2, "unknown setting 'watermrak'" },
		{ "[recrod]\nwatermark = 1\n", 2, "unknown section [recrod]" },
		{ "[daemon]\nnice = 99\n", 2, "'99' is not a number from -20 to 19" },
		{ "[daemon]\nrealtime = 1x\n", 2, "'1x'" },
		{ "[limits]\nconnections = 0\n", 2, "'0' is not a number from 1 to 256" },
		{ "[limits]\nsessions = 0\n", 2, "'0' is not a number from 1" },
		{ "[limits]\nsession_size = x\n", 2, "'x' is not a size" },
		{ "[limits]\ndetached_time = 1w\n", 2, "'1w' is not a time up to 10000 days" },
		{ "[limits]\nnice = 1\n", 2, "unknown setting 'nice' in [limits]" },
		{ "[record]\nsideband = maybe\n", 2, "neither yes nor no" },
		{ "[record]\ndirectory = here\n", 2, "'here' is not an absolute path" },
		{ "[record]\ndirectory = /dev/null\n", 2, "'/dev/null' is not a directory" },
		{ "[record]\ndirectory = /dev/null/x\n", 2, "is not a directory" },
		{ "[daemon]\ngroup =\n", 2, "'' is not the name of a group of 1 to 63 bytes" },
		{ "nice = 1\n[daemon]\n", 1, "'nice' is before the first section" },
		{ "[record\nwatermark = 1\n", 1, "neither [section] nor name = value" },
		{ "[record]\nx\nwatermark = x\n", 2, "neither [section] nor name = value" },
		{ "[record]\nwatermark = x\ny\n", 2, "'x' is not a size, as 64k" },
		{ "[record]\n#" LONG "\n", 2, "the line has more than 198 bytes" },
		{ "[record]\nx\n#" LONG "\n", 2, "neither [section] nor name = value" },
		{ "[record]\nnonsense\n", 2, "neither [section] nor name = value" },
	};
	struct files *files = *state;
	char place[160];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(load(files, cases[i].text), -1);
		snprintf(place, sizeof(place), "%s:%d: ", files->main, cases[i].line);
		assert_non_null(strstr(files->error, place));
		assert_non_null(strstr(files->error, cases[i].what));
	}
}

static void missing_file(void **state)
{
	struct files *files = *state;

	assert_int_equal(config_load(&files->config, files->main, false, files->error,
				     sizeof(files->error)), 0);
	assert_int_equal(config_load(&files->config, files->main, true, files->error,
				     sizeof(files->error)), -1);
	assert_non_null(strstr(files->error, "No such file"));
	assert_int_equal(config_load(&files->config, files->folder, true, files->error,
				     sizeof(files->error)), -1);
	assert_non_null(strstr(files->error, "Is a directory"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times),
		TEST(directory),
		TEST(every_setting_is_read),
		TEST(later_files_win),
		TEST(mistakes_name_file_and_line),
		TEST(missing_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
