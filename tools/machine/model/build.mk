# SPDX-License-Identifier: GPL-2.0-or-later
# Register model of the trace hardware.
model_src += $(wildcard tools/machine/model/*.c)
