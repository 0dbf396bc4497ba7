#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Registers of the SiFive P550 (ESWIN EIC7700X) as its manual has them: what reset leaves, and
what is kept of what is written.

    p550.py lines PAGE                 lines OFFSET [VALUE] for `rvtrace-page ADDRESS try`
    p550.py there PAGE                 offsets that are there, for `rvtrace-page ADDRESS sweep`
    p550.py compare PAGE HART FOUND    what that printed is what the tables say, field by field
    p550.py doubt PAGE HART FOUND      each bit of it turned round is noticed

PAGE: encoder or funnel. Nothing is from the machine or the driver, but from the EIC7700X SoC
Technical Reference Manual, part 1, chapter 3.4.1.19. Where that leaves a choice, it is as
others printed it on silicon.
"""
import sys

# CLEAR: software cannot set it; LIVE: it is known after a reset only
RW, RO, CLEAR, LIVE = "rw", "ro", "clear", "live"
HART = "hart"		# that of the encoder

# Offset, register, fields: highest and lowest bit, name, reset value, what is kept (WARL: a set).
# Bits without a field are reserved and read 0.
ENCODER = [
    (0x000, "teControl", [
        (0, 0, "teActive", 1, RO),	# reset is what follows a 1 in it
        (1, 1, "teEnable", 0, RW),
        (2, 2, "teTracing", 0, RW),
        (3, 3, "teEmpty", 1, LIVE),
        (6, 4, "teInstruction", 0, {0, 1, 6, 7}),
        (8, 7, "teInstrumentation", 0, RW),
        (12, 12, "teStallOrOverflow", 0, CLEAR),
        (13, 13, "teStallEnable", 0, RW),
        # "Present only in systems with SRAM or System Memory sinks": the funnel has that one
        (14, 14, "teStopOnWrap", 0, RO),
        (15, 15, "teInhibitSrc", 0, RW),
        (19, 16, "teSyncMaxBTM", 3, {*range(12), 15}),
        # 0xa is reserved; silicon keeps it
        (23, 20, "teSyncMaxInst", 0xa, {*range(6), 0xa, 15}),
        (26, 24, "teSliceFormat", 1, RO),
        (27, 27, "teSinkError", 0, CLEAR),
        # "either 0 or that sink's type number": silicon reads 8
        (31, 28, "teSink", 8, {8}),
    ]),
    # Silicon: 0x02040100, 0x12140100, 0x22240100, 0x32340100
    (0x004, "teImpl", [
        (3, 0, "version", 0, RO),
        (4, 4, "hasSRAMSink", 0, RO), (5, 5, "hasATBSink", 0, RO), (6, 6, "hasPIBSink", 0, RO),
        (7, 7, "hasSBASink", 0, RO), (8, 8, "hasFunnelSink", 1, RO),
        (17, 16, "sinkBytes", 0, RO),
        (19, 18, "crossingType", 1, RO),
        (23, 20, "srcID", HART, RO),
        (26, 24, "nSrcBits", 2, RO),
        (31, 28, "hartid", HART, RO),
    ]),
    (0x040, "tsControl", [
        (0, 0, "tsActive", 0, RW),
        (6, 4, "tsType", 4, RO),
        (15, 15, "tsEnable", 0, RW),
        (17, 16, "tsBranch", 0, {0, 1, 3}),
        (18, 18, "tsInstrumentation", 0, RW),
        (19, 19, "tsOwnership", 0, RW),
        (31, 24, "tsWidth", 0x28, RO),
    ]),
    (0x060, "itcTraceEnable", [(31, 0, "itcTraceEnable", 0, RW)]),
    (0x064, "itcTrigEnable", [(31, 0, "itcTrigEnable", 0, RW)]),
    *[(0x080 + 4 * n, f"itcStimulus{n}", [(31, 0, "itcStimulus", 1, LIVE)]) for n in range(32)],
]

# In memory, words of 64 bits at addresses of 42 bits
FUNNEL = [
    (0x000, "tfControl", [
        (0, 0, "tfActive", 1, RO),
        (1, 1, "tfEnable", 0, RW),
        (3, 3, "tfEmpty", 1, LIVE),
        (14, 14, "tfStopOnWrap", 0, RW),
        (27, 27, "tfSinkError", 0, CLEAR),
        (31, 28, "tfSink", 7, {7}),
    ]),
    # Silicon: 0x00010080
    (0x004, "tfImpl", [
        (3, 0, "version", 0, RO),
        (4, 4, "hasSRAMSink", 0, RO), (5, 5, "hasATBSink", 0, RO), (6, 6, "hasPIBSink", 0, RO),
        (7, 7, "hasSBASink", 1, RO), (8, 8, "hasFunnelSink", 0, RO),
        (17, 16, "sinkBytes", 1, RO),
    ]),
    # "Fixed to the natural boundary"
    (0x010, "teSinkBase", [(31, 3, "teSinkBase", 0, RW)]),
    (0x014, "teSinkBaseHigh", [(9, 0, "teSinkBaseH", 0, RW)]),
    (0x018, "teSinkLimit", [(31, 3, "teSinkLimit", 0, RW)]),
    (0x01c, "teSinkWP", [(0, 0, "teSinkWrapped", 0, RW), (31, 3, "teSinkWP", 0, RW)]),
    (0x040, "tsControl", [
        (0, 0, "tsActive", 0, RW),
        (1, 1, "tsCount", 0, RW),
        (2, 2, "tsReset", 0, CLEAR),	# "X": write-only
        (6, 4, "tsType", 2, RO),
        (9, 8, "tsPrescale", 0, RW),
        (31, 24, "tsWidth", 0x28, RO),
    ]),
]

PAGES = {"encoder": ENCODER, "funnel": FUNNEL}
COUNTER = "0x044-0x048?"	# of timestamps
KEPT_ANYWAY = range(0x010, 0x020)	# by the sink, when the component is reset


def mask(high, low):
    return (2 << high) - (1 << low)


class Field:
    def __init__(self, high, low, name, reset, kept):
        self.mask, self.low, self.name, self.kept = mask(high, low), low, name, kept
        self.reset = reset

    def of(self, value):
        return (value & self.mask) >> self.low

    def trials(self):
        """Values that are written. Without Active nothing else can be."""
        if self.name.endswith("Active"):
            return [1]
        largest = self.mask >> self.low
        if self.kept == LIVE:
            return []
        if largest < 16:
            return range(largest + 1)
        return [v & largest for v in (-1, 0x55555555, 0xaaaaaaaa)]

    def may_read(self, value):
        """What it may read after that was written."""
        if self.kept == RW:
            return {value}
        if self.kept in (RO, CLEAR):
            return {self.reset}
        return {value} if value in self.kept else self.kept


class Register:
    def __init__(self, offset, name, fields, hart):
        self.offset, self.name = offset, name
        self.fields = [Field(high, low, field, hart if reset == HART else reset, kept)
                       for high, low, field, reset, kept in fields]

    def value(self):
        return sum(f.reset << f.low for f in self.fields)

    def writable(self):
        """Bits that a reset takes back, but what begins or ends a trace"""
        return sum(f.mask for f in self.fields
                   if f.kept == RW and not f.name.endswith(("Enable", "Tracing")))


class Step:
    """A read, after a write if `written` is not None

    `others`: of fields that do not read what reset leaves: what they may read; empty: anything
    """

    def __init__(self, register, written=None, first=False, others=None):
        self.register, self.written = register, written
        self.live = not first
        self.others = others or {}

    def loose(self):
        """Bits that may be anything, or one of several values"""
        return sum(f.mask for f in self.register.fields
                   if (f.kept == LIVE and self.live) or len(self.others.get(f.name, [0])) != 1)

    def wrong(self, found):
        for f in self.register.fields:
            values = self.others.get(f.name, {f.reset})
            if (f.kept == LIVE and self.live) or not values or f.of(found) in values:
                continue
            yield f"{f.name}: {f.of(found):#x}, not {' or '.join(map(hex, sorted(values)))}"
        if found & ~sum(f.mask for f in self.register.fields):
            yield "reserved bits are set"


def activated(offset, name, fields):
    """A timestamp unit that keeps what is written"""
    return offset, name, [(0, 0, "tsActive", 1, RO) if f[2] == "tsActive" else f for f in fields]


def try_fields(register):
    base = register.value()
    yield Step(register, base)
    for f in register.fields:
        for value in f.trials():
            yield Step(register, base & ~f.mask | value << f.low, others={f.name: f.may_read(value)})
        yield Step(register, base)
    reserved = ~sum(f.mask for f in register.fields) & 0xffffffff
    if reserved:
        yield Step(register, base | reserved)


def steps(page, hart):
    registers = [Register(*r, hart) for r in PAGES[page]]
    yield Step(registers[0], 1, first=True)
    for register in registers:
        yield Step(register, first=True)
    for register in (Register(*activated(*r), hart) for r in PAGES[page]):
        if any(f.kept != LIVE for f in register.fields):
            yield from try_fields(register)
    # A reset takes back what was kept, but in the sink.
    registers = [Register(*r, hart) for r in PAGES[page] if r[0] not in KEPT_ANYWAY]
    for register in registers:
        if register.writable():
            yield Step(register, register.value() | register.writable(),
                       others={f.name: set() for f in register.fields})
    yield Step(registers[0], 0, others={f.name: set() for f in registers[0].fields})
    yield Step(registers[0], 1, first=True)
    for register in registers:
        yield Step(register, first=True)


def compare(all_steps, found):
    if [s.register.offset for s in all_steps] != [offset for offset, _ in found]:
        yield f"{len(found)} values were read, or not where {len(all_steps)} are to be"
        return
    for step, (offset, value) in zip(all_steps, found):
        written = "" if step.written is None else f", {step.written:#010x} was written"
        for line in step.wrong(value):
            yield f"{offset:#05x} {step.register.name}: {line}{written}"


def doubt(all_steps, found):
    for n, (step, (offset, value)) in enumerate(zip(all_steps, found)):
        for bit in range(32):
            if not step.loose() >> bit & 1 and not list(step.wrong(value ^ 1 << bit)):
                yield f"value {n}, of {offset:#05x}: bit {bit} is not looked at"


def main(verb, page, *arguments):
    if verb == "lines":
        for step in steps(page, 0):
            written = "" if step.written is None else f" {step.written:#x}"
            print(f"{step.register.offset:#x}{written}")
        return 0
    if verb == "there":
        for offset, name, _ in PAGES[page]:
            print(f"{offset:#05x}{'?' if name.startswith('itcStimulus') else ''}")
        print(COUNTER)
        return 0
    hart, path = arguments
    with open(path, encoding="utf-8") as file:
        found = [tuple(int(word, 16) for word in line.split()) for line in file]
    wrong = list((compare if verb == "compare" else doubt)(list(steps(page, int(hart))), found))
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    if [len(sys.argv), *sys.argv[1:2]] not in (
            [3, "lines"], [3, "there"], [5, "compare"], [5, "doubt"]) or sys.argv[2] not in PAGES:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
