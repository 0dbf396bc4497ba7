/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of the Trace Control Interface, as its specifications print
 * them.
 *
 * Written from the specifications alone: what the driver's tables and the uAPI
 * headers say is compared with it. Every field names the entry of the driver's
 * tables that stands for it: when the driver learns a field, UNUSED() becomes
 * FIELD().
 */
#ifndef SPECIFICATION_H
#define SPECIFICATION_H

#include <stddef.h>

#include "driver/kind.h"

/* What software can do with a field */
enum access {
	R,	/* read */
	RW,
	WARL,	/* write any, read legal */
	W1,	/* write 1: something happens */
	RW0C,	/* hardware sets it, writing 0 clears it */
	RW1C,	/* hardware sets it, writing 1 clears it */
	RC,	/* hardware sets it, reading clears it */
	PORT,	/* reading or writing moves a pointer */
	ACCESSES
};

/* Which of a kind's tables a field is in */
enum user {
	NOBODY,
	IN_FIELDS,
	IN_RAM,
	IN_TIMESTAMP,
	IN_UNITS,
	IN_KIND,	/* a member of its own, past its regmap */
};

/**
 * struct spec_field - a field
 * @name: name in the specification
 * @msb: its first bit
 * @lsb: its last bit
 * @access: what software can do with it
 * @user: the table of the driver it is in
 * @which: fields, units: its id; else the offset of the member that has its register
 * @member: that member
 * @seen: boards on which it was found to be so; NULL: none
 */
struct spec_field {
	const char *name;
	u8 msb;
	u8 lsb;
	enum access access;
	enum user user;
	unsigned int which;
	const char *member;
	const char *seen;
};

/**
 * struct spec_register - a register, or several that are alike
 * @name: name in the specification; NULL for a block that it only sets apart
 * @offset: of the first
 * @stride: from one to the next
 * @count: how many
 * @fields: the last one has no name
 */
struct spec_register {
	const char *name;
	u16 offset;
	u16 stride;
	u16 count;
	const struct spec_field *fields;
};

/**
 * struct spec_kind - a kind of component in one generation
 * @name: name of the driver's table, without rvtrace_
 * @title: what it is
 * @generation: name of the generation
 * @version: what its (major) version reads
 * @device: devices of the driver that are of this kind
 * @comp_type: what its component type reads, where it has one
 * @inst_modes: names of an encoder's instruction trace modes
 * @undefined: registers to be cleared after reset; ends with 0
 * @undefined_control: bits of its control register to be cleared: all but those that
 *	reset defines
 * @reserved_zero: software writes 0 to reserved bits ("Versioning of Components")
 * @units_undefined: its filters and comparators are not defined after reset
 * @registers: the last one has no fields
 */
struct spec_kind {
	const char *name;
	const char *title;
	const char *generation;
	u32 version;
	const char *device;
	u32 comp_type;
	const char *inst_modes[8];
	u16 undefined[12];
	u32 undefined_control;
	bool reserved_zero;
	bool units_undefined;
	const struct spec_register *registers;
};

#define REGISTERS(offset_, stride_, count_, name_, ...) {		\
	.name = (name_), .offset = (offset_), .stride = (stride_), .count = (count_), \
	.fields = (const struct spec_field[]){ __VA_ARGS__, { 0 } },	\
}
#define REGISTER(offset, name, ...)	REGISTERS(offset, 4, 1, name, __VA_ARGS__)
/* Set apart: may be read, has no fields */
#define BLOCK(offset, stride, count)	REGISTERS(offset, stride, count, NULL, { 0 })

#define SPEC_FIELD(name_, msb_, lsb_, access_, ...)			\
	{ .name = (name_), .msb = (msb_), .lsb = (lsb_), .access = (access_), __VA_ARGS__ }
#define FIELD(msb, lsb, name, access, id)				\
	SPEC_FIELD(name, msb, lsb, access, .user = IN_FIELDS, .which = RVTRACE_##id)
#define RAM(msb, lsb, name, access, member_)				\
	SPEC_FIELD(name, msb, lsb, access, .user = IN_RAM, .member = "ram." #member_, \
		   .which = offsetof(struct rvtrace_ram_registers, member_))
#define TIMESTAMP(msb, lsb, name, access, member_)			\
	SPEC_FIELD(name, msb, lsb, access, .user = IN_TIMESTAMP,	\
		   .member = "timestamp." #member_,			\
		   .which = offsetof(struct rvtrace_timestamp_registers, member_))
#define UNIT(msb, lsb, name, access, id)				\
	SPEC_FIELD(name, msb, lsb, access, .user = IN_UNITS, .which = RVTRACE_##id)
#define KIND(msb, lsb, name, access, member_)				\
	SPEC_FIELD(name, msb, lsb, access, .user = IN_KIND, .member = "kind." #member_, \
		   .which = offsetof(struct rvtrace_kind, member_))
#define UNUSED(msb, lsb, name, access)	SPEC_FIELD(name, msb, lsb, access, .user = NOBODY)

/* Software trace port: of no specification, as the emulated machine has it */
#define SOFTWARE_TRACE(offset, te)					\
	REGISTER(offset, te "SoftwareTrace",				\
		 FIELD(0, 0, te "SoftwareTraceEnable", RW, PORT_ENABLE), \
		 FIELD(1, 1, te "SoftwareTraceThreads", RW, PORT_THREADS), \
		 FIELD(4, 4, te "SoftwareTraceUser", RW, PORT_USER),	\
		 FIELD(5, 5, te "SoftwareTraceCom", RW, PORT_COM),	\
		 FIELD(6, 6, te "SoftwareTraceReserved", RW, PORT_RESERVED), \
		 FIELD(7, 7, te "SoftwareTraceSys", RW, PORT_SYS),	\
		 FIELD(31, 16, te "SoftwareTraceSwitch", RW, PORT_SWITCH)), \
	REGISTER((offset) + 4, te "SoftwareTraceLost",			\
		 FIELD(31, 0, te "SoftwareTraceLost", RC, PORT_LOST))

#define for_each_spec_register(r, kind)	for ((r) = (kind)->registers; (r)->fields; (r)++)
#define for_each_spec_field(f, r)	for ((f) = (r)->fields; (f)->name; (f)++)

/* All kinds; the last one has no name. */
extern const struct spec_kind specification[];

/* Registers of the kinds of one generation */
extern const struct spec_register spec_encoder_0[], spec_funnel_0[];
extern const struct spec_register spec_encoder_0_9[], spec_funnel_0_9[];
extern const struct spec_register spec_encoder_1_0[], spec_funnel_1_0[], spec_ram_sink_1_0[];
extern const struct spec_register spec_pib_sink_1_0[], spec_atb_bridge_1_0[];

/**
 * spec_register_at() - the register at an offset
 * @kind: the kind
 * @offset: of the first of several or of any other
 *
 * Return: NULL when there is none
 */
const struct spec_register *spec_register_at(const struct spec_kind *kind, unsigned int offset);

/**
 * spec_mask() - bits of a field
 * @field: the field
 */
static inline u32 spec_mask(const struct spec_field *field)
{
	return (0xffffffffU >> (31 - field->msb)) & (0xffffffffU << field->lsb);
}

#endif /* SPECIFICATION_H */
