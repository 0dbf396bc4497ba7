#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Nexus messages from their fields, for tests of decoders. Each argument is one message: its fields in
# order, WIDTH:VALUE for a fixed width, VALUE for a variable one, VALUE/WIDTH to pad it with zeros.
import sys


def message(text):
    out, used = [], 6
    fields = text.split()
    for number, field in enumerate(fields):
        fixed, _, rest = field.rpartition(":")
        value, _, padded = rest.partition("/")
        value = int(value, 0)
        for bit in range(int(fixed or padded or 0) or max(value.bit_length(), 1)):
            if used == 6:
                out.append(0)
                used = 0
            out[-1] |= (value >> bit & 1) << (used + 2)
            used += 1
        if not fixed:
            out[-1] |= 1
            used = 6
        if number + 1 == len(fields):
            out[-1] |= 3
    return bytes(out)


for argument in sys.argv[1:]:
    sys.stdout.buffer.write(message(argument))
