// SPDX-License-Identifier: GPL-2.0
/* Configuration of the daemon. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <rvtrace/recording.h>

#include "config.h"
#include "tools/lib/base/size.h"

#define SECONDS_MAX	(10000ULL * 24 * 3600)

/* What a handler of libinih knows while a file is read. */
struct loader {
	struct config *config;
	FILE *file;
	int line;		/* that was read last */
	int wrong;		/* which @what is about */
	int code;		/* errno of a read that failed */
	char what[256];
};

void config_defaults(struct config *config, const char *state_dir)
{
	memset(config, 0, sizeof(*config));
	config->segment_size = RVTRACE_RECORDING_SEGMENT_SIZE;
	config->min_free = 64ULL * 1024 * 1024;
	config->sideband = true;
	config->threads = true;
	config->symbols = true;
	config->companions = 8;
	config->connections = 16;
	config->sessions = 8;
	config->detached_time = 24 * 3600;
	config->silent_time = 120;
	config->nice = -10;
	snprintf(config->directory, sizeof(config->directory), "%s", state_dir);
	snprintf(config->group, sizeof(config->group), "rvtrace");
}

int config_parse_time(const char *text, uint64_t *value)
{
	static const struct {
		char suffix;
		unsigned int seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 24 * 3600 } };
	unsigned int unit = 1;
	char *end;
	size_t i;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*value = strtoull(text, &end, 10);
	for (i = 0; *end && i < sizeof(units) / sizeof(units[0]); i++) {
		if (*end != units[i].suffix)
			continue;
		unit = units[i].seconds;
		end++;
		break;
	}
	if (errno || *end || *value > SECONDS_MAX / unit)
		return -1;
	*value *= unit;
	return 0;
}

bool config_may_be_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) ? errno != ENOTDIR : S_ISDIR(st.st_mode);
}

int config_make_directory(const struct config *config)
{
	if (mkdir(config->directory, 0711))
		return errno == EEXIST ? 0 : -errno;
	/* whatever the umask */
	return chmod(config->directory, 0711) ? -errno : 0;
}

static int parse_time(struct loader *loader, const char *value, uint64_t *out)
{
	if (!config_parse_time(value, out))
		return 1;
	snprintf(loader->what, sizeof(loader->what),
		 "'%.64s' is not a time up to 10000 days, as 90s, 30m, 12h, 7d", value);
	return 0;
}

static int parse_size(struct loader *loader, const char *value, uint64_t minimum, uint64_t *out)
{
	if (size_parse(value, out)) {
		snprintf(loader->what, sizeof(loader->what),
			 "'%.64s' is not a size, as 64k, 1M, 2G", value);
		return 0;
	}
	if (*out < minimum) {
		snprintf(loader->what, sizeof(loader->what), "'%.64s' is less than %llu", value,
			 (unsigned long long)minimum);
		return 0;
	}
	return 1;
}

static int parse_int(struct loader *loader, const char *value, long low, long high, int *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (errno || end == value || *end || number < low || number > high) {
		snprintf(loader->what, sizeof(loader->what),
			 "'%.64s' is not a number from %ld to %ld", value, low, high);
		return 0;
	}
	*out = number;
	return 1;
}

static int parse_bool(struct loader *loader, const char *value, bool *out)
{
	static const char *const names[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcasecmp(value, names[i])) {
			*out = i & 1;
			return 1;
		}
	}
	snprintf(loader->what, sizeof(loader->what), "'%.64s' is neither yes nor no", value);
	return 0;
}

static int parse_group(struct loader *loader, const char *value, char *out, size_t size)
{
	if (!*value || strlen(value) >= size) {
		snprintf(loader->what, sizeof(loader->what),
			 "'%.64s' is not the name of a group of 1 to %zu bytes", value, size - 1);
		return 0;
	}
	strcpy(out, value);
	return 1;
}

/* A line is shorter than what holds a directory. */
static int parse_directory(struct loader *loader, const char *value, char *out, size_t size)
{
	if (*value != '/')
		snprintf(loader->what, sizeof(loader->what), "'%.200s' is not an absolute path",
			 value);
	else if (!config_may_be_directory(value))
		snprintf(loader->what, sizeof(loader->what), "'%.200s' is not a directory", value);
	else
		return snprintf(out, size, "%s", value) < (int)size;
	return 0;
}

static int unknown_setting(struct loader *loader, const char *section, const char *name)
{
	snprintf(loader->what, sizeof(loader->what), "unknown setting '%.64s' in [%.64s]", name,
		 section);
	return 0;
}

static int handle_record(struct loader *loader, const char *name, const char *value)
{
	struct config *config = loader->config;

	if (!strcmp(name, "directory"))
		return parse_directory(loader, value, config->directory,
				       sizeof(config->directory));
	if (!strcmp(name, "group_access"))
		return parse_bool(loader, value, &config->group_access);
	if (!strcmp(name, "segment_size"))
		return parse_size(loader, value, RVTRACE_RECORDING_SEGMENT_MIN,
				  &config->segment_size);
	if (!strcmp(name, "min_free"))
		return parse_size(loader, value, 0, &config->min_free);
	if (!strcmp(name, "watermark"))
		return parse_size(loader, value, 0, &config->watermark);
	if (!strcmp(name, "sideband"))
		return parse_bool(loader, value, &config->sideband);
	if (!strcmp(name, "threads"))
		return parse_bool(loader, value, &config->threads);
	if (!strcmp(name, "symbols"))
		return parse_bool(loader, value, &config->symbols);
	if (!strcmp(name, "companions"))
		return parse_int(loader, value, 0, 1000, &config->companions);
	return unknown_setting(loader, "record", name);
}

static int handle_limits(struct loader *loader, const char *name, const char *value)
{
	struct config *config = loader->config;

	if (!strcmp(name, "connections"))
		return parse_int(loader, value, 1, CONFIG_CONNECTIONS_MAX, &config->connections);
	if (!strcmp(name, "sessions"))
		return parse_int(loader, value, 1, 10000, &config->sessions);
	if (!strcmp(name, "session_size"))
		return parse_size(loader, value, 0, &config->session_size);
	if (!strcmp(name, "detached_time"))
		return parse_time(loader, value, &config->detached_time);
	if (!strcmp(name, "silent_time"))
		return parse_time(loader, value, &config->silent_time);
	return unknown_setting(loader, "limits", name);
}

static int handle_daemon(struct loader *loader, const char *name, const char *value)
{
	struct config *config = loader->config;

	if (!strcmp(name, "group"))
		return parse_group(loader, value, config->group, sizeof(config->group));
	if (!strcmp(name, "nice"))
		return parse_int(loader, value, -20, 19, &config->nice);
	if (!strcmp(name, "realtime"))
		return parse_int(loader, value, 0, 99, &config->realtime);
	return unknown_setting(loader, "daemon", name);
}

static int handle_setting(struct loader *loader, const char *section, const char *name,
			  const char *value)
{
	if (!strcmp(section, "record"))
		return handle_record(loader, name, value);
	if (!strcmp(section, "limits"))
		return handle_limits(loader, name, value);
	if (!strcmp(section, "daemon"))
		return handle_daemon(loader, name, value);
	if (*section)
		snprintf(loader->what, sizeof(loader->what),
			 "unknown section [%.64s]: neither [record] nor [limits] nor [daemon]",
			 section);
	else
		snprintf(loader->what, sizeof(loader->what),
			 "'%.64s' is before the first section: [record], [limits] or [daemon]",
			 name);
	return 0;
}

/* libinih: 1 is success, 0 makes ini_parse_stream() return the line. */
static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct loader *loader = user;

	/* Only the first error of a file is reported. */
	if (loader->what[0])
		return 0;
	if (handle_setting(loader, section, name, value))
		return 1;
	loader->wrong = loader->line;
	return 0;
}

/* libinih reads a line that is too long as several. */
static char *read_line(char *text, int size, void *user)
{
	struct loader *loader = user;

	if (loader->what[0])
		return NULL;
	if (!fgets(text, size, loader->file)) {
		loader->code = ferror(loader->file) ? errno : 0;
		return NULL;
	}
	loader->line++;
	if (strlen(text) + 1 < (size_t)size || text[size - 2] == '\n')
		return text;
	loader->wrong = loader->line;
	snprintf(loader->what, sizeof(loader->what), "the line has more than %d bytes", size - 2);
	return NULL;
}

static int load_file(struct config *config, const char *path, bool required, char *error,
		     size_t size)
{
	struct loader loader = { .config = config };
	int line;

	loader.file = fopen(path, "re");
	if (!loader.file) {
		if (errno == ENOENT && !required)
			return 0;
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -1;
	}
	line = ini_parse_stream(read_line, &loader, handle, &loader);
	fclose(loader.file);
	if (loader.code)
		snprintf(error, size, "%s: %s", path, strerror(loader.code));
	else if (line && line != loader.wrong)
		snprintf(error, size, "%s:%d: neither [section] nor name = value", path, line);
	else if (loader.what[0])
		snprintf(error, size, "%s:%d: %s", path, loader.wrong, loader.what);
	else
		return 0;
	return -1;
}

int config_load(struct config *config, const char *path, bool required, char *error, size_t size)
{
	char pattern[CONFIG_PATH_MAX];
	glob_t found = { 0 };
	size_t i;
	int ret = load_file(config, path, required, error, size);

	if (ret)
		return ret;
	snprintf(pattern, sizeof(pattern), "%s.d/*.conf", path);
	if (!glob(pattern, 0, NULL, &found))
		for (i = 0; !ret && i < found.gl_pathc; i++)
			ret = load_file(config, found.gl_pathv[i], true, error, size);
	globfree(&found);
	return ret;
}
