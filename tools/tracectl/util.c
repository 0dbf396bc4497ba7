// SPDX-License-Identifier: GPL-2.0
/* Messages and devices, for every verb. */
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include <rvtrace/control.h>
#include <rvtrace/recording.h>

#include "tools/lib/base/utf8.h"
#include "suggest.h"
#include "tracectl.h"

#define DAMAGE_SHOWN	20
#define FAILURES_SHOWN	20

void put_visible(FILE *file, const char *text)
{
	char shown[UTF8_VISIBLE_MAX];
	size_t size;

	while ((size = utf8_visible(text, shown))) {
		fputs(shown, file);
		text += size;
	}
}

static void say(const char *color, const char *what, const char *format, va_list args)
{
	bool paint = *what && global.color && isatty(STDERR_FILENO);
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	progress_hide();
	fflush(stdout);
	fprintf(stderr, "tracectl: %s%s%s", paint ? color : "", what, paint ? "\033[0m" : "");
	put_visible(stderr, text ? text : "out of memory");
	fputc('\n', stderr);
	free(text);
}

void error_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("\033[31m", "error: ", format, args);
	va_end(args);
}

void warn_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("\033[33m", "warning: ", format, args);
	va_end(args);
}

void info_text(const char *format, ...)
{
	va_list args;

	if (global.quiet)
		return;
	va_start(args, format);
	say("", "", format, args);
	va_end(args);
}

/* Of root, unless a group may write it, too. */
static const char *who_may_write(const struct stat *st, char text[64])
{
	const struct group *group = st->st_mode & S_IWGRP ? getgrgid(st->st_gid) : NULL;

	snprintf(text, 64, group && group->gr_gid ? "root and members of group %.32s may" :
		 "only root may", group ? group->gr_name : "");
	return text;
}

/* Whether a session of rvtraced writes that attribute, too. */
static bool session_writes(const char *name)
{
	return strcmp(name, "enable") && strcmp(name, "flush") && strcmp(name, "reset");
}

void write_failed(const struct rvtrace_device *device, const char *name, int ret, const char *text)
{
	char path[sizeof(device->path) + 128], who[64], daemon[64] = "";
	const struct group *group = NULL;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", device->path, name);
	if ((ret != -EACCES && ret != -EPERM) || stat(path, &st)) {
		error_text("%s", text);
		return;
	}
	who_may_write(&st, who);
	if (!stat(RVTRACE_CONTROL_SOCKET, &st))
		group = getgrgid(st.st_gid);
	if (group)
		snprintf(daemon, sizeof(daemon), " of group %.32s", group->gr_name);
	if (!session_writes(name)) {
		error_text("%s: %s", text, who);
		return;
	}
	error_text("%s: %s (rvtraced does it for members%s: tracectl record)", text, who,
		   group ? daemon : " of its group, rvtrace");
}

error_t parse_recording(int key, char *arg, struct argp_state *state, const char **directory)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*directory)
			argp_error(state, "more than one recording");
		*directory = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no recording given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int status_of(int error)
{
	switch (error < 0 ? -error : error) {
	case ENODEV:
	case ECONNREFUSED:
	case EPIPE:
		return EXIT_NO_DEVICE;
	default:
		return EXIT_FAILED;
	}
}

void report_failures(const struct rvtrace_recording *recording, const char *directory, bool ended)
{
	char text[1024];
	const char *line;
	size_t i;

	if (ended && !rvtrace_recording_complete(recording))
		warn_text("%s: the recording is incomplete", directory);
	for (i = 0; (line = rvtrace_recording_failure(recording, i)); i++)
		if (i < FAILURES_SHOWN)
			warn_text("%s: failed while it was recorded: %s", directory,
				  printable(line, text, sizeof(text)));
	if (i > FAILURES_SHOWN)
		warn_text("%s: %zu more failures are in metadata.json", directory,
			  i - FAILURES_SHOWN);
}

bool report_damage(const struct rvtrace_recording *recording)
{
	const struct rvtrace_damage *damage;
	size_t i;

	for (i = 0; (damage = rvtrace_recording_damage(recording, i)); i++)
		if (i < DAMAGE_SHOWN)
			warn_text("%s", damage->text);
	if (i > DAMAGE_SHOWN)
		warn_text("%zu more places are damaged", i - DAMAGE_SHOWN);
	return i;
}

const char *printable_bytes(const char *bytes, size_t length, char *copy, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && i < length; i++)
		copy[i] = (unsigned char)bytes[i] < 0x80 && isprint((unsigned char)bytes[i]) ?
			  bytes[i] : '.';
	copy[i] = 0;
	return copy;
}

const char *printable(const char *text, char *copy, size_t size)
{
	return printable_bytes(text, strnlen(text, size), copy, size);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* "an encoder" of encoder12, "a sink" of what is read */
static const char *kind_text(const struct rvtrace_device *device, char text[80])
{
	const char *kind = device->kind == RVTRACE_DEVICE_SINK ? "sink" : device->name;

	snprintf(text, 80, "%s %.*s", strchr("aeiou", *kind) ? "an" : "a",
		 (int)strcspn(kind, "0123456789"), kind);
	return text;
}

void no_such_device(const struct rvtrace_devices *devices, unsigned int kinds, const char *what,
		    const char *name)
{
	const struct rvtrace_device *device = rvtrace_device_find(devices, name);
	struct suggestion s = suggest(name, strlen(name));
	char meant[SUGGESTION_TEXT], kind[80];

	if (device) {
		error_text("%s: it is %s, but %s %s is needed", name, kind_text(device, kind),
			   strchr("aeiou", *what) ? "an" : "a", what);
		return;
	}
	for (size_t i = 0; i < devices->count; i++)
		if (kinds & 1u << devices->items[i].kind)
			suggest_name(&s, devices->items[i].name);
	suggest_text(&s, meant);
	error_text("%s: no such %s%s", name, what,
		   *meant ? meant : "; tracectl list shows all components");
}

int pick_sink(const struct rvtrace_devices *devices, const char *name,
	      const struct rvtrace_device **sink)
{
	size_t i;

	*sink = NULL;
	for (i = 0; i < devices->count; i++) {
		const struct rvtrace_device *device = &devices->items[i];

		if (device->kind != RVTRACE_DEVICE_SINK)
			continue;
		if (name && strcmp(device->name, name))
			continue;
		if (*sink) {
			error_text("several sinks: name one (%s, %s ...)", (*sink)->name,
				   device->name);
			return EXIT_USAGE;
		}
		*sink = device;
	}
	if (*sink)
		return EXIT_OK;
	if (name)
		no_such_device(devices, 1u << RVTRACE_DEVICE_SINK, "sink", name);
	else
		error_text("no sink that can be read");
	return EXIT_NO_DEVICE;
}

const char *attribute(const struct rvtrace_device *device, const char *name,
		      char value[RVTRACE_ATTRIBUTE_MAX])
{
	if (rvtrace_device_read(device, name, value, RVTRACE_ATTRIBUTE_MAX, NULL) < 0)
		value[0] = 0;
	return value;
}

void put_json(FILE *file, struct json_object *object)
{
	const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *json = json_object_to_json_string_ext(object, flags);
	/* Names may be any bytes; without memory they are printed as they are. */
	char *text = utf8_json(json);

	fprintf(file, "%s\n", text ? text : json);
	free(text);
	json_object_put(object);
}

int print_json(struct json_object *object)
{
	put_json(stdout, object);
	if (ferror(stdout) || fflush(stdout)) {
		error_text("standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
