# SPDX-License-Identifier: GPL-2.0
"""Small recordings that a stranger made to cost much. CASES are functions that make one each."""
import struct

from elf_writer import an_elf, elf, with_sections
from recording_writer import CODE, ID, Recording, a_trace, branch, frames, hashed, nexus, ownership, sync

MIB = 1 << 20


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


def program(r, content, build_id=ID):
    """@content is the program that runs"""
    r.mmap(1000, 1, 0x10000, 0x100000, "/bin/a", build_id)
    r.image("file", "/bin/a", content, "images/a", build_id=build_id.hex())
    r.space(500000, 5, 1)
    a_trace(r, address=0x10000 + 0x1000)
    return r


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
