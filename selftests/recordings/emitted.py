#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""emitted.py EMITTED LOST EVENTS

Whether EVENTS (tracectl events --json) are what rvtrace-emit says that its threads emitted: each
once, in order on each hart, of the thread that emitted it. LOST has how many the hardware counted
as lost: so many are missing, no more and no less; of those counted some may be THREAD_SWITCH, where
there are any.
"""
import collections
import json
import sys

HANDLER = 0x200
IDS = 0x1, 0x3FFF, 0x4001, 0x7FFF, 0xC000, 0xFFFF
GROUPS = "USER", "COM", "Reserved", "SYS"


def events(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip().rstrip(",")
            if line.startswith('{"offset"'):
                yield json.loads(line)


class Emitter:
    """A thread, or its handler"""
    def __init__(self, count):
        self.seen = bytearray(count)
        self.last = collections.defaultdict(lambda: -1)

    def take(self, event, number):
        assert number < len(self.seen), f"never emitted: {event}"
        assert not self.seen[number], f"twice: {event}"
        assert number > self.last[event["hart"]], f"out of order: {event}"
        self.seen[number] = 1
        self.last[event["hart"]] = number


def main(emitted, lost, path):
    emitters = {}
    with open(emitted, encoding="ascii") as file:
        for line in file:
            tid, count, handled = map(int, line.split())
            emitters[tid, False] = Emitter(count)
            emitters[tid, True] = Emitter(handled)
    with open(lost, encoding="ascii") as file:
        lost = sum(int(line, 0) for line in file)
    whose, told, switches = collections.Counter(), 0, 0
    for event in events(path):
        if event["type"] == "lost":
            told += 1
            continue
        assert event["type"] == "event", event
        number = int(event["id"], 0)
        assert event["group"] == ("SYS" if number == 0x8000 else GROUPS[number >> 14]), event
        if number == 0x8000:
            switches += 1
            continue
        value = int(event["value"], 0)
        tid, count = value >> 32, value & 0xFFFFFFFF
        emitter = emitters.get((tid, number == HANDLER))
        assert emitter, f"nobody's: {event}"
        assert number in (HANDLER, IDS[count % len(IDS)]), f"torn: {event}"
        emitter.take(event, count)
        known = event.get("tid")
        whose["right" if known == tid and event.get("comm") == "rvtrace-emit" else
              "not known" if known is None else "wrong"] += 1
    missing = sum(e.seen.count(0) for e in emitters.values())
    handled = sum(len(e.seen) for (_, handler), e in emitters.items() if handler)
    harts = {hart for e in emitters.values() for hart in e.last}
    print(f"{sum(whose.values())} events, {handled} of them of signal handlers, on {len(harts)} harts: {missing} missing,"
          f" {lost} counted as lost ({told} times told); {switches} switches; threads:"
          f" {whose['right']} right, {whose['wrong']} wrong, {whose['not known']} not known")
    assert missing == lost or (switches and missing < lost), "not what was counted"
    assert bool(told) == bool(lost), "nobody was told"
    assert whose["right"] and handled and len(harts) > 1, "too little was seen"
    assert not whose["wrong"] and whose["not known"] <= told * len(IDS), "threads"


main(*sys.argv[1:])
