# SPDX-License-Identifier: GPL-2.0
"""Data accesses for a program that ran: `accesses.py list` adds them to rows of executed
instructions, `accesses.py compare EXPECTED` compares what tracectl decode says of them.

Addresses and data are made up; kind and size are those of the instructions, RV64GC."""
import json
import random
import sys


def access_of(word):
    """Kind and bytes, or None."""
    funct3 = word >> 12 & 7
    if word & 3 == 3:
        if word & 0x7f in (0x03, 0x07):
            return "load", 1 << (funct3 & 3)
        if word & 0x7f in (0x23, 0x27):
            return "store", 1 << (funct3 & 3)
        return None
    if word & 3 == 1:
        return None
    return {1: ("load", 8), 2: ("load", 4), 3: ("load", 8),
            5: ("store", 8), 6: ("store", 4), 7: ("store", 8)}.get(word >> 13 & 7)


def make(expected):
    rng = random.Random(1)
    for number, row in enumerate(sys.stdin):
        row = row.strip()
        print(row)
        if not number:
            continue
        valid, address, insn, _, exception, _, _, interrupt = row.split(",")
        if int(valid, 16) != 1 or int(exception, 16) or int(interrupt, 16):
            continue
        access = access_of(int(insn, 16))
        if not access:
            continue
        kind, size = access
        where = rng.randrange(0x80010000, 0x80020000)
        if rng.randrange(4):
            where &= ~(size - 1)
        data = rng.getrandbits(8 * size) if rng.randrange(2) else rng.randrange(100)
        print(kind, size, hex(where), hex(data))
        print(hex(int(address, 16)), kind, size, hex(where), hex(data), file=expected)


def compare(expected):
    count = 0
    for item in json.load(sys.stdin)["items"]:
        if item["type"] != "access":
            continue
        got = (item["address"], item["access"], item["size"], item["data_address"],
               hex(int(item["data"], 16)))
        wanted = expected.readline().split()
        if [str(part) for part in got] != wanted:
            sys.exit(f"access {count}: {got}, not {wanted}")
        count += 1
    if expected.readline() or not count:
        sys.exit(f"there are more than {count}")
    print(count, "accesses")


if __name__ == "__main__":
    with open(sys.argv[2], "w" if sys.argv[1] == "list" else "r", encoding="ascii") as file:
        (make if sys.argv[1] == "list" else compare)(file)
