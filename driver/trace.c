// SPDX-License-Identifier: GPL-2.0
/* What trace.h declares */
#include <linux/device.h>
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
