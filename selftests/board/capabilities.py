#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hardware that can do what chance says, and what discovery should find of it.

    capabilities.py choose GENERATION SEED    properties of the machine's components, as JSON
    capabilities.py options FILE              the same as options of QEMU, one a line
    capabilities.py pages FILE                of each page: address, offsets that are there
    capabilities.py fields      lines DEVICE FIELD GENERATION: what can be compared
    capabilities.py compare FILE DISCOVERED COMPONENTS
        what `tracectl discover --json` printed, and lines NAME ADDRESS that say where
        the components are; prints what is not as the properties have it

What is expected comes from the properties and from the specifications, as
tools/machine/README.md explains the ones and docs/registers.md lists the others;
nothing is from the driver.
"""
import json
import random
import sys

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
        "sync-max-inst": chance.some((*range(6), 15)) if generation == "0" else 0x8000,
        "itc": itc,
        "pc-sample": generation == "0" and chance.flag(),
        "port": not itc and chance.flag(),
        "src-bits": chance.number(0, bits),
        "context": chance.flag(),
        "inhibit-src": chance.flag(),
        "stall": chance.flag(),
        "stop-on-wrap": not new and chance.flag(),
        "inst-features": sum(1 << f for f in features if chance.flag()),
        "return-modes": chance.among(1, 8, 9),
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


# What discovery should find: values of a field, or the bits of a wide one

def named(mask, names):
    return {"values": [names.get(n, n) for n in members(mask)]}


def numbers(mask):
    return named(mask, {})


def flag(there):
    return {"values": [0, 1] if there else [0]}


def bits(mask):
    return {"bits": hex(mask)}


def expect_pib(p):
    parallel = p["pib-modes"] & 0x1f00
    return {
        "pib_mode": named(p["pib-modes"], PIB_MODES),
        "pib_ref_center": flag(p["pib-ref-center"] and parallel),
        "pib_calibrate": flag(p["pib-calibrate"]),
        "pib_divider": bits((1 << p["pib-divider-bits"]) - 1),
    }


ATB_ID = {"atb_id": bits(0x7f)}


def expect_timestamp(p, generation, encoder):
    there = p["ts-types"] & ~1
    types = p["ts-types"]
    if generation == "0" and not encoder:
        types &= -types		# read-only
    internal = there and p["ts-types"] & 0xc
    fields = {
        "ts_type": named(types if there else 1, TS_TYPES),
        "ts_count": flag(internal),
        "ts_prescale": numbers(0xf if there and p["ts-prescale"] else 1),
    }
    if encoder:
        fields["ts_enable"] = flag(there)
        fields["ts_debug"] = flag(internal)
    if generation == "1.0" or (encoder and generation == "0.9"):
        fields["ts_vendor"] = bits(p["ts-vendor"] if there else 0)
    if encoder and generation == "0":
        fields["ts_branch"] = numbers(0xb if there else 1)
        fields["ts_instrumentation"] = flag(there)
        fields["ts_ownership"] = flag(there)
    return fields, {"ts_width": p["ts-width"] if there else 0}


def expect_page(p, generation):
    """Of what the sinks in the page of an encoder or funnel make."""
    sinks = p["sinks"]
    fields = {"sink": named(1 if sinks & ONE else sinks, SINKS)}
    constants = {"has_sram_sink": sinks >> 4 & 1, "has_atb_sink": sinks >> 5 & 1,
                 "has_pib_sink": sinks >> 6 & 1, "has_sba_sink": sinks >> 7 & 1,
                 "has_funnel_sink": sinks >> 8 & 1}
    if sinks & TO_PIB:
        fields.update(expect_pib(p))
    if sinks & TO_ATB:
        fields.update(ATB_ID)
    if generation == "0":
        memory = sinks & MEMORY
        constants["sink_bytes"] = p["access-width"].bit_length() - 3 if memory else 0
    return fields, constants


def expect_triggers(p):
    fields = {"dbg_trigger": bits(p["trig-debug"])}
    for n in range(TRIGGERS):
        actions = p["trig-actions"] if n < p["trig-inputs"] else 1
        events = p["trig-events"] if n < p["trig-outputs"] else 0
        fields[f"xtrig_in_action{n}"] = named(actions, ACTIONS)
        fields[f"xtrig_out_event{n}"] = {
            "values": [EVENTS[v] for v in EVENTS if not v & ~events]}
    return fields


def expect_data(p, new):
    data = p["data"]
    fields = {f"data_{f}": flag(data) for f in
              ("trig_enable", "stall_enable", "drop_enable", "no_value")}
    if new:
        fields["data_no_addr"] = flag(data)
        fields["data_addr_compress"] = numbers(0xf if data else 1)
        fields["data_filters"] = bits((1 << p["filters"]) - 1 if data else 0)
    else:
        fields["data_enable"] = flag(data)
        fields["data_address_mode"] = numbers(0xf if data else 1)
    return fields


def expect_port(p):
    if not p["port"]:
        return {}
    return {
        "software_trace": flag(True), "software_trace_switch": bits(0xffff),
        **{f"software_trace_{f}": flag(True)
           for f in ("threads", "user", "com", "reserved", "sys")},
    }


def expect_source(p, generation, hart):
    writable = p["src-writable"] and generation != "0"
    width = p["src-bits"]
    return {
        "src_id": bits(0xfff if writable else 0) if generation == "1.0" else
        numbers(0xffff if writable else 1 << hart),
        "src_bits": numbers((2 << width) - 1 if writable else 1 << width),
    }


FEATURES = ("no_addr_diff", "no_trap_addr", "en_sequential_jump", "en_call_stack",
            "en_branch_prediction", "en_jump_target_cache")
NEW_FEATURES = {8: "en_repeated_history", 9: "en_all_jumps", 10: "extend_addr_msb"}


def expect_features(p, new):
    features = {**dict(enumerate(FEATURES)), **(NEW_FEATURES if new else {})}
    return {f"inst_{name}": flag(p["inst-features"] >> bit & 1)
            for bit, name in features.items()}


def expect_filter(p):
    comparators = p["comparators"]
    fields = {name: flag(True) for name in
              ("enable", "match_privilege", "match_ecause", "match_interrupt",
               "match_value_interrupt")}
    fields["match_choice_ecause"] = numbers_to(64)
    fields["match_choice_privilege"] = {"values": [
        "user", "supervisor", 2, "machine", "debug", "virtual-user", "virtual-supervisor", 7]}
    if p["filter-others"]:
        fields.update({f"match_{name}": flag(True) for name in ("impdef", "dtype", "dsize")})
        fields["match_value_impdef"] = fields["match_mask_impdef"] = bits(0xffffffff)
        fields["match_choice_dtype"] = numbers_to(16)
        fields["match_choice_dsize"] = numbers_to(8)
    if comparators:
        fields.update({f"match_comp{n}": flag(True) for n in (1, 2, 3)})
    if comparators > 1:
        fields.update({f"comp{n}": numbers((1 << comparators) - 1) for n in (1, 2, 3)})
    return fields


def numbers_to(count):
    return {"values": list(range(count))}


def expect_comparator(p):
    whole = bits((1 << 64) - 1)
    fields = {
        "p_match": whole, "s_match": whole,
        "p_function": {"values": FUNCTIONS + ["never", "always"]},
        "s_function": {"values": FUNCTIONS + ["mask", "always"]},
        "match_mode": {"values": ["primary", "both", "not-both", "from-to"]},
        "p_notify": flag(True), "s_notify": flag(True),
    }
    if p["comp-inputs"] & ~1:
        fields["p_input"] = fields["s_input"] = named(p["comp-inputs"], INPUTS)
    return fields


def expect_units(p):
    units = {f"filter{n}": expect_filter(p) for n in range(p["filters"])}
    units.update({f"comparator{n}": expect_comparator(p) for n in range(p["comparators"])})
    units.update({f"filter_word{n}": {"value": bits(0xffffffff)}
                  for n in range(p["filter-words"])})
    return units


def expect_encoder(p, generation, hart):
    new = generation == "1.0"
    fields = {
        "inst_mode": named(p["inst-modes"], INST_MODES[generation]),
        "inst_stall_en": flag(p["stall"]),
        "inhibit_src": flag(p["inhibit-src"]),
        "format": {"values": ["ntrace"]},
        **expect_source(p, generation, hart),
        **expect_triggers(p),
        **expect_port(p),
    }
    constants = {"version": 0 if generation == "0" else 1}
    if generation == "0":
        itc = 0xffffffff if p["itc"] else 0
        fields.update({
            "sync_max_btm": numbers(p["sync-max-btm"]),
            "sync_max_inst": numbers(p["sync-max-inst"]),
            "instrumentation": numbers(0xf if p["itc"] else 1),
            "itc_trace_enable": bits(itc), "itc_trig_enable": bits(itc),
        })
    else:
        fields.update({
            "context": flag(p["context"]),
            "inst_trig_en": flag(p["trig-enable"]),
            "sync_mode": named(p["sync-modes"], SYNC_MODES),
            "sync_max": numbers(p["sync-max"]),
            **expect_features(p, new),
            **expect_data(p, new),
        })
        constants["data_implemented"] = int(p["data"])
    if new:
        fields["inst_implicit_return_mode"] = numbers(p["return-modes"])
        fields["inst_filters"] = bits((1 << p["filters"]) - 1)
        constants.update({"version_minor": 0, "protocol_major": 1, "protocol_minor": 0})
    else:
        fields["stop_on_wrap"] = flag(p["stop-on-wrap"])
        more, rest = expect_page(p, generation)
        fields.update(more)
        constants.update(rest)
    more, rest = expect_timestamp(p, generation, True)
    return {"fields": {**fields, **more}, "constants": {**constants, **rest},
            "units": expect_units(p)}


def expect_funnel(p, generation):
    constants = {"version": 0 if generation == "0" else 1}
    if generation == "1.0":
        fields = {"dis_input": bits(p["dis-input"])}
        constants["version_minor"] = 0
    else:
        fields, rest = expect_page(p, generation)
        fields["stop_on_wrap"] = flag(p["stop-on-wrap"])
        constants.update(rest)
    if generation != "0.9":
        more, rest = expect_timestamp(p, generation, False)
        fields.update(more)
        constants.update(rest)
    return {"fields": fields, "constants": constants, "units": {}}


def expect_sinks(chosen):
    ram, pib, atb = (chosen[k] for k in ("ram-sink", "pib-sink", "atb-bridge"))
    version = {"version": 1, "version_minor": 0}
    return {
        RAM: {
            "fields": {
                "ram_mode": named(ram["modes"], {0: "sram", 1: "smem"}),
                "stop_on_wrap": flag(ram["stop-on-wrap"]),
                "mem_format": numbers(ram["mem-formats"]),
                "async_freq": numbers(ram["async-freqs"]),
            },
            "constants": {"has_sram_sink": ram["modes"] & 1, "has_sba_sink": 1, **version},
            "units": {},
        },
        PIB: {"fields": {**expect_pib(pib), "async_freq": numbers(pib["async-freqs"])},
              "constants": version, "units": {}},
        ATB: {"fields": {**ATB_ID, "async_freq": numbers(atb["async-freqs"])},
              "constants": version, "units": {}},
    }


def expect(chosen):
    """By address"""
    generation = chosen["generation"]
    pages = {address: expect_encoder(chosen["encoder"], generation, hart)
             for hart, address in enumerate(ENCODERS)}
    pages[FUNNEL] = expect_funnel(chosen["funnel"], generation)
    if generation == "1.0":
        pages.update(expect_sinks(chosen))
    return pages


# Which registers are there. Of a RAM sink no one is read: reading moves pointers.

def page_sinks(p):
    sinks = p["sinks"]
    return (["0x010-0x024?"] if sinks & (SRAM | MEMORY) else []) + \
        (["0xe00"] if sinks & TO_ATB else []) + (["0xf00"] if sinks & TO_PIB else [])


def timestamp_registers(p, *offsets):
    return list(offsets) if p["ts-types"] & ~1 else []


def trigger_registers(p):
    return (["0x050"] if p["trig-inputs"] and p["trig-actions"] & ~1 else []) + \
        (["0x054"] if p["trig-outputs"] and p["trig-events"] else []) + \
        (["0x058"] if p["trig-debug"] else [])


def port_registers(p, offset):
    return [f"{offset:#x}"] if p["port"] else []


def encoder_registers(p, generation):
    if generation == "0":
        return timestamp_registers(p, "0x040-0x048") + trigger_registers(p) + page_sinks(p) + \
            port_registers(p, 0x700) + (["0x060-0x064", "0x080-0x0fc?"] if p["itc"] else []) + \
            (["0x100-0x1fc"] if p["pc-sample"] else [])
    if generation == "0.9":
        words = p["filter-words"]
        return timestamp_registers(p, "0x040-0x048") + trigger_registers(p) + page_sinks(p) + \
            port_registers(p, 0x700) + (["0x008"] if p["inst-features"] else []) + (["0x00c"] if p["data"] else []) + \
            ([f"0x300-{0x2fc + 4 * words:#x}"] if words else [])
    # 1.0 has its triggers in another order.
    return timestamp_registers(p, "0x040", "0x048-0x04c") + ["0x008"] + \
        port_registers(p, 0xe00) + (["0x050"] if p["trig-debug"] else []) + \
        (["0x054"] if p["trig-inputs"] and p["trig-actions"] & ~1 else []) + \
        (["0x058"] if p["trig-outputs"] and p["trig-events"] else []) + \
        (["0x00c"] if p["filters"] else []) + (["0x010"] if p["data"] else []) + \
        (["0x01c"] if p["data"] and p["filters"] else []) + \
        [f"{0x400 + 0x20 * i:#x}-{(0x418 if p['filter-others'] else 0x40c) + 0x20 * i:#x}"
         for i in range(p["filters"])] + \
        [r for j in range(p["comparators"]) for r in
         (f"{0x600 + 0x20 * j:#x}", f"{0x610 + 0x20 * j:#x}-{0x61c + 0x20 * j:#x}")]


def funnel_registers(p, generation):
    if generation == "1.0":
        return timestamp_registers(p, "0x040", "0x048-0x04c") + \
            (["0x008"] if p["dis-input"] else [])
    return page_sinks(p) + (timestamp_registers(p, "0x040-0x048") if generation == "0" else [])


def pages(chosen):
    generation = chosen["generation"]
    there = {ENCODERS[0]: encoder_registers(chosen["encoder"], generation),
             FUNNEL: funnel_registers(chosen["funnel"], generation)}
    if generation == "1.0":
        there.update({RAM: ["0x010-0x02c?", "0x040?"], PIB: [], ATB: []})
    return there


def difference(name, what, expected, found):
    if expected == found:
        return []
    return [f"{name}: {what}: {json.dumps(expected)} by its properties, {json.dumps(found)} found"]


def compare_sets(name, what, expected, found):
    return [line for key in sorted(expected.keys() | found.keys())
            for line in difference(name, f"{what} {key}", expected.get(key), found.get(key))]


def compare_component(expected, component):
    name = component["name"]
    constants = {k: v for k, v in component["constants"].items()
                 if k not in ("impl", "timestamp_frequency", "cpus")}
    # Where it leads is the board's.
    fields = {k: v for k, v in component["fields"].items() if k != "route"}
    wrong = compare_sets(name, "field", expected["fields"], fields) + \
        compare_sets(name, "constant", expected["constants"], constants)
    units = component["units"]
    wrong += difference(name, "units", sorted(expected["units"]), sorted(units))
    for unit in expected["units"].keys() & units.keys():
        wrong += compare_sets(f"{name}/{unit}", "field", expected["units"][unit], units[unit])
    return wrong


def of_sinks(component, size):
    return max([s[size] for s in component["sinks"]], default=0)


def sram_size(chosen, fields):
    """After a session into it"""
    choices = fields["ram_mode" if chosen["generation"] == "1.0" else "sink"]["values"]
    device = "ram-sink" if chosen["generation"] == "1.0" else "funnel"
    return chosen[device]["sram-size"] if "sram" in choices else 0


def compare(chosen, discovered, names):
    expected, wrong = expect(chosen), []
    found = {c["name"]: c for c in discovered["components"]}
    # Which number a hart has is the kernel's.
    cpus = sorted(found[n]["constants"].get("cpus", -1) for n in names.values()
                  if n.startswith("encoder"))
    wrong += difference("encoders", "cpus", list(range(len(ENCODERS))), cpus)
    for address, what in expected.items():
        component = found.pop(names.get(address, ""), None)
        if not component:
            wrong.append(f"nothing found at {address:#x}")
            continue
        wrong += compare_component(what, component)
        if address == (RAM if chosen["generation"] == "1.0" else FUNNEL):
            wrong += difference(component["name"], "ring", RING,
                                of_sinks(component, "buffer_size_max"))
            wrong += difference(component["name"], "SRAM", sram_size(chosen, what["fields"]),
                                of_sinks(component, "sram_size"))
        wrong += difference(component["name"], "generation", f"TCI {chosen['generation']}",
                            component["generation"])
    return wrong


def fields():
    """What is expected of hardware of any kind: a few draws have all of it."""
    devices = {**{address: "encoder" for address in ENCODERS}, FUNNEL: "funnel",
               RAM: "ramsink", PIB: "pibsink", ATB: "atbbridge"}
    for generation in INST_MODES:
        for address, what in ((a, w) for seed in range(64)
                              for a, w in expect(choose(generation, seed)).items()):
            for name in (*what["fields"], *what["constants"]):
                yield devices[address], name, generation
            for unit, fields_of_unit in what["units"].items():
                for name in fields_of_unit:
                    yield devices[address], f"{unit.rstrip('0123456789')}N/{name}", generation


def text(value):
    return ("on" if value else "off") if isinstance(value, bool) else hex(value)


def options(chosen):
    for device, properties in chosen.items():
        for name, value in properties.items() if device != "generation" else ():
            yield f"rvtrace-{device}.{name}={text(value)}"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_names(path):
    with open(path, encoding="utf-8") as file:
        return {int(address, 16): name for name, address in map(str.split, file)}


def main(verb, *arguments):
    if verb == "choose":
        json.dump(choose(*arguments), sys.stdout, indent=1)
    elif verb == "fields":
        for line in sorted(set(fields())):
            print(*line)
    elif verb == "options":
        print(*options(load(*arguments)), sep="\n")
    elif verb == "pages":
        for address, there in pages(load(*arguments)).items():
            print(f"{address:#x}", "0x000-0x004", *there)
    else:
        chosen, discovered, names = arguments
        wrong = compare(load(chosen), load(discovered), read_names(names))
        for line in wrong:
            print(line)
        return bool(wrong)
    return 0


if __name__ == "__main__":
    if [len(sys.argv), *sys.argv[1:2]] not in ([4, "choose"], [2, "fields"], [3, "options"],
                                               [3, "pages"], [5, "compare"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
