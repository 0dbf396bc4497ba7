/* SPDX-License-Identifier: GPL-2.0 */
/* The overlay graph_test.dtso, as it is linked in. */
#ifndef RVTRACE_TESTS_GRAPH_TEST_H
#define RVTRACE_TESTS_GRAPH_TEST_H

#include <linux/types.h>

extern u8 __dtbo_graph_test_begin[];
extern u8 __dtbo_graph_test_end[];

#endif /* RVTRACE_TESTS_GRAPH_TEST_H */
