// SPDX-License-Identifier: GPL-2.0
/* The driver's KUnit suite of dbtr.h, on the host. */
#include "driver/tests/dbtr_test.c"
