# SPDX-License-Identifier: GPL-2.0
"""Processes of rvtraced, as /proc shows them."""
import os
import signal


def family(pid):
    """The daemon first: it begins no process while it is stopped."""
    yield pid
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        yield from [int(child) for child in children.read().split()]


def stop(pid):
    """The daemon and its processes"""
    for member in family(pid):
        os.kill(member, signal.SIGSTOP)
        state = ""
        while state not in ("T", "Z"):
            with open(f"/proc/{member}/stat", encoding="utf-8") as stat:
                state = stat.read().rpartition(") ")[2][0]


def go_on(pid):
    for member in reversed(list(family(pid))):
        os.kill(member, signal.SIGCONT)


def user_of(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            return int(status.read().split("Uid:")[1].split()[0])
    except (FileNotFoundError, ProcessLookupError):
        return -1
