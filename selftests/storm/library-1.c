// SPDX-License-Identifier: GPL-2.0
#define LIBRARY	1
#include "library.h"
