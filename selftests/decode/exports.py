# SPDX-License-Identifier: GPL-2.0
"""What tracectl export wrote, read back without it: by function, calls and instructions, and how
often trace was lost. All of it must be what tracectl decode --output calls says.

  exports.py check FOLDER [LOSSES]  calls.json, listing.json, and instructions.folded, calls.folded, time.folded,
                          export.perfetto, export.speedscope, export.sqlite are of one recording;
                          so often was trace lost in it (0)
  exports.py lossy FOLDER TRACECTL MAKER   that of reported.py, of which a part was lost
  exports.py schema FILE SCHEMA   a profile of speedscope is what a schema of JSON says
  exports.py perfetto FILE        it is nested, and every name is known
  exports.py speedscope FILE      the same
"""
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys

PROTO = "tools/tracectl/export"
LOST = ("[lost]", "[not followed]")

# One for each slice: its name; whether it is of a call; instructions
Read = collections.namedtuple("Read", "calls instructions lost")


def plain(name):
    """A function without a name has only its address, which differs by format in what follows."""
    return re.sub(r"^0x[0-9a-f]+( \(.*\))?$", "0x", name)


def by_function(slices, lost):
    calls, instructions = collections.Counter(), collections.Counter()
    for name, is_call, executed in slices:
        calls[plain(name)] += is_call
        instructions[plain(name)] += executed
    return Read(+calls, +instructions, lost)


def decoded(folder):
    """Calls as a listing of calls has them; instructions are one after another in that of instructions."""
    with open(f"{folder}/calls.json", encoding="utf-8") as file:
        items = json.load(file)["items"]
    calls = [(i["symbol"] if "offset" in i and "symbol" in i else "0x0", i["type"] in ("call", "jump"), 0)
             for i in items if "frame" in i]
    with open(f"{folder}/listing.json", encoding="utf-8") as file:
        executed = [(i["symbol"] if "offset" in i and "symbol" in i else "0x0", 0, 1)
                    for i in json.load(file)["items"] if i["type"] == "instruction"]
    return by_function(calls + executed, sum(i["type"] in ("lost", "overflow", "error") for i in items))


def packets(path):
    """Of protoc's text: each a dictionary of lists."""
    with open(path, "rb") as file:
        text = subprocess.run(["protoc", "--decode=Trace", f"-I{PROTO}", f"{PROTO}/perfetto.proto"], stdin=file,
                              check=True, capture_output=True).stdout.decode()
    stack = []
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inner = collections.defaultdict(list)
            if stack:
                stack[-1][line[:-2]].append(inner)
            stack.append(inner)
        elif line == "}":
            packet = stack.pop()
            if not stack:
                yield packet
        else:
            assert ": " in line, f"no field of the schema: {line}"
            name, value = line.split(": ", 1)
            stack[-1][name].append(json.loads(re.sub(r"\\([0-7]{3})", lambda m: f"\\u00{int(m[1], 8):02x}",
                                                     value.replace("\\'", "'")))
                                   if value[0] == '"' else value)


class Perfetto:
    """A reader of slices, as trace_processor reads them."""

    def __init__(self, path):
        self.names, self.annotations, self.tracks = {}, {}, {}
        self.open = collections.defaultdict(list)
        self.times = collections.defaultdict(int)
        self.slices, self.instants, self.switches, self.counters = [], [], [], 0
        for packet in packets(path):
            self.take(packet)
        assert not any(self.open.values()), "slices without an end"

    def intern(self, data):
        for kind, known in (("event_names", self.names), ("debug_annotation_names", self.annotations)):
            for name in data[kind]:
                assert name["iid"][0] not in known, name
                known[name["iid"][0]] = name["name"][0]

    def take(self, packet):
        for data in packet["interned_data"]:
            self.intern(data)
        for track in packet["track_descriptor"]:
            self.tracks[track["uuid"][0]] = track["name"][0]
        for bundle in packet["ftrace_events"]:
            self.switches += [(int(bundle["cpu"][0]), event) for event in bundle["event"]]
        for event in packet["track_event"]:
            self.event(event, int(packet["timestamp"][0]))

    def event(self, event, time):
        track, kind = event["track_uuid"][0], event["type"][0]
        assert track in self.tracks, track
        notes = {self.annotations[a["name_iid"][0]]: (a["uint_value"] or a["string_value"] or a["pointer_value"])[0]
                 for a in event["debug_annotations"]}
        if kind == "TYPE_COUNTER":
            self.counters += 1
            return
        assert time >= self.times[track], f"{self.tracks[track]}: {time} is after {self.times[track]}"
        self.times[track] = time
        if kind == "TYPE_SLICE_END":
            name, begun = self.open[track].pop()
            self.slices.append((self.tracks[track], name, {**begun, **notes}))
        elif kind == "TYPE_SLICE_BEGIN":
            self.open[track].append((self.names[event["name_iid"][0]], notes))
        else:
            self.instants.append((self.tracks[track], self.names[event["name_iid"][0]], notes))

    def read(self):
        of_calls = [(name, "call" in notes, int(notes["own_instructions"]))
                    for track, name, notes in self.slices if "own_instructions" in notes]
        gaps = collections.Counter(name for track, name, notes in self.slices if track.startswith("losses of"))
        assert gaps["[lost]"] <= sum(name == "[lost]" for track, name, notes in self.slices
                                     if not track.startswith("losses"))
        return by_function(of_calls, gaps["[lost]"])


def folded(path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            assert int(count) > 0 and "" not in stack.split(";"), line
            lines.append((stack.split(";"), int(count)))
    assert [stack for stack, count in lines] == sorted(stack for stack, count in lines), "not in order"
    return lines


def folded_sum(path):
    total = collections.Counter()
    for stack, count in folded(path):
        total[plain(stack[-1])] += count
    return total


def speedscope(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    frames, slices, lost = document["shared"]["frames"], [], 0
    for profile in document["profiles"]:
        stack, before = [], profile["startValue"]
        assert profile["type"] == "evented" and profile["events"], profile["name"]
        for event in profile["events"]:
            assert before <= event["at"] <= profile["endValue"], (profile["name"], event)
            before = event["at"]
            name = frames[event["frame"]]["name"]
            if event["type"] == "O":
                stack.append((event["frame"], event.get("call", True)))
                lost += name == "[lost]"
                continue
            frame, is_call = stack.pop()
            assert frame == event["frame"], (profile["name"], event)
            if name not in LOST:
                slices.append((name, is_call, event["instructions"]))
        assert not stack, profile["name"]
    return slices, lost


def database(path):
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    # how a function was entered that was not entered at its start is no matter to a listing
    entered = db.execute("SELECT name, called OR flags IN ('part', 'tail part') OR flags LIKE 'part %' OR "
                         "flags LIKE 'tail part %', own_instructions FROM call WHERE kind = 'function'").fetchall()
    slices = db.execute("SELECT name, called, own_instructions FROM call").fetchall()
    for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        db.execute(f"SELECT * FROM {view} LIMIT 5").fetchall()
    # nested in time, and what is within is less than the whole
    assert not db.execute("SELECT c.id FROM call AS c JOIN call AS p ON p.id = c.parent "
                          "WHERE c.entered < p.entered OR c.ended > p.ended OR c.instructions > p.instructions "
                          "OR c.thread != p.thread").fetchall()
    assert not db.execute("SELECT id FROM call WHERE entered < entered_earliest OR entered > entered_latest "
                          "OR ended < ended_earliest OR ended > ended_latest OR ended < entered").fetchall()
    sums = db.execute("SELECT sum(calls), sum(own_instructions) FROM functions").fetchone()
    assert sums == db.execute("SELECT sum(called), sum(own_instructions) FROM call").fetchone(), sums
    lost = db.execute("SELECT count(*) FROM loss WHERE lost").fetchone()[0]
    return by_function(slices, lost), by_function(entered, lost)


def same(what, one, other):
    differ = {name: (one[name], other[name]) for name in {*one, *other} if one[name] != other[name]}
    assert not differ, f"{what}: {dict(list(differ.items())[:5])}"


def named(counter):
    """Functions alone: other frames have no sums in a listing."""
    return collections.Counter({name: count for name, count in counter.items() if name not in LOST})


def check(folder, losses="0"):
    truth = decoded(folder)
    base, entered = database(f"{folder}/export.sqlite")
    assert sum(truth.calls.values()) > 20, truth.calls
    assert truth.lost == int(losses) == base.lost, (truth.lost, losses, base.lost)
    same("calls of sqlite", truth.calls, entered.calls)
    same("instructions of sqlite", truth.instructions, entered.instructions)
    perfetto = Perfetto(f"{folder}/export.perfetto").read()
    same("calls of perfetto", base.calls, perfetto.calls)
    same("instructions of perfetto", base.instructions, perfetto.instructions)
    slices, gaps = speedscope(f"{folder}/export.speedscope")
    profile = by_function(slices, gaps)
    same("calls of speedscope", base.calls, profile.calls)
    same("instructions of speedscope", base.instructions, profile.instructions)
    by_calls, by_instructions = folded_sum(f"{folder}/calls.folded"), folded_sum(f"{folder}/instructions.folded")
    same("calls of folded", base.calls, named(by_calls))
    same("instructions of folded", base.instructions, named(by_instructions))
    assert perfetto.lost == base.lost and (gaps > 0) == (base.lost > 0) and gaps >= base.lost, (perfetto.lost, gaps)
    assert by_calls["[lost]"] == by_instructions["[lost]"] == gaps, (by_calls["[lost]"], gaps)
    assert folded_sum(f"{folder}/time.folded")["[lost]"] >= gaps
    print(f"{sum(base.calls.values())} calls, {sum(base.instructions.values())} instructions, {base.lost} losses")


def lossy(folder, tracectl, maker):
    sys.path.insert(0, "selftests/recordings")
    import recorded
    import reported
    whole = reported.script_of("none", "beta")

    def script(*args):
        size = os.path.getsize(f"{folder}/trace")
        return whole(*args) + f"trace {size // 3}\nlost 100\ntrace {size - size // 3}\n"
    reported.script_of = lambda kind, name: script
    reported.make(folder, tracectl, maker, "none")


def schema(path, schema_path):
    import jsonschema
    with open(path, encoding="utf-8") as file, open(schema_path, encoding="utf-8") as rules:
        jsonschema.validate(json.load(file), json.load(rules))


if __name__ == "__main__":
    {"check": check, "lossy": lossy, "schema": schema, "perfetto": Perfetto, "speedscope": speedscope}[sys.argv[1]](*sys.argv[2:])
