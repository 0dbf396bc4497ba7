/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register blocks as const tables: registers, the fields they are made of, and
 * what a write does to a field. Where a generation puts a field is all that
 * its table says; what the field means belongs to the owner of the block.
 */
#ifndef RVTRACE_MODEL_REGS_H
#define RVTRACE_MODEL_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a write does to a field, and where its value comes from */
enum reg_access {
	REG_CONST,	/* nothing; it reads what stands in place of its number */
	REG_RO,		/* nothing */
	REG_LIVE,	/* nothing; the owner knows: reg_ops.read */
	REG_RW,		/* any value */
	REG_WARL,	/* the values whose bit is set in reg_block.legal */
	REG_BITS,	/* the bits that are set in reg_block.legal */
	REG_OWN,	/* the owner decides and knows: reg_ops.accept, .read */
	REG_WC,		/* any write clears it */
	REG_W1C,	/* ones clear it */
	REG_W0C,	/* zeroes clear it */
	REG_RC,		/* nothing; a read clears it */

	REG_UNDEF = 0x80, /* with one of these: undefined after a reset */
};

/**
 * struct reg_field - bits of a register
 * @mask: which; 0 ends the list
 * @access: enum reg_access
 * @id: number of the value in reg_block.values
 */
struct reg_field {
	uint32_t mask;
	uint8_t access;
	uint16_t id;
};

/**
 * struct reg_spec - one register
 * @name: as the specification prints it; NULL ends the table
 * @offset: in the page
 * @fields: what it consists of. Other bits read 0 and ignore writes.
 * @more: how many more of the kind there are
 * @stride: bytes from one to the next
 * @step: field numbers from one to the next; 0: 1
 */
struct reg_spec {
	const char *name;
	uint32_t offset;
	const struct reg_field *fields;
	uint16_t more;
	uint16_t stride;
	uint16_t step;
};

/* Eight fields of 4 bits, numbered from @id on */
#define REG_NIBBLES(access, id) \
	{ 0x0000000f, access, (id) + 0 }, { 0x000000f0, access, (id) + 1 }, \
	{ 0x00000f00, access, (id) + 2 }, { 0x0000f000, access, (id) + 3 }, \
	{ 0x000f0000, access, (id) + 4 }, { 0x00f00000, access, (id) + 5 }, \
	{ 0x0f000000, access, (id) + 6 }, { 0xf0000000, access, (id) + 7 }

/* Entries of a table: one register, or @more after it */
#define REG(name, offset, ...) \
	REGS(name, offset, 0, 0, 0, __VA_ARGS__)
#define REGS(name, offset, more, stride, step, ...) \
	{ name, offset, (const struct reg_field[]){ __VA_ARGS__, {} }, \
	  more, stride, step }

/**
 * struct reg_ops - what tables cannot say
 * @read: value of a field that is live or the owner's; may have effects
 * @accept: a field that is the owner's is written
 * @written: after each write to a register of the block; may be NULL
 */
struct reg_ops {
	uint32_t (*read)(void *owner, unsigned int id);
	void (*accept)(void *owner, unsigned int id, uint32_t value);
	void (*written)(void *owner);
};

/**
 * struct reg_block - registers and their values
 * @specs: table
 * @converts: an illegal value becomes a legal one (TCI 1.0); else it is
 *	ignored (0.9.4)
 * @values: of the fields, right-aligned, by number
 * @legal: what REG_WARL and REG_BITS accept, by number
 */
struct reg_block {
	const struct reg_spec *specs;
	bool converts;
	uint32_t *values;
	const uint32_t *legal;
	const struct reg_ops *ops;
	void *owner;
};

/* Return: whether there is a register at @offset. */
bool reg_has(const struct reg_block *block, uint32_t offset);

uint32_t reg_read(struct reg_block *block, uint32_t offset);
void reg_write(struct reg_block *block, uint32_t offset, uint32_t value);

/* As reg_read(), without effects and without fields that are live. */
uint32_t reg_peek(const struct reg_block *block, uint32_t offset);

/* The hardware clears @bits of the register at @offset by itself. */
void reg_clear(struct reg_block *block, uint32_t offset, uint32_t bits);

/* Fill what is undefined after a reset; @seed is a number that goes on. */
void reg_scramble(struct reg_block *block, uint32_t *seed);

/* Return: the largest value that fits field @id of @specs, 0: there is none. */
uint32_t reg_largest(const struct reg_spec *specs, unsigned int id);

/* The lowest value of a set: what fields are reset to. */
static inline uint32_t reg_lowest(uint32_t set)
{
	return __builtin_ctz(set);
}

/* Legal values of a flag. */
static inline uint32_t reg_flag(bool implemented)
{
	return implemented ? 3 : 1;
}

static inline uint32_t field_get(uint32_t mask, uint32_t reg)
{
	return (reg & mask) >> __builtin_ctz(mask);
}

static inline uint32_t field_put(uint32_t mask, uint32_t value)
{
	return (value << __builtin_ctz(mask)) & mask;
}

#endif /* RVTRACE_MODEL_REGS_H */
