// SPDX-License-Identifier: GPL-2.0
/* The command line of rvtrace-compare: see compare-options.h. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/compare/compare-options.h"

#define PRIV_U	0
#define PRIV_M	3

static const char usage[] =
	"Usage: rvtrace-compare [--json] [--image FILE[@ADDRESS]]... [--no-image MAX]\n"
	"	[--gaps PERCENT] [--no-firmware] [--jit START-END]... [--filter-machine]\n"
	"	[--only user|context=N|START-END]... [--raw FILE] [--image-path DIRECTORY]\n"
	"	[--window NUMBER] [--inside] RECORDING TRUTH-PREFIX\n";

/* START-END */
static bool parse_range(const char *text, struct compare_range *range)
{
	char *end;

	range->start = strtoull(text, &end, 0);
	if (*end != '-')
		return false;
	range->end = strtoull(end + 1, &end, 0);
	return !*end && range->start < range->end;
}

static bool parse_context(const char *text, struct truth *only)
{
	unsigned long long scontext;
	char *end;

	scontext = strtoull(text, &end, 0);
	only->by_context = true;
	only->scontext = scontext;
	return *text && !*end && scontext <= UINT32_MAX;
}

/* What filters of the encoder let through: all but M-mode, user mode, a context, addresses */
static bool parse_only(const char *text, struct compare_options *o)
{
	static const char context[] = "context=";

	o->filtered = true;
	if (!text)
		o->only.without = 1U << PRIV_M;
	else if (!strcmp(text, "user"))
		o->only.without = ~(1U << PRIV_U);
	else if (!strncmp(text, context, strlen(context)))
		return parse_context(text + strlen(context), &o->only);
	else
		return parse_range(text, &o->only.only);
	return true;
}

static bool parse(int argc, char **argv, struct compare_options *o)
{
	static const struct option options[] = {
		{ "image", required_argument, NULL, 'i' },
		{ "inside", no_argument, NULL, 'I' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-image", required_argument, NULL, 'n' },
		{ "gaps", required_argument, NULL, 'g' },
		{ "no-firmware", no_argument, NULL, 'b' },
		{ "jit", required_argument, NULL, 'r' },
		{ "filter-machine", no_argument, NULL, 'm' },
		{ "only", required_argument, NULL, 'o' },
		{ "raw", required_argument, NULL, 'f' },
		{ "image-path", required_argument, NULL, 'p' },
		{ "window", required_argument, NULL, 'w' },
		{ }
	};
	char *end = "";
	int c;

	o->no_image = UINT64_MAX;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if (c == 'b')
			o->no_firmware = true;
		else if (c == 'I')
			o->inside = true;
		else if ((c == 'm' || c == 'o') && parse_only(optarg, o))
			continue;
		else if (c == 'n')
			o->no_image = strtoull(optarg, &end, 10);
		else if (c == 'g')
			o->gaps = strtod(optarg, &end);
		else if (c == 'f')
			o->raw = optarg;
		else if (c == 'p')
			o->image_path = optarg;
		else if (c == 'w')
			o->window = strtoull(optarg, &end, 10);
		else if (c == 'i' && o->image_count < COMPARE_IMAGES_MAX)
			o->images[o->image_count++] = optarg;
		else if (c != 'r' || o->jit_count == COMPARE_JIT_MAX ||
			 !parse_range(optarg, &o->jit[o->jit_count++]))
			return false;
		if (*end)
			return false;
	}
	if (argc - optind != 2)
		return false;
	o->recording = argv[optind];
	o->truth = argv[optind + 1];
	return true;
}

bool compare_options_parse(int argc, char **argv, struct compare_options *options)
{
	if (parse(argc, argv, options))
		return true;
	fputs(usage, stderr);
	return false;
}
