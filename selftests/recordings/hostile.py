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
import math
import os
import resource
import stat
import subprocess
import sys

from elf_writer import victim
from hostile_cases import CASES, MIB
from recording_writer import ID, Recording, a_trace

MEMORY, MEMORY_PER_BYTE = 64 * MIB, 64
CPU, CPU_PER_BYTE = 1.0, 2e-6
CPUS = 2 * float(os.environ.get("RVTRACE_PATIENCE", "1"))	# a machine may be slower than the one that docs/formats.md speaks of


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
