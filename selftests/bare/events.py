#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a program of selftests/bare says in its trace, by what QEMU logged of its registers.

events.py ranges ELF                        of addresses, as QEMU's -dfilter has them
events.py check ELF LOG TRUTH BITS SWITCH EVENTS [DECODED]
                                            whether EVENTS (tracectl events --json) are those that
                                            the program emitted, THREAD_SWITCH with the identifier
                                            SWITCH (0: none), and lie in DECODED (tracectl decode
                                            --output trace) where they were emitted

events.py packets ELF LOG TRUTH BITS SWITCH PACKETS LOST
                                            whether PACKETS of Open SoC Debug (tracectl decode
                                            --packets --json) are those events, with their times,
                                            and tell where LOST of them were lost

A write to the CSR of events emits one, and a write to tp outside of M-mode, when the instruction
retires (Software Trace Module, "Software Trace Port: RISC-V"), and so does a hint (rvtrace/stm.h),
which changes nothing otherwise. That they did is in the ground truth,
tools/machine/truth.h; registers behind them are in the log (-d cpu,nochain): QEMU begins a new block
behind each instruction that accesses a CSR, or is such a hint. The value of some events is the
time, between which lie those of the events in between.
"""
import collections
import json
import re
import struct
import subprocess
import sys

CSR = 0x8F0
CLOCK = 0x0120  # identifier of events whose value is the time
TIME_BITS = 32
DEST = "0x401"  # of packets of Open SoC Debug, stm.c
EVENT = 2  # their TYPE
CONTINUED = 1  # TYPE_SUB of those that another one goes on with
HEADER = 16  # bytes
STATE = 0  # kind of the word that two more belong to
M_MODE = 3
MARKERS = 0x7A502013, 0x7A602013

# Branches and stores: their first register is not written
READS = re.compile(r"(c\.)?(b(eq|ne|lt|ge)[uz]?|s[bhwd](sp)?)")

# address: of the instruction; look: address where the log has the registers behind it; reg: number
# of the register with the identifier, or None; id: the identifier, if it is a constant
Site = collections.namedtuple("Site", "address look emits reg id switches")


def instructions(elf):
    text = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "-M", "no-aliases,numeric", elf],
                          check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+([0-9a-f]+)\s+(\S+)\s*(\S*)", line)
        if found:
            yield int(found[1], 16), found[2], found[3], found[4]


def csr_write(word):
    """(register, constant) of the identifier that is written, or None"""
    kind = word >> 12 & 7
    source = word >> 15 & 31
    if word & 0x7F != 0x73 or word >> 20 != CSR or kind not in (1, 2, 3, 5, 6, 7):
        return None
    # The CSR reads 0: to clear bits of that writes 0, and nothing is written by register x0
    if kind in (3, 7) or (kind in (2, 6) and not source):
        return None
    return (None, source) if kind >= 5 else (source, None)


def hint(word):
    """Identifier that a hint emits, or None"""
    source = word >> 15 & 31
    if word & 0x7FFF != 0x2013 or source > 15 or word in MARKERS:
        return None
    return source << 12 | word >> 20


def sites_of(elf):
    sites = {}
    last = None  # a write to tp whose registers are behind the next instruction
    for address, code, name, operands in instructions(elf):
        size = len(code) // 2
        word = int(code, 16)
        csr = size == 4 and word & 0x7F == 0x73 and word >> 20 == CSR
        if last is not None:
            if not csr:
                sys.exit(f"{last:#x}: nothing that QEMU logs comes behind it")
            sites[last] = Site(last, address + size, False, None, None, True)
            last = None
        written = csr_write(word) if size == 4 else None
        switches = operands.split(",")[0] == "x4" and not READS.fullmatch(name)
        if csr and (written or switches):
            reg, number = written or (None, 0)
            sites[address] = Site(address, address + size, bool(written), reg, number, switches)
        elif switches:
            last = address
        elif size == 4 and hint(word):
            sites[address] = Site(address, address + size, True, None, hint(word), False)
    return sites


def ranges(elf):
    print(",".join(f"{look:#x}+1" for look in sorted({s.look for s in sites_of(elf).values()})))


def logged(path, mask):
    """By address: registers each time that execution came there"""
    found = collections.defaultdict(list)
    pc, registers = None, {}

    def end():
        # A block that an interrupt kept from running is logged once more
        if pc is not None and (not found[pc] or found[pc][-1] != registers):
            found[pc].append(registers)

    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words and words[0] == "pc":
                end()
                pc, registers = int(words[1], 16) & mask, {}
            for name, value in re.findall(r"\bx(\d+)/\S+\s+([0-9a-f]+)", line):
                registers[int(name)] = int(value, 16)
    end()
    return found


def retired(path):
    """Addresses and privilege"""
    with open(path, "rb") as f:
        f.read(HEADER)
        data = f.read()
    words = iter(struct.unpack(f"<{len(data) // 8}Q", data))
    priv = None
    for word in words:
        if not word & 1:
            yield word, priv
        elif word >> 1 & 7 == STATE:
            priv = word >> 8 & 3
            next(words)
            next(words)


def emitted(elf, log, truth, mask, switch):
    """Events, each with the number of instructions that retired before, that which emits included"""
    sites, found = sites_of(elf), logged(log, mask)
    times = collections.Counter()
    events, waiting, covered = [], collections.defaultdict(list), set()
    for count, (pc, priv) in enumerate(retired(truth), 1):
        pc &= mask
        if pc in waiting:
            registers = found[pc][times[pc]]
            for site, at, mode in waiting.pop(pc):
                number = (registers[site.reg] if site.reg is not None else site.id or 0) & 0xFFFF
                if site.emits and number:
                    events.append((at, number, registers[10] & mask))
                if site.switches and switch and mode != M_MODE:
                    events.append((at, switch, registers[4] & mask))
        if pc in found:
            times[pc] += 1
        if pc in sites:
            covered.add(pc)
            waiting[sites[pc].look].append((sites[pc], count, priv))
    for address, entries in found.items():
        if len(entries) != times[address]:
            sys.exit(f"{address:#x}: logged {len(entries)} times, executed {times[address]} times")
    if waiting or covered != set(sites):
        sys.exit("not all that may be emitted was executed, and logged")
    events.sort(key=lambda event: event[0])
    return events, count


def compare(what, want, got):
    for i, (one, other) in enumerate(zip(want, got)):
        if one != other:
            sys.exit(f"{what} {i}: {one} was emitted, {other} decoded")
    if len(want) != len(got):
        sys.exit(f"{what}s: {len(want)} were emitted, {len(got)} decoded")


def decoded(path, first):
    """Events of a decoded trace, as emitted() has them, counted from address @first"""
    count, begun = 0, False
    with open(path, encoding="ascii") as f:
        for line in f:
            event = re.search(r"-- data: id (\d+) value (0x[0-9a-f]+)", line)
            if event:
                yield count, int(event[1]), int(event[2], 16)
                continue
            if " -- " in line:
                continue
            address = int(re.match(r"\[ *\d+\] +\S+ \S +0x([0-9a-f]+)", line)[1], 16)
            begun = begun or address == first
            count += begun


def check(elf, log, truth, bits, switch, events, where=None):
    mask = (1 << int(bits)) - 1
    want, count = emitted(elf, log, truth, mask, int(switch, 0))
    with open(events, encoding="ascii") as f:
        got = json.load(f)["events"]
    if any(event["type"] != "event" for event in got):
        sys.exit("there is more than events")
    compare("event", [event[1:] for event in want],
            [(int(event["id"], 0), int(event["value"], 0)) for event in got])
    if where:
        first = next(pc for pc, _ in retired(truth)) & mask
        compare("event", want, list(decoded(where, first)))
    print(f"{len(want)} events among {count} instructions compared")


def received(want, items):
    """Those of want that came, and how many did not, by what is told between the others"""
    came, at, lost = [], 0, 0
    for item in items:
        if item.get("DEST") != DEST or item["SRC"] != "0x0" or item["TYPE"] != EVENT:
            sys.exit(f"no packet of the module: {item}")
        if item["name"] == "OVERFLOW":
            lost += item["missed"]
            at += item["missed"]
        elif item["name"] == "STM" and at < len(want):
            event = int(item["id"], 0), int(item["value"], 0)
            if event != want[at][1:]:
                sys.exit(f"event {at}: {want[at][1:]} was emitted, {event} came")
            came.append((at, int(item["timestamp"], 0)))
            at += 1
        elif item["TYPE_SUB"] != CONTINUED:
            sys.exit(f"not one of {len(want)} events, or overflow: {item}")
    if at != len(want):
        sys.exit(f"{len(want)} events were emitted, {at} came or were counted")
    return came, lost


def check_times(want, came):
    """Return: how many lie between two times that the program read"""
    begins, ends, last = [], [], None
    for _, number, value in want:
        last = value if number == CLOCK else last
        begins.append(last)
    last = None
    for _, number, value in reversed(want):
        ends.append(last)
        last = value if number == CLOCK else last
    ends.reverse()
    checked = 0
    for at, time in came:
        begin, end = begins[at], ends[at]
        if begin is None or end is None:
            continue
        if (time - begin) % (1 << TIME_BITS) > (end - begin) % (1 << TIME_BITS):
            sys.exit(f"event {at}: time {time} is not from {begin} to {end}")
        checked += 1
    if any((late[1] - soon[1]) % (1 << TIME_BITS) >= 1 << TIME_BITS - 1
           for soon, late in zip(came, came[1:])):
        sys.exit("times go back")
    return checked


def packets(elf, log, truth, bits, switch, path, count):
    want, _ = emitted(elf, log, truth, (1 << int(bits)) - 1, int(switch, 0))
    with open(path, encoding="ascii") as f:
        came, lost = received(want, json.load(f)["packets"])
    if lost != int(count):
        sys.exit(f"{lost} events are told to be lost, {count} were counted")
    checked = check_times(want, came)
    if checked < len(came) * 9 // 10:
        sys.exit(f"of {len(came)} events only {checked} have times that can be checked")
    print(f"{len(came)} of {len(want)} events compared, {checked} times, {lost} lost")


if __name__ == "__main__":
    {"ranges": ranges, "check": check, "packets": packets}[sys.argv[1]](*sys.argv[2:])
