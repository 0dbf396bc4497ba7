# rvtraced
programs += rvtraced
rvtraced_src := $(wildcard daemon/*.c)
rvtraced_libs := libevent_core inih

# What unit tests take from the daemon
test-drain_extra_src := daemon/drain.c
test-device_extra_src := daemon/device.c daemon/drain.c daemon/log.c
test-config_extra_src := daemon/config.c daemon/log.c
test-config_ldlibs := -linih
