// SPDX-License-Identifier: GPL-2.0
/* tracectl registers: what the registers of a component read, out of debugfs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "components.h"
#include "register_names.h"

/* A register, as a line of the driver's file has it: OFFSET VALUE [FIELD=VALUE]... */
struct reg {
	uint32_t offset;
	uint32_t value;
	char name[64];
	const char *fields;
};

static bool parse_line(const struct rvtrace_device *component, char *line, struct reg *reg)
{
	char generation[RVTRACE_ATTRIBUTE_MAX], *kind, *end;

	line[strcspn(line, "\n")] = 0;
	reg->offset = strtoul(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	reg->value = strtoul(end, &end, 16);
	if (*end && *end != ' ')
		return false;
	reg->fields = *end ? end + 1 : end;
	kind = component_kind(component);
	register_name(attribute(component, "generation", generation), kind, reg->offset,
		      reg->name, sizeof(reg->name));
	free(kind);
	return true;
}

static struct json_object *reg_json(const struct reg *reg)
{
	struct json_object *object = json_object_new_object(), *fields = json_object_new_object();
	char *text = strdup(reg->fields), *word, *value, *rest = NULL;

	json_object_object_add(object, "offset", json_object_new_int64(reg->offset));
	if (*reg->name)
		json_object_object_add(object, "name", json_object_new_string(reg->name));
	json_object_object_add(object, "value", json_object_new_int64(reg->value));
	json_object_object_add(object, "fields", fields);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		value = strchr(word, '=');
		if (!value)
			continue;
		*value++ = 0;
		json_object_object_add(fields, word, json_object_new_string(value));
	}
	free(text);
	return object;
}

/* What reads 0 and is nothing by name is in the way. */
static void print_reg(const struct reg *reg)
{
	if (reg->value || *reg->fields || global.verbose)
		printf("  0x%03x %-22s 0x%08x%s%s\n", reg->offset, reg->name, reg->value,
		       *reg->fields ? "  " : "", reg->fields);
}

static int read_lines(const struct rvtrace_device *component, FILE *file, struct json_object *list)
{
	size_t size = 0, number = 0;
	int status = EXIT_OK;
	char *line = NULL;
	struct reg reg;

	while (status == EXIT_OK && getline(&line, &size, file) >= 0) {
		number++;
		if (!parse_line(component, line, &reg)) {
			error_text("%s: line %zu of the driver's registers: not understood",
				   component->name, number);
			status = EXIT_FAILED;
		} else if (global.json) {
			json_object_array_add(list, reg_json(&reg));
		} else {
			print_reg(&reg);
		}
	}
	free(line);
	return status;
}

static int print_registers(const struct rvtrace_devices *devices,
			   const struct rvtrace_device *component, void *data)
{
	struct json_object *object, *list;
	char path[128];
	int status;
	FILE *file;

	(void)devices;
	snprintf(path, sizeof(path), "/sys/kernel/debug/rvtrace_tci/%s/registers", component->name);
	file = fopen(path, "re");
	if (!file) {
		error_text("%s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	object = json_object_new_object();
	list = json_object_new_array();
	json_object_object_add(object, "name", json_object_new_string(component->name));
	json_object_object_add(object, "registers", list);
	json_object_array_add(data, object);
	if (!global.json)
		puts(component->name);
	errno = 0;
	status = read_lines(component, file, list);
	if (ferror(file)) {
		error_text("%s: %s", path, strerror(errno));
		status = EXIT_FAILED;
	}
	fclose(file);
	return status;
}

int verb_registers(int argc, char **argv)
{
	return show_components(argc, argv, "Show registers and their fields; with -v also registers that read 0 and have no fields.",
			       print_registers);
}
