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
#define CAS			5
/* Zcmp: of ra and as many other registers, in the order of rlist */
#define CM(funct5, others)	(0xa002 | (funct5) << 8 | ((others) == 12 ? 15 : (others) + 4) << 4)
#define PUSH			0x18
#define POP			0x1a
#define POPRETZ			0x1c
#define POPRET			0x1e

#define WORD			0xff	/* as wide as a register */

/* Where there is an instruction: only in this instruction set, only with or without Zcmp */
#define ONLY_RV32		1
#define ONLY_RV64		2
#define ZCMP			4
#define NO_ZCMP			8
#define RETURNS			16

static const struct {
	uint32_t word;
	uint8_t insn_size;
	uint8_t dtype;
	uint8_t size;		/* of data; 0 with CSRs */
	uint8_t only;
	uint8_t count;		/* of accesses */
} table[] = {
	{ LOAD(0x03, 0), 4, INGRESS_LOAD, 0, 0, 1 },
	{ LOAD(0x03, 1), 4, INGRESS_LOAD, 1, 0, 1 },
	{ LOAD(0x03, 2), 4, INGRESS_LOAD, 2, 0, 1 },
	{ LOAD(0x03, 3), 4, INGRESS_LOAD, 3, ONLY_RV64, 1 },
	{ LOAD(0x03, 4), 4, INGRESS_LOAD, 0, 0, 1 },
	{ LOAD(0x03, 5), 4, INGRESS_LOAD, 1, 0, 1 },
	{ LOAD(0x03, 6), 4, INGRESS_LOAD, 2, ONLY_RV64, 1 },
	{ LOAD(0x07, 1), 4, INGRESS_LOAD, 1, 0, 1 },
	{ LOAD(0x07, 2), 4, INGRESS_LOAD, 2, 0, 1 },
	{ LOAD(0x07, 3), 4, INGRESS_LOAD, 3, 0, 1 },
	{ LOAD(0x07, 4), 4, INGRESS_LOAD, 4, 0, 1 },
	{ STORE(0x23, 0), 4, INGRESS_STORE, 0, 0, 1 },
	{ STORE(0x23, 1), 4, INGRESS_STORE, 1, 0, 1 },
	{ STORE(0x23, 2), 4, INGRESS_STORE, 2, 0, 1 },
	{ STORE(0x23, 3), 4, INGRESS_STORE, 3, ONLY_RV64, 1 },
	{ STORE(0x27, 2), 4, INGRESS_STORE, 2, 0, 1 },
	{ STORE(0x27, 3), 4, INGRESS_STORE, 3, 0, 1 },
	{ STORE(0x27, 4), 4, INGRESS_STORE, 4, 0, 1 },
	{ 0x2108, 2, INGRESS_LOAD, 3, 0, 1 },	/* c.fld */
	{ 0x4108, 2, INGRESS_LOAD, 2, 0, 1 },	/* c.lw */
	{ 0x4502, 2, INGRESS_LOAD, 2, 0, 1 },	/* c.lwsp */
	{ 0x6108, 2, INGRESS_LOAD, 2, ONLY_RV32, 1 },	/* c.flw */
	{ 0x6108, 2, INGRESS_LOAD, 3, ONLY_RV64, 1 },	/* c.ld */
	{ 0x6502, 2, INGRESS_LOAD, 2, ONLY_RV32, 1 },	/* c.flwsp */
	{ 0x8108, 2, INGRESS_LOAD, 0, 0, 1 },	/* c.lbu */
	{ 0x8548, 2, INGRESS_LOAD, 1, 0, 1 },	/* c.lh */
	{ 0x8908, 2, INGRESS_STORE, 0, 0, 1 },	/* c.sb */
	{ 0x8d08, 2, INGRESS_STORE, 1, 0, 1 },	/* c.sh */
	{ 0xa188, 2, INGRESS_STORE, 3, 0, 1 },	/* c.fsd */
	{ 0xa02a, 2, INGRESS_STORE, 3, NO_ZCMP, 1 },	/* c.fsdsp */
	{ 0xc188, 2, INGRESS_STORE, 2, 0, 1 },	/* c.sw */
	{ 0xe188, 2, INGRESS_STORE, 2, ONLY_RV32, 1 },	/* c.fsw */
	{ 0xe188, 2, INGRESS_STORE, 3, ONLY_RV64, 1 },	/* c.sd */
	{ 0xe02a, 2, INGRESS_STORE, 2, ONLY_RV32, 1 },	/* c.fswsp */
	{ 0xe02a, 2, INGRESS_STORE, 3, ONLY_RV64, 1 },	/* c.sdsp */
	{ CM(PUSH, 0), 2, INGRESS_STORE, WORD, ZCMP, 1 },
	{ CM(PUSH, 3), 2, INGRESS_STORE, WORD, ZCMP, 4 },
	{ CM(PUSH, 12), 2, INGRESS_STORE, WORD, ZCMP, 13 },
	{ CM(POP, 1), 2, INGRESS_LOAD, WORD, ZCMP, 2 },
	{ CM(POP, 12), 2, INGRESS_LOAD, WORD, ZCMP, 13 },
	{ CM(POPRET, 0), 2, INGRESS_LOAD, WORD, ZCMP | RETURNS, 1 },
	{ CM(POPRET, 2), 2, INGRESS_LOAD, WORD, ZCMP | RETURNS, 3 },
	{ CM(POPRETZ, 10), 2, INGRESS_LOAD, WORD, ZCMP | RETURNS, 11 },
	{ LR(2), 4, INGRESS_LOAD, 2, 0, 1 },
	{ AMO(SC, 2), 4, INGRESS_STORE, 2, 0, 1 },
	{ AMO(SC, 3), 4, INGRESS_STORE, 3, ONLY_RV64, 1 },
	{ AMO(CAS, 2), 4, INGRESS_SWAP, 2, 0, 1 },
	{ AMO(CAS, 3), 4, INGRESS_SWAP, 3, 0, 1 },
	{ AMO(CAS, 4), 4, INGRESS_SWAP, 4, ONLY_RV64, 1 },
	{ AMO(0x00, 2), 4, INGRESS_ADD, 2, 0, 1 },
	{ AMO(0x01, 2), 4, INGRESS_SWAP, 2, 0, 1 },
	{ AMO(0x01, 3), 4, INGRESS_SWAP, 3, ONLY_RV64, 1 },
	{ AMO(0x04, 2), 4, INGRESS_XOR, 2, 0, 1 },
	{ AMO(0x08, 3), 4, INGRESS_OR, 3, ONLY_RV64, 1 },
	{ AMO(0x0c, 2), 4, INGRESS_AND, 2, 0, 1 },
	{ AMO(0x10, 2), 4, INGRESS_MIN, 2, 0, 1 },
	{ AMO(0x14, 3), 4, INGRESS_MAX, 3, ONLY_RV64, 1 },
	{ AMO(0x18, 2), 4, INGRESS_MIN, 2, 0, 1 },
	{ AMO(0x1c, 2), 4, INGRESS_MAX, 2, 0, 1 },
	{ CSR(1, 0x340), 4, INGRESS_CSR_RW, 0, 0, 1 },
	{ CSR(2, 0x300), 4, INGRESS_CSR_RS, 0, 0, 1 },
	{ CSR(3, 0x304), 4, INGRESS_CSR_RC, 0, 0, 1 },
	{ CSR(5, 0x341), 4, INGRESS_CSR_RW, 0, 0, 1 },
	{ CSR(6, 0xc00), 4, INGRESS_CSR_RS, 0, 0, 1 },
	{ CSR(7, 0x344), 4, INGRESS_CSR_RC, 0, 0, 1 },
};

static bool exists(const struct world *w, unsigned int which)
{
	unsigned int only = table[which].only;

	return !(only & (w->xlen == 32 ? ONLY_RV64 : ONLY_RV32)) &&
	       !(only & (w->zcmp ? NO_ZCMP : ZCMP));
}

unsigned int random_access(struct world *w, bool returns)
{
	unsigned int which;

	do
		which = rnd(w, sizeof(table) / sizeof(table[0]));
	while (!exists(w, which) || !!(table[which].only & RETURNS) != returns);
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

/* Of AMO: funct5 */
static bool is_amo(unsigned int which, unsigned int funct5)
{
	return (table[which].word & 0x7f) == 0x2f && table[which].word >> 27 == funct5;
}

/* Packets have room for it, and a code. */
static bool is_told(const struct world *w, const struct ingress_access *a)
{
	const struct etrace_params *p = &w->etrace;

	return !(a->dtype >> p->dtype_width) && (is_csr(a) || 8u << a->size <= p->data_width);
}

/* Cut to daddress_width, and extended as the specification has addresses of instructions. */
static uint64_t data_address(const struct world *w, uint64_t address)
{
	unsigned int above = 64 - w->etrace.daddress_width;

	address = address << above >> above;
	if (above < 32 && address >> (63 - above))
		address |= ~(UINT64_MAX >> above);
	return address;
}

static uint64_t random_value(struct world *w)
{
	return rnd(w, 2) ? rnd(w, 1000) - 500ull : rnd(w, UINT64_MAX);
}

/* What failed is told in few configurations; where it is not, nothing fails. */
static uint8_t draw_dtype(struct world *w, unsigned int which)
{
	const struct etrace_params *p = &w->etrace;

	if (p->lrid_width || p->dtype_width < 4 || rnd(w, 2))
		return table[which].dtype;
	if (is_amo(which, SC) && has(w, ETRACE_NO_DATA))
		return INGRESS_SC_FAILED;
	if (is_amo(which, CAS) && p->mmacas && !has(w, ETRACE_NO_ADDRESS))
		return INGRESS_CAS_FAILED;
	return table[which].dtype;
}

static void draw(struct hart *h, unsigned int which, struct ingress_access *a)
{
	struct world *w = h->world;

	a->dtype = draw_dtype(w, which);
	a->size = table[which].size == WORD ? (w->xlen == 32 ? 2 : 3) : table[which].size;
	a->multiple = table[which].count > 1;
	for (unsigned int i = 0; i < 2; i++) {
		a->data[i] = random_value(w);
		a->operand[i] = random_value(w);
	}
	if (is_csr(a)) {
		a->address = table[which].word >> 20;
		return;
	}
	a->address = rnd(w, 4) ? 0x20000 + rnd(w, 0x10000) : rnd(w, UINT64_MAX);
	a->address = data_address(w, a->address);
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

static void access_once(struct hart *h, const struct insn *insn, uint64_t pc, bool traced)
{
	struct world *w = h->world;
	struct access_truth t = { .insn = h->count - 1, .access.pc = pc };

	draw(h, insn->access, &t.access);
	traced = traced && is_told(w, &t.access);
	h->untold |= !is_told(w, &t.access);
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

void hart_access(struct hart *h, const struct region *r, const struct insn *insn)
{
	unsigned int count = table[insn->access].count;

	if (!h->world->etrace.data)
		return;
	while (count--)
		access_once(h, insn, r->base + insn->offset, hart_is_traced(h, r));
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

static bool same_value(const uint64_t got[2], const uint64_t wanted[2], unsigned int size)
{
	uint64_t mask = size < 3 ? (1ull << (8u << size)) - 1 : UINT64_MAX;

	return got[0] == (wanted[0] & mask) && got[1] == (size > 3 ? wanted[1] : 0);
}

/* @has: there is one; @expected: there should be. Return: NULL, or @what. */
static const char *check_value(const uint64_t got[2], bool has, const uint64_t wanted[2],
			       bool expected, unsigned int size, const char *what)
{
	return has != expected || (has && !same_value(got, wanted, size)) ? what : NULL;
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
	if (a->dtype == INGRESS_CAS_FAILED)
		return RVTRACE_ETRACE_CAS_FAILED;
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
	if (!!(got->flags & RVTRACE_ACCESS_MULTIPLE) !=
	    (a->multiple && w->etrace.mmacas && w->etrace.dtype_width > 1))
		return "multiple";
	if (!!(got->flags & RVTRACE_ACCESS_HAS_ADDRESS) != (addresses || csr) ||
	    ((addresses || csr) && got->address != a->address))
		return "address";
	wrong = check_value(got->data, got->flags & RVTRACE_ACCESS_HAS_DATA, a->data,
			    values && (!split || t->is_response) && !t->error &&
			    a->dtype != INGRESS_CAS_FAILED, size, "data");
	if (!wrong)
		wrong = check_value(got->operand, got->flags & RVTRACE_ACCESS_HAS_OPERAND,
				    a->operand, values && (csr ? a->address < 0xc00 :
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
