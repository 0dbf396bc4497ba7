#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Users map files of file systems that answer nothing any more: what the process that saves images does.

usage: unshare --mount --pid --fork --mount-proc saver-fuse.py RVTRACED FOLDER CASE
Exit status 4: it cannot be tried here; the last line says why.
"""
import json
import mmap
import os
import signal
import socket
import subprocess
import sys

from deaf_fuse import FileSystem

RVTRACED, FOLDER = sys.argv[1:3]
NEIGHBOUR = 65533
SECONDS = 60


class Saver:
    """Of root's recording, who may read whatever there is"""
    def __init__(self):
        self.folder = f"{FOLDER}/images"
        os.makedirs(self.folder)
        images = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        self.channel, theirs = socket.socketpair()
        self.child = subprocess.Popen([RVTRACED, "--save-images", "0", "0", str(os.getpid()), "0"], close_fds=False,
                                      preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        theirs.close()
        socket.send_fds(self.channel, [b"-"], [images])
        os.close(images)
        self.channel.settimeout(SECONDS)
        self.lines = self.channel.makefile("rb")

    def ask(self, *verbs):
        """All at once, as the process that records does"""
        requests = [{"do": verb, "min_free": 0, "memory": 1, "command": 0, "recorders": []} for verb in verbs]
        self.channel.sendall("".join(json.dumps(request) + "\n" for request in requests).encode())
        answers = [json.loads(self.lines.readline()) for _ in verbs]
        # Who goes on saves the kernel's text once more.
        assert not any("error" in answer and "/proc/kcore" not in answer["error"] for answer in answers), answers
        return answers

    def saved(self, pid):
        with open(f"{self.folder}/index.jsonl", encoding="utf-8") as index:
            return [entry for entry in map(json.loads, index) if entry.get("pid") == pid and "file" in entry]

    def listed(self, pid):
        with open(f"{self.folder}/maps.jsonl", encoding="utf-8") as maps:
            return any(json.loads(line)["pid"] == pid for line in maps)

    def end(self):
        self.channel.shutdown(socket.SHUT_RDWR)
        assert self.child.wait(SECONDS) == 0


class Neighbour:
    """Maps a file, on command"""
    def __init__(self, path, deleted):
        self.orders, orders = os.pipe()
        orders, self.orders = self.orders, orders
        told, tells = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.setgroups([]), os.setgid(NEIGHBOUR), os.setuid(NEIGHBOUR)
            fd = os.open(path, os.O_RDWR)
            if deleted:
                os.unlink(path)
            os.write(tells, b"o")
            os.read(orders, 1)
            _map = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
            os.write(tells, b"m")
            signal.pause()
        os.close(orders)
        os.close(tells)
        self.told = told
        assert os.read(told, 1) == b"o"

    def maps(self):
        os.write(self.orders, b"m")
        assert os.read(self.told, 1) == b"m"


def map_memory():
    fd = os.memfd_create("code")
    os.write(fd, b"\x13\0\0\0" * 1024)
    return mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)


def mapped_before(system, neighbour, saver):
    """It is mapped when a recording begins."""
    neighbour.maps()
    system.falls_silent()
    code = map_memory()
    return saver.ask("begin", "maps", "sync"), code


def mapped_meanwhile(system, neighbour, saver):
    """It is mapped while a recording is made."""
    saver.ask("begin", "maps", "sync")
    system.falls_silent()
    neighbour.maps()
    code = map_memory()
    return saver.ask("check", "maps", "deleted", "sync"), code


# What, whether its name is gone, and whether others than its user get to the file
CASES = {
    "memory": (mapped_before, True, ""),
    "file": (mapped_before, False, "allow_other"),
    "new-memory": (mapped_meanwhile, True, ""),
    "new-file": (mapped_meanwhile, True, "allow_other"),
}


def main(case, deleted, others):
    system = FileSystem(FOLDER, NEIGHBOUR, others)
    neighbour = Neighbour(f"{FOLDER}/mnt/f", deleted)
    saver = Saver()
    try:
        answers, code = case(system, neighbour, saver)
        lacks = [answer["lacks"] for answer in answers if "lacks" in answer]
        assert lacks and all(f"process {neighbour.pid} of user {NEIGHBOUR}" in text for text in lacks), answers
        assert saver.listed(os.getpid()) and saver.saved(os.getpid()), answers
        saver.end()
        code.close()
    finally:
        os.kill(neighbour.pid, signal.SIGKILL)
        saver.child.kill()
        system.end()


main(*CASES[sys.argv[3]])
