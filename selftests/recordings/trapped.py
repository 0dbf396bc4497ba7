# SPDX-License-Identifier: GPL-2.0
"""A recording of E-Trace that leaves out the handlers of traps: a kernel that calls its firmware,
traps into itself and is interrupted. What it executes follows from its labels, without a decoder.

  trapped.py FOLDER TRACECTL MAKER direct|vectored [told|untold|damaged [TIMES]]

makes FOLDER/recording, with the vectors, stvec of the kernel and mtvec of the firmware, or without them,
or with what is none; and beside it kernel.elf, firmware.elf, trace, parameters, stvec, mtvec, expected.
The trace is there TIMES times.
"""
import json
import os
import random
import subprocess
import sys

TOOLS = "riscv64-linux-gnu-"
KERNEL, FIRMWARE = 0xffffffff80000000, 0x80000000
ROUNDS = 400
SUPERVISOR, MACHINE = 1, 3
ECALL_FROM_S, BREAKPOINT, TIMER = 9, 3, 5

CODE = {"kernel": """
	.option norvc
main:	addi a0, a0, -1
call:	ecall
back:	beqz a1, skip
trap:	ebreak
skip:	jal ra, leaf
more:	bnez a0, main
	j main
leaf:	addi a2, a2, 1
leaf_end: ret
	.balign 64
stvec:	j exception
	.fill 4, 4, 0x00000013
timer:	j interrupt
exception: csrr t0, sepc
	addi t0, t0, 4
	csrw sepc, t0
exception_end: sret
	.balign 64
interrupt: addi a3, a3, 1
	bnez a3, interrupt_end
	addi a4, a4, 1
interrupt_end: sret
""", "firmware": """
	.option norvc
	.fill 8, 4, 0x00000013
mtvec:	csrr t0, mepc
	addi t0, t0, 4
	csrw mepc, t0
mtvec_end: mret
"""}

PARAMETERS = {
    "arch": 1, "bpred_size": 0, "cache_size": 0, "call_counter_size": 0, "context_width": 0, "time_width": 0,
    "ecause_width": 6, "f0s_width": 0, "iaddress_lsb": 1, "iaddress_width": 64, "nocontext": 1, "notime": 1,
    "privilege_width": 2, "return_stack_size": 0, "sijump": 0, "timestamp_width": 32, "mode_implicit_exception": 1}


def tool(name, *args):
    return subprocess.run([TOOLS + name, *args], check=True, capture_output=True, text=True).stdout


def build(folder, name, address):
    """Where its labels are."""
    with open(f"{folder}/{name}.S", "w", encoding="ascii") as file:
        file.write(CODE[name])
    tool("gcc", "-march=rv64imac_zicsr", "-mabi=lp64", "-nostdlib", "-static", f"-Wl,-Ttext={address:#x}",
         "-Wl,--build-id=none", "-Wl,-e0", "-o", f"{folder}/{name}.elf", f"{folder}/{name}.S")
    tool("objcopy", "-O", "binary", "-j", ".text", f"{folder}/{name}.elf", f"{folder}/{name}.bin")
    return {line.split()[2]: int(line.split()[0], 16) for line in tool("nm", f"{folder}/{name}.elf").splitlines()}


class Run:
    """A walk through both, as the encoder wants it, and as addresses."""

    def __init__(self, labels, vectored):
        self.at, self.vectored, self.rows, self.pcs = labels, vectored, [], []
        self.random = random.Random(1)

    def go(self, first, last, priv=SUPERVISOR):
        for pc in range(self.at[first], self.at[last] + 4, 4):
            self.rows.append(f"1,{pc:x},0,{priv},0,0,0,0")
            self.pcs.append(pc)

    def trap(self, label, cause, interrupt):
        self.rows.append(f"1,{self.at[label]:x},0,{SUPERVISOR},{0 if interrupt else 1},{cause:x},0,{1 if interrupt else 0}")

    def interrupt(self, label):
        """In front of the instruction, some of the time."""
        if self.random.random() < 0.7:
            return
        self.trap(label, TIMER, True)
        if not self.vectored:
            self.go("stvec", "stvec")
            self.go("exception", "exception_end")
            return
        self.go("timer", "timer")
        self.go("interrupt", "interrupt")
        branch = self.at["interrupt"] + 4
        taken = self.random.random() < 0.5
        for pc in [branch] if taken else [branch, branch + 4]:
            self.rows.append(f"1,{pc:x},0,{SUPERVISOR},0,0,0,0")
            self.pcs.append(pc)
        self.go("interrupt_end", "interrupt_end")

    def round(self):
        self.go("main", "main")
        self.interrupt("call")
        self.trap("call", ECALL_FROM_S, False)
        self.go("mtvec", "mtvec_end", MACHINE)
        self.go("back", "back")
        if self.random.random() < 0.5:
            self.trap("trap", BREAKPOINT, False)
            self.go("stvec", "stvec")
            self.go("exception", "exception_end")
        self.go("skip", "skip")
        self.interrupt("leaf")
        self.go("leaf", "leaf_end")
        self.interrupt("more")
        self.go("more", "more")


def encode(folder, tracectl, run, times):
    with open(f"{folder}/rows", "w", encoding="ascii") as out:
        out.write("VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n" + "\n".join(run.rows) + "\n")
    with open(f"{folder}/expected", "w", encoding="ascii") as out:
        out.writelines(f"{pc:#x}\n" for pc in run.pcs * times)
    with open(f"{folder}/parameters", "w", encoding="ascii") as out:
        json.dump(PARAMETERS, out)
    subprocess.run([tracectl, "encode", "--format", "etrace", "--param", f"{folder}/parameters", "--sync=packets:300",
                    "--elf", f"{folder}/kernel.elf", "--elf", f"{folder}/firmware.elf", "-o", f"{folder}/trace",
                    f"{folder}/rows"], check=True)
    with open(f"{folder}/trace", "rb") as file:
        trace = file.read()
    with open(f"{folder}/trace", "wb") as file:
        file.write(trace * times)


def make(folder, tracectl, maker, mode, told="told", times=1):
    labels = build(folder, "kernel", KERNEL) | build(folder, "firmware", FIRMWARE)
    run = Run(labels, mode == "vectored")
    for _ in range(ROUNDS):
        run.round()
    encode(folder, tracectl, run, int(times))
    vectors = {"stvec": hex(labels["stvec"] | run.vectored), "mtvec": hex(labels["mtvec"])}
    metadata = {"host": {"machine": "riscv64"}, "sinks": [{"name": "s0", "mode": "stream", "sources": [
        {"component": "encoder0", "cpus": [0], "harts": [0], "format": "etrace", "src_id": 0, "src_bits": 0,
         "etrace": PARAMETERS, "attributes": {"generation": "TCI 1.0"}}]}]}
    said = {"told": vectors, "untold": {}, "damaged": dict.fromkeys(vectors, "0xffffffffx")}[told]
    lines = []
    for kind, address, vector in (("kernel", KERNEL, "stvec"), ("firmware", FIRMWARE, "mtvec")):
        line = {"kind": kind, "name": kind, "file": f"images/{kind}", "address": hex(address),
                "size": os.path.getsize(f"{folder}/{kind}.bin")}
        line |= {name: said[name] for name in said if name == vector}
        lines.append("line images/index.jsonl " + json.dumps(line))
    with open(f"{folder}/metadata", "w", encoding="ascii") as file:
        json.dump(metadata, file)
    subprocess.run([maker, f"{folder}/recording", f"{folder}/metadata", f"{folder}/trace"], check=True, text=True,
                   input="\n".join(lines) + "\n")
    os.makedirs(f"{folder}/recording/images", exist_ok=True)
    for kind in ("kernel", "firmware"):
        os.replace(f"{folder}/{kind}.bin", f"{folder}/recording/images/{kind}")
    for name, value in vectors.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(value)


if __name__ == "__main__":
    make(*sys.argv[1:])
