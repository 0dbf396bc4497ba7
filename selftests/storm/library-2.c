// SPDX-License-Identifier: GPL-2.0
#define LIBRARY	2
#include "library.h"
