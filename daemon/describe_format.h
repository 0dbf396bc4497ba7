/* SPDX-License-Identifier: GPL-2.0 */
/* What metadata.json says of an encoder's format: what differs between formats. */
#ifndef RVTRACED_DESCRIBE_FORMAT_H
#define RVTRACED_DESCRIBE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

struct rvtrace_failure;

/**
 * struct describe_format - a format that has parameters; what is NULL or false there is not
 * @name: as metadata has it, which is that of its node in the device tree, too
 * @is_vendor: a vendor's (teFormat 7): only the device tree says which one it is
 * @ids_are_harts: source ids are hart ids
 * @properties: its parameters, all of them properties of the node, by the names of docs/formats.md
 * @describe: its parameters, where @properties is NULL, of an encoder with these sysfs attributes;
 *	NULL if the device tree has none
 * @check: whether metadata has them all
 * @doubt: why the trace would not decode right: fills the text, or leaves it; NULL: it does
 */
struct describe_format {
	const char *name;
	bool is_vendor;
	bool ids_are_harts;
	const char *const *properties;
	struct json_object *(*describe)(const char *encoder, struct json_object *attributes);
	int (*check)(struct json_object *metadata, struct rvtrace_failure *error);
	void (*doubt)(struct json_object *metadata, struct json_object *sources, char *text,
		      size_t size);
};

/**
 * describe_parameters - parameters of an encoder
 * @said: format as sysfs has it
 * @encoder: its name
 * @attributes: its sysfs attributes
 * @parameters: filled: an object that the caller owns, with the name of the format a member of
 *	the encoder's description
 *
 * Return: the format; NULL: it has no parameters, or the device tree says nothing of them.
 */
const struct describe_format *describe_parameters(const char *said, const char *encoder,
						  struct json_object *attributes,
						  struct json_object **parameters);

/* What describe_sources() filled; not consumed */
struct json_object *describe_sources_of(struct json_object *metadata);

/* Whether parameters are missing or wrong. Return: 0, or negative with @error filled. */
int describe_check(struct json_object *metadata, struct rvtrace_failure *error);

/* Why trace with these parameters would not decode right; nothing is filled if it does. */
void describe_doubt(struct json_object *metadata, char *text, size_t size);

/* E-Trace: see struct describe_format */
struct json_object *describe_etrace(const char *encoder, struct json_object *attributes);
int describe_etrace_check(struct json_object *metadata, struct rvtrace_failure *error);
void describe_etrace_doubt(struct json_object *metadata, struct json_object *sources, char *text,
			   size_t size);

#endif /* RVTRACED_DESCRIBE_FORMAT_H */
