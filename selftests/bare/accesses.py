#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""accesses.py TRUTH WHAT < DECODED

Whether decoded accesses to memory (tracectl decode --json --output accesses) are, from where the
window of the ground truth begins to where it ends, those that were executed, and whether flags of
floating point are read as they were written. WHAT: what is traced, as --emit of tracectl has it.
What code does not tell from memory are CSRs, if addresses are traced and it has none; else both
are among each other, and what was executed has to be there in its order.
struct truth_access of tools/machine/truth.h is the format of TRUTH.
"""
import json
import struct
import sys

ACCESS = struct.Struct("<QQBB6x")
FFLAGS = "0x1"
PROOF = 8  # accesses that do not follow each other like that by accident


def executed(path, what):
    """What is to be told, of each access: is it a store, address, value, bytes; None: not told"""
    with open(path, "rb") as f:
        for address, value, size, store in ACCESS.iter_unpack(f.read()):
            kind = "store" if store else "load"
            if kind + "addr" in what or kind + "data" in what:
                yield (bool(store), address if kind + "addr" in what else None,
                       value if kind + "data" in what else None, 1 << size)


def is_store(item, last, what):
    """Of atomics, what was read comes first, what was written is another item."""
    if item["access"] != "atomic":
        return item["access"] == "store"
    if "loadaddr" not in what and "loaddata" not in what:
        return True
    if "storeaddr" not in what and "storedata" not in what:
        return False
    return "written" in item or ("data" not in item and last == (item["address"], False))


class Flags:
    """What fflags were written to is read from them, with what a process computed since: that sets more of them."""

    def __init__(self):
        self.values, self.reads = {}, 0

    def see(self, item):
        """Return: nothing is wrong"""
        if item["csr"] != FFLAGS:
            return True
        process = item.get("pid")
        if "written" in item:
            self.values[process] = int(item["written"], 16) & 31
            return True
        value, read = self.values.get(process), int(item["data"], 16)
        self.reads += value is not None
        return value is None or read & value == value and read < 32


def decoded(lines, what):
    """As executed(), without the bytes"""
    flags, last = Flags(), None
    for line in lines:
        line = line.strip().rstrip(",")
        if not line.startswith('{"type"'):
            continue
        item = json.loads(line)
        if item["type"] != "access":
            sys.exit(f"not an access: {line}")
        if item["access"] == "csr":
            if {"loaddata", "storedata"} <= what and not flags.see(item):
                sys.exit(f"not what was written: {line}")
            continue
        store = is_store(item, last, what)
        last = (item.get("address"), store)
        address, data = item.get("data_address"), item.get("written", item.get("data"))
        if not address and ("storeaddr" if store else "loadaddr") in what:
            continue
        yield (store, address and int(address, 16), data and int(data, 16))
    if {"pc", "loaddata", "storedata"} <= what and not flags.reads:
        sys.exit("no flags were read")


def same(want, got):
    """Where the size is not known, data have 64 bits."""
    mask = (1 << 8 * want[3]) - 1
    return want[:2] == got[:2] and (want[2] is None) == (got[2] is None) and \
        (want[2] is None or want[2] == got[2] & mask)


def in_a_row(want, got, first):
    """How many of those that were executed are decoded from there on"""
    for i, access in enumerate(want):
        if first + i == len(got) or not same(access, got[first + i]):
            return i
    return len(want)


def compare_all(want, got):
    """Addresses alone are often the same, as where traps store registers: the best place counts."""
    most, place = 0, 0
    for first, access in enumerate(got):
        if not same(want[0], access):
            continue
        count = in_a_row(want, got, first)
        if count == len(want):
            return
        if count >= most:
            most, place = count, first
    if most < PROOF:
        sys.exit(f"the first of {len(want)} accesses are not among {len(got)} decoded")
    there = got[place + most] if place + most < len(got) else "nothing"
    sys.exit(f"access {most}: {want[most]} was executed, {there} decoded")


def compare_among(want, got):
    decoded = iter(got)
    for i, access in enumerate(want):
        if not any(same(access, g) for g in decoded):
            sys.exit(f"access {i}: {access} was executed, but not decoded")


def main():
    what = set(sys.argv[2].split(","))
    want, got = list(executed(sys.argv[1], what)), list(decoded(sys.stdin, what))
    if len(want) < PROOF:
        sys.exit("nothing was executed")
    if what & {"pc", "loadaddr", "storeaddr"}:
        compare_all(want, got)
    else:
        compare_among(want, got)
    print(f"{len(want)} accesses compared")


if __name__ == "__main__":
    main()
