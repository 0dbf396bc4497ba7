// SPDX-License-Identifier: GPL-2.0
/* The driver's KUnit suite of ring.c, on the host. */
#include "driver/tests/lag_test.c"
