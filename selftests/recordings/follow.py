#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tracectl events --follow of a recording that grows, against tracectl events of it.

    follow.py grows|interrupted|unread|killed TRACECTL MAKER FOLDER < SCRIPT

FOLDER has "metadata" and "trace" for rvtrace-make-recording, which makes "recording" there of SCRIPT.
"""
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time

CUT = re.compile(r"offset \d+ -- the last message is cut\n")
SMALL = 200		# bytes of a write that is made byte by byte
AHEAD = 5		# lines that can be told before the recording ends
PATIENCE = 60		# seconds

case, tracectl, maker, folder = sys.argv[1:]
directory = folder + "/recording"


class Maker:
    """Who records; a step is done when this has said so."""

    def __init__(self):
        self.process = subprocess.Popen(
            [maker, directory, folder + "/metadata", folder + "/trace"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def step(self, line):
        self.process.stdin.write(f"{line}\nsay done\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", line

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0


class Follower:
    number = itertools.count()

    def __init__(self, *options):
        self.options = options
        self.path = f"{folder}/followed{next(self.number)}"
        self.process = subprocess.Popen(
            [tracectl, "events", "--follow", *options, "-o", self.path, directory],
            stderr=subprocess.PIPE, text=True)

    def output(self):
        """What it printed; it makes the file when it begins to."""
        try:
            with open(self.path) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_for(self, lines, made=False):
        end = time.monotonic() + PATIENCE
        while self.output().count("\n") < lines or made and not os.path.exists(self.path):
            assert time.monotonic() < end and self.process.poll() is None, self.output()
            time.sleep(0.05)

    def schedule(self):
        """How long it ran and how often it was given a processor."""
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            ran, _, given = file.read().split()
        return ran, given

    def comes_to_rest(self):
        """However slow the machine is: a second in which it has nothing to do."""
        end = time.monotonic() + PATIENCE
        before = None
        while before != self.schedule():
            assert time.monotonic() < end, f"was never at rest: {before}"
            before = self.schedule()
            time.sleep(1)

    def end(self, status, said):
        """What it printed; that it ended so, and said that and nothing else."""
        err = self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == status, (self.process.returncode, err)
        assert [line for line in err.splitlines() if "waiting for" not in line] == said, err
        return self.output()


def events(*options):
    """Exit status and output of what there is now."""
    done = subprocess.run([tracectl, "events", *options, directory], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr.splitlines()


def steps():
    for line in sys.stdin.read().splitlines():
        what, _, size = line.partition(" ")
        if what == "trace" and int(size) <= SMALL:
            yield from ["trace 1"] * int(size)
        else:
            yield line


def known():
    """What is known now is what there is: of a recording that goes on no message is cut."""
    now = subprocess.run([tracectl, "events", "--follow", "--duration", "1ns", directory],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    status, expected, _ = events()
    assert now.returncode == status, now
    assert now.stdout == CUT.sub("", expected), (now.stdout, expected)
    return now.stdout


def grows():
    followers = [Follower(), Follower("--json"), Follower("--from", "150ms")]
    followers[0].wait_for(0, made=True)
    maker = Maker()
    for line in steps():
        maker.step(line)
        if line.startswith(("trace", "lost", "overwritten")):
            known()
    followers[0].wait_for(AHEAD)
    ahead = [follower.output() for follower in followers]
    followers[0].comes_to_rest()
    maker.end()
    for follower, before in zip(followers, ahead):
        status, expected, said = events(*follower.options)
        out = follower.end(status, said)
        assert out == expected, (out, expected)
        assert out.startswith(before) and len(before) < len(out), (before, out)


def record(maker):
    for line in sys.stdin.read().splitlines():
        maker.step(line)


def interrupted():
    maker = Maker()
    followers = {number: Follower() for number in (signal.SIGINT, signal.SIGTERM)}
    record(maker)
    for number, follower in followers.items():
        follower.wait_for(AHEAD)
        follower.process.send_signal(number)
        status, expected, said = events()
        said = [line for line in said if "is incomplete" not in line]
        assert follower.end(status, said) == CUT.sub("", expected)
    maker.end()


def unread():
    """Over a socket, as by ssh; nothing more is written, so that no write tells that it was closed."""
    maker = Maker()
    ours, theirs = socket.socketpair()
    follower = subprocess.Popen([tracectl, "events", "--follow", directory], stdout=theirs)
    theirs.close()
    record(maker)
    assert ours.recv(1)
    ours.close()
    follower.wait(PATIENCE)
    maker.end()


def killed():
    maker = Maker()
    follower = Follower()
    record(maker)
    maker.process.kill()
    maker.process.wait()
    said = [f"tracectl: error: {directory}: its writer ended, the recording is incomplete"]
    assert follower.end(3, said) == events()[1]


{"grows": grows, "interrupted": interrupted, "unread": unread, "killed": killed}[case]()
