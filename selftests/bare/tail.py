#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tail.py EXECUTED FIRST BEYOND LEAST < ADDRESSES

Whether decoded addresses are the last ones that were executed (executed.py) up to somewhere from
FIRST to before BEYOND, where execution was last, and LEAST of them or more.
"""
import sys

BEHIND = 1 << 20  # bytes for what executed behind that


def last_lines(path, size):
    with open(path) as f:
        begin = max(f.seek(0, 2) - size, 0)
        f.seek(begin)
        return f.readlines()[1 if begin else 0:]


def main():
    path, least = sys.argv[1], int(sys.argv[4])
    first, beyond = (int(address, 16) for address in sys.argv[2:4])
    got = sys.stdin.readlines()
    ran = last_lines(path, sum(map(len, got)) + BEHIND)
    at = len(ran)
    while at and not first <= int(ran[at - 1], 16) < beyond:
        at -= 1
    if not at:
        sys.exit(f"{path}: nothing was executed there")
    if len(got) < least:
        sys.exit(f"{len(got)} instructions were decoded, not {least}")
    while at and first <= int(ran[at - 1], 16) < beyond:
        if len(got) <= at and got == ran[at - len(got):at]:
            print(f"{len(got)} instructions compared, {least} told of")
            return
        at -= 1
    near = got[-1].strip() if got else "nothing"
    sys.exit(f"{len(got)} instructions, up to {near}, are not the last ones that were executed")


if __name__ == "__main__":
    main()
