// SPDX-License-Identifier: GPL-2.0
/*
 * E-Trace packet layer: short packets are read at once if all of them is there, and bit by bit if
 * they come in pieces. What is read is the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rvtrace/etrace.h>

#define ENCODERS	300
#define PACKETS		200
#define BEHIND		16	/* null packets */

static uint64_t random_state = 1;

static unsigned int up_to(unsigned int most)
{
	random_state = random_state * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
	return (random_state >> 33) % (most + 1);
}

static struct rvtrace_etrace_params random_params(void)
{
	struct rvtrace_etrace_params params;

	rvtrace_etrace_params_default(&params);
	params.iaddress_width = up_to(1) ? 32 + 32 * up_to(1) : 8 + up_to(56);
	params.iaddress_lsb = up_to(3);
	params.iret_ext = up_to(1);
	params.return_stack_size = up_to(1) ? up_to(7) : 0;
	params.call_counter_size = up_to(1) ? up_to(7) : 0;
	params.srcid_width = up_to(1) ? up_to(16) : 0;
	params.type_width = up_to(1) ? up_to(8) : 0;
	params.type_inst = 0;
	params.type_data = params.type_width != 0;
	params.sign_padding = up_to(1);
	assert_int_equal(rvtrace_etrace_params_check(&params, NULL, NULL), 0);
	return params;
}

/*
 * A packet: most bits of a byte are often those before it, as compression leaves them; srcID and
 * type are those of instruction trace, in part. Its bytes.
 */
static size_t random_packet(const struct rvtrace_etrace_params *params, uint8_t *bytes)
{
	size_t length = 1 + up_to(12), size = 1 + params->srcid_width / 8 + length, i;
	unsigned int before = params->srcid_width + params->type_width;

	bytes[0] = up_to(3) << 5 | length;
	for (i = 1; i < size; i++)
		bytes[i] = i > 4 && up_to(1) ? 0xff * (bytes[i - 1] >> 7) : up_to(255);
	for (i = params->srcid_width; up_to(3) && i < before && i / 8 + 1 < size; i++)
		bytes[i / 8 + 1] &= ~(1 << i % 8);
	return size;
}

/* Return: as rvtrace_etrace_next(). @piece: bytes fed at a time. */
static int read_packet(struct rvtrace_etrace *reader, const uint8_t *bytes, size_t size,
		       size_t piece, struct rvtrace_etrace_packet *packet)
{
	size_t at, next;
	int ret = 0;

	memset(packet, 0, sizeof(*packet));
	rvtrace_etrace_seek(reader, 0);
	for (at = 0; !ret && at < size; at = next) {
		next = at + piece < size ? at + piece : size;
		assert_int_equal(rvtrace_etrace_feed(reader, bytes + at, next - at), 0);
		ret = rvtrace_etrace_next(reader, packet);
	}
	packet->raw = NULL;
	return ret;
}

/* How many packets there are without an error. */
static unsigned int read_both_ways(const struct rvtrace_etrace_params *params)
{
	struct rvtrace_etrace_packet packet, same;
	uint8_t bytes[RVTRACE_ETRACE_PACKET_MAX + BEHIND];
	struct rvtrace_etrace *whole, *pieces;
	unsigned int valid = 0;

	assert_int_equal(rvtrace_etrace_new(params, &whole), 0);
	assert_int_equal(rvtrace_etrace_new(params, &pieces), 0);
	for (unsigned int i = 0; i < PACKETS; i++) {
		size_t size = random_packet(params, bytes);
		int ret;

		memset(bytes + size, 0, BEHIND);
		ret = read_packet(whole, bytes, size + BEHIND, size + BEHIND, &packet);
		assert_int_equal(read_packet(pieces, bytes, size, 1, &same), ret);
		if (ret != 1)
			continue;
		assert_memory_equal(&packet, &same, sizeof(packet));
		valid++;
	}
	rvtrace_etrace_free(whole);
	rvtrace_etrace_free(pieces);
	return valid;
}

static void pieces_are_read_as_the_whole(void **state)
{
	unsigned int valid = 0;

	(void)state;
	for (unsigned int i = 0; i < ENCODERS; i++) {
		struct rvtrace_etrace_params params = random_params();

		valid += read_both_ways(&params);
	}
	assert_true(valid > ENCODERS * PACKETS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_read_as_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
