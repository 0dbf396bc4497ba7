// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/etrace-payload.h"

#define HEADER_FLOW	5
#define HEADER_EXTEND	0x80

static bool get_bit(const uint8_t *bytes, unsigned int bit)
{
	return bytes[bit / 8] >> bit % 8 & 1;
}

static void put_bit(uint8_t *bytes, unsigned int bit, bool value)
{
	if (value)
		bytes[bit / 8] |= 1 << bit % 8;
	else
		bytes[bit / 8] &= ~(1 << bit % 8);
}

void etrace_put(struct etrace_payload *payload, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		put_bit(payload->bytes, payload->bits++, value >> i & 1);
}

bool etrace_last_bit(const struct etrace_payload *payload)
{
	return get_bit(payload->bytes, payload->bits - 1);
}

void etrace_compress(struct etrace_payload *payload)
{
	bool sign = etrace_last_bit(payload);

	while (payload->bits > 1 && get_bit(payload->bytes, payload->bits - 2) == sign)
		payload->bits--;
}

static void extend(struct etrace_payload *payload, unsigned int bits)
{
	bool sign = etrace_last_bit(payload);

	while (payload->bits < bits)
		put_bit(payload->bytes, payload->bits++, sign);
}

static unsigned int round_up(unsigned int bits)
{
	return (bits + 7) / 8 * 8;
}

/* All behind the header, one field after the other. */
struct etrace_tail {
	uint8_t *bytes;
	unsigned int bits;
};

static void put_tail(struct etrace_tail *tail, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		put_bit(tail->bytes, tail->bits++, value >> i & 1);
}

size_t etrace_wrap(struct etrace_payload *payload, const struct etrace_wrapping *wrapping,
		   uint8_t *out)
{
	/* Of srcID, length counts what is not a whole byte. */
	unsigned int before = wrapping->src_bits % 8 + wrapping->type_bits;
	struct etrace_tail tail = { .bytes = out + 1 };
	unsigned int length;

	if (wrapping->sign_padding)
		extend(payload, round_up(before + payload->bits) - before);
	else
		extend(payload, round_up(payload->bits));
	length = round_up(before + payload->bits) / 8;
	out[0] = length | wrapping->flow << HEADER_FLOW;
	if (wrapping->timestamp_bytes)
		out[0] |= HEADER_EXTEND;
	put_tail(&tail, wrapping->src, wrapping->src_bits);
	put_tail(&tail, wrapping->timestamp, 8 * wrapping->timestamp_bytes);
	put_tail(&tail, wrapping->type, wrapping->type_bits);
	for (unsigned int i = 0; i < payload->bits; i++)
		put_tail(&tail, get_bit(payload->bytes, i), 1);
	put_tail(&tail, 0, round_up(tail.bits) - tail.bits);
	return 1 + tail.bits / 8;
}
