#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A file system of FUSE that stops to answer when it is told to, for tests in a mount namespace of their own."""
import ctypes
import os
import signal
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ROOT, FILE = 1, 2           # nodes
OPCODES = {"lookup": 1, "forget": 2, "getattr": 3, "setattr": 4, "unlink": 10, "open": 14, "write": 16, "statfs": 17,
           "release": 18, "fsync": 20, "flush": 25, "init": 26, "opendir": 27, "readdir": 28, "releasedir": 29, "fsyncdir": 30,
           "batch_forget": 42}
WRITEBACK = 1 << 16


def skip(why):
    print("SKIP", why)
    sys.exit(4)


def attributes(node):
    mode = 0o40777 if node == ROOT else 0o100666
    return struct.pack("<6Q10I", node, 4096, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def reply(opcode, node, body):
    """(error, bytes) of the one file system there is, with files f, f1, f2..."""
    if opcode == OPCODES["init"]:
        return 0, struct.pack("<4I2H2I2HI", 7, 31, 65536, WRITEBACK, 16, 12, 65536, 1, 16, 0, 0) + bytes(28)
    if opcode == OPCODES["lookup"]:
        name = body.rstrip(b"\0")
        if not name.startswith(b"f"):
            return -2, b""
        node = FILE + int(name[1:] or 0)
        return 0, struct.pack("<4Q2I", node, 0, 1000, 1000, 0, 0) + attributes(node)
    if opcode in (OPCODES["getattr"], OPCODES["setattr"]):
        return 0, struct.pack("<Q2I", 1000, 0, 0) + attributes(node)
    if opcode in (OPCODES["open"], OPCODES["opendir"]):
        return 0, struct.pack("<Q2I", 7, 0, 0)
    if opcode == OPCODES["write"]:
        return 0, struct.pack("<2I", struct.unpack_from("<2QI", body)[2], 0)
    if opcode == OPCODES["statfs"]:
        return 0, bytes(80)
    if opcode in [OPCODES[name] for name in ("unlink", "release", "fsync", "flush", "readdir", "releasedir", "fsyncdir")]:
        return 0, b""
    return -38, b""


def serve(fd, deaf):
    """Until the file @deaf is there"""
    while True:
        data = os.read(fd, 1 << 20)
        _, opcode, unique, node = struct.unpack_from("<2I2Q", data)
        if os.path.exists(deaf) or opcode in (OPCODES["forget"], OPCODES["batch_forget"]):
            continue
        if opcode == OPCODES["write"] and os.path.exists(f"{deaf}-to-writes"):
            continue
        error, out = reply(opcode, node, data[40:])
        os.write(fd, struct.pack("<IiQ", 16 + len(out), error, unique) + out)


class FileSystem:
    def __init__(self, folder, user=0, others=""):
        """Of @user's; with @others="allow_other" not only that user gets to it."""
        self.folder, self.deaf = folder, f"{folder}/deaf"
        for name in ("mnt", "low", "merged"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        if os.path.exists(self.deaf):
            os.unlink(self.deaf)
        try:
            fd = os.open("/dev/fuse", os.O_RDWR)
        except OSError as error:
            skip(f"/dev/fuse: {error.strerror}")
        options = f"fd={fd},rootmode=40000,user_id={user},group_id={user},{others}".rstrip(",").encode()
        if LIBC.mount(b"x", f"{folder}/mnt".encode(), b"fuse.x", 0, options):
            skip(f"FUSE: {os.strerror(ctypes.get_errno())}")
        self.server = os.fork()
        if not self.server:
            serve(fd, self.deaf)
        os.close(fd)

    def directory(self):
        """Its close waits for who looks up a name in it, until the file system answers that."""
        merged = f"{self.folder}/merged"
        layers = f"lowerdir={self.folder}/mnt:{self.folder}/low"
        done = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, merged], capture_output=True, text=True, check=False)
        if done.returncode:
            os.kill(self.server, signal.SIGKILL)
            skip(f"overlay over FUSE: {done.stderr.strip()}")
        fd = os.open(merged, os.O_RDONLY | os.O_DIRECTORY)
        os.listdir(fd)
        return fd

    def look_up(self):
        if not os.fork():
            try:
                os.stat(f"{self.folder}/merged/nothing")
            finally:
                os._exit(0)
        time.sleep(1)

    def files(self, count):
        """Their close writes what is not written yet."""
        files = [os.open(f"{self.folder}/mnt/f", os.O_RDWR) for _ in range(count)]
        os.write(files[0], b"x" * 4096)
        return files

    def falls_silent(self):
        with open(self.deaf, "w", encoding="ascii"):
            pass

    def end(self):
        """Whoever waits for it waits no longer."""
        os.kill(self.server, signal.SIGKILL)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                return
