// SPDX-License-Identifier: GPL-2.0
/* Output of millions of lines: see out.h. */
#include <errno.h>
#include <stdarg.h>

#include "tools/lib/base/utf8.h"
#include "out.h"
#include "tracectl.h"

static void put(struct out *out, const char *bytes, size_t size)
{
	out->flushed += size;
	if (fwrite_unlocked(bytes, 1, size, out->file) != size && !out->error)
		out->error = errno;
}

void out_flush(struct out *out)
{
	put(out, out->buffer, out->used);
	out->used = 0;
}

void out_write(struct out *out, const char *bytes, size_t size)
{
	out_flush(out);
	put(out, bytes, size);
}

int out_end(struct out *out)
{
	out_flush(out);
	if (fflush(out->file) && !out->error)
		out->error = errno;
	/* by who prints directly */
	if (ferror(out->file) && !out->error)
		out->error = EIO;
	return -out->error;
}

void out_bytes(struct out *out, const char *bytes, size_t size)
{
	while (size) {
		size_t part = size < OUT_SIZE ? size : OUT_SIZE;

		memcpy(out_room(out, part), bytes, part);
		out->used += part;
		bytes += part;
		size -= part;
	}
}

void out_number(struct out *out, uint64_t value)
{
	char text[OUT_NUMBER], *at = text + sizeof(text);

	do {
		*--at = '0' + value % 10;
		value /= 10;
	} while (value);
	out_bytes(out, at, text + sizeof(text) - at);
}

void out_format(struct out *out, const char *format, ...)
{
	char text[1024];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (size > 0)
		out_bytes(out, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

void out_visible(struct out *out, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	while (*c >= ' ' && *c < 0x7f)
		c++;
	if (!*c) {
		out_text(out, text);
		return;
	}
	out_flush(out);
	put_visible(out->file, text);
}

void out_column(struct out *out, const char *text, unsigned int width)
{
	char shown[UTF8_VISIBLE_MAX];
	size_t size, used = 0;

	for (; (size = utf8_visible(text, shown)); text += size) {
		out_text(out, shown);
		/* a character as it is has one place */
		used += size > 1 && strlen(shown) == size ? 1 : strlen(shown);
	}
	for (; used < width; used++)
		out_char(out, ' ');
}

/* Characters that a string of JSON has as they are */
static size_t plain_json(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	while (*c >= ' ' && *c < 0x7f && *c != '"' && *c != '\\')
		c++;
	return (const char *)c - text;
}

void out_json_string(struct out *out, const char *text)
{
	char shown[UTF8_VISIBLE_MAX];
	size_t size = plain_json(text);

	out_char(out, '"');
	out_bytes(out, text, size);
	for (text += size; *text; text += size) {
		size = utf8_json_character(text, shown);
		if (*text == '"' || *text == '\\')
			out_char(out, '\\');
		out_text(out, shown);
	}
	out_char(out, '"');
}

static void out_json_name(struct out *out, const char *name)
{
	out_text(out, ",\"");
	out_text(out, name);
	out_text(out, "\":");
}

void out_json_hex(struct out *out, const char *name, uint64_t value)
{
	out_json_name(out, name);
	out_char(out, '"');
	out_hex(out, value);
	out_char(out, '"');
}

void out_json_number(struct out *out, const char *name, uint64_t value)
{
	out_json_name(out, name);
	out_number(out, value);
}

void out_json_signed(struct out *out, const char *name, int64_t value)
{
	out_json_name(out, name);
	if (value < 0)
		out_char(out, '-');
	out_number(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void out_json_text(struct out *out, const char *name, const char *text)
{
	out_json_name(out, name);
	out_json_string(out, text);
}
