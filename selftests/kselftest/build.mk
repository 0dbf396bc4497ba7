# SPDX-License-Identifier: GPL-2.0
# kselftest programs, run in the guest on the live module.
ksft := ksft-isolation ksft-sysfs ksft-session ksft-chardev ksft-readers ksft-mapping ksft-records ksft-tasks ksft-landed ksft-unbind ksft-power ksft-permissions ksft-discover ksft-route ksft-tracing ksft-status ksft-sram ksft-filter ksft-trigger ksft-switches ksft-stress ksft-soak ksft-allocation
programs += $(ksft)
$(foreach p,$(ksft),$(eval $(p)_src := selftests/kselftest/$(patsubst ksft-%,%,$(p)).c selftests/kselftest/harness.c selftests/kselftest/undo.c))
ksft-stress_src += selftests/kselftest/stress-deeds.c
ksft-trigger_src += selftests/kselftest/syncs.c
ksft-switches_src += selftests/kselftest/syncs.c
ksft-readers_libs := libevent
