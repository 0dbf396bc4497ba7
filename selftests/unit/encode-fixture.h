/* SPDX-License-Identifier: GPL-2.0 */
/* An encoder, of N-Trace or E-Trace, what it is fed and what it sent. */
#ifndef RVTRACE_SELFTESTS_ENCODE_FIXTURE_H
#define RVTRACE_SELFTESTS_ENCODE_FIXTURE_H

#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "selftests/unit/messages.h"
#include "tools/encode/etrace.h"
#include "tools/encode/ntrace.h"

/* @is_etrace: the encoder is @etrace; @full: what it sends is lost */
struct bench {
	struct ntrace_encoder enc;
	struct ntrace_params params;
	bool is_etrace;
	struct etrace_encoder etrace;
	struct etrace_params etrace_params;
	struct ingress_context context;
	uint64_t pc;
	uint64_t time;
	uint64_t cycles;
	bool full;
	struct messages sent;
};

extern struct bench bench;

/* A new bench: no optimization, in branch or history mode. */
struct ntrace_params *plain(bool history);
/* A new bench of E-Trace: 32 bits, no time, no context, no option; support as in 2.0. */
struct etrace_params *plain_etrace(void);

void start(uint64_t pc);
/* start() at 0x100, and the message that makes. */
void begin(void);
void stop(void);
/* stop(): the last message is @text. */
void ends_with(const char *text);

/* The hart's next block, and @target becomes where it is. */
struct ingress_block next_block(uint32_t halfwords, uint8_t itype, uint64_t target);
void feed(const struct ingress_block *block);
void run(uint32_t halfwords, uint8_t itype, uint64_t target);
void run_on(uint32_t halfwords);
void run_not_taken(uint32_t halfwords);
/* @count branches of two half-words; to themselves when taken. */
void branches(unsigned int count, bool taken);

/* The next messages sent are these texts. */
#define expect(...) \
	messages_expect(&bench.sent, (const char *const[]){ __VA_ARGS__, NULL })
void expect_nothing(void);

#endif /* RVTRACE_SELFTESTS_ENCODE_FIXTURE_H */
