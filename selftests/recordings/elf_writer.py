# SPDX-License-Identifier: GPL-2.0
"""ELF files, written byte by byte."""
import struct

from recording_writer import CODE, ID


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


def victim():
    """A program with a build id, which a recording is about and does not hold"""
    note = struct.pack("<III4s", 4, 20, 3, b"GNU") + ID
    segments = [(1, 5, 0, 0x10000, 0, 0x2000, 0x2000, 4096), (4, 4, 0x200, 0x10200, 0, len(note), len(note), 4)]
    body = (note + CODE.rjust(0x2000 - 0x200 - len(note), b"\0")).rjust(0x2000 - 64 - 112, b"\0")
    return elf([(0, 0, 0, 0, 0, 0)], segments, names=body)
