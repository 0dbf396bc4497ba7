// SPDX-License-Identifier: GPL-2.0
/* tracectl filter: what part of what a hart executes is traced. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "changes.h"
#include "components.h"
#include "filter.h"

enum {
	OPTION_ADDRESS = 0x2000, OPTION_PRIVILEGE, OPTION_CONTEXT, OPTION_ECAUSE,
	OPTION_INTERRUPT, OPTION_EXCEPTION, OPTION_CLEAR,
};

static const char *const privileges[] = {
	"user", "supervisor", "machine", "virtual-user", "virtual-supervisor",
};

/**
 * struct filter - what the command line asks for
 * @names: encoders
 * @address: addresses from @start to before @end are traced
 * @start: the first
 * @end: after the last
 * @privilege: list of them, or NULL
 * @context: address space as the encoder sees it, if @has_context
 * @has_context: it is a condition
 * @ecause: list of them, or NULL
 * @interrupt: "1": of interrupts, "0": of exceptions, NULL: of both
 * @clear: trace everything
 * @list: JSON of all encoders, or NULL
 */
struct filter {
	struct component_names names;
	bool address;
	uint64_t start;
	uint64_t end;
	const char *privilege;
	uint64_t context;
	bool has_context;
	const char *ecause;
	const char *interrupt;
	bool clear;
	struct json_object *list;
};

const char *unit_attribute(const struct rvtrace_device *encoder, const char *unit,
			   unsigned int i, const char *file, char value[RVTRACE_ATTRIBUTE_MAX])
{
	char name[96];

	snprintf(name, sizeof(name), "%s%u/%s", unit, i, file);
	return attribute(encoder, name, value);
}

bool has_filter(const struct rvtrace_device *encoder, unsigned int i)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	return *unit_attribute(encoder, "filter", i, "enable", value);
}

bool has_comparator(const struct rvtrace_device *encoder, unsigned int i)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	return *unit_attribute(encoder, "comparator", i, "p_match", value);
}

unsigned long filters_in_use(const struct rvtrace_device *encoder)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	return strtoul(attribute(encoder, "inst_filters", value), NULL, 0);
}

bool unit_flag(const struct rvtrace_device *encoder, const char *unit, unsigned int i,
	       const char *file)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	return !strcmp(unit_attribute(encoder, unit, i, file, value), "1");
}

int filter_comparator(const struct rvtrace_device *encoder, unsigned int i, unsigned int n)
{
	char file[16], value[RVTRACE_ATTRIBUTE_MAX];

	snprintf(file, sizeof(file), "match_comp%u", n);
	if (!unit_flag(encoder, "filter", i, file))
		return -1;
	return strtol(unit_attribute(encoder, "filter", i, file + strlen("match_"), value), NULL, 0);
}

static int set(const struct rvtrace_device *encoder, const char *unit, unsigned int i,
	       const char *file, const char *value)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%u/%s", unit, i, file);
	return changes_write(encoder, name, value);
}

static int set_number(const struct rvtrace_device *encoder, const char *unit, unsigned int i,
		      const char *file, uint64_t number)
{
	char value[32];

	snprintf(value, sizeof(value), "0x%" PRIx64, number);
	return set(encoder, unit, i, file, value);
}

static int set_filters_in_use(const struct rvtrace_device *encoder, unsigned long filters)
{
	char value[32];

	snprintf(value, sizeof(value), "0x%lx", filters);
	return changes_write(encoder, "inst_filters", value);
}

/* What the hardware cannot ask for it does not ask for. */
static int drop(const struct rvtrace_device *encoder, unsigned int i, const char *condition)
{
	if (!unit_flag(encoder, "filter", i, condition))
		return 0;
	return set(encoder, "filter", i, condition, "0");
}

static int drop_all(const struct rvtrace_device *encoder, unsigned int i)
{
	static const char *const conditions[] = {
		"enable", "match_privilege", "match_ecause", "match_interrupt", "match_comp1",
		"match_comp2", "match_comp3", "match_impdef", "match_dtype", "match_dsize",
	};
	size_t k;
	int ret = 0;

	for (k = 0; !ret && k < sizeof(conditions) / sizeof(conditions[0]); k++)
		ret = drop(encoder, i, conditions[k]);
	return ret;
}

static int pick_filter(const struct rvtrace_device *encoder)
{
	unsigned long used = filters_in_use(encoder);
	unsigned int i;

	for (i = 0; i < UNITS_MAX; i++)
		if (has_filter(encoder, i) && !(used >> i & 1) &&
		    !unit_flag(encoder, "filter", i, "enable"))
			return i;
	for (i = 0; i < UNITS_MAX && !has_filter(encoder, i); )
		i++;
	error_text("%s: %s", encoder->name, i < UNITS_MAX ? "every filter is in use" : "no filters");
	return -1;
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *p = text;

	while ((p = strstr(p, word))) {
		if ((p == text || p[-1] == ' ') && (!p[length] || p[length] == ' '))
			return true;
		p += length;
	}
	return false;
}

/* A comparator that no filter uses, of @input. */
static int pick_comparator(const struct rvtrace_device *encoder, const char *input)
{
	char value[RVTRACE_ATTRIBUTE_MAX];
	unsigned int i, n, used = 0;

	for (i = 0; i < UNITS_MAX; i++)
		for (n = 1; n <= FILTER_COMPARATORS; n++)
			if (filter_comparator(encoder, i, n) >= 0)
				used |= 1U << filter_comparator(encoder, i, n);
	for (i = 0; i < UNITS_MAX; i++)
		if (!(used >> i & 1) && has_comparator(encoder, i) &&
		    (has_word(unit_attribute(encoder, "comparator", i, "p_input_available", value),
			      input) || (!*value && !strcmp(input, "iaddr"))))
			return i;
	error_text("%s: no comparator of %s is free", encoder->name, input);
	return -1;
}

/* What an encoder cannot set because it is always so has no file. */
static int set_if_there(const struct rvtrace_device *encoder, unsigned int j, const char *file,
			const char *value, const char *constant)
{
	char now[RVTRACE_ATTRIBUTE_MAX];

	if (!strcmp(value, constant) && !*unit_attribute(encoder, "comparator", j, file, now))
		return 0;
	return set(encoder, "comparator", j, file, value);
}

static int use_comparator(const struct rvtrace_device *encoder, unsigned int i, unsigned int n,
			  unsigned int j)
{
	char file[16], value[RVTRACE_ATTRIBUTE_MAX];
	int ret = 0;

	snprintf(file, sizeof(file), "match_comp%u", n);
	if (j || *unit_attribute(encoder, "filter", i, file + strlen("match_"), value))
		ret = set_number(encoder, "filter", i, file + strlen("match_"), j);
	return ret ? ret : set(encoder, "filter", i, file, "1");
}

static int add_address(const struct rvtrace_device *encoder, const struct filter *filter,
		       unsigned int i, unsigned int n)
{
	int j = pick_comparator(encoder, "iaddr"), ret;

	if (j < 0)
		return -EBUSY;
	ret = set_number(encoder, "comparator", j, "p_match", filter->start);
	if (!ret)
		ret = set_number(encoder, "comparator", j, "s_match", filter->end);
	if (!ret)
		ret = set_if_there(encoder, j, "p_input", "iaddr", "iaddr");
	if (!ret)
		ret = set_if_there(encoder, j, "s_input", "iaddr", "iaddr");
	if (!ret)
		ret = set(encoder, "comparator", j, "p_function", "greater-or-equal");
	if (!ret)
		ret = set(encoder, "comparator", j, "s_function", "less");
	if (!ret)
		ret = set(encoder, "comparator", j, "match_mode", "both");
	return ret ? ret : use_comparator(encoder, i, n, j);
}

static int add_context(const struct rvtrace_device *encoder, const struct filter *filter,
		       unsigned int i, unsigned int n)
{
	int j = pick_comparator(encoder, "context"), ret;

	if (j < 0)
		return -EBUSY;
	ret = set_number(encoder, "comparator", j, "p_match", filter->context);
	if (!ret)
		ret = set(encoder, "comparator", j, "p_input", "context");
	if (!ret)
		ret = set_if_there(encoder, j, "p_function", "equal", "equal");
	if (!ret)
		ret = set_if_there(encoder, j, "s_function", "equal", "equal");
	if (!ret)
		ret = set_if_there(encoder, j, "match_mode", "primary", "primary");
	return ret ? ret : use_comparator(encoder, i, n, j);
}

static int add_condition(const struct rvtrace_device *encoder, unsigned int i,
			 const char *condition, const char *file, const char *value)
{
	int ret;

	if (!value)
		return 0;
	ret = set(encoder, "filter", i, file, value);
	return ret ? ret : set(encoder, "filter", i, condition, "1");
}

static int add_filter(const struct rvtrace_device *encoder, const struct filter *filter)
{
	int i = pick_filter(encoder), ret;
	unsigned int n = 1;

	if (i < 0)
		return -EBUSY;
	ret = drop_all(encoder, i);
	if (!ret && filter->address)
		ret = add_address(encoder, filter, i, n++);
	if (!ret && filter->has_context)
		ret = add_context(encoder, filter, i, n);
	if (!ret)
		ret = add_condition(encoder, i, "match_privilege", "match_choice_privilege",
				    filter->privilege);
	if (!ret)
		ret = add_condition(encoder, i, "match_ecause", "match_choice_ecause",
				    filter->ecause);
	if (!ret)
		ret = add_condition(encoder, i, "match_interrupt", "match_value_interrupt",
				    filter->interrupt);
	if (!ret)
		ret = set(encoder, "filter", i, "enable", "1");
	if (!ret)
		ret = set_filters_in_use(encoder, filters_in_use(encoder) | 1UL << i);
	return ret;
}

static int clear_filters(const struct rvtrace_device *encoder)
{
	unsigned int i;
	int ret = 0;

	if (filters_in_use(encoder))
		ret = set_filters_in_use(encoder, 0);
	for (i = 0; !ret && i < UNITS_MAX; i++)
		if (has_filter(encoder, i))
			ret = drop_all(encoder, i);
	return ret;
}

static bool has_condition(const struct filter *filter)
{
	return filter->address || filter->has_context || filter->privilege || filter->ecause ||
	       filter->interrupt;
}

/* Hardware also has numbers without a meaning to users: of what it has, the names that there are. */
static void list_privileges(const char *available, char *list)
{
	for (size_t i = 0; i < sizeof(privileges) / sizeof(privileges[0]); i++)
		if (has_word(available, privileges[i]))
			list += sprintf(list, " %s", privileges[i]);
}

static int check_privilege(const struct rvtrace_device *encoder, const char *arg)
{
	char available[RVTRACE_ATTRIBUTE_MAX], list[128] = "", *copy, *word, *rest;
	unsigned int i = 0;
	int ret = 0;

	while (i < UNITS_MAX && !has_filter(encoder, i))
		i++;
	unit_attribute(encoder, "filter", i, "match_choice_privilege_available", available);
	list_privileges(available, list);
	rest = copy = strdup(arg);
	while (*list && !ret && (word = strsep(&rest, ","))) {
		if (*word && has_word(list, word))
			continue;
		error_text("--%s: %s is not one of the values of %s: %s", "privilege", word,
			   encoder->name, list + 1);
		ret = -EINVAL;
	}
	free(copy);
	return ret;
}

static int change_encoder(const struct rvtrace_device *encoder, void *data)
{
	struct filter *filter = data;
	int ret = 0;

	if (filter->privilege)
		ret = check_privilege(encoder, filter->privilege);
	if (!ret && filter->clear)
		ret = clear_filters(encoder);
	if (!ret && has_condition(filter))
		ret = add_filter(encoder, filter);
	return changes_end(ret);
}

static int show_encoder(const struct rvtrace_device *encoder, void *data)
{
	struct filter *filter = data;

	if (filter->list)
		json_object_array_add(filter->list, filters_json(encoder));
	else
		print_filters(encoder);
	return 0;
}

/* START-END */
static void parse_address(struct argp_state *state, struct filter *filter, char *arg)
{
	char *dash = strchr(arg, '-');
	bool is_range = dash;

	if (dash) {
		*dash = 0;
		is_range = !parse_number(arg, &filter->start) && !parse_number(dash + 1, &filter->end) &&
			   filter->start < filter->end;
		*dash = '-';
	}
	if (!is_range)
		argp_error(state, "--address: %s is not START-END with START below END", arg);
	filter->address = true;
}

static error_t parse_filter(int key, char *arg, struct argp_state *state)
{
	struct filter *filter = state->input;

	switch (key) {
	case OPTION_ADDRESS:
		parse_address(state, filter, arg);
		return 0;
	case OPTION_PRIVILEGE:
		filter->privilege = arg;
		return 0;
	case OPTION_CONTEXT:
		if (parse_number(arg, &filter->context))
			argp_error(state, "--context: %s is not a number", arg);
		filter->has_context = true;
		return 0;
	case OPTION_ECAUSE:
		filter->ecause = arg;
		return 0;
	case OPTION_INTERRUPT:
	case OPTION_EXCEPTION:
		filter->interrupt = key == OPTION_INTERRUPT ? "1" : "0";
		return 0;
	case OPTION_CLEAR:
		filter->clear = true;
		return 0;
	case ARGP_KEY_ARGS:
		filter->names.list = state->argv + state->next;
		filter->names.count = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "address", OPTION_ADDRESS, "START-END", 0, "Trace from address START to before END", 1 },
	{ "privilege", OPTION_PRIVILEGE, "LIST", 0,
	  "Trace in user, supervisor, machine, virtual-user, virtual-supervisor", 1 },
	{ "context", OPTION_CONTEXT, "N", 0, "Trace address space N, the value of scontext", 1 },
	{ "ecause", OPTION_ECAUSE, "LIST", 0, "Trace from traps with these causes to the return", 1 },
	{ "interrupt", OPTION_INTERRUPT, NULL, 0, "Trace from interrupts to the return", 1 },
	{ "exception", OPTION_EXCEPTION, NULL, 0, "Trace from exceptions to the return", 1 },
	{ "clear", OPTION_CLEAR, NULL, 0, "First clear all filters, so that everything is traced", 2 },
	{ },
};

int verb_filter(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_filter, .children = children,
		.args_doc = "[ENCODER...]",
		.doc = "Trace what meets all the conditions given, in addition to what earlier "
		       "filters trace. Without an option, show the filters.",
	};
	struct filter filter = { };
	struct json_object *all;
	int status;

	parse_options(&argp, argc, argv, 0, NULL, &filter);
	if (filter.clear || has_condition(&filter))
		return each_encoder(&filter.names, change_encoder, &filter);
	if (!global.json)
		return each_encoder(&filter.names, show_encoder, &filter);
	all = json_object_new_object();
	filter.list = json_object_new_array();
	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "encoders", filter.list);
	status = each_encoder(&filter.names, show_encoder, &filter);
	if (status == EXIT_OK)
		return print_json(all);
	json_object_put(all);
	return status;
}
