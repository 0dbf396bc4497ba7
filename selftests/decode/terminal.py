# SPDX-License-Identifier: GPL-2.0
"""What tracectl shows on a terminal, and what it leaves of a file when it is ended.

  terminal.py progress FOLDER TRACECTL   of input that takes seconds: a line with a share, erased before anything
                                         else is written, none where output may come out at the terminal
  terminal.py killed FOLDER SIGNAL TRACECTL ARGUMENT...   the output, FOLDER/out, is under way, input comes from
                                         a pipe: by this signal neither a part of it nor another file is left
"""
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time


class Screen:
    """Lines of a terminal, as far as line feeds, carriage returns and erasing go."""

    def __init__(self, data):
        self.lines, self.column = [""], 0
        for part in re.split(r"(\r|\n|\033\[K)", data):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.lines.append("")
            elif part == "\033[K":
                self.lines[-1] = self.lines[-1][:self.column]
            else:
                line = self.lines[-1]
                self.lines[-1] = line[:self.column] + part + line[self.column + len(part):]
                self.column += len(part)


def on_terminal(command, stdout):
    """All that comes out at a terminal, which standard error is, and standard output, if that is None."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs if stdout is None else stdout,
                          stderr=theirs) as process:
        os.close(theirs)
        data = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:
                break
            if not more:
                break
            data += more
        os.close(ours)
        if stdout == subprocess.PIPE:
            process.stdout.read()
    return process.returncode, data.decode(errors="replace")


def write_pins(path, size):
    """Samples without a clock, and now and then a message that does not end, which is damage and told."""
    data = [255] * 8 + [0] * 2000 + [255] * 8
    spot = b"".join(bytes([byte, i & 1]) for i, byte in enumerate(data))
    with open(path, "wb") as file:
        file.truncate(size)
        for i in range(1, 9):
            file.seek(size * i // 9 & -2)
            file.write(spot)


def progress(folder, tracectl):
    command = [tracectl, "unwrap", "--pib", "parallel-8", f"{folder}/pins", "-o", f"{folder}/out"]
    size, status, data = 1 << 26, 4, ""
    # until it takes so long that it is estimated how much longer
    while " left" not in data and status == 4 and size < 1 << 36:
        size *= 2
        write_pins(f"{folder}/pins", size)
        status, data = on_terminal(command, None)
    assert status == 4, (status, data)
    assert re.search(r"unwrapping: [0-9.]+ MB, [0-9]+%", data) and re.search(r"%, [0-9]+ (s|min) left", data), data
    lines = Screen(data).lines
    assert len(lines) > 2 and all(re.match(r"tracectl: warning: .*|$", line) for line in lines), lines
    shares = [int(share) for share in re.findall(r" ([0-9]+)%", data)]
    assert shares == sorted(shares) and shares[-1] <= 100, shares
    # output to a terminal, or to a program which may write there, and no messages
    for stdout in (None, subprocess.PIPE):
        status, data = on_terminal(command[:-2], stdout)
        assert status == 4 and "unwrapping" not in data, data
    status, data = on_terminal([*command, "-q"], None)
    assert status == 4 and "unwrapping" not in data, data


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    sys.exit("nothing happens")


def killed(folder, name, *command):
    path = f"{folder}/out"
    before = set(os.listdir(folder)) | {"out"}
    old = open(path, "rb").read() if os.path.exists(path) else None

    def others():
        return set(os.listdir(folder)) - before

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        wait_for(others)
        assert all(re.match(r"\.out\.\w{6}$", other) for other in others()), others()
        process.send_signal(getattr(signal, name))
        error = process.stderr.read()
        process.wait()
    assert process.returncode == -getattr(signal, name), (process.returncode, error)
    assert not others() and not error, (others(), error)
    assert (open(path, "rb").read() if os.path.exists(path) else None) == old


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    {"progress": progress, "killed": killed}[sys.argv[1]](*sys.argv[2:])
