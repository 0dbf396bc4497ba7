# SPDX-License-Identifier: GPL-2.0
"""Hardware that can do what chance says: properties of the machine's components."""
import random

ENCODERS, FUNNEL = (0x11000000, 0x11001000), 0x11100000
RAM, PIB, ATB = 0x11140000, 0x11160000, 0x11180000
RING = 4 << 20

INST_MODES = {
    "0": {0: "off", 1: "event", 3: "branch", 6: "history", 7: "history-optimized"},
    "0.9": {0: "off", 3: "branch", 6: "history", 7: "history-optimized"},
    "1.0": {0: "off", 3: "branch", 6: "history"},
}
SYNC_MODES = {0: "off", 1: "messages", 2: "cycles", 3: "half-words"}
SINKS = {4: "sram", 5: "atb", 6: "pib", 7: "system-memory", 8: "funnel"}
PIB_MODES = {0: "off", 4: "swt-manchester", 5: "swt-uart", 8: "parallel-1", 9: "parallel-2",
             10: "parallel-4", 11: "parallel-8", 12: "parallel-16"}
TS_TYPES = {0: "none", 1: "external", 2: "internal", 3: "internal-core", 4: "slave"}
ACTIONS = {0: "none", 2: "start", 3: "stop", 4: "sync"}
EVENTS = {0: "none", 1: "start", 2: "stop", 3: "start,stop"}
INPUTS = {0: "iaddr", 1: "context", 2: "tval"}
FUNCTIONS = ["equal", "not-equal", "less", "less-or-equal", "greater", "greater-or-equal"]

SRAM, TO_ATB, TO_PIB, MEMORY, ONWARD, ONE = 0x10, 0x20, 0x40, 0x80, 0x100, 0x1
TRIGGERS = 8
WORDS = 64


def members(mask):
    return [n for n in range(32) if mask >> n & 1]


class Chance:
    """What chance says, the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def flag(self):
        return self.random.random() < 0.5

    def number(self, low, high):
        return self.random.randint(low, high)

    def among(self, *values):
        return self.random.choice(values)

    def some(self, values, with_=()):
        """A set that is not empty, of those values, with those in it, as a mask."""
        chosen = [v for v in values if v in with_ or self.flag()]
        return sum(1 << v for v in chosen or [self.random.choice(list(values))])

    def bits(self, width):
        """Any number of so many bits, often one of the outermost."""
        return self.among(0, (1 << width) - 1, self.random.getrandbits(width))


def choose_pib(chance, generation):
    modes = [m for m in PIB_MODES if generation != "0" or m < 12]
    mask = chance.some(modes)
    bits = chance.number(0, 16)
    return {
        "pib-modes": mask if mask & ~1 else mask | 1 << chance.among(*modes[1:]),
        "pib-ref-center": chance.flag(),
        "pib-calibrate": chance.flag(),
        "pib-divider-bits": bits,
        "pib-divider": chance.bits(bits) if bits else 0,
    }


def choose_atb(chance):
    return {"atb-id": chance.bits(7), "atb-refuses": chance.flag()}


def choose_ram(chance, generation):
    return {
        "access-width": chance.among(4, 8, 16, 32) if generation == "0" else
        chance.among(4, 8, 16, 32, 64),
        "addr-bits": chance.among(32, 34, 40, 64),
        "sram-size": 4 * chance.number(16, 4096),
    }


def choose_page(chance, generation, always):
    """Sinks in the page of an encoder or funnel."""
    sinks = always
    for sink in (SRAM, TO_ATB, TO_PIB):
        sinks |= sink if chance.flag() else 0
    if generation == "0" and chance.flag():
        sinks = always | ONE
    return {"sinks": sinks, **choose_ram(chance, generation), **choose_pib(chance, generation),
            **choose_atb(chance)}


def choose_timestamp(chance, generation):
    types = {"0": range(5), "0.9": (0, 1, 2, 4), "1.0": range(5)}[generation]
    widest = {"0": 64, "0.9": 64, "1.0": 63}[generation]
    return {
        "ts-types": chance.some(types),
        "ts-width": chance.number(1, widest),
        "ts-prescale": chance.flag(),
        "ts-active-delay": chance.among(0, 1000000),
        "ts-hides-width": chance.flag(),
        **({} if generation == "0" else {"ts-vendor": chance.bits(8)}),
    }


def choose_encoder(chance, generation):
    modes = INST_MODES[generation]
    features = {"0": (), "0.9": (2, 3), "1.0": (2, 3, 8, 9, 10)}[generation]
    bits = {"0": 4, "0.9": 4, "1.0": 6}[generation]
    new = generation == "1.0"
    itc = generation == "0" and chance.flag()
    return {
        "inst-modes": chance.some(modes, with_=(chance.among(3, 6),)),
        "sync-modes": chance.some(range(4)),
        "sync-max": chance.some(range(16)),
        "sync-max-btm": chance.some((*range(12), 15)) if generation == "0" else 0x8000,
        "sync-max-inst": chance.some(range(16)) if generation == "0" else 0x8000,
        "itc": itc,
        "pc-sample": generation == "0" and chance.flag(),
        "port": not itc and chance.flag(),
        "src-bits": chance.number(0, bits),
        "crossing-type": chance.number(0, 2) if generation == "0" else 0,
        "address-bits": chance.among(0, 49) if generation == "0" else 0,
        "context": chance.flag(),
        "inhibit-src": chance.flag(),
        "stall": chance.flag(),
        "stop-on-wrap": not new and chance.flag(),
        "inst-features": sum(1 << f for f in features if chance.flag()),
        "return-modes": chance.among(1, 2, 3, 8, 9, 11),
        "trig-enable": chance.flag(),
        "trig-inputs": chance.number(0, TRIGGERS),
        "trig-actions": chance.some((0, 2, 3, 4), with_=(0,)),
        "trig-outputs": chance.number(0, TRIGGERS),
        "trig-events": chance.number(0, 3),
        "trig-debug": chance.bits(32),
        "data": generation != "0" and chance.flag(),
        "filter-words": chance.number(0, WORDS) if generation == "0.9" else 0,
        "filters": chance.number(0, 16) if new else 0,
        "filter-others": new and chance.flag(),
        "comparators": chance.number(0, 8) if new else 0,
        "comp-inputs": chance.some(range(3)),
        "undef": chance.bits(31) if new else 0,
        **choose_timestamp(chance, generation),
        **({"sinks": ONWARD} if new else choose_page(chance, generation, ONWARD)),
    }


def choose_funnel(chance, generation):
    if generation == "1.0":
        return {"dis-input": chance.bits(16), "undef": chance.bits(31), "sinks": ONWARD,
                **choose_timestamp(chance, generation)}
    timestamp = choose_timestamp(chance, generation) if generation == "0" else \
        {"ts-types": 1, "ts-width": 64, "ts-prescale": False}
    return {"stop-on-wrap": chance.flag(), **timestamp,
            **choose_page(chance, generation, MEMORY)}


def choose_sinks(chance):
    return {
        "ram-sink": {
            "modes": chance.among(2, 3), "stop-on-wrap": chance.flag(),
            "mem-formats": chance.some(range(4), with_=(0,)),
            "async-freqs": chance.some(range(8)), "undef": chance.bits(31),
            **choose_ram(chance, "1.0"),
        },
        "pib-sink": {"async-freqs": chance.some(range(8)), "undef": chance.bits(31),
                     **choose_pib(chance, "1.0")},
        "atb-bridge": {"async-freqs": chance.some(range(8)), "undef": chance.bits(31),
                       **choose_atb(chance)},
    }


def choose(generation, seed):
    chance = Chance(f"{generation} {seed}")
    chosen = {
        "generation": generation,
        "encoder": {**choose_encoder(chance, generation),
                    # Either, of any two in a row
                    "src-writable": int(seed) % 2 == 1},
        "funnel": choose_funnel(chance, generation),
    }
    if generation == "1.0":
        chosen.update(choose_sinks(chance))
    return chosen
