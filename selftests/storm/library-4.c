// SPDX-License-Identifier: GPL-2.0
#define LIBRARY	4
#include "library.h"
