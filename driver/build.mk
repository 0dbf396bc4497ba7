# SPDX-License-Identifier: GPL-2.0
# The driver's pure functions are tested on the host.
test-ring_extra_src := driver/ring.c selftests/unit/kunit.c
test-ring_cflags := -Iselftests/unit/kernel
test-lap_extra_src := driver/ring.c selftests/unit/kunit.c
test-lap_cflags := -Iselftests/unit/kernel
test-rate_extra_src := driver/ring.c selftests/unit/kunit.c
test-rate_cflags := -Iselftests/unit/kernel
kunit_cflags := -Iselftests/unit/kernel
