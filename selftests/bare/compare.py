#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py TRUTH BITS [LEAST] < ADDRESSES

Whether decoded addresses are, from where the window of the ground truth begins to where it
ends, those that were executed, LEAST of them or more. tools/machine/truth.h has the format of
TRUTH.
"""
import struct
import sys

HEADER = 16  # bytes
STATE = 0  # kind of the word that two more belong to
PIECE = 1 << 17  # words


def executed(path, bits):
    """Lists of lines, an address each"""
    mask = (1 << bits) - 1
    begin = 0  # of addresses in a piece: behind what a state says
    with open(path, "rb") as f:
        f.read(HEADER)
        for piece in iter(lambda: f.read(8 * PIECE), b""):
            words = struct.unpack(f"<{len(piece) // 8}Q", piece)
            found = []
            for i in [i for i, word in enumerate(words) if word & 1]:
                if i < begin:
                    continue
                found += words[begin:i]
                begin = i + (3 if words[i] >> 1 & 7 == STATE else 1)
            found += words[begin:]
            begin = max(begin - len(words), 0)
            yield [f"{word & mask:#x}\n" for word in found]


def differ(want, got, before):
    """The first difference of two texts, as lines"""
    want, got = want.splitlines(), got.splitlines()
    at = next(i for i, line in enumerate(want) if i >= len(got) or got[i] != line)
    said = got[at] if at < len(got) else "nothing"
    sys.exit(f"instruction {before + at}: {want[at]} was executed, {said} decoded")


def main():
    path, bits = sys.argv[1], int(sys.argv[2])
    count, first = 0, True
    for lines in executed(path, bits):
        if first and lines:
            if not any(line == lines[0] for line in sys.stdin):
                sys.exit(f"{lines[0].strip()}, where the window begins, was not decoded")
        want = "".join(lines[1:] if first and lines else lines)
        got = sys.stdin.read(len(want))
        if got != want:
            differ(want, got, count + (first and bool(lines)))
        count += len(lines)
        first = first and not lines
    if count < (int(sys.argv[3]) if len(sys.argv) > 3 else 1):
        sys.exit(f"{path}: {count} instructions were executed")
    print(f"{count} instructions compared")


if __name__ == "__main__":
    main()
