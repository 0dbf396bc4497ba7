// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * E-Trace packet layer: fields of data trace. See rvtrace/etrace.h.
 *
 * Where the tables of 2.0 contradict themselves: the data of a split atomic has format 111, since
 * 110 is its request; subtype of a CSR has 2 bits without data too; what "1 or 2" says of the
 * operand of a split atomic is 2.
 */
#include "etrace_internal.h"

/* format, 2.0 */
#define FORMAT_SPLIT_LOAD	4
#define FORMAT_CSR		5
#define FORMAT_ATOMIC		6
#define FORMAT_SPLIT_ATOMIC	7

/* format, 2.0.5 draft */
#define FORMAT_MULTIPLE		1
#define FORMAT_ATOMIC_CSR	2
#define FORMAT_SPLIT_DATA	3

/* subformat of FORMAT_ATOMIC_CSR */
#define SUBFORMAT_CSR		4
#define SUBFORMAT_CAS_FAILED	7
#define SUBFORMAT_ATOMIC	8

/* resp */
#define RESP_ERROR		0

/**
 * struct reading - a packet while it is read
 * @address: packets have addresses
 * @values: packets have data
 */
struct reading {
	struct bits *b;
	const struct rvtrace_etrace_params *params;
	struct rvtrace_etrace_te_data *data;
	uint8_t *sizes;
	bool address;
	bool values;
};

static unsigned int log2_up(unsigned int value)
{
	return value > 1 ? 32 - __builtin_clz(value - 1) : 0;
}

/* "size field" */
static int get_size(struct reading *r)
{
	unsigned int width = log2_up(log2_up(r->params->data_width / 8 + 1));

	r->data->size = bits_get(r->b, width ? width : 1);
	return 8u << r->data->size > r->params->data_width ? RVTRACE_ERR_FIELD : 0;
}

static void get_value(struct reading *r, unsigned int width, uint64_t value[2])
{
	if (width > 64) {
		value[0] = bits_get(r->b, 64);
		value[1] = bits_sign_extend(bits_get(r->b, width - 64), width - 64);
	} else {
		value[0] = bits_sign_extend(bits_get(r->b, width), width);
		value[1] = (uint64_t)((int64_t)value[0] >> 63);
	}
}

/* In the middle of a packet: @length_width bits say how many bytes. */
static void get_data(struct reading *r, unsigned int length_width)
{
	r->data->data_len = bits_get(r->b, length_width);
	get_value(r, 8 * (r->data->data_len + 1u), r->data->data);
	r->data->has_data = true;
}

static void get_operand(struct reading *r, unsigned int length_width)
{
	r->data->op_len = bits_get(r->b, length_width);
	get_value(r, 8 * (r->data->op_len + 1u), r->data->operand);
	r->data->has_operand = true;
}

static void get_last_data(struct reading *r)
{
	get_value(r, r->params->data_width, r->data->data);
	r->data->has_data = true;
}

static void get_address(struct reading *r)
{
	struct rvtrace_etrace_te_data *data = r->data;
	unsigned int width = r->params->daddress_width;
	unsigned int shift = data->unaligned ? 0 : data->size;
	uint64_t value = bits_get(r->b, width);

	if (data->address_coding == RVTRACE_ETRACE_DIFFERENTIAL)
		value = bits_sign_extend(value, width) << shift;
	else if (width > 32)
		value = bits_sign_extend(value << shift, width);
	else
		value = value << shift & bits_mask(width);
	data->address = value;
	data->has_address = true;
}

static void set_data_coding(struct reading *r, unsigned int code)
{
	static const uint8_t codings[] = {
		RVTRACE_ETRACE_FULL, RVTRACE_ETRACE_XORED, RVTRACE_ETRACE_FULL,
		RVTRACE_ETRACE_DIFFERENTIAL,
	};

	r->data->data_coding = codings[code];
}

/* diff of address and data */
static void get_diff(struct reading *r)
{
	r->data->diff = bits_get(r->b, 2);
	set_data_coding(r, r->data->diff);
	r->data->address_coding = r->data->diff ? RVTRACE_ETRACE_DIFFERENTIAL :
				  RVTRACE_ETRACE_FULL;
}

/* diff of an address alone */
static void get_address_diff(struct reading *r)
{
	r->data->diff = bits_get(r->b, 1);
	r->data->address_coding = r->data->diff ? RVTRACE_ETRACE_DIFFERENTIAL :
				  RVTRACE_ETRACE_FULL;
}

/* diff of data alone, and of CSRs */
static int get_data_diff(struct reading *r)
{
	r->data->diff = bits_get(r->b, r->params->ddiff_width);
	if (r->params->ddiff_width == 1) {
		r->data->data_coding = r->data->diff ? RVTRACE_ETRACE_COMPRESSED :
				       RVTRACE_ETRACE_FULL;
		return 0;
	}
	if (r->data->diff == 2)
		return RVTRACE_ERR_FIELD;
	set_data_coding(r, r->data->diff);
	return 0;
}

static void get_lrid(struct reading *r)
{
	r->data->split = true;
	r->data->lrid = bits_get(r->b, r->params->lrid_width);
}

static void get_address_only(struct reading *r)
{
	get_address_diff(r);
	get_address(r);
}

static void get_resp(struct reading *r)
{
	r->data->diff = bits_get(r->b, 2);
	set_data_coding(r, r->data->diff);
	r->data->error = r->data->diff == RESP_ERROR;
}

/* "Load and Store"; @type: load or store, aligned or not */
static int get_load_store(struct reading *r, unsigned int type)
{
	int err = get_size(r);

	if (err)
		return err;
	r->data->kind = type & 2 ? RVTRACE_ETRACE_STORE : RVTRACE_ETRACE_LOAD;
	r->data->unaligned = type & 1;
	if (r->params->split && r->data->kind == RVTRACE_ETRACE_LOAD) {
		get_lrid(r);
		get_address_only(r);
	} else if (!r->values) {
		get_address_only(r);
	} else if (!r->address) {
		err = get_data_diff(r);
		get_last_data(r);
	} else {
		get_diff(r);
		get_data(r, r->data->size);
		get_address(r);
	}
	return err;
}

/* "Split load - Data only"; in the 2.0.5 draft of atomics too */
static int get_split_data(struct reading *r)
{
	int err = r->params->split ? get_size(r) : RVTRACE_ERR_FIELD;

	if (err)
		return err;
	r->data->kind = RVTRACE_ETRACE_LOAD_DATA;
	get_lrid(r);
	get_resp(r);
	if (!r->data->error)
		get_last_data(r);
	return 0;
}

/* "Split atomic load data only": as many bits say the length as the request's size says. */
static int get_split_atomic(struct reading *r)
{
	if (!r->params->split)
		return RVTRACE_ERR_FIELD;
	r->data->kind = RVTRACE_ETRACE_ATOMIC_DATA;
	get_lrid(r);
	get_resp(r);
	if (r->data->error)
		return 0;
	if (!r->sizes || !r->sizes[r->data->lrid])
		return RVTRACE_ERR_FIELD;
	r->data->size = r->sizes[r->data->lrid] - 1;
	get_data(r, r->data->size);
	return 0;
}

/* Operand and address of a split atomic, or of a comparison that failed. */
static void get_request(struct reading *r)
{
	if (!r->values) {
		get_address_only(r);
		return;
	}
	get_diff(r);
	if (r->address || !r->params->mmacas_ext) {
		get_operand(r, r->data->size);
	} else {
		get_value(r, r->params->data_width, r->data->operand);
		r->data->has_operand = true;
	}
	if (r->address)
		get_address(r);
}

/* "Atomic", behind the subtype */
static int get_atomic(struct reading *r)
{
	int err;

	r->data->kind = RVTRACE_ETRACE_ATOMIC;
	if (r->data->subtype == RVTRACE_ETRACE_SC_FAILED && r->values)
		return RVTRACE_ERR_FIELD;
	err = get_size(r);
	if (err)
		return err;
	if (r->params->split) {
		get_lrid(r);
		if (r->sizes)
			r->sizes[r->data->lrid] = r->data->size + 1;
		get_request(r);
	} else if (!r->values) {
		get_address_only(r);
	} else if (r->data->subtype == RVTRACE_ETRACE_CAS_FAILED) {
		get_request(r);
	} else if (!r->address) {
		err = get_data_diff(r);
		get_operand(r, r->data->size);
		get_last_data(r);
	} else {
		get_diff(r);
		get_operand(r, r->data->size);
		get_data(r, r->data->size);
		get_address(r);
	}
	return err;
}

/* "CSR", behind the subtype. There is no way to leave out its address. */
static int get_csr(struct reading *r)
{
	unsigned int length = r->params->iaddress_width > 32 ? 3 : 2;
	int err = 0;

	r->data->kind = RVTRACE_ETRACE_CSR;
	if (r->data->subtype > RVTRACE_ETRACE_CSR_RC)
		return RVTRACE_ERR_FIELD;
	if (r->values) {
		err = get_data_diff(r);
		get_data(r, length);
	} else {
		get_address_diff(r);
	}
	r->data->csr = bits_get(r->b, 6) << 6;
	/* Nobody writes those with address[11:10] = 11. */
	if (r->values && r->data->csr >> 10 != 3)
		get_operand(r, length);
	r->data->csr |= bits_get(r->b, 6);
	return err;
}

/* E-Trace 2.0 */
static int get_format(struct reading *r)
{
	bool short_format = r->params->dtype_width == 1 && !r->params->split;

	r->data->format = bits_get(r->b, short_format ? 2 : 3);
	switch (r->data->format) {
	case FORMAT_SPLIT_LOAD:
		return get_split_data(r);
	case FORMAT_CSR:
		r->data->subtype = bits_get(r->b, 2);
		return get_csr(r);
	case FORMAT_ATOMIC:
		r->data->subtype = bits_get(r->b, 3);
		return get_atomic(r);
	case FORMAT_SPLIT_ATOMIC:
		return get_split_atomic(r);
	}
	return get_load_store(r, r->data->format);
}

/* 2.0.5 draft */
static int get_atomic_or_csr(struct reading *r)
{
	unsigned int subformat = bits_get(r->b, 4);

	if (subformat >= SUBFORMAT_ATOMIC) {
		r->data->subtype = subformat - SUBFORMAT_ATOMIC;
		return get_atomic(r);
	}
	if (subformat == SUBFORMAT_CAS_FAILED) {
		r->data->subtype = RVTRACE_ETRACE_CAS_FAILED;
		return get_atomic(r);
	}
	if (subformat < SUBFORMAT_CSR)
		return RVTRACE_ERR_FIELD;
	r->data->subtype = subformat - SUBFORMAT_CSR;
	return get_csr(r);
}

/* 2.0.5 draft, "Data Trace of Multiple-Memory Access and Compare and Swap" */
static int get_mmacas_format(struct reading *r)
{
	unsigned int width = r->params->split ? 2 : log2_up(r->params->dtype_width);

	r->data->format = bits_get(r->b, width);
	switch (r->data->format) {
	case FORMAT_SPLIT_DATA:
		return get_split_data(r);
	case FORMAT_ATOMIC_CSR:
		return get_atomic_or_csr(r);
	}
	r->data->multiple = r->data->format == FORMAT_MULTIPLE;
	return get_load_store(r, bits_get(r->b, 2));
}

int etrace_get_data(struct bits *b, const struct rvtrace_etrace_params *params,
		    const struct layout *layout, uint8_t *sizes,
		    struct rvtrace_etrace_te_data *data)
{
	struct reading r = {
		.b = b, .params = params, .data = data, .sizes = sizes,
		.address = !(layout->modes & RVTRACE_ETRACE_NO_ADDRESS),
		.values = !(layout->modes & RVTRACE_ETRACE_NO_DATA),
	};
	int err;

	*data = (struct rvtrace_etrace_te_data){ 0 };
	/* That would leave nothing to be sent. */
	if (!r.address && !r.values)
		return RVTRACE_ERR_FIELD;
	err = params->mmacas_ext ? get_mmacas_format(&r) : get_format(&r);
	if (err)
		return err;
	return bits_done(b) ? 0 : RVTRACE_ERR_TRAILING;
}

int rvtrace_etrace_parse_data(const struct rvtrace_etrace_params *params, const void *payload,
			      size_t size, struct rvtrace_etrace_te_data *data)
{
	struct layout layout;
	struct bits b;

	if (!size || size > PAYLOAD_MAX)
		return RVTRACE_ERR_INVALID;
	etrace_layout(params, &layout);
	bits_start(&b, payload, size, (const uint8_t *)payload + size);
	return etrace_get_data(&b, params, &layout, NULL, data);
}
