# SPDX-License-Identifier: GPL-2.0
"""What discovery should find of hardware with some properties: values of a field, or the bits of a wide one."""
from choose_hardware import (
    ENCODERS, FUNNEL, RAM, PIB, ATB, INST_MODES, SYNC_MODES, SINKS, PIB_MODES, TS_TYPES,
    ACTIONS, EVENTS, INPUTS, FUNCTIONS, TO_ATB, TO_PIB, MEMORY, ONE, TRIGGERS, members)


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
            # The guest's firmware has debug triggers, and its kernel kprobes.
            "sync_on_switch": {"values": ["auto", "trigger", "restart", "off"]},
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
