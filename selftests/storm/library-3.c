// SPDX-License-Identifier: GPL-2.0
#define LIBRARY	3
#include "library.h"
