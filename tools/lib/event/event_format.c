// SPDX-License-Identifier: LGPL-2.1-or-later
/* Values of events as text: see rvtrace/event_dictionary.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rvtrace/event_dictionary.h>

#define FIELD_MAX	64	/* width, precision */
#define SPEC_MAX	24	/* "%-+ #0" "64" ".64" PRIu64 */

/*
 * A conversion.
 * @length: characters of the format, '%' included
 * @letter: what it is; 0: it is wrong, and @wrong says how
 */
struct conversion {
	size_t length;
	char letter;
	const char *wrong;
	char flags[6];
	int width;		/* -1: none */
	int precision;
};

/* A number of at most two digits; -1: none. -2: too large. */
static int parse_number(const char **at)
{
	int number = 0;

	if (!isdigit((unsigned char)**at))
		return -1;
	for (; isdigit((unsigned char)**at); ++*at)
		if (number <= FIELD_MAX)
			number = 10 * number + (**at - '0');
	return number <= FIELD_MAX ? number : -2;
}

static const char *parse_flags(struct conversion *c, const char *at)
{
	size_t count = 0;

	for (; *at && strchr("-+ #0", *at); at++)
		if (!memchr(c->flags, *at, count))
			c->flags[count++] = *at;
	return at;
}

static void parse_letter(struct conversion *c, char letter)
{
	if (!letter)
		c->wrong = "ends within a conversion";
	else if (letter == '*')
		c->wrong = "takes a width or precision from an argument";
	else if (strchr("hljztLq", letter))
		c->wrong = "gives the width of the value, but the trace does that";
	else if (!strchr("diuxXoc", letter))
		c->wrong = "has a conversion other than d i u x X o c %";
	else
		c->letter = letter;
}

/* @format: at a '%' */
static struct conversion parse(const char *format)
{
	struct conversion c = { .length = 2, .letter = '%', .width = -1, .precision = -1 };
	const char *at = format + 1;

	if (*at == '%')
		return c;
	c.letter = 0;
	at = parse_flags(&c, at);
	c.width = parse_number(&at);
	if (*at == '.') {
		at++;
		c.precision = parse_number(&at);
		if (c.precision == -1 && *at != '*')
			c.precision = 0;
	}
	parse_letter(&c, *at);
	if (!c.wrong && (c.width == -2 || c.precision == -2))
		c.wrong = "has a width or precision of more than 64";
	if (!c.wrong && c.letter == 'c' && c.precision >= 0)
		c.wrong = "has a precision with %c";
	c.length = at - format + 1;
	return c;
}

const char *rvtrace_event_format_check(const char *format)
{
	size_t length = strlen(format);

	if (length > RVTRACE_EVENT_FORMAT_MAX)
		return "has more than 255 characters";
	for (; *format; format++) {
		struct conversion c;

		if (iscntrl((unsigned char)*format))
			return "has a control character";
		if (*format != '%')
			continue;
		c = parse(format);
		if (c.wrong)
			return c.wrong;
		format += c.length - 1;
	}
	return NULL;
}

static void put_field(char spec[SPEC_MAX], const struct conversion *c, const char *letter)
{
	int used = snprintf(spec, SPEC_MAX, "%%%s", c->flags);

	if (c->width >= 0)
		used += snprintf(spec + used, SPEC_MAX - used, "%d", c->width);
	if (c->precision >= 0)
		used += snprintf(spec + used, SPEC_MAX - used, ".%d", c->precision);
	snprintf(spec + used, SPEC_MAX - used, "%s", letter);
}

static int64_t signed_value(uint64_t value, unsigned int width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* All that is passed on was put together here, from what parse() let through. */
static int convert(const struct conversion *c, uint64_t value, unsigned int width, char *text,
		   size_t size)
{
	char spec[SPEC_MAX];

	switch (c->letter) {
	case 'd':
	case 'i':
		put_field(spec, c, PRId64);
		return snprintf(text, size, spec, signed_value(value, width));
	case 'c':
		put_field(spec, c, "c");
		value &= 0xff;
		if (value >= 0x80 || !isprint((int)value))
			value = '.';
		return snprintf(text, size, spec, (int)value);
	case 'x':
		put_field(spec, c, PRIx64);
		break;
	case 'X':
		put_field(spec, c, PRIX64);
		break;
	case 'o':
		put_field(spec, c, PRIo64);
		break;
	default:
		put_field(spec, c, PRIu64);
		break;
	}
	return snprintf(text, size, spec, value);
}
#pragma GCC diagnostic pop

void rvtrace_event_format(const char *format, uint64_t value, unsigned int width,
			  char text[RVTRACE_EVENT_TEXT_MAX])
{
	size_t used = 0, room = RVTRACE_EVENT_TEXT_MAX - 1;

	for (; *format && used < room; format++) {
		struct conversion c = { .letter = '%', .length = 1 };
		int size;

		if (*format == '%')
			c = parse(format);
		if (c.letter == '%') {
			text[used++] = *format;
			format += c.length - 1;
			continue;
		}
		size = convert(&c, value, width, text + used, room - used + 1);
		used = (size_t)size < room - used ? used + size : room;
		format += c.length - 1;
	}
	text[used] = 0;
}
