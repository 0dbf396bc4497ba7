#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tail.py TRUTH BITS FIRST BEYOND LEAST < ADDRESSES

Whether decoded addresses are the last ones that were executed up to somewhere from FIRST to
before BEYOND, where execution was last, and LEAST of them or more. compare.py reads TRUTH.
"""
import sys

from compare import executed


def main():
    path, bits = sys.argv[1], int(sys.argv[2])
    first, beyond = (int(address, 16) for address in sys.argv[3:5])
    ran = [line for lines in executed(path, bits) for line in lines]
    got = sys.stdin.readlines()
    at = len(ran)
    while at and not first <= int(ran[at - 1], 16) < beyond:
        at -= 1
    if not at:
        sys.exit(f"{path}: nothing was executed there")
    if len(got) < int(sys.argv[5]):
        sys.exit(f"{len(got)} instructions were decoded, not {sys.argv[5]}")
    while at and first <= int(ran[at - 1], 16) < beyond:
        if len(got) <= at and got == ran[at - len(got):at]:
            print(f"{len(got)} of {at} instructions compared")
            return
        at -= 1
    near = got[-1].strip() if got else "nothing"
    sys.exit(f"{len(got)} instructions, up to {near}, are not the last ones that were executed")


if __name__ == "__main__":
    main()
