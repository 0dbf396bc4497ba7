#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""events.py timing|harts|print|transfer EVENTS FILE

What a tool makes of the events (tracectl events --json) of the example of that name, and whether that
is what the program did: FILE is what it printed, or what it was given.
"""
import json
import sys


def timing(document, path):
    """Durations are those that the program measured, but for what it takes to read its clock."""
    with open(path, encoding="ascii") as file:
        measured = {f"{count} numbers": int(ns) for count, ns in map(str.split, file)}
    took = {e["text"]: e["duration_ns"] for e in document["events"] if e.get("part") == "end"}
    print(took)
    assert len(measured) > 5 and took.keys() == measured.keys(), measured
    for what, ns in took.items():
        assert 0 < ns <= measured[what], (what, ns, measured[what])
    assert took["4096 numbers"] > 0.8 * measured["4096 numbers"], measured


def harts(document, _path):
    """By time, each number comes behind the one before, though that was on the other hart."""
    tokens = sorted(document["events"], key=lambda e: e["time"])
    numbers = [int(e["text"]) for e in tokens]
    print(f"{len(numbers)} numbers, {document['events'][0]['comm']}")
    assert len(numbers) > 100 and numbers == list(range(len(numbers))), numbers
    assert len({e["hart"] for e in tokens}) == 2
    assert len({(e["hart"], number % 2) for e, number in zip(tokens, numbers)}) == 2


def log(document, path):
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    assert lines and [e["text"] for e in document["events"]] == lines, lines


def transfer(document, path):
    with open(path, "rb") as file:
        data = file.read()
    begin, *values, end = document["events"]
    size = int(begin["text"].split()[0])
    received = b"".join(int(e["value"], 0).to_bytes(8, "little") for e in values)[:size]
    assert begin["part"] == "begin" and end["part"] == "end" and begin["value"] == end["value"]
    assert len({e["tid"] for e in document["events"]}) == 1
    assert data and received == data, (len(received), len(data))


def main(what, events, path):
    with open(events, encoding="utf-8") as file:
        document = json.load(file)
    {"timing": timing, "harts": harts, "print": log, "transfer": transfer}[what](document, path)


main(*sys.argv[1:])
