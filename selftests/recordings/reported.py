# SPDX-License-Identifier: GPL-2.0
"""The recording of recorded.py as one of a command: process 100 is the command or what KIND says, 200
is another one; who ran when is told by the driver's records, and the kernel's functions have names.

  reported.py make FOLDER TRACECTL MAKER KIND [NAME]  KIND: command, none (nobody is the command),
                                     unknown (it is, but its process is not told); NAME of process 200,
                                     "recorder": it is that by its role
  reported.py check FOLDER REPORT SHOWN      a report, as JSON: instructions by process, thread and function
                                     and times by thread are the truth. SHOWN: processes, as 100,200
"""
import collections
import json
import os
import sys

import recorded

plain_script, plain_metadata = recorded.script, recorded.metadata

SWITCH = recorded.KERNEL + 30 * 2	# kernel_switch()
# The kernel changes from one task to the other where it moves to tp
HANDLER = recorded.HANDLER.replace("""	.rept 400
	xor a0, a0, a1
	.endr
""", """	.rept 199
	xor a0, a0, a1
	.endr
	mv tp, a1
	.rept 200
	xor a0, a0, a1
	.endr
""")


def with_tasks(lines, names):
    """Records of the driver in place of the side band's switches."""
    last = {}
    for line in lines:
        word, *rest = line.split(" ")
        if word != "switch":
            yield line
            continue
        time, cpu, pid, tid, way = rest
        if way == "in":
            event = 2 if cpu in last else 1
            yield f"task {time} {cpu} {event} {pid} {tid} {last.get(cpu, 0)} 0 {names[pid]}"
            last[cpu] = tid


def script_of(kind, name):
    def with_role(line):
        if not line.startswith("line images/maps.jsonl "):
            return line
        process = json.loads(line.split(" ", 2)[2])
        if process["pid"] == 100 and kind == "command":
            process["role"] = "command"
        if process["pid"] == 200:
            process["comm"] = name
            if name == "recorder":
                process["role"] = "recorder"
        return "line images/maps.jsonl " + json.dumps(process)

    def script(*args):
        lines = [with_role(line) for line in plain_script(*args).splitlines()]
        lines = [line.replace('"kind": "kernel"', f'"switch_to": "{SWITCH:#x}", "kind": "kernel"') for line in lines]
        return "\n".join([*with_tasks(lines, {"100": "alpha", "200": name}),
                          'line images/index.jsonl {"kind":"symbols","file":"images/kallsyms"}']) + "\n"
    return script


def make(folder, tracectl, maker, kind, name="beta"):
    recorded.script, recorded.HANDLER = script_of(kind, name), HANDLER

    def metadata(form):
        return {**plain_metadata(form), "threads": True, **({} if kind == "none" else {"command": ["alpha", "-x\33[2J"]})}
    recorded.metadata = metadata
    recorded.make(folder, tracectl, maker)
    kernel = recorded.Code(f"{folder}/handler")
    assert kernel.names["kernel_switch"][0] == SWITCH, kernel.names
    with open(f"{folder}/recording/images/kallsyms", "w", encoding="ascii") as file:
        for symbol, (start, size) in sorted(kernel.names.items(), key=lambda item: item[1]):
            file.write(f"{start:x} T {symbol}\n")
        file.write(f"{start + size:x} T kernel_end\n")


def times(truth):
    """From the record that a thread runs to that of the next one; of the last one there is none."""
    ran = collections.Counter()
    for hart in truth:
        since, before = recorded.START - 100, hart[0]
        for item in hart:
            if item["thread"] != before["thread"]:
                now = recorded.to_ns(before["tick"])
                ran[before["thread"]] += now - since
                since = now
            before = item
    return ran


def check(folder, report, shown):
    shown = {int(pid) for pid in shown.split(",") if pid}
    with open(f"{folder}/truth.json", encoding="ascii") as file:
        truth = json.load(file)
    ran, truth = times(truth), [item for hart in truth for item in hart]
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    mine = [item for item in truth if item["pid"] in shown]
    threads = collections.Counter((item["pid"], item["thread"]) for item in mine)
    kernel = collections.Counter((item["pid"], item["thread"]) for item in mine if not item["file"])
    told = {(p["pid"], t["tid"]): t for p in report["processes"] for t in p["threads"]}
    assert {key: t["instructions"] for key, t in told.items()} == threads, (told, threads)
    assert {key: t["kernel_instructions"] for key, t in told.items()} == kernel, (told, kernel)
    assert all(t["time_ns"] == ran[tid] for (_, tid), t in told.items()), (told, ran)
    assert {p["pid"]: p["instructions"] for p in report["processes"]} == \
        collections.Counter(item["pid"] for item in mine), report["processes"]
    functions = collections.Counter((item["function"], item["file"] and os.path.basename(item["file"])) for item in mine)
    assert {(f["function"], f["file"]): f["instructions"] for f in report["functions"]} == functions, \
        (report["functions"], functions)
    assert all(f["kernel"] == (f["file"] is None) for f in report["functions"]), report["functions"]
    counts = [f["instructions"] for f in report["functions"]]
    assert counts == sorted(counts, reverse=True) and report["instructions"] == len(truth), counts
    assert sum(part["instructions"] for part in report["left_out"]) == len(truth) - len(mine), report["left_out"]


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
