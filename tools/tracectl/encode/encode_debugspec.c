// SPDX-License-Identifier: GPL-2.0
/* tracectl encode --format debugspec: its options, and what accesses have beside the list. */
#include <rvtrace/debugspec.h>

#include "tools/tracectl/decode/decode_debugspec.h"
#include "tools/tracectl/parse.h"
#include "encode.h"

enum {
	OPTION_EMIT = 0x8000, OPTION_NO_COMPRESSED, OPTION_FULL, OPTION_LITERAL, OPTION_HART,
	OPTION_BUFFER_SIZE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Debug specification:", 3 },
	{ "emit", OPTION_EMIT, "LIST", 0,
	  "What is traced: pc, branch, priv, loadaddr, storeaddr, loaddata, storedata, timestamp (all)",
	  3 },
	{ "no-compressed", OPTION_NO_COMPRESSED, NULL, 0,
	  "The hart has no compressed instructions: PCs begin with bit 2", 3 },
	{ "full", OPTION_FULL, NULL, 0, "Values are never shortened", 3 },
	{ "literal", OPTION_LITERAL, NULL, 0,
	  "Traps and returns are as in the specification's table to the letter", 3 },
	{ "hart", OPTION_HART, "N", 0, "Hart id (0)", 3 },
	{ "buffer-size", OPTION_BUFFER_SIZE, "BYTES", 0,
	  "Of the buffer, which has 8 synchronization points (none)", 3 },
	{ },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct encode_debugspec *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->params.emit = DEBUGSPEC_EMIT_ALL;
		o->params.compressed = true;
		return 0;
	case OPTION_EMIT:
		o->params.emit = debugspec_events(state, arg);
		o->option = "emit";
		return 0;
	case OPTION_NO_COMPRESSED:
		o->params.compressed = false;
		o->option = "no-compressed";
		return 0;
	case OPTION_FULL:
		o->params.full = true;
		o->option = "full";
		return 0;
	case OPTION_LITERAL:
		o->params.literal = true;
		o->option = "literal";
		return 0;
	case OPTION_HART:
		o->params.hart = option_number(state, "hart", arg, 0, RVTRACE_DEBUGSPEC_HARTS - 1);
		o->option = "hart";
		return 0;
	case OPTION_BUFFER_SIZE:
		o->buffer_size = option_size(state, "buffer-size", arg);
		if (o->buffer_size > 1u << 31)
			argp_error(state, "--buffer-size: %s is more than 2G", arg);
		o->option = "buffer-size";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp encode_debugspec_argp = { .options = options, .parser = parse_option };

void encode_access_code(uint32_t bits, struct ingress_access *access)
{
	unsigned int opcode = bits & 0x7f;

	/* amomin, amomax: of unsigned numbers */
	if (opcode == 0x2f)
		access->unsigned_order = bits >> 30 == 3;
	if (opcode != 0x73)
		return;
	access->unread = access->dtype == INGRESS_CSR_RW && !(bits >> 7 & 0x1f);
	access->unwritten = access->dtype != INGRESS_CSR_RW && !(bits >> 15 & 0x1f);
}
