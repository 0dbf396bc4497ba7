# SPDX-License-Identifier: GPL-2.0
# rvtraced
programs += rvtraced
rvtraced_src := $(wildcard daemon/*.c)
rvtraced_libs := libevent inih libseccomp
# Under MemoryDenyWriteExecute nothing starts whose code is written to when it is loaded.
rvtraced_ldlibs := -Wl,-z,text

# What unit tests take from the daemon
test-drain_extra_src := daemon/drain.c
test-device_extra_src := daemon/device.c daemon/drain.c daemon/log.c
test-log_extra_src := daemon/log.c
test-config_extra_src := daemon/config.c daemon/log.c
test-describe_extra_src := daemon/describe.c daemon/describe_etrace.c daemon/describe_formats.c \
	daemon/device_tree.c
test-privileged_extra_src := daemon/privileged.c daemon/perf_ring.c
test-privileged_ldlibs := -levent -Wl,--wrap=sysfs_write,--wrap=sysfs_encoders
test-confine_extra_src := daemon/confine.c
test-confine_libs := libseccomp
test-saver-lives_extra_src := daemon/saver_lives.c
test-saver-memory_extra_src := $(wildcard daemon/saver*.c) $(foreach s,child confine hold log mapped online\
	perf_ring watch,daemon/$s.c)
test-saver-memory_libs := libevent libseccomp
test-saver-memory_ldlibs := -Wl,--wrap=open,--wrap=pread
test-worker-told_extra_src := daemon/worker_told.c daemon/log.c
test-worker-told_ldlibs := -levent
test-worker-spawn_extra_src := daemon/worker_spawn.c daemon/child.c daemon/confine.c daemon/remains.c
test-worker-spawn_libs := libseccomp
test-worker-spawn_ldlibs := -levent
test-describe_ldlibs := -Wl,--wrap=open
test-config_ldlibs := -linih

install_files += daemon/rvtraced.service.in:@system@/systemd/system
install_files += daemon/rvtraced.socket:@system@/systemd/system
install_files += daemon/60-rvtrace.rules:@system@/udev/rules.d
install_files += daemon/sysusers.d/rvtrace.conf:@system@/sysusers.d
install_files += daemon/rvtraced.conf:/etc/rvtrace
install_files += docs/man/rvtraced.8:share/man/man8
