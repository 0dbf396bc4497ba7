// SPDX-License-Identifier: GPL-2.0
/* Data accesses of random programs, see random-program.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random-program.h"

/* Encodings, from the unprivileged specification; x10 to x12 */
#define LOAD(opcode, funct3)	((opcode) | (funct3) << 12 | 10 << 7 | 10 << 15)
#define STORE(opcode, funct3)	((opcode) | (funct3) << 12 | 11 << 15 | 10 << 20)
#define AMO(funct5, funct3)	(0x2f | 10 << 7 | (funct3) << 12 | 12 << 15 | 11 << 20 |	\
				 (uint32_t)(funct5) << 27)
#define LR(funct3)		(0x2f | 10 << 7 | (funct3) << 12 | 12 << 15 | 2u << 27)
#define CSR(funct3, csr)	(0x73 | 10 << 7 | (funct3) << 12 | 11 << 15 | (uint32_t)(csr) << 20)
#define SC			3

/* Whether a register of 64 bits is needed */
#define RV32			false
#define RV64			true

static const struct {
	uint32_t word;
	uint8_t insn_size;
	uint8_t dtype;
	uint8_t size;		/* of data; 0 with CSRs */
	bool rv64;
} table[] = {
	{ LOAD(0x03, 0), 4, INGRESS_LOAD, 0, RV32 },
	{ LOAD(0x03, 1), 4, INGRESS_LOAD, 1, RV32 },
	{ LOAD(0x03, 2), 4, INGRESS_LOAD, 2, RV32 },
	{ LOAD(0x03, 3), 4, INGRESS_LOAD, 3, RV64 },
	{ LOAD(0x03, 4), 4, INGRESS_LOAD, 0, RV32 },
	{ LOAD(0x03, 5), 4, INGRESS_LOAD, 1, RV32 },
	{ LOAD(0x03, 6), 4, INGRESS_LOAD, 2, RV64 },
	{ LOAD(0x07, 2), 4, INGRESS_LOAD, 2, RV32 },
	{ LOAD(0x07, 3), 4, INGRESS_LOAD, 3, RV32 },
	{ STORE(0x23, 0), 4, INGRESS_STORE, 0, RV32 },
	{ STORE(0x23, 1), 4, INGRESS_STORE, 1, RV32 },
	{ STORE(0x23, 2), 4, INGRESS_STORE, 2, RV32 },
	{ STORE(0x23, 3), 4, INGRESS_STORE, 3, RV64 },
	{ STORE(0x27, 2), 4, INGRESS_STORE, 2, RV32 },
	{ STORE(0x27, 3), 4, INGRESS_STORE, 3, RV32 },
	{ 0x2108, 2, INGRESS_LOAD, 3, RV32 },		/* c.fld */
	{ 0x4108, 2, INGRESS_LOAD, 2, RV32 },		/* c.lw */
	{ 0x4502, 2, INGRESS_LOAD, 2, RV32 },		/* c.lwsp */
	{ 0x6108, 2, INGRESS_LOAD, 3, RV64 },	/* c.ld */
	{ 0xc188, 2, INGRESS_STORE, 2, RV32 },	/* c.sw */
	{ 0xe188, 2, INGRESS_STORE, 3, RV64 },	/* c.sd */
	{ 0xe02a, 2, INGRESS_STORE, 3, RV64 },	/* c.sdsp */
	{ LR(2), 4, INGRESS_LOAD, 2, RV32 },
	{ AMO(SC, 2), 4, INGRESS_STORE, 2, RV32 },
	{ AMO(SC, 3), 4, INGRESS_STORE, 3, RV64 },
	{ AMO(0x00, 2), 4, INGRESS_ADD, 2, RV32 },
	{ AMO(0x01, 3), 4, INGRESS_SWAP, 3, RV64 },
	{ AMO(0x04, 2), 4, INGRESS_XOR, 2, RV32 },
	{ AMO(0x08, 3), 4, INGRESS_OR, 3, RV64 },
	{ AMO(0x0c, 2), 4, INGRESS_AND, 2, RV32 },
	{ AMO(0x10, 2), 4, INGRESS_MIN, 2, RV32 },
	{ AMO(0x14, 3), 4, INGRESS_MAX, 3, RV64 },
	{ AMO(0x18, 2), 4, INGRESS_MIN, 2, RV32 },
	{ AMO(0x1c, 2), 4, INGRESS_MAX, 2, RV32 },
	{ CSR(1, 0x340), 4, INGRESS_CSR_RW, 0, RV32 },
	{ CSR(2, 0x300), 4, INGRESS_CSR_RS, 0, RV32 },
	{ CSR(3, 0x304), 4, INGRESS_CSR_RC, 0, RV32 },
	{ CSR(5, 0x341), 4, INGRESS_CSR_RW, 0, RV32 },
	{ CSR(6, 0xc00), 4, INGRESS_CSR_RS, 0, RV32 },
	{ CSR(7, 0x344), 4, INGRESS_CSR_RC, 0, RV32 },
};

unsigned int random_access(struct world *w)
{
	unsigned int which;

	do
		which = rnd(w, sizeof(table) / sizeof(table[0]));
	while (table[which].rv64 && w->xlen < 64);
	return which;
}

uint32_t access_word(unsigned int which)
{
	return table[which].word;
}

unsigned int access_insn_size(unsigned int which)
{
	return table[which].insn_size;
}

static bool has(const struct world *w, enum etrace_mode mode)
{
	return w->etrace.modes >> mode & 1;
}

static bool is_csr(const struct ingress_access *a)
{
	return a->dtype >= INGRESS_CSR_RW && a->dtype <= INGRESS_CSR_RC;
}

static bool is_atomic(const struct ingress_access *a)
{
	return a->dtype >= INGRESS_CAS_FAILED;
}

static bool is_split(const struct world *w, const struct ingress_access *a)
{
	return w->etrace.lrid_width && !is_csr(a) && a->dtype != INGRESS_STORE;
}

static bool is_sc(unsigned int which)
{
	return (table[which].word & 0x7f) == 0x2f && table[which].dtype == INGRESS_STORE;
}

static uint64_t random_value(struct world *w)
{
	return rnd(w, 2) ? rnd(w, 1000) - 500ull : rnd(w, UINT64_MAX);
}

static void draw(struct hart *h, unsigned int which, struct ingress_access *a)
{
	struct world *w = h->world;

	a->dtype = table[which].dtype;
	a->size = table[which].size;
	a->data[0] = random_value(w);
	a->operand[0] = random_value(w);
	if (is_csr(a)) {
		a->address = table[which].word >> 20;
		return;
	}
	/* without data, failures are told, too */
	if (is_sc(which) && has(w, ETRACE_NO_DATA) && !w->etrace.lrid_width && rnd(w, 2))
		a->dtype = INGRESS_SC_FAILED;
	a->address = rnd(w, 4) ? 0x20000 + rnd(w, 0x10000) : rnd(w, UINT64_MAX);
	if (w->xlen == 32)
		a->address = (uint32_t)a->address;
	if (is_atomic(a) || rnd(w, 4))
		a->address &= ~((1ull << a->size) - 1);
}

static void expect(struct hart *h, const struct access_truth *truth)
{
	if (h->access_count == h->access_room) {
		h->access_room = h->access_room ? 2 * h->access_room : 1024;
		h->access_truth = realloc(h->access_truth,
					  h->access_room * sizeof(*h->access_truth));
		assert_non_null(h->access_truth);
	}
	h->access_truth[h->access_count++] = *truth;
}

bool hart_waits(struct hart *h)
{
	for (unsigned int i = 0; i < 1u << h->world->etrace.lrid_width; i++)
		if (!h->requested[i])
			return false;
	return true;
}

void hart_access(struct hart *h, const struct region *r, const struct insn *insn)
{
	struct world *w = h->world;
	struct access_truth t = { .insn = h->count - 1, .access.pc = r->base + insn->offset };
	bool traced = !(w->params.filter_machine && r->priv == INGRESS_PRIV_M);

	if (!w->etrace.data)
		return;
	draw(h, insn->access, &t.access);
	t.access.lrid = w->etrace.lrid_width ? rnd(w, 1u << w->etrace.lrid_width) : 0;
	if (is_split(w, &t.access)) {
		while (h->requested[t.access.lrid])
			t.access.lrid = rnd(w, 1u << w->etrace.lrid_width);
		h->requested[t.access.lrid] = traced && !has(w, ETRACE_NO_DATA);
		h->requests[t.access.lrid] = t;
	}
	h->accesses[h->block.access_count++] = t.access;
	/* without addresses, only the data of a split load are told */
	if (traced && !(is_split(w, &t.access) && !is_atomic(&t.access) &&
			has(w, ETRACE_NO_ADDRESS)))
		expect(h, &t);
}

void hart_respond(struct hart *h)
{
	struct world *w = h->world;
	unsigned int lrid = w->etrace.lrid_width ? rnd(w, 1u << w->etrace.lrid_width) : 0;
	struct access_truth *t = &h->requests[lrid];
	struct ingress_response response = { .lrid = lrid };

	if (!h->requested[lrid])
		return;
	h->requested[lrid] = false;
	t->is_response = true;
	t->error = !rnd(w, 20);
	response.error = t->error;
	response.time = w->time_base + h->count;
	memcpy(response.data, t->access.data, sizeof(response.data));
	etrace_encoder_response(&h->etrace_encoder, &response);
	expect(h, t);
}

static uint64_t cut(uint64_t value, unsigned int size)
{
	return size < 3 ? value & ((1ull << (8u << size)) - 1) : value;
}

static const char *check_value(uint64_t got, bool has, uint64_t wanted, bool expected,
			       unsigned int size, const char *what)
{
	return has != expected || (has && got != cut(wanted, size)) ? what : NULL;
}

static unsigned int kind_of(const struct ingress_access *a)
{
	if (a->dtype <= INGRESS_STORE)
		return a->dtype == INGRESS_LOAD ? RVTRACE_ETRACE_LOAD : RVTRACE_ETRACE_STORE;
	return is_csr(a) ? RVTRACE_ETRACE_CSR : RVTRACE_ETRACE_ATOMIC;
}

static unsigned int subtype_of(const struct ingress_access *a)
{
	if (a->dtype <= INGRESS_STORE)
		return 0;
	return is_csr(a) ? a->dtype - INGRESS_CSR_RW : a->dtype - INGRESS_SWAP;
}

/* @t: comes next */
static const char *check_instruction(const struct hart *h, const struct access_truth *t,
				     const struct rvtrace_flow_item *item)
{
	bool has_address = item->flags & RVTRACE_FLOW_HAS_ADDRESS;

	/* what the split load at hand was, only its request tells */
	if (t->is_response && has(h->world, ETRACE_NO_ADDRESS) && !is_atomic(&t->access))
		return has_address ? "has an instruction" : NULL;
	if (!has_address)
		return h->world->loss_possible ? NULL : "has no instruction";
	if (item->address != t->access.pc)
		return "other instruction";
	return !t->is_response && h->done != t->insn + 1 ? "not behind its instruction" : NULL;
}

static const char *check_fields(const struct hart *h, const struct access_truth *t,
				const struct rvtrace_flow_access *got)
{
	const struct world *w = h->world;
	const struct ingress_access *a = &t->access;
	bool addresses = !has(w, ETRACE_NO_ADDRESS), values = !has(w, ETRACE_NO_DATA);
	bool split = is_split(w, a), csr = is_csr(a);
	unsigned int size = csr ? (w->xlen == 64 ? 3 : 2) : a->size;
	const char *wrong;

	if (got->kind != kind_of(a) || got->subtype != subtype_of(a))
		return "kind";
	if (got->size != size)
		return "size";
	if (split && got->lrid != a->lrid)
		return "lrid";
	if (!!(got->flags & RVTRACE_ACCESS_REQUEST) != (split && !t->is_response) ||
	    !!(got->flags & RVTRACE_ACCESS_RESPONSE) != t->is_response ||
	    !!(got->flags & RVTRACE_ACCESS_FAILED) != t->error)
		return "request or response";
	wrong = check_value(got->address, got->flags & RVTRACE_ACCESS_HAS_ADDRESS, a->address,
			    addresses || csr, 3, "address");
	if (!wrong)
		wrong = check_value(got->data[0], got->flags & RVTRACE_ACCESS_HAS_DATA,
				    a->data[0], values && (!split || t->is_response) && !t->error,
				    size, "data");
	if (!wrong)
		wrong = check_value(got->operand[0], got->flags & RVTRACE_ACCESS_HAS_OPERAND,
				    a->operand[0], values && (csr ? a->address < 0xc00 :
							     is_atomic(a)), size, "operand");
	return wrong;
}

const char *hart_check_access(struct hart *h, const struct rvtrace_flow_item *item)
{
	const struct access_truth *t = &h->access_truth[h->accesses_done];
	const char *wrong;

	if (h->accesses_done == h->access_count)
		return "there are no more";
	wrong = check_fields(h, t, item->access);
	if (!wrong)
		wrong = check_instruction(h, t, item);
	h->accesses_done++;
	return wrong;
}
