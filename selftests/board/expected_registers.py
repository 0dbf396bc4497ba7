# SPDX-License-Identifier: GPL-2.0
"""Which registers hardware with some properties has. Of a RAM sink no one is read: reading moves pointers."""
from choose_hardware import ENCODERS, FUNNEL, RAM, PIB, ATB, SRAM, TO_ATB, TO_PIB, MEMORY


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
