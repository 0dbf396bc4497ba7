// SPDX-License-Identifier: GPL-2.0
/* Messages that an encoder sent, and what a test expects of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "selftests/unit/messages.h"
#include "selftests/unit/nexus-text.h"

void messages_add(struct messages *m, const uint8_t *message, size_t size)
{
	assert_true(m->count < MESSAGES_MAX);
	assert_true(size <= MESSAGE_SIZE);
	m->size[m->count] = size;
	memcpy(m->bytes[m->count++], message, size);
}

static void text_of(const struct messages *m, size_t i, char *text, size_t room)
{
	nexus_text(text, room, m->bytes[i], m->size[i], m->src_bits);
}

void messages_expect(struct messages *m, const char *const *texts)
{
	char got[256];

	for (; *texts; texts++) {
		if (m->checked == m->count)
			fail_msg("no message, expected: %s", *texts);
		text_of(m, m->checked++, got, sizeof(got));
		assert_string_equal(got, *texts);
	}
}

void messages_expect_nothing(struct messages *m)
{
	char got[256];

	if (m->checked == m->count)
		return;
	text_of(m, m->checked, got, sizeof(got));
	fail_msg("unexpected message: %s", got);
}

size_t messages_of(const struct messages *m, unsigned int tcode)
{
	size_t i, n = 0;

	for (i = 0; i < m->count; i++)
		n += m->bytes[i][0] >> 2 == tcode;
	return n;
}
