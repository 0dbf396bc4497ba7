# SPDX-License-Identifier: GPL-2.0
# The command line.
programs += tracectl
tracectl_src := $(wildcard tools/tracectl/*.c)
install_files += docs/man/tracectl.1:share/man/man1
