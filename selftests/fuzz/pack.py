#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A recording as an input of fuzz-bytes, on stdout: see folder.h.

  pack.py RECORDING
"""
import os
import re
import struct
import sys

MOST = 65536  # bytes of a file


def records(data):
    """Without frames"""
    out, at = b"", 0
    while at + 24 <= len(data):
        length, = struct.unpack_from("<I", data, at + 12)
        out += data[at + 24:at + 24 + length]
        at += 24 + length + -length % 8
    return out


def bare(name, data):
    if name.endswith(".json"):
        return re.sub(rb',\s*"xxh64":"[0-9a-f]{16}"', b"", data)
    if name.endswith(".jsonl"):
        # files are cut, so nothing says what is in them
        data = re.sub(rb',"(size|content)":("[0-9a-f]{16}"|\d+)', b"", data)
        return re.sub(rb',"at":\d+,"xxh64":"[0-9a-f]{16}"', b"", data)
    return records(data) if name == "sideband" or name.endswith(".records") else data


def main():
    folder = sys.argv[1]
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name == "metadata.copy.json":
                continue
            full = os.path.join(path, name)
            with open(full, "rb") as file:
                data = bare(name, file.read())
            sys.stdout.buffer.write(b"\n@@ %s\n" % os.path.relpath(full, folder).encode() + data[:MOST])


main()
