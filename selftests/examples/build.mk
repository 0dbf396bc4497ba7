# SPDX-License-Identifier: GPL-2.0
# Programs that emit events, as documentation shows them
programs += $(patsubst %,example-%,timing harts print transfer)
$(foreach p,timing harts print transfer,$(eval example-$p_src := selftests/examples/events-$p.c))
example-harts_ldlibs := -pthread
