# SPDX-License-Identifier: GPL-2.0
# Speed of the decoder layers on one core.
programs += bench-decode
bench-decode_src := selftests/bench/bench-decode.c
