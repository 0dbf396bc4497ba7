// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-data.h"

#include <string.h>

#include "tools/encode/etrace-data-fields.h"
#include "tools/encode/etrace-packets.h"

/* format, 2.0 */
#define FORMAT_LOAD		0
#define FORMAT_STORE		2	/* both: and 1 if the address is not aligned */
#define FORMAT_SPLIT_LOAD	4
#define FORMAT_CSR		5
#define FORMAT_ATOMIC		6
#define FORMAT_SPLIT_ATOMIC	7

/* format, 2.0.5 draft */
#define FORMAT_ATOMIC_OR_CSR	2
#define FORMAT_SPLIT_DATA	3

/* resp */
#define RESP_ERROR		0

/* Members of etrace_accesses.data and operand that CSRs have */
#define CSRS			ETRACE_SIZES

/* dtype of responses that are held */
#define HELD_RESPONSE		16
#define HELD_ERROR		17

/* etrace_accesses.requested */
#define REQUESTED_ATOMIC	16

/**
 * struct data_packet - a packet that is composed
 * @operand: the access has one
 * @diff: of data, and of the operand where that is compressed too
 * @full: the address is
 * @unaligned: the address is sent in bytes
 * @size: 2^n bytes
 * @last: index into etrace_accesses.data and operand
 */
struct data_packet {
	struct etrace_encoder *enc;
	const struct ingress_access *access;
	struct etrace_payload payload;
	bool operand;
	unsigned int diff;
	bool full;
	bool unaligned;
	unsigned int size;
	unsigned int last;
};

/* Fields */

static bool is_csr(const struct ingress_access *access)
{
	return access->dtype >= INGRESS_CSR_RW && access->dtype <= INGRESS_CSR_RC;
}

static bool is_atomic(const struct ingress_access *access)
{
	return access->dtype >= INGRESS_CAS_FAILED;
}

static void put_class(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	unsigned int dtype = d->access->dtype, width = etrace_class_width(p);
	unsigned int type = (dtype == INGRESS_STORE ? FORMAT_STORE : FORMAT_LOAD) + d->unaligned;
	struct etrace_payload *payload = &d->payload;

	if (p->mmacas && dtype <= INGRESS_STORE) {
		etrace_put(payload, d->access->multiple, width);
		etrace_put(payload, type, 2);
	} else if (p->mmacas) {
		etrace_put(payload, FORMAT_ATOMIC_OR_CSR, width);
		etrace_put(payload, dtype, 4);
	} else if (dtype <= INGRESS_STORE) {
		etrace_put(payload, type, width);
	} else if (is_csr(d->access)) {
		etrace_put(payload, FORMAT_CSR, width);
		etrace_put(payload, dtype - INGRESS_CSR_RW, 2);
	} else {
		etrace_put(payload, FORMAT_ATOMIC, width);
		etrace_put(payload, dtype - INGRESS_SWAP, 3);
	}
}

static void put_last_address(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	uint64_t value = d->access->address;

	if (!d->full)
		value -= d->enc->accesses.address[d->size].value[0];
	value = etrace_sign_extend(value, p->daddress_width);
	if (!d->unaligned)
		value = (uint64_t)((int64_t)value >> d->size);
	etrace_put(&d->payload, value, p->daddress_width);
}

static void put_address_alone(struct data_packet *d)
{
	etrace_put(&d->payload, !d->full, 1);
	put_last_address(d);
}

/* In the middle of a packet */
static void put_value(struct data_packet *d, const uint64_t value[2],
		      const struct etrace_last_value *last, unsigned int diff,
		      unsigned int length_width)
{
	uint64_t coded[2];
	unsigned int length;

	etrace_code_value(value, last, diff, d->size, coded);
	length = etrace_value_length(coded);
	etrace_put(&d->payload, length, length_width);
	etrace_put_value(&d->payload, coded, 8 * (length + 1));
}

/* At its end */
static void put_last_value(struct data_packet *d, const uint64_t value[2],
			   const struct etrace_last_value *last, unsigned int diff)
{
	uint64_t coded[2];

	etrace_code_value(value, last, diff, d->size, coded);
	etrace_put_value(&d->payload, coded, d->enc->params.data_width);
}

static void put_data(struct data_packet *d, unsigned int length_width)
{
	put_value(d, d->access->data, &d->enc->accesses.data[d->last], d->diff, length_width);
}

/* Operands are compressed in the 2.0.5 draft only. */
static unsigned int operand_diff(const struct data_packet *d)
{
	return d->enc->params.mmacas ? d->diff : DIFF_FULL_DATA;
}

static void put_operand(struct data_packet *d, unsigned int length_width)
{
	put_value(d, d->access->operand, &d->enc->accesses.operand[d->last], operand_diff(d),
		  length_width);
}

/* How to compress */

/* The shortest one; @none sends the data as they are. */
static unsigned int best_diff(const struct etrace_encoder *enc, const uint64_t value[2],
			      const struct etrace_last_value *last, unsigned int none,
			      unsigned int size)
{
	unsigned int best = none;

	if (!last->valid || etrace_has_mode(enc, ETRACE_FULL_DATA))
		return none;
	for (unsigned int diff = DIFF_XOR; diff <= DIFF_DATA; diff += DIFF_DATA - DIFF_XOR)
		if (etrace_coded_length(value, last, diff, size) <
		    etrace_coded_length(value, last, best, size))
			best = diff;
	return best;
}

/* diff where it is not about an address, in the bits it has there */
static unsigned int narrow(const struct etrace_encoder *enc, unsigned int diff)
{
	return enc->params.ddiff_width == 1 && diff == DIFF_DATA ? DIFF_XOR : diff;
}

/* One diff for data and, in the 2.0.5 draft, the operand */
static void choose_diff(struct data_packet *d, unsigned int none)
{
	const struct etrace_accesses *a = &d->enc->accesses;
	const struct etrace_last_value *operand = &a->operand[d->last], *data = &a->data[d->last];
	bool answered = d->enc->params.lrid_width || d->access->dtype == INGRESS_CAS_FAILED;

	d->diff = none;
	if (is_atomic(d->access) && answered) {
		if (d->enc->params.mmacas)
			d->diff = best_diff(d->enc, d->access->operand, operand, none, d->size);
		return;
	}
	if (d->operand && d->enc->params.mmacas && !operand->valid)
		return;
	d->diff = best_diff(d->enc, d->access->data, data, none, d->size);
}

static bool is_aligned(uint64_t address, unsigned int size)
{
	return !(address & ((1u << size) - 1));
}

/* A difference must not lose bits. */
static void choose_address(struct data_packet *d)
{
	const struct etrace_last_value *last = &d->enc->accesses.address[d->size];
	bool atomic = is_atomic(d->access);

	d->full = !last->valid || etrace_has_mode(d->enc, ETRACE_FULL_DADDRESS) ||
		  (atomic && !is_aligned(last->value[0], d->size));
	d->unaligned = !atomic && (!is_aligned(d->access->address, d->size) ||
				   (!d->full && !is_aligned(last->value[0], d->size)));
}

/* Packets */

static void remember(struct etrace_last_value *last, const uint64_t value[2])
{
	last->valid = true;
	last->value[0] = value[0];
	last->value[1] = value[1];
}

static bool send(struct data_packet *d)
{
	struct etrace_encoder *enc = d->enc;

	if (etrace_send(enc, &d->payload, enc->params.src, enc->params.type_data, true))
		return true;
	enc->accesses.lost = true;
	return false;
}

static void put_lrid(struct data_packet *d)
{
	etrace_put(&d->payload, d->access->lrid, d->enc->params.lrid_width);
}

/* Load, store and unified atomic, behind size */
static void put_both(struct data_packet *d)
{
	if (!d->full)
		choose_diff(d, DIFF_FULL_DATA);
	etrace_put(&d->payload, d->diff, 2);
	if (d->operand)
		put_operand(d, d->size);
	put_data(d, d->size);
	put_last_address(d);
}

static void put_data_alone(struct data_packet *d)
{
	choose_diff(d, DIFF_SYNC);
	d->diff = narrow(d->enc, d->diff);
	etrace_put(&d->payload, d->diff, d->enc->params.ddiff_width);
	if (d->operand)
		put_operand(d, d->size);
	put_last_value(d, d->access->data, &d->enc->accesses.data[d->last], d->diff);
}

/* Split atomic, or a comparison that failed, behind lrid */
static void put_request(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	bool addresses = etrace_has_addresses(p);

	if (!etrace_has_values(p)) {
		put_address_alone(d);
		return;
	}
	if (!addresses || !d->full)
		choose_diff(d, addresses ? DIFF_FULL_DATA : DIFF_SYNC);
	etrace_put(&d->payload, d->diff, 2);
	if (addresses || !p->mmacas)
		put_operand(d, d->size);
	else
		put_last_value(d, d->access->operand, &d->enc->accesses.operand[d->last],
			       operand_diff(d));
	if (addresses)
		put_last_address(d);
}

static void remember_access(const struct data_packet *d, bool address, bool data)
{
	const struct etrace_params *p = &d->enc->params;
	struct etrace_accesses *a = &d->enc->accesses;
	const uint64_t full[2] = { d->access->address };

	if (address)
		remember(&a->address[d->size], full);
	if (data)
		remember(&a->data[d->last], d->access->data);
	if (d->operand && etrace_has_values(p))
		remember(&a->operand[d->last], d->access->operand);
}

/* A load or atomic whose data come later */
static void emit_request(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	bool atomic = is_atomic(d->access);
	uint8_t *requested = &d->enc->accesses.requested[d->access->lrid];

	if (etrace_has_addresses(p) || atomic) {
		put_class(d);
		etrace_put(&d->payload, d->size, etrace_size_width(p));
		put_lrid(d);
		if (atomic)
			put_request(d);
		else
			put_address_alone(d);
		if (!send(d))
			return;
		remember_access(d, etrace_has_addresses(p), false);
	}
	*requested = etrace_has_values(p) ? d->size + 1 + (atomic ? REQUESTED_ATOMIC : 0) : 0;
}

static void emit_memory(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	bool request = d->access->dtype == INGRESS_CAS_FAILED;

	put_class(d);
	etrace_put(&d->payload, d->size, etrace_size_width(p));
	if (request)
		put_request(d);
	else if (!etrace_has_values(p))
		put_address_alone(d);
	else if (!etrace_has_addresses(p))
		put_data_alone(d);
	else
		put_both(d);
	if (send(d))
		remember_access(d, etrace_has_addresses(p), etrace_has_values(p) && !request);
}

static void emit_csr(struct data_packet *d)
{
	const struct etrace_params *p = &d->enc->params;
	unsigned int width = etrace_csr_length_width(p);
	bool values = etrace_has_values(p);

	put_class(d);
	if (values) {
		choose_diff(d, DIFF_SYNC);
		d->diff = narrow(d->enc, d->diff);
		etrace_put(&d->payload, d->diff, p->ddiff_width);
		put_data(d, width);
	} else {
		etrace_put(&d->payload, 0, 1);	/* the address is always full */
	}
	etrace_put(&d->payload, d->access->address >> 6, 6);
	if (values && d->operand)
		put_operand(d, width);
	etrace_put(&d->payload, d->access->address, 6);
	if (send(d))
		remember_access(d, false, values);
}

/* Whether the tables have a packet for it. */
static bool has_packet(const struct etrace_params *p, const struct ingress_access *access)
{
	switch (access->dtype) {
	case INGRESS_SC_FAILED:		/* "Unified atomic with address only" */
		return !etrace_has_values(p) && !p->lrid_width;
	case INGRESS_CAS_FAILED:
		return p->mmacas && etrace_has_addresses(p) && !p->lrid_width;
	}
	return true;
}

static bool can_tell(const struct etrace_params *p, const struct ingress_access *access)
{
	if (access->dtype >> p->dtype_width)
		return false;
	if (is_csr(access))
		return true;
	return 8u << access->size <= p->data_width && !(access->lrid >> p->lrid_width);
}

void etrace_emit_access(struct etrace_encoder *enc, const struct ingress_access *access)
{
	const struct etrace_params *p = &enc->params;
	bool csr = is_csr(access);
	struct data_packet d = {
		.enc = enc,
		.access = access,
		.size = csr ? etrace_csr_length_width(p) : access->size,
		/* Those with address[11:10] = 11 are read-only. */
		.operand = csr ? (access->address >> 10 & 3) != 3 : is_atomic(access),
	};

	if (!has_packet(p, access))
		return;
	if (enc->lost || !can_tell(p, access)) {
		enc->accesses.lost = true;
		return;
	}
	d.last = csr ? CSRS : d.size;
	if (csr) {
		emit_csr(&d);
		return;
	}
	choose_address(&d);
	if (p->lrid_width && access->dtype != INGRESS_STORE)
		emit_request(&d);
	else
		emit_memory(&d);
}

static void compose_response(struct data_packet *d, bool atomic, bool error)
{
	const struct etrace_params *p = &d->enc->params;
	const struct etrace_last_value *last = &d->enc->accesses.data[d->last];

	d->diff = error ? RESP_ERROR :
		  best_diff(d->enc, d->access->data, last, DIFF_FULL_DATA, d->size);
	if (p->mmacas)
		etrace_put(&d->payload, FORMAT_SPLIT_DATA, etrace_class_width(p));
	else
		etrace_put(&d->payload, atomic ? FORMAT_SPLIT_ATOMIC : FORMAT_SPLIT_LOAD,
			   etrace_class_width(p));
	if (p->mmacas || !atomic)
		etrace_put(&d->payload, d->size, etrace_size_width(p));
	put_lrid(d);
	etrace_put(&d->payload, d->diff, 2);
	if (error)
		return;
	if (p->mmacas || !atomic)
		put_last_value(d, d->access->data, last, d->diff);
	else
		put_data(d, d->size);
}

static void emit_response(struct etrace_encoder *enc, const struct ingress_access *access)
{
	uint8_t *requested = &enc->accesses.requested[access->lrid];
	struct data_packet d = { .enc = enc, .access = access };
	bool atomic = *requested > REQUESTED_ATOMIC, error = access->dtype == HELD_ERROR;

	if (!*requested)
		return;
	d.size = *requested % REQUESTED_ATOMIC - 1;
	d.last = d.size;
	*requested = 0;
	compose_response(&d, atomic, error);
	if (send(&d) && !error)
		remember(&enc->accesses.data[d.last], access->data);
}

/* Its request may be held. */
void etrace_encoder_response(struct etrace_encoder *enc, const struct ingress_response *response)
{
	const struct ingress_access access = {
		.dtype = response->error ? HELD_ERROR : HELD_RESPONSE,
		.data = { response->data[0], response->data[1] },
		.lrid = response->lrid,
	};

	if (enc->accesses.held_count) {
		etrace_hold_access(enc, &access);
		return;
	}
	enc->time = response->time;
	emit_response(enc, &access);
}

void etrace_hold_access(struct etrace_encoder *enc, const struct ingress_access *access)
{
	struct etrace_accesses *a = &enc->accesses;

	if (a->held_count < ETRACE_MAX_ACCESSES)
		a->held[a->held_count++] = *access;
	else
		a->lost = true;
}

void etrace_emit_held_accesses(struct etrace_encoder *enc)
{
	struct etrace_accesses *a = &enc->accesses;

	for (unsigned int i = 0; i < a->held_count; i++) {
		if (a->held[i].dtype >= HELD_RESPONSE)
			emit_response(enc, &a->held[i]);
		else
			etrace_emit_access(enc, &a->held[i]);
	}
	a->held_count = 0;
}

void etrace_restart_accesses(struct etrace_encoder *enc)
{
	struct etrace_accesses *a = &enc->accesses;

	memset(a->address, 0, sizeof(a->address));
	memset(a->data, 0, sizeof(a->data));
	memset(a->operand, 0, sizeof(a->operand));
}
