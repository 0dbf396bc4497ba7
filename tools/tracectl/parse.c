// SPDX-License-Identifier: GPL-2.0
/* Values as users write them: sizes, durations, lists. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "parse.h"
#include "suggest.h"
#include "tools/lib/base/size.h"

/* A number and whatever follows it. */
static int split(const char *text, int base, uint64_t *value, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, base);
	*rest = end;
	return errno ? -errno : 0;
}

struct suffix {
	const char *text;
	uint64_t factor;
};

/* The one that @text is; the list ends without one. */
static const struct suffix *find_suffix(const struct suffix *suffixes, const char *text)
{
	while (suffixes->text && strcasecmp(text, suffixes->text))
		suffixes++;
	return suffixes;
}

/* Digits behind a point: what they are of @unit; at most 18 of them count. */
static unsigned __int128 split_fraction(const char *text, uint64_t unit, const char **rest)
{
	unsigned __int128 value = 0, scale = 1;
	unsigned int i;

	for (i = 0; isdigit((unsigned char)*text); i++, text++) {
		if (i >= 18)
			continue;
		value = 10 * value + (*text - '0');
		scale *= 10;
	}
	*rest = text;
	return value * unit / scale;
}

int parse_time(const char *text, uint64_t hz, uint64_t *ticks)
{
	static const struct suffix units[] = {
		{ "", NS_PER_S }, { "s", NS_PER_S }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 }, { NULL, 0 },
	};
	unsigned __int128 ns, result;
	const struct suffix *unit;
	const char *rest, *end;
	uint64_t whole;
	int ret;

	if (!hz)
		return parse_number(text, ticks);
	ret = split(text, 10, &whole, &rest);
	if (ret)
		return ret;
	end = rest;
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	unit = find_suffix(units, end);
	if (!unit->text)
		return -EINVAL;
	ns = (unsigned __int128)whole * unit->factor;
	if (*rest == '.')
		ns += split_fraction(rest + 1, unit->factor, &rest);
	if (ns > (~(unsigned __int128)0 - 500000000) / hz)
		return -ERANGE;
	result = (ns * hz + 500000000) / 1000000000;
	if (result > UINT64_MAX)
		return -ERANGE;
	*ticks = result;
	return 0;
}

int parse_number(const char *text, uint64_t *value)
{
	const char *rest;
	int ret = split(text, 0, value, &rest);

	return ret ? ret : *rest ? -EINVAL : 0;
}

static int parse_members(const char *text, int base, bool *member, size_t max)
{
	uint64_t first, last;
	int ret;

	do {
		ret = split(text, base, &first, &text);
		if (ret)
			return ret;
		last = first;
		if (*text == '-') {
			ret = split(text + 1, base, &last, &text);
			if (ret)
				return ret;
		}
		if (last < first)
			return -EINVAL;
		if (last >= max)
			return -ERANGE;
		for (; first <= last; first++)
			member[first] = true;
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : 0;
}

int parse_list(const char *text, bool *member, size_t max)
{
	return parse_members(text, 10, member, max);
}

int parse_numbers(const char *text, bool *member, size_t max)
{
	return parse_members(text, 0, member, max);
}

int parse_switch(const char *text, bool *on)
{
	if (!strcasecmp(text, "on") || !strcmp(text, "1") || !strcasecmp(text, "yes"))
		*on = true;
	else if (!strcasecmp(text, "off") || !strcmp(text, "0") || !strcasecmp(text, "no"))
		*on = false;
	else
		return -EINVAL;
	return 0;
}

const char *option_name(const struct argp_option *options, int key)
{
	while (options->key != key)
		options++;
	return options->name;
}

uint64_t option_number(struct argp_state *state, const char *option, const char *arg,
		       uint64_t min, uint64_t max)
{
	uint64_t value = 0;

	if (parse_number(arg, &value) || value < min || value > max)
		argp_error(state, "--%s: %s is not a number from %" PRIu64 " to %" PRIu64, option,
			   arg, min, max);
	return value;
}

uint64_t option_size(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t bytes = 0;

	if (size_parse(arg, &bytes) || !bytes)
		argp_error(state, "--%s: %s is not a size above 0, in bytes or as 64k, 4M, 1G",
			   option, arg);
	return bytes;
}

uint64_t option_duration(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t ns = 0;

	if (parse_time(arg, NS_PER_S, &ns) || !ns || ns > INT64_MAX)
		argp_error(state, "--%s: %s is not a time up to 292 years, as 1.5, 20ms, 300us",
			   option, arg);
	return ns;
}

static void no_choice(struct argp_state *state, const char *option,
		      const struct option_value *choices, const char *arg, int length)
{
	struct suggestion s = suggest(arg, length);
	char names[256], meant[SUGGESTION_TEXT];
	size_t used = 0;

	for (; choices->name && used < sizeof(names); choices++) {
		used += snprintf(names + used, sizeof(names) - used, ", %s", choices->name);
		suggest_name(&s, choices->name);
	}
	argp_error(state, "--%s: %.*s is not one of: %s%s", option, length, arg, names + 2,
		   suggest_text(&s, meant));
}

/* The one whose name is @arg up to @length. */
static unsigned int choose(struct argp_state *state, const char *option,
			   const struct option_value *choices, const char *arg, size_t length)
{
	for (const struct option_value *c = choices; c->name; c++)
		if (strlen(c->name) == length && !memcmp(c->name, arg, length))
			return c->value;
	no_choice(state, option, choices, arg, length);
	return 0;
}

const char *sync_unit(const char *word)
{
	if (!strcmp(word, "packets"))
		return "messages";
	return strcmp(word, "halfwords") ? word : "half-words";
}

unsigned int option_choice(struct argp_state *state, const char *option,
			   const struct option_value *choices, const char *arg)
{
	return choose(state, option, choices, arg, strlen(arg));
}

unsigned int option_bits(struct argp_state *state, const char *option,
			 const struct option_value *choices, const char *arg)
{
	unsigned int bits = 0;
	size_t length;

	for (; *arg; arg += length + (arg[length] == ',')) {
		length = strcspn(arg, ",");
		if (length)
			bits |= choose(state, option, choices, arg, length);
	}
	return bits;
}

struct image_option option_image(struct argp_state *state, char *arg)
{
	char *at = strrchr(arg, '@');
	uint64_t address;

	if (!at || parse_number(at + 1, &address))
		return (struct image_option) { .path = arg };
	if (address & 1)
		argp_error(state, "--image: %s: the address is odd", arg);
	*at = 0;
	return (struct image_option) { .path = arg, .address = address, .has_address = true };
}
