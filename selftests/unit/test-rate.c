// SPDX-License-Identifier: GPL-2.0
/* The driver's KUnit suite of ring.c's rates, on the host. */
#include "driver/tests/rate_test.c"
