# SPDX-License-Identifier: GPL-2.0-or-later
programs += rvtrace-fault
rvtrace-fault_src := tools/machine/fault.c
