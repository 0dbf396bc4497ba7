// SPDX-License-Identifier: GPL-2.0
/*
 * Random data accesses through the E-Trace encoder with random parameters, and through the packet
 * decoder: every field of every packet is what the access and the tables of the specification say.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-decoder-params.h"
#include "selftests/unit/share.h"

#define BLOCKS		200
#define LRIDS		256
#define SIZES		5
#define CSRS		SIZES
#define ROOM		(BLOCKS * 32)

/* What a packet is expected of: an access, or the answer to one. */
struct expected {
	struct ingress_access access;
	bool response;
	bool error;
};

struct last {
	bool valid;
	unsigned __int128 value;
};

static struct {
	uint64_t seed;
	uint64_t random;
	struct etrace_params params;
	struct etrace_encoder encoder;
	struct expected expected[ROOM];
	size_t expected_count;
	size_t checked;
	uint8_t stream[ROOM * ETRACE_MAX_PACKET];
	size_t size;
	/* of split accesses */
	bool busy[LRIDS];
	struct ingress_access requests[LRIDS];
	/* decoder's side */
	struct last address[SIZES];
	struct last data[SIZES + 1];
	struct last operand[SIZES + 1];
	uint64_t diffs[4];
} t;

#define check(condition)	check_that(condition, #condition, __LINE__)

static void check_that(bool holds, const char *condition, int line)
{
	if (!holds)
		fail_msg("seed %llu, packet %zu: %s, line %d", (unsigned long long)t.seed,
			 t.checked, condition, line);
}

static uint64_t rnd(uint64_t below)
{
	uint64_t z = t.random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static uint64_t rnd64(void)
{
	return rnd(UINT32_MAX) << 40 ^ rnd(UINT32_MAX) << 20 ^ rnd(UINT32_MAX);
}

/* Parameters */

static bool has(enum etrace_mode mode)
{
	return t.params.modes >> mode & 1;
}

static void draw_params(void)
{
	struct etrace_params *p = &t.params;

	*p = (struct etrace_params) {
		.iaddress_width = rnd(2) ? 32 : 64,
		.iaddress_lsb = 1,
		.nocontext = true,
		.notime = true,
		.ecause_width = 4,
		.privilege_width = 2,
		.data_width = 8 << rnd(5),
		.daddress_width = 8 + rnd(57),
		.dtype_width = 1 + rnd(4),
		.lrid_width = rnd(2) ? 1 + rnd(8) : 0,
		.src_bits = rnd(17),
		.timestamp_bytes = rnd(9),
		.type_bits = 1 + rnd(4),
		.type_data = 1,
		.sign_padding = rnd(2),
		.data = true,
		.standard_support = rnd(2),
		.encoder_mode_width = 1,
		.ioptions_width = 7,
		.denable_width = 1,
		.dloss_width = 1,
		.doptions_width = 4,
		.option = { 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3 },
		.ddiff_width = 1 + rnd(2),
	};
	p->mmacas = p->standard_support && rnd(2);
	p->modes = rnd(4) << ETRACE_FULL_DADDRESS;
	if (rnd(2))
		p->modes |= rnd(2) ? ETRACE_MODE(NO_ADDRESS) : ETRACE_MODE(NO_DATA);
	p->sync_mode = rnd(2) ? ETRACE_SYNC_PACKETS : ETRACE_SYNC_OFF;
	p->sync_interval = 1 + rnd(30);
}

/* Accesses */

static bool is_csr(const struct ingress_access *a)
{
	return a->dtype >= INGRESS_CSR_RW && a->dtype <= INGRESS_CSR_RC;
}

static bool is_atomic(const struct ingress_access *a)
{
	return a->dtype >= INGRESS_CAS_FAILED;
}

static bool is_split(const struct ingress_access *a)
{
	return t.params.lrid_width && !is_csr(a) && a->dtype != INGRESS_STORE;
}

static uint8_t draw_dtype(void)
{
	for (;;) {
		uint8_t dtype = rnd(2) ? rnd(2) : rnd(1u << t.params.dtype_width);

		if (dtype == 2 || dtype == 3)
			continue;
		if (dtype == INGRESS_SC_FAILED && (!has(ETRACE_NO_DATA) || t.params.lrid_width))
			continue;
		if (dtype == INGRESS_CAS_FAILED &&
		    (!t.params.mmacas || has(ETRACE_NO_ADDRESS) || t.params.lrid_width))
			continue;
		return dtype;
	}
}

/* Often close to what was there before. */
static void draw_value(uint64_t value[2])
{
	static uint64_t before[2];

	switch (rnd(6)) {
	case 0:
		before[0] = rnd64();
		before[1] = rnd64();
		break;
	case 1:
		before[0] += rnd(300) - 150;
		break;
	case 2:
		before[rnd(2)] ^= 1ull << rnd(64);
		break;
	case 3:
		before[0] = rnd(500) - 250ull;
		before[1] = rnd(2) - 1ull;
		break;
	default:	/* carries, which XOR does not like */
		before[0] = (0x100ull << rnd(8)) - rnd(2);
		before[1] = 0;
		break;
	}
	value[0] = before[0];
	value[1] = before[1];
}

static void draw_access(struct ingress_access *a, uint64_t pc)
{
	static uint64_t address;
	unsigned int sizes = 1;

	while (8u << sizes <= t.params.data_width)
		sizes++;
	*a = (struct ingress_access) {
		.pc = pc,
		.dtype = draw_dtype(),
		.size = rnd(sizes),
		.lrid = t.params.lrid_width ? rnd(1u << t.params.lrid_width) : 0,
		.multiple = t.params.mmacas && rnd(2),
	};
	a->multiple = a->multiple && a->dtype <= INGRESS_STORE &&
		      (t.params.dtype_width > 1 || t.params.lrid_width);
	draw_value(a->data);
	draw_value(a->operand);
	if (is_csr(a)) {
		a->address = rnd(4096);
		return;
	}
	address = rnd(5) ? address + rnd(200) - 100 : rnd64();
	a->address = address;
	if (rnd(3) || is_atomic(a))
		a->address &= ~((1ull << a->size) - 1);
}

static void expect(const struct ingress_access *access, bool response, bool error)
{
	struct expected *e = &t.expected[t.expected_count++];

	assert_true(t.expected_count <= ROOM);
	e->access = *access;
	e->response = response;
	e->error = error;
}

/* Return: whether it can be had now. */
static bool add_access(const struct ingress_access *a)
{
	if (is_split(a)) {
		if (t.busy[a->lrid])
			return false;
		t.busy[a->lrid] = !has(ETRACE_NO_DATA);
		t.requests[a->lrid] = *a;
		if (has(ETRACE_NO_ADDRESS) && !is_atomic(a))
			return true;	/* nothing of it can be told */
	}
	expect(a, false, false);
	return true;
}

static void respond(void)
{
	unsigned int lrid = rnd(LRIDS);
	struct ingress_response response = { .lrid = lrid, .error = !rnd(10) };

	if (!t.busy[lrid])
		return;
	t.busy[lrid] = false;
	response.data[0] = t.requests[lrid].data[0];
	response.data[1] = t.requests[lrid].data[1];
	etrace_encoder_response(&t.encoder, &response);
	expect(&t.requests[lrid], true, response.error);
}

static bool emit(void *opaque, const uint8_t *packet, size_t size)
{
	(void)opaque;
	assert_true(t.size + size <= sizeof(t.stream));
	memcpy(t.stream + t.size, packet, size);
	t.size += size;
	return true;
}

static void run(void)
{
	const struct ingress_context context = { 0 };
	uint64_t pc = 0x1000;

	etrace_encoder_init(&t.encoder, &t.params, emit, NULL);
	etrace_encoder_start(&t.encoder, pc, &context, 0, 0);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		unsigned int insns = 1 + rnd(4), count = 0;
		struct ingress_access accesses[16];
		struct ingress_block block = {
			.start = pc,
			.halfwords = 2 * insns,
			.last_size = 2,
			.target = pc + 4 * insns,
			.accesses = accesses,
		};

		for (unsigned int j = 0; j < insns; j++)
			for (unsigned int k = rnd(3); k; k--) {
				draw_access(&accesses[count], pc + 4 * j);
				count += add_access(&accesses[count]);
			}
		block.access_count = count;
		etrace_encoder_block(&t.encoder, &block);
		for (unsigned int j = rnd(600); j; j--)
			respond();
		if (!rnd(20))
			etrace_encoder_request_sync(&t.encoder);
		pc = block.target;
	}
	etrace_encoder_stop(&t.encoder, 0);
}

/* Packets */

static unsigned __int128 value_of(const uint64_t value[2])
{
	return (unsigned __int128)value[1] << 64 | value[0];
}

static unsigned __int128 cut(unsigned __int128 value, unsigned int bits)
{
	return bits < 128 ? value & (((unsigned __int128)1 << bits) - 1) : value;
}

static unsigned __int128 extend(unsigned __int128 value, unsigned int bits)
{
	return bits < 128 ? (unsigned __int128)((__int128)(value << (128 - bits)) >> (128 - bits)) : value;
}

/* Whether @length bytes are as many as it takes. */
static bool fits(unsigned __int128 value, unsigned int length)
{
	return extend(value, 8 * length) == value &&
	       (length == 1 || extend(value, 8 * (length - 1)) != value);
}

static unsigned __int128 uncoded(unsigned __int128 value, unsigned int coding,
				 const struct last *last)
{
	switch (coding) {
	case RVTRACE_ETRACE_FULL:
		return value;
	case RVTRACE_ETRACE_DIFFERENTIAL:
		check(last->valid);
		return last->value + value;
	default:
		check(last->valid);
		return last->value ^ value;
	}
}

static void check_coding(const struct rvtrace_etrace_te_data *d, bool address)
{
	static const uint8_t codings[] = {
		RVTRACE_ETRACE_FULL, RVTRACE_ETRACE_XORED, RVTRACE_ETRACE_FULL,
		RVTRACE_ETRACE_DIFFERENTIAL,
	};
	bool narrow = t.params.ddiff_width == 1 && !address && !d->split;
	/* what has no data has no coding of data either */
	bool coded = d->has_data || d->has_operand;

	check(d->diff < 4);
	t.diffs[d->diff]++;
	if (coded && narrow)
		check(d->data_coding == (d->diff ? RVTRACE_ETRACE_COMPRESSED :
					 RVTRACE_ETRACE_FULL));
	else if (coded)
		check(d->data_coding == codings[d->diff]);
	if (address)
		check(d->address_coding == (d->diff ? RVTRACE_ETRACE_DIFFERENTIAL :
					    RVTRACE_ETRACE_FULL));
	if (has(ETRACE_FULL_DATA))
		check(d->data_coding == RVTRACE_ETRACE_FULL);
}

static void check_value(const uint64_t got[2], unsigned int coding, const uint64_t wanted[2],
			unsigned int size, struct last *last)
{
	unsigned int bits = 8u << size;

	check(cut(uncoded(value_of(got), coding, last), bits) == cut(value_of(wanted), bits));
	last->valid = true;
	last->value = value_of(wanted);
}

static void check_address(const struct rvtrace_etrace_te_data *d, const struct ingress_access *a)
{
	struct last *last = &t.address[a->size];
	unsigned int bits = t.params.daddress_width;
	uint64_t mask = (1ull << a->size) - 1;

	check(cut(uncoded(d->address, d->address_coding, last), bits) == cut(a->address, bits));
	check(d->unaligned || !(a->address & mask));
	if (d->address_coding == RVTRACE_ETRACE_FULL)
		check(d->unaligned == !!(a->address & mask));
	else
		check(!has(ETRACE_FULL_DADDRESS));
	last->valid = true;
	last->value = a->address;
}

/* Operands are full unless the 2.0.5 draft compresses them. */
static void check_operand(const struct rvtrace_etrace_te_data *d, const struct ingress_access *a,
			  unsigned int size, unsigned int last)
{
	check_value(d->operand, t.params.mmacas ? d->data_coding : RVTRACE_ETRACE_FULL,
		    a->operand, size, &t.operand[last]);
	if (t.params.mmacas && d->split && !d->has_address)
		return;
	check(fits(value_of(d->operand), d->op_len + 1u));
}

/* Tables "format" and "subtype", 2.0 and 2.0.5 draft. */
static void check_format(const struct rvtrace_etrace_te_data *d, const struct ingress_access *a)
{
	unsigned int format;

	if (a->dtype <= INGRESS_STORE)
		format = t.params.mmacas ? a->multiple : a->dtype * 2u + d->unaligned;
	else if (t.params.mmacas)
		format = 2;
	else
		format = is_csr(a) ? 5 : 6;
	check(d->format == format);
	check(d->multiple == a->multiple);
	if (is_csr(a))
		check(d->subtype == a->dtype - INGRESS_CSR_RW);
	else if (a->dtype == INGRESS_CAS_FAILED)
		check(d->subtype == RVTRACE_ETRACE_CAS_FAILED);
	else
		check(d->subtype == (is_atomic(a) ? a->dtype - INGRESS_SWAP : 0));
}

static void check_csr(const struct rvtrace_etrace_te_data *d, const struct ingress_access *a)
{
	unsigned int size = t.params.iaddress_width > 32 ? 3 : 2;
	bool values = !has(ETRACE_NO_DATA);

	check(d->kind == RVTRACE_ETRACE_CSR);
	check_format(d, a);
	check(d->csr == a->address);
	check(!d->has_address && !d->split && !d->error);
	check(d->has_data == values);
	check(d->has_operand == (values && a->address < 0xc00));
	check_coding(d, false);
	if (!values)
		return;
	check(fits(value_of(d->data), d->data_len + 1u));
	check_value(d->data, d->data_coding, a->data, size, &t.data[CSRS]);
	if (d->has_operand)
		check_operand(d, a, size, CSRS);
}

static void check_memory(const struct rvtrace_etrace_te_data *d, const struct ingress_access *a)
{
	bool values = !has(ETRACE_NO_DATA), addresses = !has(ETRACE_NO_ADDRESS);
	bool answered = is_split(a) || a->dtype == INGRESS_CAS_FAILED;

	check(d->kind == (a->dtype == INGRESS_LOAD ? RVTRACE_ETRACE_LOAD :
			  a->dtype == INGRESS_STORE ? RVTRACE_ETRACE_STORE :
						      RVTRACE_ETRACE_ATOMIC));
	check_format(d, a);
	check(d->size == a->size);
	check(d->split == is_split(a));
	check(d->lrid == (is_split(a) ? a->lrid : 0));
	check(!d->error);
	check(d->has_address == addresses);
	check(d->has_data == (values && !answered));
	check(d->has_operand == (values && is_atomic(a)));
	check_coding(d, addresses || (is_split(a) && is_atomic(a)));
	if (d->has_address)
		check_address(d, a);
	if (d->has_data) {
		if (addresses)
			check(fits(value_of(d->data), d->data_len + 1u));
		check_value(d->data, d->data_coding, a->data, a->size, &t.data[a->size]);
	}
	if (d->has_operand)
		check_operand(d, a, a->size, a->size);
}

static void check_response(const struct rvtrace_etrace_te_data *d, const struct expected *e)
{
	const struct ingress_access *a = &e->access;
	bool atomic = is_atomic(a) && !t.params.mmacas;

	check(d->kind == (atomic ? RVTRACE_ETRACE_ATOMIC_DATA : RVTRACE_ETRACE_LOAD_DATA));
	check(d->format == (t.params.mmacas ? 3 : atomic ? 7 : 4));
	check(d->split);
	check(d->lrid == a->lrid);
	check(d->error == e->error);
	check(d->error == !d->diff);
	check(d->has_data == !e->error);
	check(!d->has_address && !d->has_operand);
	if (!atomic || !e->error)
		check(d->size == a->size);
	if (e->error)
		return;
	check_coding(d, false);
	if (atomic)
		check(fits(value_of(d->data), d->data_len + 1u));
	check_value(d->data, d->data_coding, a->data, a->size, &t.data[a->size]);
}

static void check_data(const struct rvtrace_etrace_te_data *d)
{
	const struct expected *e = &t.expected[t.checked];

	check(t.checked < t.expected_count);
	if (e->response)
		check_response(d, e);
	else if (is_csr(&e->access))
		check_csr(d, &e->access);
	else
		check_memory(d, &e->access);
	t.checked++;
}

/* "diff field": all begins anew behind a synchronization. */
static void check_inst(const struct rvtrace_etrace_te_inst *inst)
{
	if (inst->format != RVTRACE_ETRACE_SYNC)
		return;
	if (inst->subformat == RVTRACE_ETRACE_SUPPORT) {
		check(inst->denable && !inst->dloss);
	} else if (inst->subformat != RVTRACE_ETRACE_CONTEXT) {
		memset(t.address, 0, sizeof(t.address));
		memset(t.data, 0, sizeof(t.data));
		memset(t.operand, 0, sizeof(t.operand));
	}
}

static void decode(void)
{
	struct rvtrace_etrace_params params = etrace_decoder_params(&t.params);
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	int ret;

	params.modes = 0;	/* the first support packet says them */
	check(!rvtrace_etrace_new(&params, &reader));
	check(!rvtrace_etrace_feed(reader, t.stream, t.size));
	while ((ret = rvtrace_etrace_next(reader, &packet)) > 0) {
		check(packet.kind != RVTRACE_ETRACE_OTHER);
		if (packet.kind == RVTRACE_ETRACE_TE_DATA)
			check_data(&packet.data);
		else
			check_inst(&packet.inst);
	}
	if (ret)
		fail_msg("seed %llu, packet %zu: %s", (unsigned long long)t.seed, t.checked,
			 rvtrace_strerror(ret));
	rvtrace_etrace_free(reader);
	check(t.checked == t.expected_count);
}

static void every_field_comes_back(void **state)
{
	const char *scale = getenv("RVTRACE_SCALE");
	uint64_t seeds = scale && !strcmp(scale, "full") ? 20000 : 500;
	uint64_t diffs[4] = { 0 }, tried = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		if (is_left_out())
			continue;
		tried++;
		memset(&t, 0, sizeof(t));
		t.seed = seed;
		t.random = seed;
		do
			draw_params();
		while (etrace_params_check(&t.params));
		run();
		decode();
		for (unsigned int i = 0; i < 4; i++)
			diffs[i] += t.diffs[i];
	}
	/* each is used now and then */
	for (unsigned int i = 0; i < 4; i++)
		assert_true(diffs[i] > tried);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
