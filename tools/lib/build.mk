# SPDX-License-Identifier: LGPL-2.1-or-later
# Sources of librvtrace.
lib_src += $(wildcard tools/lib/*/*.c)
