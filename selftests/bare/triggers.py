#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""triggers.py TRUTH BITS BEGIN END < ADDRESSES

Whether decoded addresses are those that were executed from each BEGIN on until the next END,
which is not traced itself. compare.py reads TRUTH.
"""
import sys

from compare import differ, executed


def main():
    path, bits = sys.argv[1], int(sys.argv[2])
    begin, end = (f"{int(address, 16):#x}\n" for address in sys.argv[3:5])
    count, tracing, want = 0, False, []
    for lines in executed(path, bits):
        count += len(lines)
        for line in lines:
            tracing = line == begin or (tracing and line != end)
            if tracing:
                want.append(line)
    got = sys.stdin.readlines()
    if got[:len(want)] != want:
        differ("".join(want), "".join(got), 0)
    if len(got) > len(want):
        sys.exit(f"{got[len(want)].strip()} was decoded behind all that was to be traced")
    if not want or len(want) == count:
        sys.exit(f"{path}: {len(want)} of {count} instructions were to be traced")
    print(f"{len(want)} of {count} instructions compared")


if __name__ == "__main__":
    main()
