/* SPDX-License-Identifier: GPL-2.0 */
/* Payloads of E-Trace, field by field, a bit at a time. */
#ifndef RVTRACE_SELFTESTS_ETRACE_PAYLOAD_H
#define RVTRACE_SELFTESTS_ETRACE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rvtrace/etrace.h>

#define PAYLOAD_BITS	512
#define BYTES(...)	((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

struct payload {
	bool bits[PAYLOAD_BITS];
	unsigned int count;
};

/* The next field. */
static inline void put(struct payload *p, uint64_t value, unsigned int width)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		p->bits[p->count++] = i < 64 ? value >> i & 1 : value >> 63;
}

/* Copies of the last bit up to a whole number of bytes. */
static inline void extend_sign(struct payload *p)
{
	bool sign = p->bits[p->count - 1];

	while (p->count % 8)
		p->bits[p->count++] = sign;
}

/* "Sign based compression", down to bytes; p->count is a multiple of 8. */
static inline void compress(struct payload *p)
{
	unsigned int i;

	for (; p->count > 8; p->count -= 8) {
		for (i = p->count - 8; i < p->count; i++)
			if (p->bits[i] != p->bits[p->count - 9])
				return;
	}
}

/* Its bytes; the number of them. */
static inline size_t bytes_of(const struct payload *p, uint8_t *bytes)
{
	unsigned int i;

	memset(bytes, 0, (p->count + 7) / 8);
	for (i = 0; i < p->count; i++)
		bytes[i / 8] |= p->bits[i] << i % 8;
	return (p->count + 7) / 8;
}

static inline struct rvtrace_etrace_te_inst
parse_bytes(const struct rvtrace_etrace_params *params, const uint8_t *bytes, size_t size)
{
	struct rvtrace_etrace_te_inst inst;
	int ret = rvtrace_etrace_parse_inst(params, bytes, size, &inst);

	if (ret)
		fail_msg("%s", rvtrace_strerror(ret));
	return inst;
}

static inline int inst_error(const struct rvtrace_etrace_params *params, struct payload *p)
{
	struct rvtrace_etrace_te_inst inst;
	uint8_t bytes[PAYLOAD_BITS / 8];

	extend_sign(p);
	return rvtrace_etrace_parse_inst(params, bytes, bytes_of(p, bytes), &inst);
}

/* With and without compression, the same. */
static inline struct rvtrace_etrace_te_inst
parse_inst(const struct rvtrace_etrace_params *params, struct payload *p)
{
	struct rvtrace_etrace_te_inst inst[2];
	uint8_t bytes[PAYLOAD_BITS / 8];

	memset(inst, 0, sizeof(inst));
	extend_sign(p);
	assert_int_equal(rvtrace_etrace_parse_inst(params, bytes, bytes_of(p, bytes), &inst[0]),
			 0);
	compress(p);
	assert_int_equal(rvtrace_etrace_parse_inst(params, bytes, bytes_of(p, bytes), &inst[1]),
			 0);
	assert_memory_equal(&inst[0], &inst[1], sizeof(inst[0]));
	return inst[0];
}

#endif /* RVTRACE_SELFTESTS_ETRACE_PAYLOAD_H */
