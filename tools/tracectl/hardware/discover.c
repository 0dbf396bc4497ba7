// SPDX-License-Identifier: GPL-2.0
/*
 * tracectl discover: what the hardware can do, as the driver found it. A file
 * NAME_available says what field NAME can be; what else does not change is a
 * constant. Folders with such files are units, of which there are several.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/parse.h"
#include "components.h"

#define AVAILABLE	"_available"

/* What is going on, not what could be; and what is beside a file of its own */
static const char *const states[] = {
	"active", "*_active", "enable", "*_enable", "empty", "*_empty", "*_tracing", "*_overflow",
	"*_error", "data_stall", "data_drop", "*_lost", "sink_name", "reset", "generation",
	"wait_for_trigger", "data_trace",
};

#define STATES	(sizeof(states) / sizeof(states[0]))

/* What a field can be */
enum choice {
	CHOICE,		/* one of several values */
	SWITCH,		/* 0 or 1 */
	FIXED,		/* one value */
	ABSENT,		/* nothing but 0 */
};

/* "inst_mode" of "inst_mode_available", to be freed; NULL of other names. */
static char *field_name(const char *file)
{
	size_t length = strlen(file), end = strlen(AVAILABLE);

	if (length <= end || strcmp(file + length - end, AVAILABLE))
		return NULL;
	return strndup(file, length - end);
}

static bool has_field(char **files, int count, const char *name)
{
	char file[RVTRACE_ATTRIBUTE_MAX];
	int i;

	snprintf(file, sizeof(file), "%s" AVAILABLE, name);
	for (i = 0; i < count; i++)
		if (!strcmp(files[i], file))
			return true;
	return false;
}

static bool is_constant(char **files, int count, const char *name)
{
	char *field = field_name(name);
	size_t i;

	free(field);
	if (field || has_field(files, count, name))
		return false;
	for (i = 0; i < STATES; i++)
		if (!fnmatch(states[i], name, 0))
			return false;
	return true;
}

static struct json_object *word_json(const char *word)
{
	uint64_t number;

	if (strncmp(word, "0x", 2) && !parse_number(word, &number))
		return json_object_new_int64(number);
	return json_object_new_string(word);
}

/* Of a wide field the bits that can be set, of others the values. */
static struct json_object *field_json(const char *available)
{
	struct json_object *field = json_object_new_object(), *values;
	char *text, *word, *rest = NULL;

	if (!strncmp(available, "0x", 2)) {
		json_object_object_add(field, "bits", json_object_new_string(available));
		return field;
	}
	values = json_object_new_array();
	json_object_object_add(field, "values", values);
	text = strdup(available);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		json_object_array_add(values, word_json(word));
	free(text);
	return field;
}

/* @name of a sink, if it has that */
static void add_size(struct json_object *object, const struct rvtrace_device *sink,
		     const char *name)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	if (*attribute(sink, name, value))
		json_object_object_add(object, name, word_json(value));
}

static struct json_object *sinks_json(const struct rvtrace_devices *devices,
				      const struct rvtrace_device *component)
{
	struct json_object *sinks = json_object_new_array(), *sink;
	char value[RVTRACE_ATTRIBUTE_MAX];
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct rvtrace_device *device = &devices->items[i];

		if (device->kind != RVTRACE_DEVICE_SINK ||
		    strcmp(attribute(device, "component", value), component->name))
			continue;
		sink = json_object_new_object();
		json_object_object_add(sink, "name", json_object_new_string(device->name));
		add_size(sink, device, "buffer_size_max");
		add_size(sink, device, "sram_size");
		json_object_array_add(sinks, sink);
	}
	return sinks;
}

static void add_file(struct json_object *fields, struct json_object *constants,
		     const struct rvtrace_device *device, char **files, int count, int i)
{
	char value[RVTRACE_ATTRIBUTE_MAX], *field = field_name(files[i]);

	if (field)
		json_object_object_add(fields, field,
				       field_json(attribute(device, files[i], value)));
	else if (is_constant(files, count, files[i]) && *attribute(device, files[i], value))
		json_object_object_add(constants, files[i], word_json(value));
	free(field);
}

/* What the files of a component or unit say, in alphabetical order */
static void add_files(struct json_object *fields, struct json_object *constants,
		      const struct rvtrace_device *device)
{
	char **files;
	int count = rvtrace_device_attributes(device, &files), i;

	for (i = 0; i < count; i++)
		add_file(fields, constants, device, files, count, i);
	for (i = 0; i < count; i++)
		free(files[i]);
	if (count >= 0)
		free(files);
}

static void add_unit(struct json_object *units, const struct rvtrace_device *component,
		     const char *name)
{
	struct json_object *fields = json_object_new_object();
	struct json_object *constants = json_object_new_object();
	struct rvtrace_device unit = { .kind = component->kind };

	snprintf(unit.name, sizeof(unit.name), "%.63s", name);
	snprintf(unit.path, sizeof(unit.path), "%.440s/%.63s", component->path, name);
	add_files(fields, constants, &unit);
	json_object_put(constants);
	if (json_object_object_length(fields))
		json_object_object_add(units, name, fields);
	else
		json_object_put(fields);
}

/* Names without number first, then by number */
static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static struct json_object *units_json(const struct rvtrace_device *component)
{
	struct json_object *units = json_object_new_object();
	struct dirent **folders;
	int count = scandir(component->path, &folders, is_folder, by_number), i;

	for (i = 0; i < count; i++) {
		add_unit(units, component, folders[i]->d_name);
		free(folders[i]);
	}
	if (count >= 0)
		free(folders);
	return units;
}

static struct json_object *component_json(const struct rvtrace_devices *devices,
					  const struct rvtrace_device *component)
{
	struct json_object *object = json_object_new_object();
	struct json_object *fields = json_object_new_object();
	struct json_object *constants = json_object_new_object();
	char value[RVTRACE_ATTRIBUTE_MAX], *kind = component_kind(component);

	json_object_object_add(object, "name", json_object_new_string(component->name));
	json_object_object_add(object, "kind", json_object_new_string(kind));
	json_object_object_add(object, "generation",
			       json_object_new_string(attribute(component, "generation", value)));
	add_files(fields, constants, component);
	free(kind);
	json_object_object_add(object, "constants", constants);
	json_object_object_add(object, "fields", fields);
	json_object_object_add(object, "units", units_json(component));
	json_object_object_add(object, "sinks", sinks_json(devices, component));
	return object;
}

static enum choice choice_of(struct json_object *field)
{
	struct json_object *values;
	const char *first;
	size_t count;

	if (!json_object_object_get_ex(field, "values", &values)) {
		json_object_object_get_ex(field, "bits", &values);
		return strcmp(json_object_get_string(values), "0x0") ? CHOICE : ABSENT;
	}
	count = json_object_array_length(values);
	first = count ? json_object_get_string(json_object_array_get_idx(values, 0)) : "0";
	if (count > 1)
		return count == 2 && !strcmp(first, "0") && !strcmp("1",
			json_object_get_string(json_object_array_get_idx(values, 1))) ?
			SWITCH : CHOICE;
	return !strcmp(first, "0") || !strcmp(first, "off") || !strcmp(first, "none") ? ABSENT :
	       FIXED;
}

/* Index of the last of consecutive numbers that begin at @i. */
static size_t end_of_run(struct json_object *values, size_t i)
{
	struct json_object *this = json_object_array_get_idx(values, i), *next;

	for (; i + 1 < json_object_array_length(values); i++, this = next) {
		next = json_object_array_get_idx(values, i + 1);
		if (!json_object_is_type(this, json_type_int) ||
		    !json_object_is_type(next, json_type_int) ||
		    json_object_get_int64(next) != json_object_get_int64(this) + 1)
			break;
	}
	return i;
}

static void print_values(struct json_object *field)
{
	struct json_object *values;
	size_t i, end;

	if (!json_object_object_get_ex(field, "values", &values)) {
		json_object_object_get_ex(field, "bits", &values);
		printf(" bits %s", json_object_get_string(values));
		return;
	}
	for (i = 0; i < json_object_array_length(values); i++) {
		printf(" %s", json_object_get_string(json_object_array_get_idx(values, i)));
		end = end_of_run(values, i);
		if (end < i + 2)
			continue;
		printf("-%s", json_object_get_string(json_object_array_get_idx(values, end)));
		i = end;
	}
}

/* Fields of one name with numbers behind it that can be the same */
static bool are_alike(const char *a, struct json_object *x, const char *b, struct json_object *y)
{
	size_t length = strcspn(a, "0123456789");

	return a[length] && !strncmp(a, b, length) && length == strcspn(b, "0123456789") &&
	       json_object_equal(x, y);
}

/* What @first to @last can be: a line for each, or in the line of all, behind @before */
static void print_run(enum choice choice, int indent, const char *before, const char *first,
		      const char *last, struct json_object *field)
{
	if (choice == CHOICE)
		printf("%*s%s", indent, "", first);
	else
		printf("%s %s", before, first);
	if (first != last)
		printf("-%s", last + strcspn(last, "0123456789"));
	if (choice == CHOICE)
		putchar(':');
	if (choice == CHOICE || choice == FIXED)
		print_values(field);
	if (choice == CHOICE)
		putchar('\n');
}

/* All @fields that are a @choice */
static void print_choices(struct json_object *fields, enum choice choice, int indent,
			  const char *title)
{
	const char *first = NULL, *last = NULL, *before = "";
	struct json_object *run = NULL;

	json_object_object_foreach(fields, name, field) {
		if (choice_of(field) != choice)
			continue;
		if (!run && title)
			printf("%*s%s", indent, "", title);
		if (!run || !are_alike(first, run, name, field)) {
			if (run) {
				print_run(choice, indent, before, first, last, run);
				before = ",";
			}
			first = name;
			run = field;
		}
		last = name;
	}
	if (!run)
		return;
	print_run(choice, indent, before, first, last, run);
	if (choice != CHOICE)
		putchar('\n');
}

static void print_fields(struct json_object *fields, int indent)
{
	print_choices(fields, CHOICE, indent, NULL);
	print_choices(fields, SWITCH, indent, "0 or 1:");
	print_choices(fields, FIXED, indent, "always:");
	print_choices(fields, ABSENT, indent, "not there:");
}

static void print_constants(struct json_object *constants)
{
	const char *separator = "    constant:";

	json_object_object_foreach(constants, name, value) {
		printf("%s %s %s", separator, name, json_object_get_string(value));
		separator = ",";
	}
	putchar('\n');
}

/* Units that can do the same are told of once. */
static void print_units(struct json_object *units)
{
	struct json_object *first = NULL;

	json_object_object_foreach(units, name, fields) {
		if (first && json_object_equal(first, fields)) {
			printf(" %s", name);
			continue;
		}
		if (first) {
			puts(":");
			print_fields(first, 8);
		}
		printf("    %s", name);
		first = fields;
	}
	if (first) {
		puts(":");
		print_fields(first, 8);
	}
}

static const char *member(struct json_object *object, const char *name)
{
	return json_object_get_string(json_object_object_get(object, name));
}

static void print_component(struct json_object *component)
{
	struct json_object *sinks, *sink;
	size_t i;

	printf("%-10s %s %s\n", member(component, "name"), member(component, "kind"),
	       member(component, "generation"));
	print_constants(json_object_object_get(component, "constants"));
	print_fields(json_object_object_get(component, "fields"), 4);
	print_units(json_object_object_get(component, "units"));
	sinks = json_object_object_get(component, "sinks");
	for (i = 0; i < json_object_array_length(sinks); i++) {
		sink = json_object_array_get_idx(sinks, i);
		printf("    sink: %s, ", member(sink, "name"));
		if (json_object_get_int64(json_object_object_get(sink, "buffer_size_max")))
			printf("ring of up to %s bytes", member(sink, "buffer_size_max"));
		else
			printf("off chip");
		if (json_object_get_int64(json_object_object_get(sink, "sram_size")))
			printf(", SRAM of %s bytes", member(sink, "sram_size"));
		putchar('\n');
	}
}

static int discover(const struct rvtrace_devices *devices, const struct rvtrace_device *component,
		    void *data)
{
	struct json_object *object = component_json(devices, component);

	if (global.json) {
		json_object_array_add(data, object);
	} else {
		print_component(object);
		json_object_put(object);
	}
	return EXIT_OK;
}

int verb_discover(int argc, char **argv)
{
	return show_components(argc, argv, "Show what the hardware supports: the values that each field accepts.",
			       discover);
}
