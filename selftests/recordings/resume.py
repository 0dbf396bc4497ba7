#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings that their owner changed after rvtraced died: another one ends each of them, or refuses to.

usage: resume.py RVTRACED FOLDER
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

from hostile_cases import places
from recording_writer import seal

RVTRACED, FOLDER = sys.argv[1:]
PATIENCE = float(os.environ.get("RVTRACE_PATIENCE", "1"))
SECONDS = 60 * PATIENCE
SILENCE = int(5 * PATIENCE)     # after which one that reads a huge file has failed
OWNER = 65534
SECRET = "root's\n"
AT_ONCE = 16
METADATA_FILES = ("metadata.json", "metadata.copy.json")
FILES = ("metadata.json", "s0.idx", "s0.0000.bin", "s0.records", "sideband", "images")
CHANGED = ("metadata.json", "s0.idx", "s0.records", "sideband")     # what is read, not only appended to


def unfinished(folder):
    """As it is while it is made"""
    places().write(folder)
    with open(f"{folder}/metadata.json", encoding="utf-8") as file:
        metadata = json.load(file)
    metadata["complete"] = False
    del metadata["xxh64"]
    for name in METADATA_FILES:
        put(f"{folder}/{name}", seal(json.dumps(metadata)).encode())


def put(path, content):
    with open(path, "wb") as file:
        file.write(content)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def cut(path):
    os.truncate(path, os.path.getsize(path) * 2 // 3)


def scramble(path):
    with open(path, "r+b") as file:
        content = bytearray(file.read())
        for _ in range(1 + len(content) // 100):
            content[random.randrange(len(content))] = random.randrange(256)
        file.seek(0)
        file.write(content)


def sealed(value):
    """Metadata of that member, with a checksum that is right"""
    return lambda path: put(path, seal(json.dumps({"schema": 2, "complete": False, **value})).encode())


PLACES = {"fifo": os.mkfifo, "link": lambda path: os.symlink(f"{FOLDER}/secret", path),
          "folder": os.mkdir, "none": lambda path: None,
          "huge": lambda path: os.truncate(os.open(path, os.O_RDWR | os.O_CREAT), 1 << 43)}
METADATA = {"deep": lambda path: put(path, b'{"a":' * 100000), "long": lambda path: put(path, b'{"a":"' + b"a" * (16 << 20)),
            "no-sinks": sealed({"sinks": []}), "sinks": sealed({"sinks": [{"name": f"s{i}"} for i in range(10000)]}),
            "up": sealed({"sinks": [{"name": "../../secret", "mode": "stream", "segment_size": 1}]}),
            "errors": sealed({"sinks": [{"name": "s0"}], "errors": [[[]], 5, "a" * 1000] * 200})}


# Sizes that a hole makes take as long as those of trace.
SLOW = ("s0.idx: huge", "s0.records: huge", "sideband: huge")


def cases():
    """What, and what does it to a recording"""
    for name in FILES:
        for what, place in PLACES.items():
            if what == "folder" and name not in ("metadata.json", "images"):
                continue
            yield f"{name}: {what}", lambda folder, n=name, p=place: (remove(f"{folder}/{n}"), p(f"{folder}/{n}"))
    for name in CHANGED:
        yield f"{name}: cut", lambda folder, n=name: cut(f"{folder}/{n}")
        yield f"{name}: scrambled", lambda folder, n=name: scramble(f"{folder}/{n}")
    for what, change in METADATA.items():
        yield f"metadata: {what}", lambda folder, c=change: [c(f"{folder}/{name}") for name in METADATA_FILES]
    yield "all: link", lambda folder: (os.rename(folder, folder + ".old"), os.symlink(f"{FOLDER}/private", folder))
    yield "all: another", lambda folder: (os.rename(folder, folder + ".old"), os.mkdir(folder))
    yield "all: fifo", lambda folder: (os.rename(folder, folder + ".old"), os.mkfifo(folder))
    yield "nothing", lambda folder: None


def state(folder):
    """What a daemon leaves that dies"""
    st = os.stat(folder)
    return {"uid": OWNER, "gid": OWNER, "groups": [], "directory": folder, "device": st.st_dev, "inode": st.st_ino, "encoders": [],
            "session": 1, "sideband": True, "all_encoders": True, "detached": True, "release": True}


def prepare(number, change):
    folder = f"{FOLDER}/recordings/{number}"
    shutil.copytree(f"{FOLDER}/unfinished", folder)
    for where, _, files in os.walk(folder):
        for path in [where, *(f"{where}/{name}" for name in files)]:
            os.chown(path, OWNER, OWNER)
    with open(f"{FOLDER}/run/sessions/sink{number}.json", "w", encoding="utf-8") as file:
        json.dump(state(folder), file)
    # The owner does it.
    pid = os.fork()
    if not pid:
        os.setgroups([])
        os.setgid(OWNER)
        os.setuid(OWNER)
        change(folder)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def answers():
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(f"{FOLDER}/run/socket")
        client.sendall(b'{"request":"status"}\n')
        assert client.recv(1000).startswith(b'{"ok":true')


def wait_for(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"timed out: {what}: {read(f'{FOLDER}/resume.log')}"
        time.sleep(0.05)


def said(log, number):
    """What the daemon says of its end"""
    return [line for line in read(log).splitlines() if f"sink{number}: " in line and
            ("cannot go on" in line or "recording ends where it was" in line)]


def check(some, silent_time):
    log = f"{FOLDER}/resume.log"
    for number, _, change in some:
        prepare(number, change)
    put(f"{FOLDER}/conf", f"[daemon]\nnice = 0\n[limits]\nsilent_time = {silent_time}\n".encode())
    with open(log, "w", encoding="utf-8") as output:
        daemon = subprocess.Popen([RVTRACED, "--foreground", "--config", f"{FOLDER}/conf", "--socket", f"{FOLDER}/run/socket",
                                   "--state-dir", f"{FOLDER}/state"], stderr=output)
    try:
        wait_for(lambda: "ready\n" in read(log), "the daemon")
        answers()
        wait_for(lambda: all(said(log, number) for number, *_ in some), "what it says of each")
        wait_for(lambda: not os.listdir(f"{FOLDER}/run/sessions"), "the sessions")
        answers()
        assert daemon.poll() is None
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(SECONDS) == 0
        for number, name, _ in some:
            lines = said(log, number)
            print(name, "->", *lines)
            assert len(lines) == 1 and len(lines[0]) < 1000, lines
            assert ("the process that tried it died" in lines[0]) == (name in SLOW), lines
    finally:
        daemon.kill()
    assert "Sanitizer" not in read(log) and "runtime error" not in read(log), read(log)


def main():
    random.seed(1)
    for name in ("run/sessions", "recordings", "private"):
        os.makedirs(f"{FOLDER}/{name}")
    with open(f"{FOLDER}/secret", "w", encoding="ascii") as file:
        file.write(SECRET)
    os.chmod(f"{FOLDER}/secret", 0o600)
    os.chmod(f"{FOLDER}/recordings", 0o777)
    unfinished(f"{FOLDER}/unfinished")
    every = [(number, *case) for number, case in enumerate(cases())]
    slow, others = ([case for case in every if (case[1] in SLOW) == wanted] for wanted in (True, False))
    check(slow, SILENCE)
    for first in range(0, len(others), AT_ONCE):
        check(others[first:first + AT_ONCE], 0)
    st = os.stat(f"{FOLDER}/secret")
    assert (read(f"{FOLDER}/secret"), st.st_uid, st.st_mode & 0o777) == (SECRET, 0, 0o600)
    assert not os.listdir(f"{FOLDER}/private")


main()
