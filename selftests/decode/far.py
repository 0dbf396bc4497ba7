# SPDX-License-Identifier: GPL-2.0
"""Code at both ends of where addresses of so many bits reach, and a way through it: `far.py WIDTH`
prints where it lies, `far.py WIDTH FILE` writes it to a file and prints the addresses of the way.

Above 32 bits, addresses are sign-extended to 64."""
import itertools
import random
import struct
import sys

CALL, JUMP, RETURN, SIZE = 6, 8, 10, 12
# c.nop; c.beqz a0, over the next; c.nop; c.jalr a5; c.jr a5; c.jr ra
CODE = struct.pack("<6H", 0x0001, 0xc111, 0x0001, 0x9782, 0x8782, 0x8082)
BRANCH, BEHIND = 2, 6
STEPS = 4000


def places(width):
    middle = 1 << (width - 1)
    found = [SIZE, middle - SIZE, middle, 2 * middle - SIZE]
    if width > 32:
        found[2:] = [place + (1 << 64) - 2 * middle for place in found[2:]]
    return found


def way(width):
    rng = random.Random(width)
    everywhere = places(width)
    base, at, calls = everywhere[0], 0, []
    for step in itertools.count():
        yield base + at
        if step >= STEPS and not at:  # of the last jump nobody knows where it leads
            return
        if at == CALL:
            calls.append((base, at + 2))
        if at == RETURN and calls:
            base, at = calls.pop()
        elif at in (CALL, JUMP, RETURN):
            base, at = rng.choice(everywhere), 2 * rng.randrange(SIZE // 2)
        else:
            at = BEHIND if at == BRANCH and rng.randrange(3) else at + 2


def main():
    width = int(sys.argv[1])
    if len(sys.argv) < 3:
        print(*map(hex, places(width)), sep="\n")
        return
    with open(sys.argv[2], "wb") as file:
        file.write(CODE)
    print(*map(hex, way(width)), sep="\n")


main()
