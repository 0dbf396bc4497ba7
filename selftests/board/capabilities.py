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
import sys

from choose_hardware import ENCODERS, FUNNEL, RAM, PIB, ATB, RING, INST_MODES, choose
from expected_fields import expect
from expected_registers import pages


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
