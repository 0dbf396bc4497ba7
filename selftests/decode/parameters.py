# SPDX-License-Identifier: GPL-2.0
"""Every parameter of a trace left out, out of range, or against another one: tracectl decode --param
says so in one line that names file and parameter.

  parameters.py scf|json|metadata|ntrace TRACECTL FOLDER
"""
import copy
import json
import subprocess
import sys

VECTOR = "selftests/vectors/etrace/itype3_basic-median/median"
ETRACE = ["--elf", "selftests/vectors/elf/median.riscv", VECTOR + ".te_inst_raw"]
NTRACE = ["--elf", "selftests/vectors/ntrace/qsort/qsort.riscv", "selftests/vectors/ntrace/qsort/qsort-cs0rpt2.nex"]

# E-Trace 2.0, "Required instruction trace attributes", and what docs/formats.md has beside them
REQUIRED = {"arch": 255, "bpred_size": 16, "cache_size": 16, "call_counter_size": 15, "context_width": 64,
            "ecause_width": 64, "f0s_width": 8, "iaddress_lsb": 3, "iaddress_width": 64, "nocontext": 1,
            "notime": 1, "privilege_width": 8, "return_stack_size": 15, "sijump": 1}
OPTIONAL = {"time_width": 64, "srcid_width": 16, "timestamp_width": 64, "type_width": 8, "type_inst": 255,
            "type_data": 255, "type_event": 255, "event_srcid_bit": 255, "sign_padding": 1, "protocol_minor": 15, "encoder_mode_width": 32,
            "ioptions_width": 32, "denable_width": 1, "dloss_width": 1, "doptions_width": 32, "split": 1,
            "ddiff_width": 2, "iret_ext": 1, "mmacas_ext": 1, "infer_all_returns": 1, "daddress_width": 64,
            "data_width": 128, "dtype_width": 4, "lrid_width": 8, "filter_context": 1, "filter_time": 1,
            "filter_privilege": 1, "filter_tval": 1}
MODES = ["implicit_return", "implicit_exception", "full_address", "jump_target_cache", "branch_prediction",
         "sijump", "resync_disabled", "no_address", "no_data", "full_daddress", "full_data"]
# Least values other than 0
LEAST = {"iaddress_width": 8, "daddress_width": 8, "data_width": 8, "dtype_width": 1, "ddiff_width": 1}
# What is said, and which ones are named
AGAINST = [({"nocontext": 0, "context_width": 0}, "context_width"), ({"notime": 0, "time_width": 0}, "time_width"),
           ({"bpred_size": 3, "cache_size": 3}, "f0s_width"), ({"timestamp_width": 12}, "timestamp_width"),
           ({"data_width": 24}, "data_width"), ({"type_width": 2, "type_inst": 4}, "type_inst"),
           ({"type_inst": 1}, "type_inst", "type_width"),
           ({"return_stack_size": 3, "call_counter_size": 4, "mode_implicit_return": 1}, "return_stack_size",
            "call_counter_size", "mode_implicit_return"),
           ({"type_width": 2, "type_data": 4}, "type_data"), ({"type_width": 1, "type_data": 0}, "type_data"),
           ({"type_event": 2}, "type_event"), ({"type_width": 1, "type_event": 1}, "type_event"),
           ({"type_width": 2, "type_event": 4}, "type_event"), ({"type_width": 2, "type_event": 1}, "type_event"),
           ({"type_width": 2, "type_event": 0}, "type_event"),
           ({"srcid_width": 4, "event_srcid_bit": 4}, "event_srcid_bit", "srcid_width"),
           ({"srcid_width": 4, "event_srcid_bit": 3, "type_width": 2, "type_event": 2}, "event_srcid_bit", "type_event"),
           ({"ioptions_width": 4}, "ioptions_width"), ({"option_no_data": 0}, "doptions_width"),
           ({"option_sijump": 3}, "is the bit of another option"),
           ({"mode_branch_prediction": 1}, "mode_branch_prediction"),
           ({"mode_jump_target_cache": 1}, "mode_jump_target_cache"),
           ({"mode_implicit_return": 1}, "mode_implicit_return"),
           ({"protocol_minor": 1, "return_stack_size": 8}, "return_stack_size"),
           ({"protocol_minor": 1, "bpred_size": 8}, "bpred_size"),
           ({"protocol_minor": 1, "cache_size": 8}, "cache_size"),
           ({"protocol_minor": 1, "f0s_width": 4}, "f0s_width"),
           ({"protocol_minor": 1, "notime": 0, "time_width": 8}, "time_width")]


class Sweep:
    def __init__(self, tracectl, path, rest):
        self.tracectl, self.path, self.rest, self.tried = tracectl, path, rest, 0

    def run(self, text):
        with open(self.path, "w", encoding="ascii") as file:
            file.write(text)
        return subprocess.run([self.tracectl, "decode", "--raw", "--output", "pc", "--param", self.path, *self.rest],
                              capture_output=True, text=True, check=False)

    def taken(self, text):
        done = self.run(text)
        assert done.returncode == 0 and not done.stderr, (text, done.stderr)

    def refused(self, text, name):
        done = self.run(text)
        lines = done.stderr.splitlines()
        assert done.returncode == 1 and not done.stdout, (text, done.returncode, done.stderr)
        assert len(lines) == 1 and lines[0].startswith(f"tracectl: error: {self.path}:"), (text, done.stderr)
        assert name in lines[0], (name, text, lines[0])
        self.tried += 1


def etrace(sweep, write, given):
    """@write: parameters to the text of a file."""
    def of(change):
        return write({**given, **change})

    sweep.taken(write(given))
    for name in REQUIRED:
        sweep.refused(write({k: v for k, v in given.items() if k != name}), name + " is missing")
    some = {k: v for k, v in given.items() if k not in ("arch", "iaddress_lsb", "sijump")}
    sweep.refused(write(some), ": arch, iaddress_lsb, sijump are missing")
    sweep.refused(write({"iaddress_width": 64}), "arch, bpred_size, cache_size, call_counter_size, ecause_width, "
                  "f0s_width, iaddress_lsb, nocontext, notime, privilege_width, return_stack_size, sijump are missing")
    for change in ({"nocontext": 0}, {"notime": 0}):
        name = {"nocontext": "context_width", "notime": "time_width"}[list(change)[0]]
        sweep.refused(write({k: v for k, v in {**given, **change}.items() if k != name}), name + " is missing")
    for name, most in {**REQUIRED, **OPTIONAL, **{"mode_" + m: 1 for m in MODES}}.items():
        if most == 255:
            most = 999
        sweep.refused(of({name: most + 1}), f"{name} is {most + 1}, which is out of range")
        if name in LEAST:
            sweep.refused(of({name: LEAST[name] - 1}), f"{name} is {LEAST[name] - 1}, which is out of range")
    for name in MODES:
        sweep.refused(of({"option_" + name: 32}), f"option_{name} is 32, which is out of range")
    for change, *names in AGAINST:
        for name in names:
            sweep.refused(of(change), name)
    sweep.taken(of({"return_stack_size": 3, "call_counter_size": 4, "iret_ext": 1}))
    sweep.taken(of({"return_stack_size": 3, "call_counter_size": 4}))
    sweep.refused(of({"nonsense": 1}), "is not a parameter of E-Trace")


def scf(sweep, given):
    def write(params):
        return "[Attributes]\n" + "".join(f"{k}_p={v}\n" for k, v in params.items())

    etrace(sweep, write, given)
    sweep.taken("; first\r\n# second\n" + write(given).replace("=", " = ") + "retires_p = 1 ; third\n")
    sweep.refused(write(given) + "arch_p=7\n", "arch is 7, but was 0 before")
    for name in given:
        sweep.refused(write({**given, name: "x"}), name)
        sweep.refused(write({**given, name: -1}), name)
        sweep.refused(write({**given, name: ""}), name)


def objects(sweep, given):
    etrace(sweep, json.dumps, given)
    for name in given:
        for value in ("7", -1, 1.5, None, [1]):
            sweep.refused(json.dumps({**given, name: value}), name + " is not a number")
    sweep.refused("{", "unexpected end of data")
    text = json.dumps(given)
    for name in given:
        sweep.refused(f'{text[:-1]}, "{name}" : {given[name]}}}', name + " is given twice")
    sweep.refused(f'{{"etrace": {text}, "a": [{{"b": "c\\": {{"}}], "etrace": {{}}}}', "etrace is given twice")
    sweep.taken(f'{{"etrace": {text}, "a": {{"etrace": "a", "b": [{{"a": "etrace"}}, {{"a": 1}}]}}, "b": "\\"a\\":"}}')
    sweep.refused(f"{text[:-1]}, /* x */ \"a\": 1}}", "property name expected")


def source(number=0, **changes):
    return {"component": f"encoder{number}", "cpus": [number], "harts": [number], "format": "ntrace",
            "src_id": number, "src_bits": 0,
            "attributes": {"generation": "TCI 1.0", "inst_en_call_stack": "0"}, **changes}


def document(*sources, **changes):
    return json.dumps({"schema": 2, "host": {"machine": "riscv64"}, "sinks": [{"name": "s0", "sources": sources}],
                       **changes})


def metadata(sweep, given):
    def write(params):
        return document(source(format="etrace", etrace=params))

    etrace(sweep, write, given)
    sweep.refused(document(source(format="etrace")), "parameters of E-Trace are missing")
    sweep.refused(document(source(0, format="etrace", etrace=given),
                           source(1, format="etrace", etrace={**given, "ecause_width": 6})), "encoder1: parameters are not")


def ntrace(sweep, _):
    good = source()
    sweep.taken(document(good))
    for name in ("format", "src_bits", "attributes"):
        sweep.refused(document({k: v for k, v in good.items() if k != name}), name + " is missing")
    lacking = copy.deepcopy(good)
    del lacking["attributes"]["generation"]
    sweep.refused(document(lacking), "generation is missing")
    sweep.refused(document(source(format="vendor")), "format is vendor")
    for bits in (-1, 13, 1 << 40):
        sweep.refused(document(source(src_bits=bits)), f"src_bits is {bits}, which is out of range")
    for bits in ("3", None, 1.5):
        sweep.refused(document(source(src_bits=bits)), "src_bits is not a number")
    sweep.refused(document(source(src_bits=3, src_id=8)), "src_id is 8, which is out of range")
    sweep.refused(document({k: v for k, v in source(src_bits=3).items() if k != "src_id"}), "src_id is missing")
    for name, most in (("inst_en_call_stack", 1), ("inst_implicit_return_mode", 3), ("inst_en_sequential_jump", 1), ("inst_en_all_jumps", 1),
                       ("inst_extend_addr_msb", 1), ("inhibit_src", 1), ("context", 1), ("ts_width", 64)):
        for value in (str(most + 1), "-1", "x", "", "1x"):
            wrong = copy.deepcopy(good)
            wrong["attributes"][name] = value
            sweep.refused(document(wrong), f'{name} is "{value}", not a number from 0 to {most}')
    for mode in ("branches", "", "8", "-1", "33"):
        wrong = copy.deepcopy(good)
        wrong["attributes"]["inst_mode"] = mode
        sweep.refused(document(wrong), f'inst_mode is "{mode}", not off, event, branch, history, history-optimized')
    for mode in ("off", "event", "history", "history-optimized", "vendor", "0", "7"):
        known = copy.deepcopy(good)
        known["attributes"]["inst_mode"] = mode
        sweep.taken(document(known))
    sweep.refused(document(source(0, src_bits=1), source(1, src_bits=1, src_id=0)), "encoder1: src_id is that of encoder0")
    sweep.refused(document(source(0), source(1)), "src_bits 0")
    sweep.refused(document(source(0, src_bits=1), source(1, src_bits=2)), "src_bits")
    for name in ("inst_en_call_stack", "inst_implicit_return_mode", "inst_en_sequential_jump", "inst_en_all_jumps", "inst_extend_addr_msb"):
        sweep.refused(document(source(0, src_bits=1), source(1, src_bits=1, attributes={
            "generation": "TCI 1.0", name: "1"})), name)
    sweep.refused(document(source(0, src_bits=1), source(1, format="etrace", etrace={})), "format")
    sweep.refused(document(), "src_bits")
    sweep.refused(document(good, host={}), "machine (of host) is missing")
    sweep.refused(document(good, host={"machine": "x86_64"}), "machine (of host) is neither")
    sweep.refused(document(good, sinks=[]), "not of exactly one sink")
    sweep.refused(document(good, sinks=7), "sinks is missing")
    sweep.refused(document(7), "source: no object")
    sweep.refused("{", "not JSON: unexpected end of data")


def main():
    what, tracectl, folder = sys.argv[1:]
    with open(VECTOR + ".scf", encoding="ascii") as file:
        lines = [line.split("=") for line in file if line[0] not in "#[" and "=" in line]
    # What is wanted of all encoders, and no more
    given = {k.removesuffix("_p"): int(v) for k, v in lines if k.removesuffix("_p") in REQUIRED}
    given["context_width"] = 32
    if what != "scf":
        given["infer_all_returns"] = 1
    sweep = Sweep(tracectl, f"{folder}/parameters.{'scf' if what == 'scf' else 'json'}",
                  NTRACE if what == "ntrace" else ETRACE)
    if what == "json":
        sweep.rest = ["--format", "etrace", *sweep.rest]
    {"scf": scf, "json": objects, "metadata": metadata, "ntrace": ntrace}[what](sweep, given)
    assert sweep.tried > 30, sweep.tried


main()
