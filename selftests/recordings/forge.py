#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings that are changed at random below their checksums, which are right again.

  forge.py [--count N] [--seconds N] [--seed N] [--first N] [--kind KIND] [--sanitized] RECORDING FOLDER TRACECTL

Number N depends on the recording, the seed and N alone. Each is read with verbs that read recordings, within
what docs/formats.md promises of memory, and hostile.CPUS times as much time. One that breaks the promise stays
in FOLDER. With --sanitized, memory and time are those of a sanitizer, and no matter. Kinds: metadata, lines, index, records, sideband, images, trace; as a rule one or two in a recording.
"""
import argparse
import json
import os
import random
import re
import shutil
import struct
import sys
import time

import hostile
import recording_writer

NUMBERS = [0, 1, 2, 7, 8, 255, 256, 4095, 4096, 65535, 65536, 1 << 20, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 1 << 40,
           (1 << 63) - 1, 1 << 63, recording_writer.M64, recording_writer.M64 - 4095]
TEXTS = ["", "a", "a" * 5000, "../" * 40 + "etc/passwd", "/dev/zero", "/proc/self/fd/0", "\x1b[31m", "\n<0>x", "\u202e",
         "%s%n", "0x" + "f" * 16, "-1", "1e400", "[vdso]", "[kernel.kallsyms]", "images/kernel", "images", ".", "/"]
COPIES = [1, 2, 3, 30, 1000]


def frames(data):
    """The payloads, without padding"""
    payloads, at = [], 0
    while at + 24 <= len(data):
        length, = struct.unpack_from("<I", data, at + 12)
        payloads.append(data[at + 24:at + 24 + length])
        at += 24 + length + -length % 8
    return payloads


def framed(payloads):
    return b"".join(recording_writer.frames([payload]) if payload else b"" for payload in payloads) if len(payloads) < 2 else \
        recording_writer.frames(payloads)


def items(payload, size_at, size_format):
    """Records, each with its size in it"""
    out, at = [], 0
    while at < len(payload):
        size, = struct.unpack_from(size_format, payload, at + size_at) if at + 8 <= len(payload) else (0,)
        size = size if size >= 8 else len(payload) - at
        out.append(payload[at:at + size])
        at += size
    return out


class Forger:
    def __init__(self, recording, state):
        self.random = state
        self.files = {}
        for path, _, names in os.walk(recording):
            for name in names:
                full = os.path.join(path, name)
                with open(full, "rb") as file:
                    self.files[os.path.relpath(full, recording)] = file.read()
        self.kinds = {"metadata": self.metadata, "lines": self.lines, "index": self.index, "records": self.records,
                      "sideband": self.sideband, "images": self.images, "trace": self.trace}

    def some(self, what):
        """The name of one file that @what accepts; None: there is none"""
        names = sorted(name for name in self.files if what(name) and self.files[name])
        return self.random.choice(names) if names else None

    def bytes_changed(self, data):
        """In a word, or a byte; one piece comes again, or not at all"""
        data, r = bytearray(data), self.random
        if not data:
            return bytes(data)
        width = r.choice([1, 2, 4, 8])
        at = r.randrange(max(len(data) - width + 1, 1)) // (width if r.random() < 0.8 else 1) * width % len(data)
        how = r.randrange(6)
        if how < 3:
            value = r.choice(NUMBERS) if how else int.from_bytes(data[at:at + width], "little") + r.choice([-8, -1, 1, 8])
            data[at:at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        elif how == 3:
            data[at] ^= 1 << r.randrange(8)
        elif how == 4:
            end = at + 1 + r.randrange(64)
            data[at:end] = data[at:end] * r.choice(COPIES)
        else:
            del data[at:at + 1 + r.randrange(64)]
        return bytes(data)

    def list_changed(self, values, change):
        """One of them, its number or its place"""
        values, r = list(values), self.random
        if not values:
            return values
        at = r.randrange(len(values))
        how = r.randrange(6)
        if how < 3:
            values[at] = change(values[at])
        elif how == 3:
            values[at:at + 1] = [values[at]] * r.choice(COPIES)
        elif how == 4:
            del values[at]
        else:
            values.insert(r.randrange(len(values) + 1), values[at])
        return values

    def json_changed(self, value):
        r = self.random
        if isinstance(value, dict) and value and r.random() < 0.9:
            value = dict(value)
            key = r.choice(sorted(value))
            if r.random() < 0.1:
                del value[key]
            else:
                value[key] = self.json_changed(value[key])
            return value
        if isinstance(value, list) and value and r.random() < 0.9:
            return self.list_changed(value, self.json_changed)
        if isinstance(value, str) and r.random() < 0.5 and re.fullmatch("(0x)?[0-9a-f]+", value):
            return hex(r.choice(NUMBERS))
        if isinstance(value, (int, float)) and r.random() < 0.8:
            return r.choice([r.choice(NUMBERS), -r.choice(NUMBERS), value + 1, value - 1, value * 1000, 0.5])
        return r.choice([r.choice(TEXTS), r.choice(NUMBERS), None, True, [], {}, [value] * r.choice(COPIES)])

    def metadata(self):
        value = self.json_changed(json.loads(self.files["metadata.json"]))
        if isinstance(value, dict):
            value.pop("xxh64", None)
        text = json.dumps(value)
        self.files["metadata.json"] = self.files["metadata.copy.json"] = \
            (recording_writer.seal(text) if text.endswith("}") else text).encode()

    def write_lines(self, name, values):
        at, out = 0, []
        for value in values:
            if not isinstance(value, dict):
                text = json.dumps(value) + "\n"
            else:
                value = {key: member for key, member in value.items() if key not in ("at", "xxh64")}
                text = recording_writer.seal(json.dumps({**value, "at": at}, separators=(",", ":")))
            out.append(text)
            at += len(text.encode())
        self.files[name] = "".join(out).encode()

    def lines(self):
        name = self.some(lambda name: name.endswith(".jsonl"))
        if name:
            values = [json.loads(line) for line in self.files[name].splitlines()]
            self.write_lines(name, self.list_changed(values, self.json_changed))

    def index(self):
        name = self.some(lambda name: name.endswith(".idx"))
        entries = [self.files[name][at:at + 56] for at in range(0, len(self.files[name]), 64)]
        entries = self.list_changed(entries, lambda entry: self.bytes_changed(entry)[:56].ljust(56, b"\0"))
        if self.random.random() < 0.7:
            entries = [entry[:48] + struct.pack("<Q", number) for number, entry in enumerate(entries)]
        self.files[name] = b"".join(entry + struct.pack("<Q", recording_writer.xxh64(entry)) for entry in entries)

    def framed_changed(self, name, size_at, size_format):
        payload = b"".join(frames(self.files[name]))
        if self.random.random() < 0.2:
            changed = [self.bytes_changed(payload)]
        else:
            changed = self.list_changed(items(payload, size_at, size_format), self.bytes_changed)
        self.files[name] = framed([piece for piece in changed if piece])

    def records(self):
        self.framed_changed(self.some(lambda name: name.endswith(".records")), 0, "<I")

    def sideband(self):
        self.framed_changed("sideband", 6, "<H")

    def images(self):
        name = self.some(lambda name: name.startswith("images/") and not name.endswith(".jsonl"))
        if not name:
            return
        content = self.files[name] = self.bytes_changed(self.files[name])
        values = [json.loads(line) for line in self.files["images/index.jsonl"].splitlines()]
        for value in values:
            if isinstance(value, dict) and value.get("file") == name:
                value.update(size=len(content), content=f"{recording_writer.xxh64(content):016x}")
        self.write_lines("images/index.jsonl", values)

    def trace(self):
        """One segment; the sums of its pieces in the index"""
        name = self.some(lambda name: name.endswith(".bin"))
        data = self.files[name] = self.bytes_changed(self.files[name])
        index, out = self.files[name.split(".")[0] + ".idx"], []
        for at in range(0, len(index), 64):
            entry = list(struct.unpack_from("<QQQQIIQQ", index, at))
            if entry[4] == 1:
                entry[6] = recording_writer.trace_sum(data[entry[1]:entry[1] + entry[2]])
            packed = struct.pack("<QQQQIIQQ", *entry)
            out.append(packed + struct.pack("<Q", recording_writer.xxh64(packed)))
        self.files[name.split(".")[0] + ".idx"] = b"".join(out)

    def forge(self, kind):
        """Of one kind or of any; @kind None: the dice say"""
        done = []
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, 5])):
            what = kind or self.random.choice(sorted(self.kinds))
            # what was forged before may not be what it was
            try:
                self.kinds[what]()
                done.append(what)
            except (ValueError, KeyError, TypeError, AttributeError, struct.error, OverflowError, RecursionError):
                pass
        return done

    def write(self, folder):
        for name, data in self.files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


def main():
    parser = argparse.ArgumentParser()
    for option, value in (("--count", 1 << 40), ("--seconds", 1 << 40), ("--seed", 1), ("--first", 0)):
        parser.add_argument(option, type=int, default=value)
    parser.add_argument("--kind")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("recording")
    parser.add_argument("folder")
    parser.add_argument("tracectl")
    options = parser.parse_args()
    if options.sanitized:
        hostile.MEMORY, hostile.CPU = 1 << 40, 100 * hostile.CPU
        os.environ.update(ASAN_OPTIONS="abort_on_error=1", UBSAN_OPTIONS="abort_on_error=1:halt_on_error=1")
    end, number, failed, most = time.monotonic() + options.seconds, options.first, 0, hostile.Cost()
    while number < options.first + options.count and time.monotonic() < end:
        state = random.Random(f"{options.seed} {number}")
        forger = Forger(options.recording, state)
        done = forger.forge(options.kind)
        folder = f"{options.folder}/{number}"
        forger.write(folder)
        verbs = state.sample(hostile.VERBS, 3) if options.count > 1 else hostile.VERBS
        wrong = [f"{verb}: {fault}" for verb in verbs
                 if (fault := hostile.run(folder, [options.tracectl, *verb.split(), folder], most))]
        if wrong:
            failed += 1
            print(f"# {number}: {', '.join(done)}: {'; '.join(wrong)}; kept in {folder}", flush=True)
        else:
            shutil.rmtree(folder)
        number += 1
    print(f"# {number - options.first} forged, seed {options.seed}: {failed} failed; {most}")
    sys.exit(failed > 0)


main()
