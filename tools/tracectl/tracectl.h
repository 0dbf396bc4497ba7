/* SPDX-License-Identifier: GPL-2.0 */
/* What the verbs of tracectl share. */
#ifndef RVTRACE_TRACECTL_H
#define RVTRACE_TRACECTL_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rvtrace/device.h>

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DEVICE = 3,	/* no device or no daemon */
	EXIT_LOST = 4,		/* finished, but data was lost */
};

#define JSON_SCHEMA	1

struct global_options {
	bool json;
	bool quiet;
	bool color;
	bool escapes;	/* terminals understand them, and they are wanted */
	int verbose;
};

extern struct global_options global;
/* Options every verb takes as well; a child of each verb's parser. */
extern const struct argp global_argp;
#define GLOBAL_CHILDREN	{ { .argp = &global_argp }, { } }

/* For parsers of verbs whose one argument is a recording: @directory is where it goes. */
error_t parse_recording(int key, char *arg, struct argp_state *state, const char **directory);

/* Runs a verb; argv[0] is "tracectl VERB". Returns an exit status. */
typedef int (*verb_fn)(int argc, char **argv);

int verb_list(int argc, char **argv);
int verb_discover(int argc, char **argv);
int verb_registers(int argc, char **argv);
int verb_reset(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_start(int argc, char **argv);
int verb_stop(int argc, char **argv);
int verb_enable(int argc, char **argv);
int verb_disable(int argc, char **argv);
int verb_flush(int argc, char **argv);
int verb_filter(int argc, char **argv);
int verb_trigger(int argc, char **argv);
int verb_record(int argc, char **argv);
int verb_decode(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_events(int argc, char **argv);
int verb_threads(int argc, char **argv);
int verb_encode(int argc, char **argv);
int verb_recover(int argc, char **argv);
int verb_unwrap(int argc, char **argv);

/* Prose, on stderr, behind "tracectl: ". */
void error_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Not with -q. */
void info_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Of an attribute that could not be written; when rights are missing, whose they are. */
void write_failed(const struct rvtrace_device *device, const char *name, int ret,
		  const char *text);

/* Exit status of a failure: of devices and the daemon, when they are missing. */
int status_of(int error);

/**
 * struct progress - of what takes long, on one line of a terminal
 * @start: when it began, ns
 * @last: when it was shown
 * @wanted: it is to be shown
 */
struct progress {
	uint64_t start;
	uint64_t last;
	bool wanted;
};

/*
 * Shown from the first second on, when standard error is a terminal, unless what is written to
 * @output meanwhile could come out there as well; NULL: nothing is. @at_end: that is written behind
 * progress_end(). Messages may be written at any time.
 */
void progress_start(struct progress *progress, FILE *output, bool at_end);
/* With the share of @total, and how long the rest takes; 0: that is not known. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total, const char *format,
		   ...) __attribute__((format(printf, 4, 5)));
void progress_end(struct progress *progress);
/* Before anything else is written to the terminal. */
void progress_hide(void);
bool progress_shown(void);

struct rvtrace_recording;

/* Warns of what went wrong while the recording was made; unless it may still be, of a missing end. */
void report_failures(const struct rvtrace_recording *recording, const char *directory, bool ended);

/* Warns of what is damaged. Returns whether anything is. */
bool report_damage(const struct rvtrace_recording *recording);

/*
 * Copies @text, up to @size bytes with the NUL, for people: bytes that would not be UTF-8, or not be
 * seen, become dots. Both may be the same. Returns @copy.
 */
const char *printable(const char *text, char *copy, size_t size);
/* The same of @length bytes, which may be NULs. */
const char *printable_bytes(const char *bytes, size_t length, char *copy, size_t size);
#define NAME_SIZE	17	/* of a task's name */

/* Names of files, in whatever text: bytes that would not be seen are written as \xNN. */
void put_visible(FILE *file, const char *text);

uint64_t now_ns(void);		/* CLOCK_MONOTONIC */

/*
 * The sink a verb works on: @name, or the only one. Returns an exit status, after saying what is
 * wrong.
 */
int pick_sink(const struct rvtrace_devices *devices, const char *name,
	      const struct rvtrace_device **sink);

/*
 * argp_parse() of one of the verbs. Of an option that it does not have, it says which one may be
 * meant.
 */
void parse_options(const struct argp *argp, int argc, char **argv, unsigned int flags, int *index,
		   void *input);

/* A file or a recording that the verb reads, NULL: none; - is standard input. It is not copied. */
void add_input(const char *path);

/*
 * Opens what a verb writes to, NULL: standard output; one at a time. A file that it reads, or one
 * in a recording that it reads, is refused: it would be gone. The file appears once it is whole, or
 * at once if it @grows while others read it. Returns an exit status, after saying what is wrong.
 */
int open_output(const char *path, bool grows, FILE **file);

/* The name that it has until it is closed; NULL: it is no file, or standard output. */
const char *output_path(FILE *file);

/*
 * Closes it; NULL: nothing is done. Then the file has its name, if it is @whole; if not it is
 * removed, and what had that name before stays. 0 or a negative errno.
 */
int close_output(FILE *file, bool whole);

/* A signal that ends the program leaves neither a part of that file nor a line of progress. */
void catch_signals(void);

/* Attribute as text; "" when there is none. */
const char *attribute(const struct rvtrace_device *device, const char *name,
		      char value[RVTRACE_ATTRIBUTE_MAX]);

struct json_object;

/*
 * Prints and puts @object: into a file, which knows whether that failed, or on stdout. Returns an
 * exit status.
 */
void put_json(FILE *file, struct json_object *object);
int print_json(struct json_object *object);

#endif /* RVTRACE_TRACECTL_H */
