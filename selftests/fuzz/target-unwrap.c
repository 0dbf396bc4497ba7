// SPDX-License-Identifier: GPL-2.0
/* Fuzzing: trace that left the chip. */
#include <string.h>

#include <rvtrace/unwrap.h>

#include "target.h"

/* What came out, in short; pieces of it may be cut elsewhere. */
struct result {
	uint64_t bytes;
	uint64_t sum;
	uint64_t lost;
	uint64_t damages;
	uint64_t calibrations;
	uint64_t fed;
};

static void take_bytes(void *data, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct result *result = data;

	promise(offset < result->fed && size);
	result->bytes += size;
	while (size--)
		result->sum = 31 * result->sum + *bytes++;
}

static void take_damage(void *data, const struct rvtrace_unwrap_damage *damage)
{
	struct result *result = data;

	promise(damage->offset <= result->fed && damage->length <= result->fed - damage->offset);
	promise(*rvtrace_unwrap_damage_text(damage->kind));
	result->lost += damage->length;
	result->damages++;
}

static void take_calibration(void *data, uint64_t offset, uint64_t count)
{
	struct result *result = data;

	promise(offset < result->fed && count);
	result->calibrations += count;
}

static struct rvtrace_unwrap_handler handler_for(struct result *result)
{
	return (struct rvtrace_unwrap_handler) {
		.size = sizeof(struct rvtrace_unwrap_handler),
		.bytes = take_bytes, .damage = take_damage, .calibration = take_calibration,
		.data = result,
	};
}

/* Feeds all of it in pieces that lie apart, so that who reads behind one is caught. */
static void feed(void *decoder, void (*take)(void *decoder, const void *bytes, size_t size),
		 struct result *result, const uint8_t *bytes, size_t size, size_t piece)
{
	while (size) {
		size_t part = piece < size ? piece : size;
		uint8_t *copy = malloc(part);

		memcpy(copy, bytes, part);
		result->fed += part;
		take(decoder, copy, part);
		free(copy);
		bytes += part;
		size -= part;
	}
}

static void feed_pib(void *pib, const void *bytes, size_t size)
{
	rvtrace_pib_feed(pib, bytes, size);
}

static void feed_atb(void *atb, const void *bytes, size_t size)
{
	rvtrace_atb_feed(atb, bytes, size);
}

static struct result read_pib(const struct rvtrace_pib_config *config, const uint8_t *bytes,
			      size_t size, size_t piece)
{
	struct result result = { 0 };
	struct rvtrace_unwrap_handler handler = handler_for(&result);
	struct rvtrace_pib *pib;

	promise(!rvtrace_pib_new(config, &handler, &pib));
	feed(pib, feed_pib, &result, bytes, size, piece);
	rvtrace_pib_end(pib);
	rvtrace_pib_free(pib);
	return result;
}

/* Mode, format and flags, samples in a bit, the size of pieces; samples of pins. */
void fuzz_pib(const uint8_t *bytes, size_t size)
{
	struct rvtrace_unwrap_handler handler = handler_for(NULL);
	struct rvtrace_pib_config config = { .size = sizeof(config) };
	struct result whole, parts;
	struct rvtrace_pib *pib;

	if (size <= PIB_SETTINGS)
		return;
	config.mode = bytes[0] ? bytes[0] & 15 : RVTRACE_PIB_MODE_PARALLEL_8;
	config.format = bytes[1] & 1 ? RVTRACE_FORMAT_ETRACE : RVTRACE_FORMAT_NTRACE;
	config.ref_center = bytes[1] >> 1 & 1;
	config.calibrate = (bytes[1] & 0x1c) == 0x1c;
	config.src_bits = bytes[1] & 32 ? 6 : 0;
	config.timestamp_bytes = bytes[1] & 64 ? 8 : 0;
	config.samples_per_bit = bytes[2] / 16.0;
	if (rvtrace_pib_new(&config, &handler, &pib))
		return;
	rvtrace_pib_free(pib);
	whole = read_pib(&config, bytes + PIB_SETTINGS, size - PIB_SETTINGS, size);
	parts = read_pib(&config, bytes + PIB_SETTINGS, size - PIB_SETTINGS, 1 + bytes[3]);
	promise(!memcmp(&whole, &parts, sizeof(whole)));
}

static struct result read_atb(unsigned int id, const uint8_t *bytes, size_t size, size_t piece)
{
	struct result result = { 0 };
	struct rvtrace_unwrap_handler handler = handler_for(&result);
	struct rvtrace_atb *atb;
	uint64_t total = 0;

	promise(!rvtrace_atb_new(id, &handler, &atb));
	feed(atb, feed_atb, &result, bytes, size, piece);
	rvtrace_atb_end(atb);
	for (unsigned int i = 0; i < RVTRACE_ATB_IDS; i++)
		total += rvtrace_atb_count(atb, i);
	promise(total <= size && rvtrace_atb_count(atb, id) >= result.bytes);
	rvtrace_atb_free(atb);
	return result;
}

/* Which source, the size of pieces; frames of the formatter. */
void fuzz_atb(const uint8_t *bytes, size_t size)
{
	unsigned int id;
	struct result whole, parts;

	if (size <= ATB_SETTINGS)
		return;
	id = RVTRACE_ATB_ID_FIRST + bytes[0] % RVTRACE_ATB_ID_LAST;
	whole = read_atb(id, bytes + ATB_SETTINGS, size - ATB_SETTINGS, size);
	parts = read_atb(id, bytes + ATB_SETTINGS, size - ATB_SETTINGS, 1 + bytes[1]);
	promise(!memcmp(&whole, &parts, sizeof(whole)));
}
