/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register blocks as const tables: offset, fields, what is legal (WARL), and
 * what a write causes.
 */
#ifndef RVTRACE_MODEL_REGS_H
#define RVTRACE_MODEL_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct reg_field - a writable field
 * @mask: its bits; 0 ends the list
 * @legal: whether the owner accepts @value (right-aligned); NULL: any value.
 *	An illegal value leaves the field as it was (TCI 0.9.4, WARL).
 */
struct reg_field {
	uint32_t mask;
	bool (*legal)(const void *owner, uint32_t value);
};

/**
 * struct reg_spec - one register
 * @name: as the specification prints it
 * @offset: in the page
 * @fields: writable fields; NULL: read-only. Other bits ignore writes.
 * @read: what a read returns instead of the stored value; NULL: that
 * @written: called after a write with the value before it; NULL: nothing
 */
struct reg_spec {
	const char *name;
	uint32_t offset;
	const struct reg_field *fields;
	uint32_t (*read)(const void *owner, uint32_t stored);
	void (*written)(void *owner, uint32_t before);
};

/* Return: index of the register at @offset, or -1. */
int reg_find(const struct reg_spec *specs, size_t count, uint32_t offset);

/* Unimplemented offsets read 0 (chapter 3.1). */
uint32_t reg_read(const struct reg_spec *specs, size_t count,
		  const uint32_t *values, const void *owner, uint32_t offset);

/* Unimplemented offsets ignore writes. */
void reg_write(const struct reg_spec *specs, size_t count, uint32_t *values,
	       void *owner, uint32_t offset, uint32_t value);

static inline uint32_t field_get(uint32_t mask, uint32_t reg)
{
	return (reg & mask) >> __builtin_ctz(mask);
}

static inline uint32_t field_put(uint32_t mask, uint32_t value)
{
	return (value << __builtin_ctz(mask)) & mask;
}

#endif /* RVTRACE_MODEL_REGS_H */
