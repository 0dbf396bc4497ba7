#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py TRUTH BITS < ADDRESSES

Whether decoded addresses are, from where the window of the ground truth begins to where it
ends, those that were executed. tools/machine/truth.h has the format of TRUTH.
"""
import itertools
import struct
import sys

STATE = 0  # kind of the word that two more belong to


def executed(path, bits):
    mask = (1 << bits) - 1
    with open(path, "rb") as f:
        f.read(16)
        words = (w for piece in iter(lambda: f.read(1 << 20), b"")
                 for (w,) in struct.iter_unpack("<Q", piece))
        for word in words:
            if not word & 1:
                yield word & mask
            elif word >> 1 & 7 == STATE:
                next(words)
                next(words)


def main():
    path, bits = sys.argv[1], int(sys.argv[2])
    decoded = (int(line, 16) for line in sys.stdin)
    truth = executed(path, bits)
    first = next(truth, None)
    if first is None:
        sys.exit(f"{path}: nothing was executed")
    decoded = itertools.dropwhile(lambda pc: pc != first, decoded)
    count = 0
    for want in itertools.chain([first], truth):
        got = next(decoded, None)
        if got != want:
            said = "nothing" if got is None else f"{got:#x}"
            sys.exit(f"instruction {count}: {want:#x} was executed, {said} decoded")
        count += 1
    print(f"{count} instructions compared")


if __name__ == "__main__":
    main()
