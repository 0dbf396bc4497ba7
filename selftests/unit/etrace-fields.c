// SPDX-License-Identifier: GPL-2.0
/* Packets of E-Trace as text, see etrace-fields.h. */
#include <stdio.h>

#include "selftests/unit/encode-fixture.h"
#include "selftests/unit/etrace-fields.h"
#include "selftests/unit/etrace-payload.h"

static uint64_t number(const char *text, const char **end)
{
	char *after;
	uint64_t value = *text == '-' ? (uint64_t)strtoll(text, &after, 0) :
			 strtoull(text, &after, 0);

	assert_ptr_not_equal(after, text);
	*end = after;
	return value;
}

size_t etrace_fields(const char *text, uint8_t *bytes)
{
	struct payload payload = { .count = 0 };
	const char *at = text;
	uint64_t value, width;

	while ((at = strchr(at, '='))) {
		value = number(at + 1, &at);
		assert_int_equal(*at, '/');
		width = number(at + 1, &at);
		assert_true(width <= 64 && payload.count + width <= 8 * ETRACE_FIELDS_BYTES);
		put(&payload, value, width);
	}
	assert_true(payload.count > 0);
	extend_sign(&payload);
	compress(&payload);
	return bytes_of(&payload, bytes);
}

static void print_bytes(char *text, const uint8_t *bytes, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(text + 3 * i, " %02x", bytes[i]);
}

static void sends_one(const char *text)
{
	char got[3 * MESSAGE_SIZE + 1], wanted[3 * ETRACE_FIELDS_BYTES + 1];
	struct messages *m = &bench.sent;
	uint8_t want[1 + ETRACE_FIELDS_BYTES];
	size_t size = etrace_fields(text, want + 1);

	want[0] = size;
	if (m->checked == m->count)
		fail_msg("no packet, expected: %s", text);
	print_bytes(wanted, want, size + 1);
	print_bytes(got, m->bytes[m->checked], m->size[m->checked]);
	if (strcmp(got, wanted))
		fail_msg("packet %zu:%s, expected:%s: %s", m->checked, got, wanted, text);
	m->checked++;
}

void sends_all(const char *const *texts)
{
	for (; *texts; texts++)
		sends_one(*texts);
}

void sends_nothing(void)
{
	char got[3 * MESSAGE_SIZE + 1];
	struct messages *m = &bench.sent;

	if (m->checked == m->count)
		return;
	print_bytes(got, m->bytes[m->checked], m->size[m->checked]);
	fail_msg("unexpected packet:%s", got);
}

void begin_with(const char *support)
{
	start(0x100);
	run_on(2);
	run_on(2);
	sends(support, START(1, 0, 0x80));
}

void begin_mode(uint16_t modes, const char *support)
{
	bench.etrace_params.modes = modes;
	begin_with(support);
}

void begin_plain(void)
{
	plain_etrace();
	begin_with(SUPPORT(1, NO_CHANGE, 0));
}

void go_on(void)
{
	run_on(2);
	run_on(2);
}
