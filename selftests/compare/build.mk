# SPDX-License-Identifier: GPL-2.0
# Compares a recording with the ground truth.
programs += rvtrace-compare
rvtrace-compare_src := $(wildcard selftests/compare/*.c)
$(foreach t,test-compare test-compare-gaps test-compare-loss test-compare-filters test-compare-processes test-compare-threads,\
	$(eval $(t)_extra_src := $(addprefix selftests/compare/compare-,core.c gap.c place.c run.c truth.c) \
		selftests/unit/compare-fixture.c))
test-compare-spaces_extra_src := selftests/compare/compare-spaces.c selftests/unit/spaces-fixture.c
