# SPDX-License-Identifier: GPL-2.0-or-later
# Sources of the encoders.
encode_src += $(wildcard tools/encode/*.c)
