# SPDX-License-Identifier: GPL-2.0
"""Small recordings that a stranger made to cost much, or to have files opened that are not theirs.
Every checksum is right.

  hostile.py list                       names of those that cost much
  hostile.py make NAME FOLDER           makes one
  hostile.py check NAME FOLDER TRACECTL makes it and reads it with every verb, within what
                                        docs/formats.md promises of memory, and CPUS times as much
                                        time; says what that took
  hostile.py opens NAME FOLDER TRACECTL makes one of those that name a file, and says whether that was
                                        opened, its code decoded, and what was said
"""
import ctypes
import json
import math
import os
import resource
import stat
import struct
import subprocess
import sys

MIB = 1 << 20
MEMORY, MEMORY_PER_BYTE = 64 * MIB, 64
CPU, CPU_PER_BYTE = 1.0, 2e-6
CPUS = 2 * float(os.environ.get("RVTRACE_PATIENCE", "1"))	# a machine may be slower than the one that docs/formats.md speaks of
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


def forks():
    """As many mappings as forks that inherit them"""
    r = Recording()
    for i in range(3000):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, f"/lib/{i}")
    for i in range(6000):
        r.fork(10000 + i, 2 + i, 1)
    return r


def grandchildren():
    """A process forked by a process, many times, before anything is known of the first"""
    r = Recording()
    for i in range(10000):
        r.fork(10000 + i, 2 + i, 1 + i)
    maps = ",".join(f'{{"start":"{0x10000 + i * 4096:#x}","end":"{0x11000 + i * 4096:#x}","path":"/a"}}'
                    for i in range(500))
    r.line("images/maps.jsonl", f'{{"pid":1,"comm":"a","time":900000,"maps":[{maps}]}}')
    return r


def one_bucket():
    """Processes whose ids are equal but for their upper bits"""
    r = Recording()
    for i in range(12000):
        r.comm(1000 + i, 1024 * (i + 1), "a")
    return r


def akin():
    """One build id under thousands of names"""
    r = Recording()
    for i in range(9500):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, f"/b/{i}", ID)
    r.space(500000, 5, 1)
    a_trace(r)
    return r


def switching():
    """A hart that executes one instruction of each of many processes with many mappings, in turn"""
    r = Recording()
    for i in range(2000):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, f"/b/{i}", ID)
    r.image("file", "/b/0", CODE, "images/a", build_id=ID.hex())
    for i in range(600):
        r.fork(10000 + i, 2 + i, 1)
        r.mmap(20000 + i, 2 + i, 0x8000000, 0x1000, f"/b/{i}", ID)
        r.space(30000 + i, i, 2 + i)
    r.trace = b"".join(sync(0x10000) + ownership(i) + branch(2) for i in range(600)) * 100
    return r


def places():
    """Instructions in turn in each of many mappings"""
    r = Recording()
    for i in range(4000):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, f"/b/{i}", ID)
    r.image("file", "/b/0", CODE, "images/a", build_id=ID.hex())
    r.space(500000, 5, 1)
    a_trace(r)
    r.trace += b"".join(sync(0x10000 + i * 0x1000) + branch(2) for i in range(4000)) * 10
    return r


def names():
    """Thousands of images, and mappings that each of them might be of"""
    r = Recording()
    for i in range(3000):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, f"/b/{i}", struct.pack("<5I", i, 1, 2, 3, 4))
        r.image("file", f"/c/{i}", CODE[:8], "images/a", build_id="")
    r.space(500000, 5, 1)
    a_trace(r)
    return r


def renames():
    """A task runs on every CPU, and gets another name again and again"""
    r = Recording()
    for cpu in range(4000):
        r.task(1000, cpu, 1, 7, "seven")
    for i in range(8000):
        r.task(2000 + i, 0, 6, 7, f"n{i}")
    return r


def cpus():
    """CPUs that no machine has"""
    r = Recording()
    for i in range(4000):
        r.switch(1000 + i, 7, 0xffffffff - i * 1000)
        r.task(1000 + i, 65535 - i, 1, 7, "a")
    return r


def sources():
    """As many encoders in the trace as its messages can name"""
    r = Recording()
    r.sinks[0]["sources"][0]["src_bits"] = 12
    r.trace = b"".join(nexus((9, 6), (i, 12), (1, 4), 0, 0x10000 >> 1) for i in range(4096)) * 20
    return r


def restarts():
    """As many times at which timestamps count from 0 again as pairs of clocks"""
    r = Recording()
    for i in range(20000):
        r.record(11, 1000 + i, b"", position=i)
        r.record(5, 100000 + i, struct.pack("<QQ", i, 0), position=i)
    a_trace(r)
    return r


def segments():
    """The last of a million segments"""
    r = Recording()
    a_trace(r)
    r.sinks[0]["bytes"] = 1 << 40
    r.files["s0.999999.bin"] = b"x"
    return r


def segments_apart():
    """Every other one of many segments"""
    r = Recording()
    a_trace(r)
    r.sinks[0]["bytes"] = 1 << 40
    for i in range(2000):
        r.files[f"s0.{1 + 400 * i:04d}.bin"] = b"x"
    return r


def false_frames():
    """Headers of frames that are none, each as long as a frame may be"""
    r = Recording()
    r.files["sideband"] = b"".join(bytes(8) + b"RVTF" + struct.pack("<IQ", 3 * MIB, at * 24) for at in range(4 * MIB // 24))
    r.files["s0.records"] = r.files["sideband"]
    return r


def one_image():
    """One large image that thousands of lines of the index are about"""
    r = Recording()
    content = bytes(4 * MIB)
    r.image("file", "/a", content, "images/a", build_id="")
    text = r.lines["images/index.jsonl"][0].rpartition(',"at"')[0] + "}"
    for i in range(4000):
        r.line("images/index.jsonl", text.replace('"/a"', f'"/a{i}"'))
    return r


def kernel_images():
    """Thousands of images of kernel text at times of their own"""
    r = Recording()
    for i in range(4000):
        r.image("module", f"m{i}", CODE[:64], "images/m", address=hex(0xffffffff80000000 + 64 * i), time=1000 + i)
        r.event(17, 0, 2000 + i, struct.pack("<QIHH", 0xffffffff80000000 + 64 * i, 64, 1, 0) + b"a".ljust(8, b"\0"))
    a_trace(r, address=0xffffffff80000000, count=8)
    return r


def kernel_times():
    """As many states of kernel text as pieces of it, and a hart that goes through them in turn"""
    r = Recording()
    r.sinks[0]["sources"][0]["attributes"].update(ts_enable="1", ts_width="40", timestamp_frequency="1000000000")
    for i in range(2):
        r.record(5, 1000 + 1000000 * i, struct.pack("<QQ", 1000 + 1000000 * i, 0))
    for i in range(2000):
        r.image("module", f"m{i}", CODE[:64], "images/m", address=hex(0xffffffff80000000 + 64 * i), time=2000 + 10 * i)
        r.event(17, 0, 2000 + 10 * i, struct.pack("<QIHH", 0xffffffff80000000 + 64 * i, 64, 1, 0) + b"a".ljust(8, b"\0"))
    owner = ownership(5, True)
    r.trace = b"".join(sync(0xffffffff80000000, 2500 + 10 * i) + owner + branch(2) for i in range(1900)) * 3
    return r


def modules():
    """Instructions in turn in each of many modules"""
    r = Recording()
    for i in range(4000):
        r.image("module", f"m{i}", CODE[:64], "images/m", address=hex(0xffffffff80000000 + 64 * i))
    owner = ownership(5, True)
    r.trace = b"".join(sync(0xffffffff80000000 + 64 * i) + owner + branch(2) for i in range(4000)) * 5
    return r


def long_paths():
    """Names of files that are longer than those of files can be, in each line of a listing"""
    r = Recording()
    r.mmap(1000, 1, 0x10000, 0x1000, "/" + "a" * 60000, ID)
    r.image("file", "/" + "b" * 200000, CODE, "images/a", build_id=ID.hex())
    r.space(500000, 5, 1)
    a_trace(r, count=1000)
    r.trace += b"".join(sync(0x10000 + i % 2 * 64) + branch(20) for i in range(20000))
    return r


def saved():
    """As many saved pieces of memory as mappings"""
    r = Recording()
    for i in range(3000):
        r.mmap(1000 + i, 1, 0x10000 + i * 0x1000, 0x1000, "//anon")
        r.image("file", "//anon", CODE[:4096], "images/s", saved=True, pid=1, start=hex(0x10000 + i * 0x1000), time=600000)
    r.space(500000, 5, 1)
    a_trace(r)
    return r


def nested():
    """Metadata of empty objects"""
    r = Recording()
    r.sinks[0]["sources"][0]["attributes"]["x"] = [{}] * 900000
    return r


def lists():
    """Lines of empty lists"""
    r = Recording()
    for i in range(20):
        r.line("images/maps.jsonl", f'{{"pid":{i},"comm":"a","time":1,"maps":[{",".join(["[]"] * 30000)}]}}')
    return r


def sinks():
    """One index for thousands of sinks of one name"""
    r = Recording()
    r.files["s0.records"] = frames([struct.pack("<IHHQQ", 24, 0, 0, 0, 0)] * 4000)
    r.sinks += [{"name": "s0", "mode": "x" * 40}] * 20000
    r.sinks += [{"name": f"n{i}", "mode": "x" * 40} for i in range(20000)]
    return r


def kallsyms():
    """A symbol whose name is longer than all that is traced, and many short ones"""
    r = Recording()
    r.image("kernel", "vmlinux", CODE, "images/kernel", address="0xffffffff80000000")
    r.files["images/kallsyms"] = (b"ffffffff80000000 T " + b"a" * 2 * MIB + b"\n" + b"1 t a\n" * 200000 +
                                  b"ffffffff80001000 T b\n")
    a_trace(r, address=0xffffffff80000000)
    return r


def damage():
    """Damage in so many places that nobody wants to know"""
    r = Recording()
    r.files["s0.idx"] = b"".join(hashed(struct.pack("<QQQQIIQQ", 0, 0, 0, 0, 99, 0, 0, 2 * i)) for i in range(16000))
    r.files["sideband"] = b"".join(frames([struct.pack("<IHHQ", 3, 0, 16, 0)])[:40] + b"x" for i in range(12000))
    return r


def hashed(data):
    return data + struct.pack("<Q", xxh64(data))


def elf(sections, segments=(), size=0, names=b""):
    """@sections: of (type, flags, offset, size, link, entry size); -1: what is behind the headers"""
    start = 64 + 56 * len(segments)
    table = start + max(len(names), size)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 243, 1, 0, 64 if segments else 0, table, 0, 64, 56, min(len(segments), 0xfffe), 64,
        len(sections), 0)
    return b"".join([header, *(struct.pack("<IIQQQQQQ", *s) for s in segments), names.ljust(size, b"\0"), *(
        struct.pack("<IIQQQQIIQQ", 0, kind, flags, 0x10000, offset, length, link, 1, 8, entry)
        for kind, flags, offset, length, link, entry in sections)])


def program(r, content, build_id=ID):
    """@content is the program that runs"""
    r.mmap(1000, 1, 0x10000, 0x100000, "/bin/a", build_id)
    r.image("file", "/bin/a", content, "images/a", build_id=build_id.hex())
    r.space(500000, 5, 1)
    a_trace(r, address=0x10000 + 0x1000)
    return r


def an_elf(tables, symbols, length, copies=1, segments=1):
    """An ELF file with code from 0x1000 on, and as many symbol tables over the same symbols"""
    load = (1, 5, 0, 0x10000, 0, 0x2000, 0x2000, 4096)
    headers = 64 + 56 * segments
    text = b"\0" + b"a" * length + b"\0"
    body = CODE.rjust(0x2000 - headers, b"\0")
    where = headers + len(body)
    symbol = b"".join(struct.pack("<IBBHQQ", 1 + i % max(length, 1), 2, 0, 1, 0x11000 + i // copies, 4) for i in range(symbols))
    sections = [(0, 0, 0, 0, 0, 0), (1, 6, 0x1000, 0x1000, 0, 0), (3, 0, where, len(text), 0, 0)]
    sections += [(2, 0, where + len(text), len(symbol), 2, 24)] * tables
    return elf(sections, [load] * segments, names=body + text + symbol)


def symbol_tables():
    """Thousands of symbol tables over the same symbols"""
    return program(Recording(), an_elf(3000, 10000, 10))


def long_names():
    """Symbols of one place, whose names are the ends of one long name"""
    return program(Recording(), an_elf(1, 20000, 500000, 20000))


def elf_segments():
    """As many program headers as symbols"""
    return program(Recording(), an_elf(1, 30000, 10, 1, 20000))


def sections():
    """An ELF file with more sections than bytes of them"""
    return program(Recording(), an_elf(20000, 1, 10))


def compressed():
    """Sections that are much larger once they are unpacked"""
    import zlib
    packed = struct.pack("<IIQQ", 1, 0, 256 * MIB, 1) + zlib.compress(bytes(256 * MIB), 9)
    body = CODE.rjust(0x2000 - 120, b"\0")
    load = (1, 5, 0, 0x10000, 0, 0x2000, 0x2000, 4096)
    sections = [(0, 0, 0, 0, 0, 0), (1, 6, 0x1000, 0x1000, 0, 0), (3, 0, 0x2000, 0, 0, 0),
                (2, 0x800, 0x2000, len(packed), 2, 24)]
    return program(Recording(), elf(sections, [load], names=body + packed))


def with_sections(contents):
    """CODE at 0x1000, and sections that have names"""
    names, body, table = b"\0", CODE.rjust(0x2000 - 120, b"\0"), [bytes(64), struct.pack("<IIQQQQIIQQ", 0, 1, 6, 0x11000, 0x1000, 0x1000, 0, 0, 4, 0)]
    for name, content in [*contents.items(), (".shstrtab", None)]:
        at, names = len(names), names + name.encode() + b"\0"
        content = names if content is None else content
        table.append(struct.pack("<IIQQQQIIQQ", at, 3 if content is names else 1, 0, 0, 120 + len(body), len(content), 0, 0, 1, 0))
        body += content
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 243, 1, 0, 64, 120 + len(body), 0, 64, 56, 1, 64, len(table), len(table) - 1)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0x10000, 0, 0x2000, 0x2000, 4096) + body + b"".join(table)


def line_tables():
    """Source lines of units that have a table each, all with the same long end"""
    units, rows = 150, 300000
    sized = lambda body: struct.pack("<I", len(body)) + body
    # Whatever follows a table's header are names of its directories, as far as the end of all.
    header = bytes([4, 1, 1, 14, 13]) + bytes([1] * 12) + b"aaaa\0"
    files = b"a" * 0x10101 + b"\0\0a\0\0\0\0\0"
    end = b"\0\x09\2" + struct.pack("<Q", 0x11000) + b"\x14" * rows + b"\0\1\1"
    step = 10 + len(header)
    line = b"".join(struct.pack("<IHI", step * (units - unit) - 4 + len(files + end), 2, step * (units - unit) - 10 + len(files)) + header
                    for unit in range(units)) + files + end
    abbrev = bytes([1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0, 0])
    info = [sized(struct.pack("<HIBBIQQ", 4, 0, 8, 1, step * unit, 0x11000 + 4 * unit, 4)) for unit in range(units)]
    ranges = [sized(struct.pack("<HIBBI4Q", 2, unit * len(info[0]), 8, 0, 0, 0x11000 + 4 * unit, 4, 0, 0)) for unit in range(units)]
    return program(Recording(), with_sections({".debug_abbrev": abbrev, ".debug_info": b"".join(info), ".debug_aranges": b"".join(ranges), ".debug_line": line}))


CASES = [forks, grandchildren, one_bucket, akin, switching, places, names, renames, cpus, sources, restarts, segments, segments_apart, false_frames,
         one_image, kernel_images, kernel_times, modules, long_paths, saved, nested, lists, sinks, kallsyms, damage, symbol_tables, long_names,
         elf_segments, sections, compressed, line_tables]


def size_of(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


VERBS = ["decode", "decode --summary", "decode --lines", "decode --output calls", "decode --json --output blocks", "decode --packets",
         "decode --text", "report", "report --json", "threads", "threads --switches", "threads --json", "events",
         "events --json", "recover --check", "recover --dry-run", "recover"]


class Cost:
    """The most that a command took, of what it may"""
    def __init__(self):
        self.memory, self.time = (0, ""), (0, "")

    def add(self, memory, seconds, what):
        self.memory = max(self.memory, (memory, what))
        self.time = max(self.time, (seconds, what))

    def __str__(self):
        return f"at most {self.memory[0]:.2f} of the memory ({self.memory[1]}), {self.time[0]:.2f} of the time ({self.time[1]})"


def run(folder, command, most=None):
    """What is wrong with it, or None"""
    size = size_of(folder)
    memory, seconds = MEMORY + MEMORY_PER_BYTE * size, CPU + CPU_PER_BYTE * size
    child = os.fork()
    if not child:
        limit = math.ceil(seconds * CPUS)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        null = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    took = usage.ru_utime + usage.ru_stime
    if most:
        most.add(usage.ru_maxrss * 1024 / memory, took / seconds, " ".join(command[1:]))
    else:
        print(f"{' '.join(command[1:])}: {size / MIB:.2f} MiB, {usage.ru_maxrss / 1024:.0f} of {memory / MIB:.0f} MiB, "
              f"{took:.2f} of {seconds:.2f} s", flush=True)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return "too much memory" if usage.ru_maxrss * 1024 > memory else None


def check(name, folder, tracectl):
    make(name).write(folder)
    wrong = [f"{verb}: {fault}" for verb in VERBS if (fault := run(folder, [tracectl, *verb.split(), folder]))]
    sys.exit("\n".join(wrong) or 0)


def make(name):
    return {case.__name__: case for case in CASES}[name]()


def victim():
    """A program with a build id, which a recording is about and does not hold"""
    note = struct.pack("<III4s", 4, 20, 3, b"GNU") + ID
    segments = [(1, 5, 0, 0x10000, 0, 0x2000, 0x2000, 4096), (4, 4, 0x200, 0x10200, 0, len(note), len(note), 4)]
    body = (note + CODE.rjust(0x2000 - 0x200 - len(note), b"\0")).rjust(0x2000 - 64 - 112, b"\0")
    return elf([(0, 0, 0, 0, 0, 0)], segments, names=body)


class Watch:
    """Which of some files are opened"""
    def __init__(self, paths):
        self.libc = ctypes.CDLL(None)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK)
        for path in paths:
            assert self.libc.inotify_add_watch(self.fd, path.encode(), 0x20) >= 0, path	# IN_OPEN

    def any(self):
        try:
            return bool(os.read(self.fd, 4096))
        except BlockingIOError:
            return False


def named(path, boot_id=None):
    """A process executes what is at @path"""
    r = Recording()
    r.host = {"boot_id": boot_id} if boot_id else None
    r.mmap(1000, 1, 0x10000, 0x100000, path, ID)
    r.space(500000, 5, 1)
    a_trace(r, address=0x11000)
    return r


def opens(name, folder, tracectl):
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    program, fifo, link = folder + "/program", folder + "/fifo", folder + "/root/link"
    os.makedirs(folder + "/root/" + folder)
    with open(program, "wb") as file:
        file.write(victim())
    os.mkfifo(fifo)
    os.symlink(program, link)
    zero, watched = folder + "/zero", [program, fifo]
    try:
        os.mknod(zero, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        watched.append(zero)  # others open /dev/zero
    except PermissionError:
        zero = "/dev/zero"
    here = {"boot_id": boot}
    cases = {
        "here": (program, here, []), "nowhere": (program, {}, []),
        "elsewhere": (program, {"boot_id": "01234567-89ab-cdef-0123-456789abcdef"}, []),
        "root": (program, {}, ["--image-path", "/"]), "fifo": (fifo, here, []),
        "up": (f"{folder}/root/../program", here, []), "descriptor": ("/proc/self/fd/0", here, []),
        "standard": ("/dev/stdin", here, []), "link": ("/link", {}, ["--image-path", folder + "/root"]),
        "device": (zero, here, []), "above": ("/../program", {}, ["--image-path", folder + "/root"]),
    }
    path, host, options = cases[name]
    named(path, **host).write(folder + "/recording")
    with open(program, "rb") as standard:
        watch = Watch(watched)
        result = subprocess.run([tracectl, "decode", *options, folder + "/recording"], stdin=standard, timeout=600,
                                capture_output=True, text=True, check=False)
    print("opened" if watch.any() else "not opened", "decoded" if "0x11000" in result.stdout and "no image" not in
          result.stdout else "not decoded", "said" if "--image-path /" in result.stderr else "not said")


if __name__ == "__main__":
    if sys.argv[1] == "list":
        print("\n".join(case.__name__ for case in CASES))
    elif sys.argv[1] == "make":
        make(sys.argv[2]).write(sys.argv[3])
    elif sys.argv[1] == "check":
        check(*sys.argv[2:5])
    elif sys.argv[1] == "opens":
        opens(*sys.argv[2:5])
    else:
        sys.exit(run(sys.argv[2], sys.argv[3:]))
