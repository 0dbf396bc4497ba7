// SPDX-License-Identifier: GPL-2.0
/* The driver's KUnit suite of what ring.c knows of SRAM, on the host. */
#include "driver/tests/lap_test.c"
