#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How often a program of selftests/bare called emit(), and the instructions that this took.

    event-costs.py ELF TRUTH
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bare"))
sys.dont_write_bytecode = True
from events import retired  # noqa: E402

elf, truth = sys.argv[1:]
for line in subprocess.run(["riscv64-linux-gnu-nm", "-S", elf], check=True, capture_output=True,
                           text=True).stdout.splitlines():
    fields = line.split()
    if fields[-1] == "emit":
        begin, size = int(fields[0], 16), int(fields[1], 16)
calls = instructions = 0
for address, _ in retired(truth):
    calls += address == begin
    instructions += begin <= address < begin + size
print(calls, instructions)
