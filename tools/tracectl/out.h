/* SPDX-License-Identifier: GPL-2.0 */
/* Output of millions of lines: numbers and text, gathered in a buffer. */
#ifndef RVTRACE_TRACECTL_OUT_H
#define RVTRACE_TRACECTL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rvtrace/error.h>

#define OUT_SIZE	65536
#define OUT_NUMBER	24	/* characters of the longest number */

/**
 * struct out - the buffer
 * @file: where it goes; shared with who prints directly after out_flush()
 * @name: of the file, NULL: standard output
 * @used: characters in it
 * @flushed: characters handed to @file
 * @error: errno of the first write that failed, or 0
 * @failed: it is not whole, and that was said
 * @printed: JSON: the list has a member
 */
struct out {
	FILE *file;
	const char *name;
	size_t used;
	uint64_t flushed;
	int error;
	bool failed;
	bool printed;
	char buffer[OUT_SIZE];
};

/* Hands the characters to @file. */
void out_flush(struct out *out);

/* The same, and more of them, which are not gathered before. */
void out_write(struct out *out, const char *bytes, size_t size);

/* Hands all to whoever has the file. Returns 0, or the negative errno of what failed first. */
int out_end(struct out *out);

/* Room for @size characters, at most OUT_SIZE; what was written is added to @used. */
static inline char *out_room(struct out *out, size_t size)
{
	if (size > OUT_SIZE - out->used)
		out_flush(out);
	return out->buffer + out->used;
}

static inline void out_char(struct out *out, char c)
{
	*out_room(out, 1) = c;
	out->used++;
}

void out_bytes(struct out *out, const char *bytes, size_t size);

static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* 0x and lower case, without leading zeroes. */
static inline void out_hex(struct out *out, uint64_t value)
{
	char *at = out_room(out, OUT_NUMBER);
	int shift = (63 - __builtin_clzll(value | 1)) & ~3;

	*at++ = '0';
	*at++ = 'x';
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[value >> shift & 15];
	out->used = at - out->buffer;
}

void out_number(struct out *out, uint64_t value);

/* As printf(). */
__attribute__((format(printf, 2, 3)))
void out_format(struct out *out, const char *format, ...);

/* Names of files and functions: bytes that would not be seen are written as \xNN. */
void out_visible(struct out *out, const char *text);

/* The same, followed by spaces up to @width characters. */
void out_column(struct out *out, const char *text, unsigned int width);

/* A string of JSON, with its quotes. */
void out_json_string(struct out *out, const char *text);

/* "NAME": "0x...", of JSON, which has no hexadecimal numbers; a comma before it. */
void out_json_hex(struct out *out, const char *name, uint64_t value);
void out_json_number(struct out *out, const char *name, uint64_t value);
void out_json_signed(struct out *out, const char *name, int64_t value);
void out_json_text(struct out *out, const char *name, const char *text);

/*
 * Opens the file @name for a verb, as open_output() does. Return: an exit status, after saying what
 * is wrong.
 */
int out_open(struct out *out, bool grows);

/*
 * The end of the output. Return: whether it, or what led to @ret and @error, failed; that has
 * been said, but that nobody reads any more.
 */
bool out_failed(struct out *out, int ret, const struct rvtrace_failure *error);

/* Closes the file, which is whole unless it failed; @status, or that this did not work. */
int out_close(struct out *out, int status);

#endif /* RVTRACE_TRACECTL_OUT_H */
