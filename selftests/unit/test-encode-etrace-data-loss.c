// SPDX-License-Identifier: GPL-2.0
/* Where the E-Trace encoder puts packets of data accesses, and when it says that some are lost. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#include "selftests/unit/etrace-decoder-params.h"

/* Accesses of 4 bytes, which is all there is room for. */
static const struct etrace_params loads = {
	.iaddress_width = 64,
	.iaddress_lsb = 1,
	.nocontext = true,
	.notime = true,
	.ecause_width = 4,
	.privilege_width = 2,
	.data_width = 32,
	.daddress_width = 32,
	.dtype_width = 1,
	.type_bits = 1,
	.type_data = 1,
	.data = true,
	.standard_support = true,
	.encoder_mode_width = 1,
	.ioptions_width = 7,
	.denable_width = 1,
	.dloss_width = 1,
	.doptions_width = 4,
	.option = { 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3 },
	.ddiff_width = 1,
	.sync_mode = ETRACE_SYNC_OFF,
	.sync_interval = 1,
};

static struct {
	struct etrace_params params;
	struct etrace_encoder encoder;
	uint8_t stream[32 * ETRACE_MAX_PACKET];
	size_t size;
	bool refusing;
} t;

static bool emit(void *opaque, const uint8_t *packet, size_t size)
{
	(void)opaque;
	if (t.refusing)
		return false;
	assert_true(t.size + size <= sizeof(t.stream));
	memcpy(t.stream + t.size, packet, size);
	t.size += size;
	return true;
}

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	t.params = loads;
	assert_null(etrace_params_check(&t.params));
	etrace_encoder_init(&t.encoder, &t.params, emit, NULL);
	etrace_encoder_start(&t.encoder, 0x100, &(struct ingress_context){ 0 }, 0, 0);
}

/* One instruction with a load of 2^@size bytes. */
static void load(uint64_t pc, unsigned int size)
{
	const struct ingress_access access = { .pc = pc, .address = 0x1000, .size = size };
	const struct ingress_block block = {
		.start = pc,
		.halfwords = 2,
		.last_size = 2,
		.target = pc + 4,
		.accesses = &access,
		.access_count = 1,
	};

	etrace_encoder_block(&t.encoder, &block);
}

/* The packets one by one: d data, s synchronization, p support, + with dloss, else o */
static void sends(const char *wanted)
{
	struct rvtrace_etrace_params params = etrace_decoder_params(&t.params);
	struct rvtrace_etrace_packet packet;
	struct rvtrace_etrace *reader;
	char got[32] = "";
	size_t count = 0;

	assert_int_equal(rvtrace_etrace_new(&params, &reader), 0);
	assert_int_equal(rvtrace_etrace_feed(reader, t.stream, t.size), 0);
	while (count < sizeof(got) - 1 && rvtrace_etrace_next(reader, &packet) > 0) {
		const struct rvtrace_etrace_te_inst *inst = &packet.inst;

		if (packet.kind == RVTRACE_ETRACE_TE_DATA)
			got[count++] = 'd';
		else if (inst->format != RVTRACE_ETRACE_SYNC)
			got[count++] = 'o';
		else if (inst->subformat == RVTRACE_ETRACE_SUPPORT)
			got[count++] = inst->dloss ? '+' : 'p';
		else
			got[count++] = 's';
	}
	rvtrace_etrace_free(reader);
	assert_string_equal(got, wanted);
}

static void accesses_follow_the_report_of_their_instruction(void **state)
{
	(void)state;
	begin();
	load(0x100, 2);
	sends("p");
	load(0x104, 2);
	sends("psd");
	etrace_encoder_request_sync(&t.encoder);
	load(0x108, 2);
	sends("psdd");
	load(0x10c, 2);
	sends("psddsd");
	etrace_encoder_stop(&t.encoder, 0);
	sends("psddsdodp");
}

static void what_cannot_be_told_is_lost(void **state)
{
	(void)state;
	begin();
	load(0x100, 2);
	load(0x104, 3);
	load(0x108, 2);
	etrace_encoder_stop(&t.encoder, 0);
	sends("psdod+");
	etrace_encoder_start(&t.encoder, 0x10c, &(struct ingress_context){ 0 }, 0, 0);
	sends("psdod+p");
}

/* What is refused, and until a synchronization has led back. */
static void what_is_refused_is_lost(void **state)
{
	(void)state;
	begin();
	load(0x100, 2);
	load(0x104, 2);
	t.refusing = true;
	load(0x108, 2);
	load(0x10c, 2);
	t.refusing = false;
	sends("psd");
	load(0x110, 2);
	sends("psd+");
	load(0x114, 2);
	sends("psd+sd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_follow_the_report_of_their_instruction),
		cmocka_unit_test(what_cannot_be_told_is_lost),
		cmocka_unit_test(what_is_refused_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
