/* SPDX-License-Identifier: GPL-2.0 */
/* N-Trace messages built by hand over code built by hand, and what to expect of the decoder. */
#ifndef RVTRACE_FLOW_FIXTURE_H
#define RVTRACE_FLOW_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <rvtrace/flow.h>
#include <rvtrace/ntrace.h>

#include "tools/encode/nexus.h"

#define MAX_ITEMS	64

struct fixture {
	struct rvtrace_flow_config config;
	struct rvtrace_image *image;
	struct rvtrace_flow *flow;
	struct nexus_message msg;
	uint8_t stream[512];
	size_t size;
	struct rvtrace_flow_item items[MAX_ITEMS];	/* each block is one */
	struct rvtrace_flow_block blocks[MAX_ITEMS];
	int count;
};

extern struct fixture f;

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* f.config may be changed until the first decode(). */
int setup(void **state);
int teardown(void **state);

/* Messages are put into f.stream. */
void begin_message(unsigned int tcode, unsigned int src);
void end_message(void);
void put_sync(unsigned int src, unsigned int reason, uint32_t icnt, uint64_t address);
void put_direct(uint32_t icnt);
void put_indirect(unsigned int btype, uint32_t icnt, uint64_t uaddr, uint64_t hist);
void put_correlation(uint32_t icnt, uint64_t hist);
void put_resource_full(unsigned int rcode, uint64_t rdata, uint32_t repeat);
void put_variable(unsigned int tcode, uint64_t value);
void put_ownership(unsigned int priv, uint64_t scontext);

/* Items come out in f.items. */
void read_items(void);
void decode(void);

/* Item number @i must be this. */
void is_block(int i, uint64_t address, uint32_t size, uint32_t instructions);
const struct rvtrace_flow_item *is_type(int i, enum rvtrace_flow_type type);
void is_error(int i, int code);
void is_gap(int i, uint64_t address, uint64_t halfwords);
void is_unfollowed(int i, uint64_t halfwords);
void is_tail(int i, uint64_t address, uint64_t halfwords);
void is_stop(int i, uint64_t address);

#endif /* RVTRACE_FLOW_FIXTURE_H */
