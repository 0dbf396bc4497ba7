#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends files of a file system that does not answer to rvtraced: what they hold up is their client's.

usage: unshare --mount daemon-fuse.py SOCKET FOLDER
Exit status 4: it cannot be tried here; the last line says why.
"""
import array
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ROOT, FILE = 1, 2           # nodes
OPCODES = {"lookup": 1, "forget": 2, "getattr": 3, "setattr": 4, "open": 14, "write": 16, "statfs": 17,
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
    if opcode in [OPCODES[name] for name in ("release", "fsync", "flush", "readdir", "releasedir", "fsyncdir")]:
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
    def __init__(self, folder):
        self.folder, self.deaf = folder, f"{folder}/deaf"
        for name in ("mnt", "low", "merged"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        if os.path.exists(self.deaf):
            os.unlink(self.deaf)
        try:
            fd = os.open("/dev/fuse", os.O_RDWR)
        except OSError as error:
            skip(f"/dev/fuse: {error.strerror}")
        options = f"fd={fd},rootmode=40000,user_id=0,group_id=0".encode()
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


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(path)
    return client


def daemon(path):
    """Its process, if it answers"""
    client = connect(path)
    client.sendall(b'{"request":"status"}\n')
    answer = client.recv(1000)
    return int(answer.split(b'"pid":')[1].split(b",")[0])


def answers(client):
    try:
        client.sendall(b'{"request":"list"}\n')
        return b'"ok":true' in client.recv(1000)
    except ConnectionError:
        return False


def fill(path):
    """All the connections that root may have"""
    clients = []
    while len(clients) < 128:
        client = connect(path)
        if answers(client):
            clients.append(client)
        else:
            client.close()      # of those before not all have ended
            time.sleep(0.1)
    return clients


def send(client, data, files):
    client.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    for fd in files:
        os.close(fd)


def hanging_directory(path, system, _):
    """It came with a request that takes it, but there is no sink."""
    client = connect(path)
    fd = system.directory()
    send(client, b'{"request":"open","directory":"x"', [fd])
    time.sleep(0.5)
    system.falls_silent()
    system.look_up()
    client.sendall(b"}\n")
    return [client]


def hanging_files(path, system, pid):
    """More than are taken"""
    client = connect(path)
    client.sendall(b" ")
    os.kill(pid, signal.SIGSTOP)
    send(client, b"x", system.files(6))
    system.falls_silent()
    os.kill(pid, signal.SIGCONT)
    return [client]


def hanging_unread(path, system, pid):
    """In connections that are turned away, and in those that are closed before they are accepted"""
    clients = fill(path)
    os.kill(pid, signal.SIGSTOP)
    for files in (system.files(3), system.files(3)):
        clients.append(connect(path))
        send(clients[-1], b"x", files)
    system.falls_silent()
    os.kill(pid, signal.SIGCONT)
    time.sleep(2)
    for client in clients:
        client.close()
    time.sleep(1)
    return []


def closers(pid):
    count = 0
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        for child in children.read().split():
            with open(f"/proc/{child}/comm", encoding="utf-8") as comm:
                count += comm.read() == "rvtraced-close\n"
    return count


def hanging_for_long(path, system, pid):
    """What is turned away second by second takes no more processes."""
    clients, files = fill(path), []
    with open(f"{system.deaf}-to-writes", "w", encoding="ascii"):
        pass
    for i in range(8):
        name = f"{system.folder}/mnt/f{i}"
        files.append(os.open(name, os.O_RDWR))
        os.kill(pid, signal.SIGSTOP)
        with connect(path) as client:
            send(client, b"x", [os.open(name, os.O_RDWR)])
        # The one that was sent waits for this in its close.
        os.write(files[-1], b"x" * 4096)
        os.kill(pid, signal.SIGCONT)
        time.sleep(1.5)
    count = closers(pid)
    assert count <= 5, f"{count} processes close files"
    for client in clients:
        client.close()
    time.sleep(1)
    return []


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        return stat.read().rpartition(") ")[2][0]


def main(path, folder):
    pid = daemon(path)
    for case in (hanging_directory, hanging_files, hanging_unread, hanging_for_long):
        system, clients = FileSystem(f"{folder}/{case.__name__}"), []
        try:
            clients = case(path, system, pid)
            time.sleep(1)
            assert state(pid) != "D", f"{case.__name__}: the daemon hangs"
            for _ in range(3):
                assert daemon(path) == pid
            print(case.__name__, "ok", len(clients))
        except socket.timeout:
            assert False, f"{case.__name__}: no answer"
        finally:
            os.kill(pid, signal.SIGCONT)
            system.end()
            for client in clients:
                client.close()


main(*sys.argv[1:])
