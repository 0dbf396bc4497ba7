// SPDX-License-Identifier: GPL-2.0
/* tracectl decode --summary: what executed without an image. */
#include <inttypes.h>

#include <json-c/json.h>

#include "decode.h"

static struct json_object *text_or_null(const char *text)
{
	return *text ? json_object_new_string(text) : NULL;
}

static struct json_object *hex(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

static struct json_object *range_json(const struct rvtrace_missing_range *r)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "kind", json_object_new_string(rvtrace_missing_kind_name(r->kind)));
	json_object_object_add(o, "path", text_or_null(r->path));
	json_object_object_add(o, "build_id", text_or_null(r->build_id));
	json_object_object_add(o, "start", hex(r->start));
	json_object_object_add(o, "end", hex(r->end));
	json_object_object_add(o, "pid", r->pid >= 0 ? json_object_new_int(r->pid) : NULL);
	json_object_object_add(o, "name", text_or_null(r->comm));
	json_object_object_add(o, "bytes", json_object_new_int64(r->bytes));
	json_object_object_add(o, "stretches", json_object_new_int64(r->stretches));
	return o;
}

static void print_range(FILE *file, const struct rvtrace_missing_range *r)
{
	char process[40] = "?", place[64], name[NAME_SIZE];

	if (r->pid >= 0)
		snprintf(process, sizeof(process), "%s/%d",
			 printable(r->comm, name, sizeof(name)), r->pid);
	snprintf(place, sizeof(place), "0x%" PRIx64 "-0x%" PRIx64, r->start, r->end);
	fprintf(file, "%14" PRIu64 " %9s %-23s %-27s ", r->bytes,
		rvtrace_missing_kind_name(r->kind), process, place);
	put_visible(file, r->path);
	fprintf(file, "%s%s\n", *r->build_id ? " build id " : "", r->build_id);
}

void missing_print(struct rvtrace_missing *missing, FILE *file, struct json_object *array)
{
	const struct rvtrace_missing_range *r;
	size_t i;

	for (i = 0; (r = rvtrace_missing_get(missing, i)); i++) {
		if (array) {
			json_object_array_add(array, range_json(r));
			continue;
		}
		if (!i)
			fprintf(file, "\n%14s %9s %-23s %-27s %s\n", "no image bytes", "kind",
				"process", "addresses", "file");
		print_range(file, r);
	}
}
