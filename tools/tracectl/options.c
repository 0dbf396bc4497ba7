// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a verb: which one was probably meant by one that it does not have, and which ones
 * contradict each other.
 */
#include <argp.h>
#include <assert.h>
#include <getopt.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contradictions.h"
#include "suggest.h"
#include "tracectl.h"

/**
 * struct names - options as getopt has them
 * @wide: long ones, up to one without a name
 * @keys: by their index, what argp knows them by
 * @hidden: by their index, those that no help names
 * @count: of them
 * @narrow: short ones
 */
struct names {
	struct option wide[128];
	int keys[128];
	bool hidden[128];
	size_t count;
	char narrow[64];
};

static void add_name(struct names *names, const struct argp_option *option)
{
	size_t length = strlen(names->narrow);

	if (option->name) {
		assert(names->count + 1 < sizeof(names->hidden));
		names->keys[names->count] = option->key;
		names->hidden[names->count] = option->flags & OPTION_HIDDEN;
		names->wide[names->count++] = (struct option) {
			option->name, option->arg ? required_argument : no_argument, NULL, 1,
		};
	}
	if (option->key > 0 && option->key < 127) {
		assert(length + 3 < sizeof(names->narrow));
		sprintf(names->narrow + length, "%c%s", option->key, option->arg ? ":" : "");
	}
}

static void add_names(struct names *names, const struct argp *argp)
{
	const struct argp_option *option = argp->options;
	const struct argp_child *child = argp->children;

	for (; option && (option->name || option->key || option->doc); option++)
		add_name(names, option);
	for (; child && child->argp; child++)
		add_names(names, child->argp);
}

/* What argp adds. */
static const struct argp common = {
	.options = (const struct argp_option[]) {
		{ "help", '?', NULL, 0, NULL, 0 }, { "usage", 0x100, NULL, 0, NULL, 0 },
		{ "version", 'V', NULL, 0, NULL, 0 }, { },
	},
};

static bool is_common(const char *name)
{
	const struct argp_option *option = common.options;

	while (option->name && strcmp(option->name, name))
		option++;
	return option->name;
}

/* Ambiguous ones are left to argp, which says what they could be. */
static bool is_prefix(const struct names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strncmp(names->wide[i].name, name, length))
			return true;
	return false;
}

/* The long name of a short option; all have one. */
static const char *wide_name(const struct names *names, int key)
{
	size_t i = 0;

	while (i + 1 < names->count && names->keys[i] != key)
		i++;
	return names->wide[i].name;
}

/**
 * struct scan - what the command line has
 * @given: options that there are, those before the verb, too
 * @unknown: the first long option, without its dashes, that is not there; NULL: all are
 * @wrong: argp will refuse an option, or show help
 */
struct scan {
	struct given given;
	const char *unknown;
	bool wrong;
};

static void scan_options(struct scan *scan, const struct names *names, int argc, char **argv)
{
	char **copy = calloc(argc + 1, sizeof(*copy));	/* getopt changes their order */
	const char *name;
	int found, index = 0;

	if (!copy)
		return;
	memcpy(copy, argv, argc * sizeof(*copy));
	opterr = 0;
	optind = 0;
	while (!scan->unknown &&
	       (found = getopt_long(argc, copy, names->narrow, names->wide, &index)) != -1) {
		name = copy[optind - 1];
		if (found != '?') {
			name = found == 1 ? names->wide[index].name : wide_name(names, found);
			scan->wrong |= is_common(name);
			given_add(&scan->given, name, optarg);
			continue;
		}
		scan->wrong = true;
		if (!optopt && !strncmp(name, "--", 2) &&
		    !is_prefix(names, name + 2, strcspn(name + 2, "=")))
			scan->unknown = name + 2;
	}
	free(copy);
}

static void refuse_unknown(const struct names *names, const char *unknown, char *program)
{
	int length = strcspn(unknown, "=");
	struct suggestion s = suggest(unknown, length);

	for (size_t i = 0; i < names->count; i++)
		if (!names->hidden[i])
			suggest_name(&s, names->wide[i].name);
	if (s.best)
		error_text("unknown option --%.*s, did you mean --%s?", length, unknown, s.best);
	else
		error_text("unknown option --%.*s; %s --help lists them", length, unknown,
			   basename(program));
	exit(EXIT_USAGE);
}

void parse_options(const struct argp *argp, int argc, char **argv, unsigned int flags, int *index,
		   void *input)
{
	static struct scan scan;
	struct names names = { .narrow = "" };
	const char *space = strrchr(argv[0], ' ');

	if (flags & ARGP_IN_ORDER)
		strcpy(names.narrow, "+");
	add_names(&names, argp);
	add_names(&names, &common);
	scan_options(&scan, &names, argc, argv);
	if (scan.unknown)
		refuse_unknown(&names, scan.unknown, argv[0]);
	if (!scan.wrong && space)
		refuse_contradictions(space + 1, &scan.given);
	argp_parse(argp, argc, argv, flags, index, input);
}
