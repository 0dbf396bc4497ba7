// SPDX-License-Identifier: GPL-2.0
/* tracectl encode --format debugspec. */
#include <rvtrace/debugspec.h>

#include "tools/encode/debugspec.h"
#include "tools/tracectl/decode/decode_debugspec.h"
#include "tools/tracectl/tracectl.h"
#include "encode.h"
#include "encode_format.h"

/**
 * struct own - what the command line says, and the encoder
 * @option: name of an option that was given
 * @buffer_size: 0: there are no synchronization points
 */
static struct own {
	const char *option;
	struct debugspec_params params;
	uint32_t buffer_size;
	struct debugspec_stream stream;
	struct debugspec_encoder encoder;
} own;

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
	  "Encode traps and returns exactly as the specification's table does", 3 },
	{ "hart", OPTION_HART, "N", 0, "Hart id (0)", 3 },
	{ "buffer-size", OPTION_BUFFER_SIZE, "BYTES", 0,
	  "Size of the buffer, which has 8 synchronization points (none)", 3 },
	{ },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct own *o = &own;

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

static void check(struct argp_state *state, const struct encode_options *o)
{
	if (o->sync || o->reference)
		argp_error(state, "--%s does not apply to the debug specification", o->sync ? "sync" :
			   "reference");
}

static void write_word(void *data, uint32_t word)
{
	const uint8_t bytes[] = { word, word >> 8, word >> 16, word >> 24 };

	encode_write(data, bytes, sizeof(bytes));
}

static int prepare(struct encode *e)
{
	const char *wrong;

	own.params.xlen = e->xlen ? e->xlen : 64;
	wrong = debugspec_params_check(&own.params);
	if (!wrong && own.buffer_size && !debugspec_is_buffer(own.buffer_size, own.params.xlen))
		wrong = "--buffer-size: not a multiple of 32 from 64 on, with 64 bits from 96 on";
	if (wrong) {
		error_text("%s", wrong);
		return EXIT_USAGE;
	}
	debugspec_stream_init(&own.stream, own.buffer_size, own.params.hart, write_word, NULL, e);
	debugspec_encoder_init(&own.encoder, &own.params, &own.stream);
	return EXIT_OK;
}

static void start(struct encode *e, uint64_t pc)
{
	(void)pc;
	debugspec_encoder_start(&own.encoder, &e->first);
}

static void block(struct encode *e, const struct ingress_block *block)
{
	(void)e;
	debugspec_encoder_block(&own.encoder, block);
}

static void stop(struct encode *e)
{
	(void)e;
	debugspec_encoder_stop(&own.encoder);
	debugspec_stream_flush(&own.stream);
}

static const char *check_accesses(void)
{
	return NULL;
}

const struct encode_format encode_debugspec = {
	.name = "debugspec",
	.title = "the debug specification",
	.has_xlen = true,
	.own_option = &own.option,
	.check = check,
	.prepare = prepare,
	.start = start,
	.block = block,
	.stop = stop,
	.accesses = "debugspec",
	.check_accesses = check_accesses,
};
