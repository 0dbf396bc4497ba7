// SPDX-License-Identifier: LGPL-2.1-or-later
/* N-Trace 1.0 packet layer: see rvtrace/ntrace.h. */
#include <stdlib.h>

#include <rvtrace/ntrace.h>

#include "tools/lib/base/sized.h"
#include "narrow_address.h"
#include "ntrace_fields.h"
#include "pieces.h"
#include "reader.h"

#define IDLE		0xff

/*
 * N-Trace 1.0, table "Maximum Field Sizes"; larger ones are damage. It "is not limiting hardware",
 * and the reference encoder counts instructions on and on: so I-CNT may be as large as in "Maximum
 * standard message size".
 */
#define MAX_SRC_BITS	12
#define MAX_ICNT_BITS	30
#define MAX_REPEAT_BITS	18

_Static_assert(RVTRACE_NTRACE_MESSAGE_MAX <= PIECES_MESSAGE_MAX, "messages can be put together");

struct rvtrace_ntrace {
	struct pieces pieces;
	struct rvtrace_ntrace_config config;
};

int rvtrace_ntrace_new(const struct rvtrace_ntrace_config *config, struct rvtrace_ntrace **reader)
{
	if (config->src_bits > MAX_SRC_BITS || (config->xlen != 32 && config->xlen != 64) ||
	    !all_zero(config->reserved, sizeof(config->reserved)))
		return RVTRACE_ERR_INVALID;
	*reader = calloc(1, sizeof(**reader));
	if (!*reader)
		return RVTRACE_ERR_NO_MEMORY;
	(*reader)->config = *config;
	return 0;
}

void rvtrace_ntrace_free(struct rvtrace_ntrace *reader)
{
	free(reader);
}

int rvtrace_ntrace_feed(struct rvtrace_ntrace *reader, const void *data, size_t size)
{
	return pieces_feed(&reader->pieces, data, size);
}

void rvtrace_ntrace_seek(struct rvtrace_ntrace *reader, uint64_t offset)
{
	pieces_seek(&reader->pieces, offset, false);
}

void rvtrace_ntrace_resync(struct rvtrace_ntrace *reader, uint64_t offset)
{
	pieces_seek(&reader->pieces, offset, true);
}

size_t rvtrace_ntrace_pending(const struct rvtrace_ntrace *reader, uint64_t *offset)
{
	return pieces_pending(&reader->pieces, offset);
}

static __always_inline int get_icnt(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	uint64_t value;
	int err = get_number(c, MAX_ICNT_BITS, &value);

	if (err)
		return err;
	m->icnt = value;
	m->has_icnt = true;
	return 0;
}

/* N-Trace 1.0 "HIST Field Generation": there is always a stop bit. */
static __always_inline int get_hist(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	int err = get_number(c, 64, &m->hist);

	if (err)
		return err;
	if (!m->hist)
		return RVTRACE_ERR_FIELD;
	m->has_hist = true;
	return 0;
}

static int get_repeat(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	uint64_t value;
	int err = get_number(c, MAX_REPEAT_BITS, &value);

	if (err)
		return err;
	m->repeat = value;
	return 0;
}

/*
 * Does @field hold an address of @xlen bits without its lowest one? The register of some encoders is
 * wider, and holds the address extended with its sign.
 */
static bool is_address(const struct field *field, unsigned int xlen)
{
	uint64_t high = field->value >> (xlen - 2);

	return !(high & (high + 1)) && (!field->overflow || field->extended);
}

/* N-Trace 1.0 "Address Compression" and "Virtual Addresses Optimization". */
static __always_inline int get_address(struct cursor *c,
				       const struct rvtrace_ntrace_config *config,
				       struct rvtrace_ntrace_message *m)
{
	struct field field;
	uint64_t value;

	if (!get_variable(c, &field))
		return RVTRACE_ERR_TRUNCATED;
	value = field.value;
	if (config->extend_addr_msb) {
		if (field.bits < 64 && value >> (field.bits - 1))
			value |= UINT64_MAX << field.bits;
	} else if ((field.overflow || value >> (config->xlen - 1)) &&
		   !is_address(&field, config->xlen)) {
		return RVTRACE_ERR_FIELD;
	}
	value <<= 1;
	if (config->sifive && m->has_sync)
		value = extend_narrow(value);
	m->address = config->xlen == 32 ? (uint32_t)value : value;
	m->has_address = true;
	return 0;
}

static int get_ownership(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	uint64_t process;
	int err = get_number(c, 64, &process);

	if (err)
		return err;
	m->data = process;
	m->format = process & 0x3;
	m->priv = (process >> 2) & 0x3;
	m->v = (process >> 4) & 0x1;
	m->context = process >> 5;
	if (m->priv == 2)
		m->format = RVTRACE_NTRACE_PROCESS_RESERVED;
	return 0;
}

/* SiFive: what hardware and what software tells look the same, unless it cannot be hardware's. */
static int get_any_owner(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	int err = get_ownership(c, m);

	if (m->format == RVTRACE_NTRACE_PROCESS_RESERVED)
		m->format = RVTRACE_NTRACE_PROCESS_SOFTWARE;
	return err;
}

static int get_software_owner(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	m->format = RVTRACE_NTRACE_PROCESS_SOFTWARE;
	return get_number(c, 64, &m->data);
}

static int get_error(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	unsigned int etype;
	uint64_t ecode;
	int err;

	if (!get_fixed(c, 4, &etype))
		return RVTRACE_ERR_TRUNCATED;
	err = get_number(c, 32, &ecode);
	if (err)
		return err;
	m->etype = etype;
	m->ecode = ecode;
	return 0;
}

static bool is_run(const struct rvtrace_ntrace_config *config, unsigned int rcode)
{
	return config->sifive && (rcode == RVTRACE_NTRACE_RCODE_TAKEN ||
				  rcode == RVTRACE_NTRACE_RCODE_NOT_TAKEN);
}

static int get_resource_full(struct cursor *c, const struct rvtrace_ntrace_config *config,
			     struct rvtrace_ntrace_message *m)
{
	unsigned int rcode;
	int err;

	if (!get_fixed(c, 4, &rcode))
		return RVTRACE_ERR_TRUNCATED;
	m->rcode = rcode;
	/* reserved or vendor-defined, as a TCODE may be */
	if (rcode > RVTRACE_NTRACE_RCODE_HIST_REPEAT && !is_run(config, rcode)) {
		c->next = c->end;
		return 0;
	}
	switch (rcode) {
	case 0:
		return get_icnt(c, m);
	case 1:
		m->repeat = 1;
		return get_hist(c, m);
	case 2:
		err = get_hist(c, m);
		return err ? err : get_repeat(c, m);
	}
	return get_number(c, 64, &m->data);
}

static int get_correlation(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	unsigned int evcode, cdf;
	int err;

	if (!get_fixed(c, 4, &evcode) || !get_fixed(c, 2, &cdf))
		return RVTRACE_ERR_TRUNCATED;
	if (cdf > 1)
		return RVTRACE_ERR_FIELD;
	m->evcode = evcode;
	err = get_icnt(c, m);
	return err || !cdf ? err : get_hist(c, m);
}

static int get_data(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	uint64_t id;
	int err = get_number(c, 32, &id);

	if (err)
		return err;
	m->id = id;
	return get_number(c, 64, &m->data);
}

static int get_in_circuit_trace(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	unsigned int cksrc, ckdf, i;
	int err = 0;

	if (!get_fixed(c, 4, &cksrc) || !get_fixed(c, 2, &ckdf))
		return RVTRACE_ERR_TRUNCATED;
	m->cksrc = cksrc;
	m->ckdf = ckdf;
	for (i = 0; i <= ckdf && !err; i++)
		err = get_number(c, 64, &m->ckdata[i]);
	return err;
}

/* What N-Trace 1.0 does not have. */
static int get_sifive(struct cursor *c, struct rvtrace_ntrace_message *m)
{
	switch (m->tcode) {
	case RVTRACE_NTRACE_AUX_ACCESS_WRITE:
		return get_data(c, m);
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE:
	case RVTRACE_NTRACE_IN_CIRCUIT_TRACE_SYNC:
		return get_in_circuit_trace(c, m);
	}
	c->next = c->end;
	return 0;
}

/* SYNC, B-TYPE, I-CNT, address and HIST, in this order, as the type has them. */
static __always_inline int get_branch(struct cursor *c, const struct rvtrace_ntrace_config *config,
				      bool sync, bool btype, bool hist,
				      struct rvtrace_ntrace_message *m)
{
	unsigned int value;
	int err;

	if (sync) {
		if (!get_fixed(c, 4, &value))
			return RVTRACE_ERR_TRUNCATED;
		m->sync = value;
		m->has_sync = true;
	}
	if (btype) {
		if (!get_fixed(c, 2, &value))
			return RVTRACE_ERR_TRUNCATED;
		m->btype = value;
	}
	err = get_icnt(c, m);
	if (!err && (sync || btype))
		err = get_address(c, config, m);
	if (!err && hist)
		err = get_hist(c, m);
	return err;
}

static __always_inline int get_fields(struct cursor *c, const struct rvtrace_ntrace_config *config,
				      struct rvtrace_ntrace_message *m)
{
	switch (m->tcode) {
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST:
		return get_branch(c, config, false, true, true, m);
	case RVTRACE_NTRACE_INDIRECT_BRANCH:
		return get_branch(c, config, false, true, false, m);
	case RVTRACE_NTRACE_DIRECT_BRANCH:
		return get_branch(c, config, false, false, false, m);
	case RVTRACE_NTRACE_RESOURCE_FULL:
		return get_resource_full(c, config, m);
	case RVTRACE_NTRACE_OWNERSHIP:
		if (config->software_owner)
			return get_software_owner(c, m);
		return config->sifive ? get_any_owner(c, m) : get_ownership(c, m);
	case RVTRACE_NTRACE_PROG_TRACE_SYNC:
	case RVTRACE_NTRACE_DIRECT_BRANCH_SYNC:
		return get_branch(c, config, true, false, false, m);
	case RVTRACE_NTRACE_INDIRECT_BRANCH_SYNC:
		return get_branch(c, config, true, true, false, m);
	case RVTRACE_NTRACE_INDIRECT_BRANCH_HIST_SYNC:
		return get_branch(c, config, true, true, true, m);
	case RVTRACE_NTRACE_REPEAT_BRANCH:
		return get_repeat(c, m);
	case RVTRACE_NTRACE_PROG_TRACE_CORRELATION:
		return get_correlation(c, m);
	case RVTRACE_NTRACE_ERROR:
		return get_error(c, m);
	case RVTRACE_NTRACE_DATA_ACQUISITION:
		return get_data(c, m);
	}
	if (config->sifive)
		return get_sifive(c, m);
	/* reserved or vendor-defined: the fields are not known */
	c->next = c->end;
	return 0;
}

/*
 * Everything but what parse() sets. One by one, because a memset() of this size becomes a slow
 * string instruction on some processors, and this runs for every two bytes of a branch trace.
 */
static void clear(struct rvtrace_ntrace_message *m)
{
	m->address = 0;
	m->hist = 0;
	m->tstamp = 0;
	m->icnt = 0;
	m->repeat = 0;
	m->src = 0;
	m->sync = 0;
	m->btype = 0;
	m->rcode = 0;
	m->evcode = 0;
	m->etype = 0;
	m->has_sync = false;
	m->has_icnt = false;
	m->has_address = false;
	m->has_hist = false;
	m->has_tstamp = false;
	m->v = false;
	m->format = 0;
	m->priv = 0;
	m->context = 0;
	m->data = 0;
	m->ecode = 0;
	m->id = 0;
}

static int parse(const struct rvtrace_ntrace_config *config, const uint8_t *raw, size_t size,
		 const uint8_t *limit, struct rvtrace_ntrace_message *m)
{
	struct cursor c = { .next = raw, .end = raw + size, .limit = limit };
	struct field tstamp;
	unsigned int src;
	int err;

	clear(m);
	m->raw = raw;
	m->size = size;
	m->tcode = *raw >> 2;
	load(&c);
	c.word >>= MDO_BITS;
	c.bit = MDO_BITS;
	if (config->src_bits) {
		if (!get_fixed(&c, config->src_bits, &src))
			return RVTRACE_ERR_TRUNCATED;
		m->src = src;
	}
	err = get_fields(&c, config, m);
	if (err || c.next == c.end)
		return err;
	if (!get_variable(&c, &tstamp))
		return RVTRACE_ERR_TRUNCATED;
	if (c.next != c.end)
		return RVTRACE_ERR_TRAILING;
	if (tstamp.overflow)
		return RVTRACE_ERR_FIELD;
	m->tstamp = tstamp.value;
	m->has_tstamp = true;
	return 0;
}

/* Consumes idle bytes, or everything up to an end of a message. */
static void skip(struct pieces *pieces)
{
	const uint8_t *p = pieces->data;

	if (pieces->skipping) {
		while (p < pieces->end && MSEO(*p) != MSEO_END)
			p++;
		if (p < pieces->end) {
			p++;
			pieces->skipping = false;
		}
	}
	if (!pieces->skipping)
		while (p < pieces->end && *p == IDLE)
			p++;
	pieces_advance(pieces, p);
}

/* Consumes everything before @to and fails. */
static int fail(struct pieces *pieces, struct rvtrace_ntrace_message *m, const uint8_t *to,
		bool skipping, int err)
{
	memset(m, 0, sizeof(*m));
	m->size = pieces_drop(pieces, to, &m->offset);
	pieces->skipping = skipping;
	return err;
}

/* The first byte that ends a message, or that no message has; @limit without one. */
static inline const uint8_t *find_end(const uint8_t *p, const uint8_t *limit)
{
	uint64_t ends;

	while (limit - p >= (ptrdiff_t)sizeof(ends)) {
		ends = read_word(p) & 0x0202020202020202;
		if (ends)
			return p + __builtin_ctzll(ends) / 8;
		p += sizeof(ends);
	}
	while (p < limit && MSEO(*p) < MSEO_RESERVED)
		p++;
	return p;
}

int rvtrace_ntrace_next(struct rvtrace_ntrace *reader, struct rvtrace_ntrace_message *m)
{
	struct pieces *pieces = &reader->pieces;
	const uint8_t *p, *limit, *raw;
	size_t size, room;
	int err;

	pieces_begin(pieces);
	if (!pieces->partial_size)
		skip(pieces);
	p = pieces->data;
	if (p == pieces->end)
		return 0;
	if (!pieces->partial_size && MSEO(*p) != MSEO_NORMAL)
		return fail(pieces, m, p + 1, MSEO(*p) != MSEO_END, RVTRACE_ERR_MSEO);

	room = RVTRACE_NTRACE_MESSAGE_MAX - pieces->partial_size;
	limit = (size_t)(pieces->end - p) > room ? p + room : pieces->end;
	p = find_end(p, limit);
	if (p == limit) {
		if ((size_t)(limit - pieces->data) == room)
			return fail(pieces, m, limit, true, RVTRACE_ERR_TOO_LONG);
		pieces_keep(pieces, limit);
		return 0;
	}
	if (MSEO(*p) == MSEO_RESERVED)
		return fail(pieces, m, p + 1, true, RVTRACE_ERR_MSEO);

	raw = pieces_take(pieces, p + 1, &size);
	limit = raw == pieces->partial ? raw + sizeof(pieces->partial) : pieces->end;
	err = parse(&reader->config, raw, size, limit, m);
	m->offset = pieces->offset - size;
	return err ? err : 1;
}

PACKET_READER(ntrace, seek, .units = 1);
