/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of pin samples share: pins, and what was found at them. */
#ifndef PINS_FIXTURE_H
#define PINS_FIXTURE_H

#include "selftests/unit/unwrap-fixture.h"
#include "tools/encode/pib.h"

extern struct found found;
extern struct bytes samples;

/* Teardown: there are none any more. */
int free_pins(void **state);

/* @size samples that are all @value. */
void add_same(uint8_t value, size_t size);

/* One wire: @bits as characters 0 and 1, the first one first; others are ignored. */
void add_text(const char *bits);

/* One wire, and TRC_CLK. */
void add_clocked(const char *bits);

/* TRC_DATA[7:0] and TRC_CLK. */
void add_parallel(const uint8_t *bytes, size_t size);

/* Decodes all @samples. */
void decode(const struct rvtrace_pib_config *config);

/* Fail unless this is all the damage, behind so many bytes. */
void expect_one(enum rvtrace_unwrap_damage_kind kind, uint64_t offset, uint64_t length,
		size_t before);

/* A random message of the format, or packet. Returns how many bytes it has. */
#define MESSAGE_MAX	48
size_t random_message(const struct rvtrace_pib_config *config, uint8_t *data);

/* Decodes @samples, @chunk bytes at once; 0: by chance. */
void decode_pins(const struct rvtrace_pib_config *config, const uint8_t *samples, size_t size,
		 size_t chunk, struct found *found);

/* The encoder's parameters for the same pins. */
struct pib_config pib_config_of(const struct rvtrace_pib_config *config);

/* Every mode, both formats, with and without ref-center. */
extern const struct rvtrace_pib_config all_pins[];
extern const size_t all_pins_count;

#endif /* PINS_FIXTURE_H */
