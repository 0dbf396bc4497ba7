// SPDX-License-Identifier: GPL-2.0
/* Options that contradict each other, of all verbs: one of them would be ignored. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contradictions.h"
#include "moments.h"
#include "parse.h"
#include "tracectl.h"

#define ONE_OUTPUT	"one output at a time"
#define ONE_INPUT	"the file has either pin samples or CoreSight frames"
#define OF_PINS		"it concerns pin samples"
#define TEXT		"text needs --output listing"
#define NO_LINES	"it has no source lines"
#define NO_TIMES	"it has no times, without --from or --to"

/**
 * struct contradiction - two options of which one would be ignored
 * @verb: whose
 * @option: one
 * @other: the other
 * @value: it counts only with this value; NULL: with any
 * @why: they contradict each other
 * @unless: they do not if one of these is given, too
 */
static const struct contradiction {
	const char *verb;
	const char *option;
	const char *other;
	const char *value;
	const char *why;
	const char *unless[2];
} contradictions[] = {
	{ "decode", "packets", "summary", NULL, ONE_OUTPUT, { } },
	{ "decode", "packets", "output", NULL, ONE_OUTPUT, { } },
	{ "decode", "summary", "output", NULL, ONE_OUTPUT, { } },
	{ "decode", "text", "packets", NULL, TEXT, { } },
	{ "decode", "text", "summary", NULL, TEXT, { } },
	{ "decode", "text", "output", "blocks", TEXT, { } },
	{ "decode", "text", "output", "accesses", TEXT, { } },
	{ "decode", "text", "output", "calls", TEXT, { } },
	{ "decode", "text", "output", "pc", TEXT, { } },
	{ "decode", "lines", "packets", NULL, NO_LINES, { } },
	{ "decode", "lines", "summary", NULL, NO_LINES, { } },
	{ "decode", "lines", "output", "pc", NO_LINES, { } },
	{ "decode", "absolute", "packets", NULL, NO_TIMES, { "from", "to" } },
	{ "decode", "absolute", "summary", NULL, NO_TIMES, { "from", "to" } },
	{ "decode", "absolute", "output", "pc", NO_TIMES, { "from", "to" } },
	{ "decode", "image-path", "raw", NULL, "it needs --recording", { "recording" } },
	{ "events", "print", "summary", NULL, ONE_OUTPUT, { } },
	{ "events", "print", "json", NULL, "printed characters are no JSON", { } },
	{ "events", "switches", "print", NULL, "it prints characters alone", { } },
	{ "events", "switches", "summary", NULL, "totals always count THREAD_SWITCH", { } },
	{ "events", "absolute", "print", NULL, NO_TIMES, { "from", "to" } },
	{ "events", "absolute", "summary", NULL, NO_TIMES, { "from", "to" } },
	{ "events", "follow", "raw", NULL, "only a recording can be followed", { } },
	{ "filter", "interrupt", "exception", NULL, "a trap is one of them", { } },
	{ "recover", "check", "dry-run", NULL, "a check plans no repairs", { } },
	{ "unwrap", "pib", "atb", NULL, ONE_INPUT, { } },
	{ "unwrap", "ref-center", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "calibrate", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "samples-per-bit", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "sample-bytes", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "src-bits", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "timestamp-bytes", "atb", NULL, OF_PINS, { } },
	{ "unwrap", "output", "atb", "list", "the list is printed to standard output", { } },
	{ "unwrap", "output", "calibrate", NULL, "it writes no trace", { } },
};

/* An option without the other one, which it needs, would be ignored. */
static const struct need {
	const char *verb;
	const char *option;
	const char *other;
} needs[] = {
	{ "events", "duration", "follow" },
	{ "record", "mtvec", "image" },
	{ "threads", "absolute", "switches" },
};

/* Its index, or the count */
static size_t find(const struct given *given, const char *name)
{
	size_t i = 0;

	while (i < given->count && strcmp(given->names[i], name))
		i++;
	return i;
}

static bool has(const struct given *given, const char *name)
{
	return name && find(given, name) < given->count;
}

static const char *value_of(const struct given *given, const char *name)
{
	return has(given, name) ? given->values[find(given, name)] : NULL;
}

void given_add(struct given *given, const char *name, const char *value)
{
	size_t i = find(given, name);

	if (i == MAX_GIVEN)
		return;
	given->names[i] = name;
	given->values[i] = value;
	if (i == given->count)
		given->count++;
}

static bool contradicts(const struct contradiction *c, const struct given *given)
{
	if (!has(given, c->option) || !has(given, c->other) || has(given, c->unless[0]) ||
	    has(given, c->unless[1]))
		return false;
	return !c->value || !strcmp(value_of(given, c->other), c->value);
}

/* Times, or where the trace has no frequency, ticks. What is neither, the verb refuses. */
static bool is_later(const char *from, const char *to)
{
	uint64_t first_tick, last_tick;
	int64_t first, last;

	if (!parse_moment(from, &first) && !parse_moment(to, &last))
		return first > last;
	return !parse_number(from, &first_tick) && !parse_number(to, &last_tick) &&
	       first_tick > last_tick;
}

void refuse_contradictions(const char *verb, const struct given *given)
{
	const char *from = value_of(given, "from"), *to = value_of(given, "to");

	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]); i++) {
		const struct contradiction *c = &contradictions[i];

		if (strcmp(verb, c->verb) || !contradicts(c, given))
			continue;
		error_text("--%s contradicts --%s%s%s: %s", c->option, c->other,
			   c->value ? " " : "", c->value ? c->value : "", c->why);
		exit(EXIT_USAGE);
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (strcmp(verb, needs[i].verb) || !has(given, needs[i].option) ||
		    has(given, needs[i].other))
			continue;
		error_text("--%s needs --%s", needs[i].option, needs[i].other);
		exit(EXIT_USAGE);
	}
	if (from && to && is_later(from, to)) {
		error_text("--from %s is later than --to %s", from, to);
		exit(EXIT_USAGE);
	}
}
