# SPDX-License-Identifier: GPL-2.0
"""Recordings, written byte by byte: every checksum is right, whatever else is in them."""
import json
import os
import struct

M64 = (1 << 64) - 1


def xxh64(data):
    """XXH64 with seed 0."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                          0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    rotate = lambda x, r: ((x << r) | (x >> (64 - r))) & M64
    turn = lambda lane, word: rotate((lane + word * p2) & M64, 31) * p1 & M64
    at, size = 0, len(data)
    if size >= 32:
        a, b, c, d = (p1 + p2) & M64, p2, 0, -p1 & M64
        for w, x, y, z in struct.iter_unpack("<4Q", data[:size // 32 * 32]):
            a = (a + w * p2) & M64
            a = ((a << 31 | a >> 33) & M64) * p1 & M64
            b = (b + x * p2) & M64
            b = ((b << 31 | b >> 33) & M64) * p1 & M64
            c = (c + y * p2) & M64
            c = ((c << 31 | c >> 33) & M64) * p1 & M64
            d = (d + z * p2) & M64
            d = ((d << 31 | d >> 33) & M64) * p1 & M64
        value = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) & M64
        for lane in (a, b, c, d):
            value = ((value ^ turn(0, lane)) * p1 + p4) & M64
        at = size // 32 * 32
    else:
        value = p5
    value = (value + size) & M64
    for at in range(at, size - 7, 8):
        value ^= turn(0, struct.unpack_from("<Q", data, at)[0])
        value = (rotate(value, 27) * p1 + p4) & M64
    at = size // 8 * 8
    if size - at >= 4:
        value ^= struct.unpack_from("<I", data, at)[0] * p1 & M64
        value = (rotate(value, 23) * p2 + p3) & M64
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * p5 & M64, 11) * p1 & M64
    value = (value ^ value >> 33) * p2 & M64
    value = (value ^ value >> 29) * p3 & M64
    return value ^ value >> 32


def seal(text):
    body = text.rstrip()[:-1].rstrip()
    return f'{body},"xxh64":"{xxh64(body.encode()):016x}"}}\n'


def frames(records):
    """Of whole records"""
    out, at = bytearray(), 0
    while at < len(records):
        part = bytearray()
        while at < len(records) and len(part) < 65536:
            part += records[at]
            at += 1
        rest = b"RVTF" + struct.pack("<IQ", len(part), len(out)) + part + bytes(-len(part) % 8)
        out += struct.pack("<Q", xxh64(rest)) + rest
    return bytes(out)


def nexus(*fields):
    """A message: (value, bits) of fixed width, a number of variable width."""
    out, used = [], 6
    for number, field in enumerate(fields):
        value, bits = field if isinstance(field, tuple) else (field, 0)
        for bit in range(bits or max(value.bit_length(), 1)):
            if used == 6:
                out.append(0)
                used = 0
            out[-1] |= (value >> bit & 1) << used + 2
            used += 1
        if not bits or number + 1 == len(fields):
            out[-1] |= 3 if number + 1 == len(fields) else 1
            used = 6
    return bytes(out)


def sync(address, *time):
    return nexus((9, 6), (1, 4), 0, address >> 1, *time)


def ownership(context, kernel=False):
    return nexus((2, 6), 2 | kernel << 2 | context << 5)


def branch(count):
    return nexus((3, 6), count)


class Recording:
    def __init__(self):
        self.sideband, self.records, self.trace = [], [], b""
        self.lines, self.ends, self.files, self.host = {}, {}, {}, None
        self.sinks = [{"name": "s0", "mode": "stream", "segment_size": 1 << 20, "sources": [
            {"component": "encoder0", "cpus": [0], "harts": [0], "format": "ntrace",
             "src_id": 0, "src_bits": 0, "attributes": {"generation": "TCI 1.0", "context": "1"}}]}]

    def event(self, kind, misc, time, payload, pid=1, cpu=0):
        payload += struct.pack("<IIQII", pid, pid, time, cpu, 0)
        self.sideband.append(struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload)

    def fork(self, time, pid, parent):
        self.event(7, 0, time, struct.pack("<IIIIQ", pid, parent, pid, parent, time), pid)

    def mmap(self, time, pid, address, size, path, build_id=b"", offset=0):
        text = path.encode() + b"\0"
        ids = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
        self.event(10, 1 << 14 if build_id else 0, time, struct.pack("<IIQQQ", pid, pid, address, size, offset) +
                   ids + struct.pack("<II", 5, 2) + text + bytes(-len(text) % 8), pid)

    def comm(self, time, pid, name, execs=False):
        self.event(3, 1 << 13 if execs else 0, time, struct.pack("<II", pid, pid) +
                   name.encode().ljust(8, b"\0"), pid)

    def switch(self, time, pid, cpu=0):
        self.event(15, 0, time, struct.pack("<II", 0, 0), pid, cpu)

    def record(self, kind, time, payload, cpu=0, position=0):
        self.records.append(struct.pack("<IHHQQ", 24 + len(payload), kind, cpu, position, time) + payload)

    def task(self, time, cpu, event, tid, name):
        self.record(10, time, struct.pack("<QiiiHH16sQ", tid, tid, tid, 0, event, 0, name.encode(), 0), cpu)

    def space(self, time, context, pid):
        self.record(6, time, struct.pack("<Ii16s", context, pid, b"x"))

    def line(self, file, text):
        lines = self.lines.setdefault(file, [])
        at = self.ends.get(file, 0)
        sealed = seal(text.rstrip()[:-1] + f',"at":{at}' + "}")
        self.ends[file] = at + len(sealed.encode())
        lines.append(sealed)

    def image(self, kind, name, content, file, **members):
        self.files[file] = content
        self.line("images/index.jsonl", json.dumps({
            "file": file, "kind": kind, "name": name, "size": len(content),
            "content": f"{xxh64(content):016x}", **members}, separators=(",", ":")))

    def write(self, folder):
        os.makedirs(folder + "/images")
        metadata = {"schema": 2, "complete": True, "sinks": self.sinks}
        if self.host:
            metadata["host"] = self.host
        self.sinks[0].setdefault("bytes", len(self.trace))
        files = {"metadata.json": seal(json.dumps(metadata)), "s0.0000.bin": self.trace,
                 "s0.records": frames(self.records), "sideband": frames(self.sideband),
                 **{name: "".join(lines) for name, lines in self.lines.items()}}
        files["metadata.copy.json"] = files["metadata.json"]
        entries = [(0, 0, 0, 0, 4, 0, 0)]
        if self.trace:
            entries.append((0, 0, len(self.trace), 1, 1, 0, trace_sum(self.trace)))
        entries.append((len(self.trace), len(self.trace), 0, 2, 5, 0, 0))
        index = b""
        for number, entry in enumerate(entries):
            packed = struct.pack("<QQQQIIQQ", *entry, number)
            index += packed + struct.pack("<Q", xxh64(packed))
        files["s0.idx"] = index
        for name, content in {**files, **self.files}.items():
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())


def trace_sum(data):
    first, second = [0] * 4, [0] * 4
    words = struct.unpack(f"<{(len(data) + 7) // 8}Q", data + bytes(-len(data) % 8))
    for i, word in enumerate(words):
        first[i % 4] = (first[i % 4] + word) & M64
        second[i % 4] = (second[i % 4] + first[i % 4]) & M64
    return xxh64(struct.pack("<8Q", *first, *second))


CODE = struct.pack("<I", 0x13) * 1023 + struct.pack("<i", 0x6f)	# nops, and a jump to itself
ID = bytes(range(20))


def a_trace(r, context=5, address=0x10000, count=200):
    """A hart runs @count nops of the process that @context names."""
    owner = ownership(context, address >> 63)
    r.trace = sync(address) + owner + sync(address) + owner + branch(2 * count)


def hashed(data):
    return data + struct.pack("<Q", xxh64(data))
