# The command line.
programs += tracectl
tracectl_src := $(wildcard tools/tracectl/*.c)
