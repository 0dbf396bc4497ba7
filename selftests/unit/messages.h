/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that an encoder sent, and what a test expects of them. */
#ifndef RVTRACE_SELFTESTS_MESSAGES_H
#define RVTRACE_SELFTESTS_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#define MESSAGES_MAX	20000
#define MESSAGE_SIZE	64

/* Of @count messages, @checked were compared with what was expected. */
struct messages {
	unsigned int src_bits;
	size_t count;
	size_t checked;
	uint8_t size[MESSAGES_MAX];
	uint8_t bytes[MESSAGES_MAX][MESSAGE_SIZE];
};

void messages_add(struct messages *m, const uint8_t *message, size_t size);

/* The next messages are @texts, up to a NULL. */
void messages_expect(struct messages *m, const char *const *texts);
void messages_expect_nothing(struct messages *m);

/* How many there are of @tcode. */
size_t messages_of(const struct messages *m, unsigned int tcode);

/* A test that keeps its state in a variable of the file. */
#define TEST(name)	static void name(__attribute__((unused)) void **state)

#endif /* RVTRACE_SELFTESTS_MESSAGES_H */
