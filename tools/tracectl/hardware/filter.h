/* SPDX-License-Identifier: GPL-2.0 */
/* Filters and comparators of an encoder, as directories in sysfs. */
#ifndef RVTRACE_TRACECTL_FILTER_H
#define RVTRACE_TRACECTL_FILTER_H

#include <stdbool.h>

#include <rvtrace/device.h>

#define UNITS_MAX		16	/* filters, and comparators, there is room for */
#define FILTER_COMPARATORS	3	/* a filter can use */

struct json_object;

/* There is one of number @i. */
bool has_filter(const struct rvtrace_device *encoder, unsigned int i);
bool has_comparator(const struct rvtrace_device *encoder, unsigned int i);

/* A file of "filter" or "comparator" @i as text; "" when there is none. */
const char *unit_attribute(const struct rvtrace_device *encoder, const char *unit,
			   unsigned int i, const char *file, char value[RVTRACE_ATTRIBUTE_MAX]);

/* Such a file reads 1. */
bool unit_flag(const struct rvtrace_device *encoder, const char *unit, unsigned int i,
	       const char *file);

/* Number of the comparator that filter @i uses as its @n-th, from 1; -1: none. */
int filter_comparator(const struct rvtrace_device *encoder, unsigned int i, unsigned int n);

/* Set of the filters that say what is traced; 0: everything is. */
unsigned long filters_in_use(const struct rvtrace_device *encoder);

/* Show the filters of an encoder. The caller puts the object. */
void print_filters(const struct rvtrace_device *encoder);
struct json_object *filters_json(const struct rvtrace_device *encoder);

#endif /* RVTRACE_TRACECTL_FILTER_H */
