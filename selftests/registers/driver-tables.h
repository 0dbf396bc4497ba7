/* SPDX-License-Identifier: GPL-2.0 */
/* The driver's tables, and what its source calls what is in them. */
#ifndef DRIVER_TABLES_H
#define DRIVER_TABLES_H

#include "specification.h"

/**
 * struct driver_kind - a kind of component that the driver knows
 * @name: name of its table, without rvtrace_
 * @kind: the table
 */
struct driver_kind {
	const char *name;
	const struct rvtrace_kind *kind;
};

/**
 * struct driver_field - a field, whatever the generation
 * @name: its name for users; NULL: it has none
 * @configurable: users choose its value
 * @constant: it says what the hardware is
 * @file: there is a file of its name
 */
struct driver_field {
	const char *name;
	bool configurable;
	bool constant;
	bool file;
};

/**
 * struct driver_unit_field - a field of a unit
 * @name: its name for users; NULL: it has none
 * @unit: what its units are called
 */
struct driver_unit_field {
	const char *name;
	const char *unit;
};

/**
 * struct header_line - a definition in a uAPI header
 * @macro: what it defines; NULL: nothing of a register
 * @is_register: a register, else a mask of the register before it
 * @name: register: name in the specification, if the header says it
 * @value: offset or mask
 */
struct header_line {
	const char *macro;
	bool is_register;
	const char *name;
	u32 value;
};

/**
 * driver_kinds() - the kinds that the driver knows
 * @count: out: how many
 */
const struct driver_kind *driver_kinds(size_t *count);

/**
 * driver_kind() - the driver's table of a kind
 * @spec: the kind
 *
 * Return: NULL when there is none
 */
const struct rvtrace_kind *driver_kind(const struct spec_kind *spec);

/**
 * driver_device() - what devices of a role are called
 * @role: the role
 */
const char *driver_device(enum rvtrace_role role);

/**
 * driver_field() - what the driver says of a field
 * @id: the field
 */
struct driver_field driver_field(unsigned int id);

/**
 * driver_unit_field() - what the driver says of a field of a unit
 * @id: the field
 */
struct driver_unit_field driver_unit_field(unsigned int id);

/**
 * driver_position() - where the driver has a field of the specification
 * @kind: the driver's table
 * @field: the field, which has a user
 * @reg: out: offset of its register
 * @mask: out: its bits; 0 where the driver says no more than the register
 *
 * Return: false when it is not in the table
 */
bool driver_position(const struct rvtrace_kind *kind, const struct spec_field *field,
		     u32 *reg, u32 *mask);

/**
 * header_lines() - what a uAPI header defines
 * @generation: name of the generation
 * @count: out: how many lines
 */
const struct header_line *header_lines(const char *generation, size_t *count);

#endif /* DRIVER_TABLES_H */
