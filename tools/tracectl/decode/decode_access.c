// SPDX-License-Identifier: GPL-2.0
/* tracectl decode: accesses of data trace. */
#include <inttypes.h>

#include <rvtrace/etrace.h>

#include "decode.h"

static const char *const atomics[] = {
	[RVTRACE_ETRACE_SWAP] = "swap", [RVTRACE_ETRACE_ADD] = "add",
	[RVTRACE_ETRACE_AND] = "and", [RVTRACE_ETRACE_OR] = "or",
	[RVTRACE_ETRACE_XOR] = "xor", [RVTRACE_ETRACE_MAX] = "max",
	[RVTRACE_ETRACE_MIN] = "min", [RVTRACE_ETRACE_SC_FAILED] = "sc-failed",
	[RVTRACE_ETRACE_CAS_FAILED] = "cas-failed",
};

static const char *const csrs[] = {
	[RVTRACE_ETRACE_CSR_RW] = "read-write", [RVTRACE_ETRACE_CSR_RS] = "read-set",
	[RVTRACE_ETRACE_CSR_RC] = "read-clear",
};

static const char *kind_of(const struct rvtrace_flow_access *access)
{
	switch (access->kind) {
	case RVTRACE_ETRACE_LOAD:
		return "load";
	case RVTRACE_ETRACE_STORE:
		return "store";
	case RVTRACE_ETRACE_CSR:
		return "csr";
	}
	return "atomic";
}

/* NULL: it has none. */
static const char *subtype_of(const struct rvtrace_flow_access *access)
{
	switch (access->kind) {
	case RVTRACE_ETRACE_CSR:
		return csrs[access->subtype];
	case RVTRACE_ETRACE_ATOMIC:
		return atomics[access->subtype];
	}
	return NULL;
}

/* As many digits as the size has. */
static void value_text(struct out *out, const struct rvtrace_flow_access *access,
		       const uint64_t value[2])
{
	int digits = 2 << access->size;

	if (digits > 16)
		out_format(out, "0x%0*" PRIx64 "%016" PRIx64, digits - 16, value[1], value[0]);
	else
		out_format(out, "0x%0*" PRIx64, digits, value[0]);
}

static void values_text(struct out *out, const struct rvtrace_flow_access *access)
{
	const char *before = ": ";

	if (access->flags & RVTRACE_ACCESS_FAILED)
		out_text(out, ": failed");
	if (access->flags & RVTRACE_ACCESS_HAS_DATA) {
		out_text(out, before);
		value_text(out, access, access->data);
		before = ", ";
	}
	if (access->flags & RVTRACE_ACCESS_HAS_OPERAND) {
		out_format(out, "%soperand ", before);
		value_text(out, access, access->operand);
	}
	if (access->flags & RVTRACE_ACCESS_HAS_WRITTEN) {
		out_format(out, "%swritten ", before);
		value_text(out, access, (const uint64_t[]){ access->written, 0 });
	}
}

void print_access_text(struct out *out, const struct rvtrace_flow_access *access)
{
	const char *subtype = subtype_of(access);
	bool csr = access->kind == RVTRACE_ETRACE_CSR;

	if (access->flags & RVTRACE_ACCESS_RESPONSE)
		out_format(out, "response %u to ", access->lrid);
	out_text(out, kind_of(access));
	if (subtype)
		out_format(out, " %s", subtype);
	if (!csr && !(access->flags & RVTRACE_ACCESS_NO_SIZE))
		out_format(out, " of %u byte%s", 1u << access->size, access->size ? "s" : "");
	if (access->flags & RVTRACE_ACCESS_HAS_ADDRESS)
		out_format(out, csr ? " 0x%03" PRIx64 : " at 0x%" PRIx64, access->address);
	if (access->flags & RVTRACE_ACCESS_PARTIAL)
		out_format(out, " (known bits 0x%" PRIx64 ")", access->known);
	if (access->flags & RVTRACE_ACCESS_REQUEST)
		out_format(out, ", request %u", access->lrid);
	values_text(out, access);
}

static void value_json(struct out *out, const char *name,
		       const struct rvtrace_flow_access *access, const uint64_t value[2])
{
	out_format(out, ",\"%s\":\"", name);
	value_text(out, access, value);
	out_char(out, '"');
}

void print_access_json(struct out *out, const struct rvtrace_flow_access *access)
{
	const char *subtype = subtype_of(access);

	out_json_text(out, "access", kind_of(access));
	if (subtype)
		out_json_text(out, "subtype", subtype);
	if (!(access->flags & RVTRACE_ACCESS_NO_SIZE))
		out_json_number(out, "size", 1u << access->size);
	if (access->flags & RVTRACE_ACCESS_HAS_ADDRESS)
		out_json_hex(out, access->kind == RVTRACE_ETRACE_CSR ? "csr" : "data_address",
			     access->address);
	if (access->flags & RVTRACE_ACCESS_PARTIAL)
		out_json_hex(out, "known", access->known);
	if (access->flags & (RVTRACE_ACCESS_REQUEST | RVTRACE_ACCESS_RESPONSE)) {
		out_json_text(out, "phase", access->flags & RVTRACE_ACCESS_REQUEST ? "request" :
			      "response");
		out_json_number(out, "lrid", access->lrid);
	}
	if (access->flags & RVTRACE_ACCESS_FAILED)
		out_text(out, ",\"failed\":true");
	if (access->flags & RVTRACE_ACCESS_HAS_DATA)
		value_json(out, "data", access, access->data);
	if (access->flags & RVTRACE_ACCESS_HAS_OPERAND)
		value_json(out, "operand", access, access->operand);
	if (access->flags & RVTRACE_ACCESS_HAS_WRITTEN)
		value_json(out, "written", access, (const uint64_t[]){ access->written, 0 });
}

/* The instruction, and what it accessed. */
static void list_access(struct decode *d, const struct rvtrace_flow_item *item)
{
	struct symbol_place place = { };

	print_who(d, item);
	if (item->flags & RVTRACE_FLOW_HAS_ADDRESS) {
		symbols_find(d->symbols, d->resolver, item, item->address, NULL, &place);
		out_hex(&d->out, item->address);
		out_char(&d->out, ' ');
		print_place(d, &place, item->address);
	} else {
		out_char(&d->out, '?');
	}
	out_char(&d->out, ' ');
	print_access_text(&d->out, item->access);
	out_char(&d->out, '\n');
}

void accesses_item(struct decode *d, const struct rvtrace_flow_item *item)
{
	switch (item->type) {
	case RVTRACE_FLOW_ACCESS:
		if (!global.json) {
			list_access(d, item);
			return;
		}
		break;
	case RVTRACE_FLOW_ACCESSES_LOST:
	case RVTRACE_FLOW_OVERFLOW:
	case RVTRACE_FLOW_LOST:
	case RVTRACE_FLOW_ERROR:
		break;
	default:
		return;
	}
	listing_item(d, item);
}
