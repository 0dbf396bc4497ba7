// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: the formats that --format names. */
#include <stdio.h>
#include <string.h>

#include "tools/tracectl/parse.h"
#include "trace_input.h"

const struct decode_format *const decode_formats[] = {
	&decode_ntrace, &decode_sifive, &decode_etrace, &decode_cdl, &decode_osd,
	&decode_debugspec, NULL
};

const struct argp_child decode_children[] = {
	{ .argp = &global_argp }, { .argp = &filter_argp }, { .argp = &debugspec_argp }, { },
};

#define FORMATS	(sizeof(decode_formats) / sizeof(decode_formats[0]))

const struct decode_format *decode_format_of(const struct rvtrace_flow_config *config)
{
	const char *name = rvtrace_format_name(rvtrace_format_of(config));
	bool sifive = config->format == RVTRACE_FLOW_FORMAT_NTRACE && config->ntrace.sifive;
	const struct decode_format *const *f = decode_formats;

	while (*f && (!(*f)->library || strcmp((*f)->library, name) || (*f)->sifive != sifive))
		f++;
	return *f;
}

const struct decode_format *decode_format_option(struct argp_state *state, const char *option,
						 bool (*fits)(const struct decode_format *format),
						 const char *arg)
{
	struct option_value choices[FORMATS] = { };
	size_t count = 0;

	for (size_t i = 0; decode_formats[i]; i++)
		if (!fits || fits(decode_formats[i]))
			choices[count++] = (struct option_value) { decode_formats[i]->name, i };
	return decode_formats[option_choice(state, option, choices, arg)];
}

const char *decode_format_list(bool (*fits)(const struct decode_format *format), bool titles,
			       const char *last)
{
	static char text[256];
	const struct decode_format *list[FORMATS];
	size_t count = 0, used = 0;

	for (size_t i = 0; decode_formats[i]; i++)
		if (fits(decode_formats[i]))
			list[count++] = decode_formats[i];
	for (size_t i = 0; i < count && used < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s", !i ? "" :
				 i + 1 < count ? ", " : last,
				 titles ? list[i]->title : list[i]->name);
	return text;
}

void decode_check_own_options(struct argp_state *state, const struct trace_input *in)
{
	const struct decode_format *format;
	const char *option;

	for (size_t i = 0; (format = decode_formats[i]); i++) {
		option = format->own_option ? format->own_option(&in->raw_options) : NULL;
		if (option && format != in->raw_options.format)
			argp_error(state, "--%s needs %s--format %s", option,
				   in->raw ? "" : "--raw ", format->name);
	}
}
