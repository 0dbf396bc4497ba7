// SPDX-License-Identifier: GPL-2.0
/*
 * Print every field of every kind, for `document`: a line for each kind, "kind",
 * title and generation, then one for each of its fields with what the columns of
 * the table are; separated by tabs, "-" where there is nothing.
 */
#include <stdio.h>
#include <string.h>

#include "driver-tables.h"

static const char * const accesses[ACCESSES] = {
	[R] = "R",
	[RW] = "RW",
	[WARL] = "WARL",
	[W1] = "W1",
	[RW0C] = "RW0C",
	[RW1C] = "RW1C",
	[RC] = "RC",
	[PORT] = "RW, moves",
};

static void print_place(const struct spec_register *r, const struct spec_field *f)
{
	printf("0x%03x", r->offset);
	if (r->count > 1)
		printf(" + %#x * (0-%u)", r->stride, r->count - 1);
	if (f->msb == f->lsb)
		printf("\t%u\t", f->msb);
	else
		printf("\t%u:%u\t", f->msb, f->lsb);
	if (strcmp(r->name, f->name))
		printf("%s.", r->name);
	printf("%s\t%s\t", f->name, accesses[f->access]);
}

/* Sessions begin and end with an encoder's enable. */
static bool is_writable(const struct rvtrace_kind *kind, unsigned int id)
{
	return driver_field(id).configurable ||
	       (id == RVTRACE_ENABLE && kind->role == RVTRACE_ENCODER);
}

static void print_driver(const struct spec_kind *spec, const struct rvtrace_kind *kind,
			 const struct spec_register *r, const struct spec_field *f)
{
	struct driver_field field = { 0 };
	struct driver_unit_field unit;

	if (kind && f->user == IN_UNITS) {
		unit = driver_unit_field(f->which);
		printf("%s\t%sN/%sN/%s\trw\t%s\n", unit.name, spec->device, unit.unit,
		       unit.name, f->seen ? f->seen : "no");
		return;
	}
	if (f->user == IN_FIELDS)
		field = driver_field(f->which);
	printf("%s\t", !kind || f->user == NOBODY ? "-" : field.name ? field.name : f->member);
	if (kind && field.file)
		printf("%sN/%s\t%s", spec->device, field.name,
		       is_writable(kind, f->which) ? "rw" : "ro");
	else if (kind && r->offset == kind->impl)
		printf("%sN/impl\tro", spec->device);
	else if (f->user == IN_TIMESTAMP && f->access == W1)
		printf("%sN/ts_reset\two", spec->device);
	else
		printf("-\t-");
	printf("\t%s\n", f->seen ? f->seen : "no");
}

int main(void)
{
	const struct spec_kind *spec;
	const struct spec_register *r;
	const struct spec_field *f;

	for (spec = specification; spec->name; spec++) {
		printf("kind\t%s\t%s\n", spec->title, spec->generation);
		for_each_spec_register(r, spec) {
			for_each_spec_field(f, r) {
				print_place(r, f);
				print_driver(spec, driver_kind(spec), r, f);
			}
		}
	}
	return 0;
}
