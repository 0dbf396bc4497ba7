/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A payload as a row of bits, and its encapsulation (Unformatted Trace & Diagnostic Data Packet
 * Encapsulation 1.0).
 */
#ifndef RVTRACE_ENCODE_ETRACE_PAYLOAD_H
#define RVTRACE_ENCODE_ETRACE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of the longest payload */
#define ETRACE_MAX_PAYLOAD	248

struct etrace_payload {
	uint8_t bytes[(ETRACE_MAX_PAYLOAD + 7) / 8 + 1];
	unsigned int bits;
};

/**
 * struct etrace_wrapping - what the encapsulation adds
 * @src: srcID
 * @src_bits: its width
 * @flow: flow
 * @timestamp: timestamp
 * @timestamp_bytes: its width; 0: none
 * @type: type
 * @type_bits: its width
 * @sign_padding: as in etrace_params
 */
struct etrace_wrapping {
	uint16_t src;
	uint8_t src_bits;
	uint8_t flow;
	uint64_t timestamp;
	uint8_t timestamp_bytes;
	uint8_t type;
	uint8_t type_bits;
	bool sign_padding;
};

/* Append a field of @width bits, 0 to 64; least significant bit first. */
void etrace_put(struct etrace_payload *payload, uint64_t value, unsigned int width);

/* Return: the last bit appended. */
bool etrace_last_bit(const struct etrace_payload *payload);

/* Drop the bits at the end that the sign tells: sign-based compression. */
void etrace_compress(struct etrace_payload *payload);

/**
 * etrace_wrap() - encapsulate
 * @payload: may get longer: its sign goes on to the end of a byte
 * @out: room for ETRACE_MAX_PACKET bytes
 *
 * Return: how many bytes.
 */
size_t etrace_wrap(struct etrace_payload *payload, const struct etrace_wrapping *wrapping,
		   uint8_t *out);

#endif /* RVTRACE_ENCODE_ETRACE_PAYLOAD_H */
