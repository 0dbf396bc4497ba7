// SPDX-License-Identifier: GPL-2.0
/* tracectl filter: what the filters of an encoder are set to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/tracectl.h"
#include "filter.h"

/* One comparison of a comparator: its files begin with @side, p or s. */
static void write_side(FILE *out, const struct rvtrace_device *encoder, unsigned int j, char side)
{
	char input[RVTRACE_ATTRIBUTE_MAX], function[RVTRACE_ATTRIBUTE_MAX];
	char match[RVTRACE_ATTRIBUTE_MAX], mask[RVTRACE_ATTRIBUTE_MAX], file[16];

	snprintf(file, sizeof(file), "%c_function", side);
	unit_attribute(encoder, "comparator", j, file, function);
	if (!strcmp(function, "always") || !strcmp(function, "never") || !strcmp(function, "mask")) {
		fputs(strcmp(function, "never") ? "always" : "never", out);
		return;
	}
	snprintf(file, sizeof(file), "%c_input", side);
	unit_attribute(encoder, "comparator", j, file, input);
	snprintf(file, sizeof(file), "%c_match", side);
	fprintf(out, "%s %s %s", *input ? input : "iaddr", *function ? function : "equal",
		unit_attribute(encoder, "comparator", j, file, match));
	if (side == 'p' &&
	    !strcmp(unit_attribute(encoder, "comparator", j, "s_function", function), "mask"))
		fprintf(out, " in bits %s", unit_attribute(encoder, "comparator", j, "s_match", mask));
}

static void write_comparator(FILE *out, const struct rvtrace_device *encoder, unsigned int j)
{
	static const struct {
		const char *mode, *before, *between, *after;
	} modes[] = {
		{ "both", "", " and ", "" },
		{ "not-both", "not (", " and ", ")" },
		{ "from-to", "from ", " to ", "" },
	};
	char mode[RVTRACE_ATTRIBUTE_MAX];
	size_t i;

	unit_attribute(encoder, "comparator", j, "match_mode", mode);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(mode, modes[i].mode))
			break;
	if (i == sizeof(modes) / sizeof(modes[0])) {
		write_side(out, encoder, j, 'p');
		return;
	}
	fputs(modes[i].before, out);
	write_side(out, encoder, j, 'p');
	fputs(modes[i].between, out);
	write_side(out, encoder, j, 's');
	fputs(modes[i].after, out);
}

/* The conditions of a filter, one string each */
static struct json_object *conditions(const struct rvtrace_device *encoder, unsigned int i)
{
	struct json_object *list = json_object_new_array();
	char value[RVTRACE_ATTRIBUTE_MAX], *text;
	unsigned int n;
	size_t size;
	FILE *out;
	int j;

#define ADD(...) do {								\
	out = open_memstream(&text, &size);					\
	if (out) {								\
		__VA_ARGS__;							\
		fclose(out);							\
		json_object_array_add(list, json_object_new_string(text));	\
		free(text);							\
	}									\
} while (0)

	if (unit_flag(encoder, "filter", i, "match_privilege"))
		ADD(fprintf(out, "privilege %s", unit_attribute(encoder, "filter", i,
								"match_choice_privilege", value)));
	if (unit_flag(encoder, "filter", i, "match_ecause"))
		ADD(fprintf(out, "ecause %s", unit_attribute(encoder, "filter", i,
							     "match_choice_ecause", value)));
	if (unit_flag(encoder, "filter", i, "match_interrupt"))
		ADD(fputs(unit_flag(encoder, "filter", i, "match_value_interrupt") ?
			  "interrupt" : "exception", out));
	for (n = 1; n <= FILTER_COMPARATORS; n++) {
		j = filter_comparator(encoder, i, n);
		if (j >= 0)
			ADD(write_comparator(out, encoder, j));
	}
#undef ADD
	return list;
}

static unsigned int count_units(const struct rvtrace_device *encoder,
				bool (*has)(const struct rvtrace_device *encoder, unsigned int i))
{
	unsigned int i, count = 0;

	for (i = 0; i < UNITS_MAX; i++)
		count += has(encoder, i);
	return count;
}

struct json_object *filters_json(const struct rvtrace_device *encoder)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	unsigned long used = filters_in_use(encoder);
	unsigned int i;

	json_object_object_add(object, "name", json_object_new_string(encoder->name));
	json_object_object_add(object, "comparators",
			       json_object_new_int(count_units(encoder, has_comparator)));
	json_object_object_add(object, "filters", list);
	for (i = 0; i < UNITS_MAX; i++) {
		struct json_object *filter;

		if (!has_filter(encoder, i))
			continue;
		filter = json_object_new_object();
		json_object_object_add(filter, "filter", json_object_new_int(i));
		json_object_object_add(filter, "enabled", json_object_new_boolean(
				       unit_flag(encoder, "filter", i, "enable")));
		json_object_object_add(filter, "used", json_object_new_boolean(used >> i & 1));
		json_object_object_add(filter, "conditions", conditions(encoder, i));
		json_object_array_add(list, filter);
	}
	return object;
}

static void print_filter(const struct rvtrace_device *encoder, unsigned int i)
{
	struct json_object *list = conditions(encoder, i);
	size_t k, count = json_object_array_length(list);

	printf("    filter %u: ", i);
	if (!unit_flag(encoder, "filter", i, "enable"))
		printf("nothing, it is not enabled");
	else if (!count)
		printf("everything");
	else
		for (k = 0; k < count; k++)
			printf("%s%s", k ? "; " : "",
			       json_object_get_string(json_object_array_get_idx(list, k)));
	putchar('\n');
	json_object_put(list);
}

void print_filters(const struct rvtrace_device *encoder)
{
	unsigned long used = filters_in_use(encoder);
	unsigned int i;

	printf("%-10s %u filters, %u comparators, traces %s\n", encoder->name,
	       count_units(encoder, has_filter), count_units(encoder, has_comparator),
	       used ? "what any of these matches" : "everything");
	for (i = 0; i < UNITS_MAX; i++)
		if (used >> i & 1)
			print_filter(encoder, i);
}
