// SPDX-License-Identifier: GPL-2.0
/*
 * Formats of vendors (teFormat 7) that can be decoded: which one it is, and what it is made of, is
 * in the device tree alone.
 */
#include <string.h>

#include "describe.h"
#include "device_tree.h"

/* Names as in docs/formats.md. All but the first are numbers. */
static const char *const cdl[] = { "flavour", "xlen", "rv64", "sync_interval", NULL };
static const char *const debugspec[] = {
	"xlen", "compressed", "emit", "buffer_size", "literal", NULL
};

static const struct {
	const char *format;
	const char *const *parameters;
} formats[] = { { "cdl", cdl }, { "debugspec", debugspec } };

static struct json_object *read_parameter(const char *encoder, const char *node,
					  const char *parameter)
{
	char text[DEVICE_TREE_TEXT_MAX];
	int64_t cell;

	if (!strcmp(parameter, "flavour"))
		return device_tree_text(encoder, node, parameter, text) ?
		       NULL : json_object_new_string(text);
	cell = device_tree_cell(encoder, node, parameter);
	return cell < 0 ? NULL : json_object_new_int64(cell);
}

struct json_object *describe_vendor(const char *encoder, const char **format)
{
	struct json_object *object = json_object_new_object(), *value;
	const char *const *parameter;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (parameter = formats[i].parameters; *parameter; parameter++) {
			value = read_parameter(encoder, formats[i].format, *parameter);
			if (value)
				json_object_object_add(object, *parameter, value);
		}
		if (json_object_object_length(object)) {
			*format = formats[i].format;
			return object;
		}
	}
	json_object_put(object);
	return NULL;
}
