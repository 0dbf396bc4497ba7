// SPDX-License-Identifier: GPL-2.0
/* Options of a verb, and which one was probably meant by one that it does not have. */
#include <argp.h>
#include <assert.h>
#include <getopt.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"
#include "tracectl.h"

/**
 * struct names - options as getopt has them
 * @wide: long ones, up to one without a name
 * @hidden: by their index, those that no help names
 * @count: of them
 * @narrow: short ones
 */
struct names {
	struct option wide[128];
	bool hidden[128];
	size_t count;
	char narrow[64];
};

static void add_name(struct names *names, const struct argp_option *option)
{
	size_t length = strlen(names->narrow);

	if (option->name) {
		assert(names->count + 1 < sizeof(names->hidden));
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

/* Ambiguous ones are left to argp, which says what they could be. */
static bool is_prefix(const struct names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strncmp(names->wide[i].name, name, length))
			return true;
	return false;
}

/* The first long option, without its dashes, that is not there; NULL: all are. */
static const char *find_unknown(const struct names *names, int argc, char **argv)
{
	char **copy = calloc(argc + 1, sizeof(*copy));	/* getopt changes their order */
	const char *name, *unknown = NULL;
	int found;

	if (!copy)
		return NULL;
	memcpy(copy, argv, argc * sizeof(*copy));
	opterr = 0;
	optind = 0;
	do {
		found = getopt_long(argc, copy, names->narrow, names->wide, NULL);
		name = copy[optind - 1];
		if (found == '?' && !optopt && !strncmp(name, "--", 2) &&
		    !is_prefix(names, name + 2, strcspn(name + 2, "=")))
			unknown = name + 2;
	} while (found != -1 && !unknown);
	free(copy);
	return unknown;
}

void parse_options(const struct argp *argp, int argc, char **argv, unsigned int flags, int *index,
		   void *input)
{
	struct names names = { .narrow = "" };
	struct suggestion s;
	const char *unknown;
	int length;

	if (flags & ARGP_IN_ORDER)
		strcpy(names.narrow, "+");
	add_names(&names, argp);
	add_names(&names, &common);
	unknown = find_unknown(&names, argc, argv);
	if (!unknown) {
		argp_parse(argp, argc, argv, flags, index, input);
		return;
	}
	length = strcspn(unknown, "=");
	s = suggest(unknown, length);
	for (size_t i = 0; i < names.count; i++)
		if (!names.hidden[i])
			suggest_name(&s, names.wide[i].name);
	if (s.best)
		error_text("unknown option --%.*s, did you mean --%s?", length, unknown, s.best);
	else
		error_text("unknown option --%.*s; %s --help lists them", length, unknown,
			   basename(argv[0]));
	exit(EXIT_USAGE);
}
