// SPDX-License-Identifier: GPL-2.0
/* Harts that execute loops: see loops-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/loops-fixture.h"

/* Three times c.nop, c.bnez s0 back to the first; c.jr s0. */
static const uint16_t code[] = { 0x0001, 0x0001, 0x0001, 0xfc6d, 0x8402 };
static const uint64_t places[LOOPS] = { 0x1000, 0x2000, 0x3000 };

static const struct ingress_context none;

void loops_start(struct loops *l, uint64_t sync, ntrace_emit emit, void *opaque)
{
	struct ntrace_params params = {
		.xlen = 64, .timestamp = true, .timestamp_bits = 40, .icnt_bits = 17,
		.hist_bits = 32, .repeat_bits = 18, .src_bits = 1,
		.sync_mode = sync ? NTRACE_SYNC_MESSAGES : NTRACE_SYNC_OFF,
		.sync_interval = sync,
	};

	for (unsigned int i = 0; i < LOOP_HARTS; i++) {
		params.src = i;
		assert_null(ntrace_params_check(&params));
		ntrace_encoder_init(&l->encoders[i], &params, emit, opaque);
		ntrace_encoder_start(&l->encoders[i], places[i], &none, 0, 0, NTRACE_SYNC_RESET);
		l->at[i] = (enum loop)i;
	}
}

void loops_step(struct loops *l, unsigned int hart, enum loop next, uint64_t time)
{
	bool jumps = next != l->at[hart];
	const struct ingress_block block = {
		.start = places[l->at[hart]],
		.halfwords = sizeof(code) / sizeof(code[0]) - !jumps,
		.last_size = 1, .time = time, .cycles = time,
		.itype = jumps ? INGRESS_OTHER_INDIRECT_JUMP : INGRESS_BRANCH_TAKEN,
		.target = places[next],
	};

	ntrace_encoder_block(&l->encoders[hart], &block);
	l->at[hart] = next;
}

void loops_stop(struct loops *l, unsigned int hart, uint64_t time)
{
	ntrace_encoder_stop(&l->encoders[hart], places[l->at[hart]], time, time,
			    NTRACE_EVCODE_DISABLED);
}

void loops_restart(struct loops *l, unsigned int hart, uint64_t time)
{
	ntrace_encoder_start(&l->encoders[hart], places[l->at[hart]], &none, time, time,
			     NTRACE_SYNC_ENABLE);
}

void loops_map(struct rvtrace_image *image)
{
	struct rvtrace_mapping mapping = {
		.size = sizeof(code), .space = RVTRACE_SPACE_ANY, .privs = RVTRACE_PRIV_ANY,
	};

	for (unsigned int i = 0; i < LOOP_UNSEEN; i++) {
		struct rvtrace_code *loop;

		assert_int_equal(rvtrace_code_from_memory(code, sizeof(code), "loop", &loop), 0);
		mapping.code = loop;
		mapping.address = places[i];
		assert_int_equal(rvtrace_image_map(image, &mapping), 0);
		rvtrace_code_unref(loop);
	}
}
