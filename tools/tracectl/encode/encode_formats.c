// SPDX-License-Identifier: GPL-2.0
/* tracectl encode: the formats that --format names. */
#include <stdio.h>
#include <string.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

static const struct encode_format *const formats[] = {
	&encode_ntrace, &encode_sifive, &encode_etrace, &encode_cdl, &encode_debugspec,
};

const struct argp_child encode_children[] = {
	{ .argp = &global_argp }, { .argp = &encode_ntrace_argp }, { .argp = &encode_etrace_argp },
	{ .argp = &encode_debugspec_argp }, { },
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

const struct encode_format *encode_format_option(struct argp_state *state, const char *arg)
{
	struct option_value choices[FORMATS + 1] = { };

	for (unsigned int i = 0; i < FORMATS; i++)
		choices[i] = (struct option_value) { formats[i]->name, i };
	return formats[option_choice(state, "format", choices, arg)];
}

static const char *name_of(const struct encode_format *format)
{
	return format->name;
}

static const char *title_with_param(const struct encode_format *format)
{
	return format->has_param ? format->title : NULL;
}

static const char *title_with_xlen(const struct encode_format *format)
{
	return format->has_xlen ? format->title : NULL;
}

static const char *accesses_of(const struct encode_format *format)
{
	return format->accesses;
}

/* What @text_of says of the formats, each once, with @last (" or ") before the last one */
static const char *list(const char *(*text_of)(const struct encode_format *format),
			const char *last)
{
	static char text[256];
	const char *found[FORMATS];
	size_t count = 0, used = 0;

	for (size_t i = 0; i < FORMATS; i++) {
		const char *one = text_of(formats[i]);

		if (one && (!count || strcmp(one, found[count - 1])))
			found[count++] = one;
	}
	for (size_t i = 0; i < count && used < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s", !i ? "" :
				 i + 1 < count ? ", " : last, found[i]);
	return text;
}

const char *encode_format_names(void)
{
	return list(name_of, " or ");
}

void encode_check_format(struct argp_state *state, const struct encode_options *o)
{
	const struct encode_format *format = o->format;

	if (o->param && !format->has_param)
		argp_error(state, "--param applies only to %s", list(title_with_param, " and "));
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i]->own_option && *formats[i]->own_option &&
		    formats[i]->own_option != format->own_option)
			argp_error(state, "--%s applies only to %s", *formats[i]->own_option,
				   formats[i]->title);
	if (o->xlen && !format->has_xlen)
		argp_error(state, "--xlen applies only to %s", list(title_with_xlen, " and "));
	if (format->check)
		format->check(state, o);
}

const char *encode_no_accesses(void)
{
	static char text[512];

	snprintf(text, sizeof(text), "no data trace: that takes %s", list(accesses_of, ", or "));
	return text;
}
