# SPDX-License-Identifier: GPL-2.0
"""A recording of threads that never ran on a trace encoder: paths through compiled programs, chosen
at random, are encoded, and what rvtraced would have written beside the trace is made up. What
executed, where, whose and of which source line it is, is then known without a decoder.

  recorded.py make FOLDER TRACECTL MAKER [TIMES [ntrace|etrace [ID]]]   compiles, walks, encodes;
                                           FOLDER/recording, FOLDER/truth.json; the trace is there
                                           TIMES times; with ID, the program, too, without symbols,
                                           and of that build id. FOLDER/elsewhere is the trace of a
                                           thread at addresses that the recording does not know
  recorded.py share METADATA               the harts of a recording have one encoder; recover it then
  recorded.py check FOLDER LISTING raw|whole|etrace   a listing, as JSON with lines, is what
                                           executed; raw: without who and when
  recorded.py calls LISTING               a listing of calls has names of everything in user space
  recorded.py pcs LISTING CONDITION        addresses of a listing that was checked, of which an
                                           expression is true, one per line; "user" is below the kernel
"""
import json
import os
import random
import re
import subprocess
import sys

TOOLS = "riscv64-linux-gnu-"
HZ = 999999867
START = 5_000_000_000		# of the trace, in ns
KERNEL = 0xffffffff80000000
PAGE = 0x1000

# Of E-Trace
PARAMETERS = {
    "arch": 1, "bpred_size": 0, "cache_size": 0, "call_counter_size": 0, "context_width": 0, "time_width": 0,
    "ecause_width": 6, "f0s_width": 0, "iaddress_lsb": 1, "iaddress_width": 64, "nocontext": 1, "notime": 1,
    "privilege_width": 2, "return_stack_size": 0, "sijump": 0, "srcid_width": 8, "timestamp_width": 40}

PROGRAM = """
#include "library.h"
static int table[16];
static inline __attribute__((always_inline)) int inlined(int a)
{
	if (a & 1)
		a += 3;
	return library_add(a, table[a & 15]);
}
__attribute__((noinline)) int leaf(int a)
{
	int sum = 0;
	for (int i = 0; i < (a & 7); i++)
		sum += table[i] ^ a;
	return sum;
}
__attribute__((noinline)) int middle(int a)
{
	return inlined(a) + (a > 4 ? leaf(a) : leaf(-a)) + inlined(a + 1);
}
int run(int a)
{
	int sum = 0;
	for (int i = 0; i < 40; i++)
		sum += middle(a + i) + library_scale(sum);
	return sum;
}
"""
LIBRARY_H = "int library_add(int a, int b);\nint library_scale(int a);\n"
LIBRARY = """
#include "library.h"
static inline int twice(int a)
{
	return a * 2;
}
int library_add(int a, int b)
{
	return a > b ? a + twice(b) : b - a;
}
int library_scale(int a)
{
	while (a > 100)
		a /= 3;
	return twice(a);
}
"""
HANDLER = """
	.globl kernel_entry
	.type kernel_entry, @function
kernel_entry:
	.rept 30
	add a0, a0, a1
	.endr
	.size kernel_entry, . - kernel_entry
	.globl kernel_switch
	.type kernel_switch, @function
kernel_switch:
	.rept 400
	xor a0, a0, a1
	.endr
	sret
	.size kernel_switch, . - kernel_switch
"""


def tool(name, *args):
    return subprocess.run([TOOLS + name, *args], check=True, capture_output=True, text=True).stdout


class Code:
    """A file: its instructions, its functions, and where it is loaded."""

    def __init__(self, path):
        self.path, self.insns, self.names, self.stubs = path, {}, {}, {}
        label = None
        for line in tool("objdump", "-d", "-M", "no-aliases", path).splitlines():
            match = re.match(r"([0-9a-f]+) <(\S+)>:", line)
            if match:
                label = match[2]
                self.stubs[label] = int(match[1], 16)
            match = re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(\S+)\s*(.*)", line)
            if match:
                size = len(match[2].replace(" ", "")) // 2
                target = re.search(r"([0-9a-f]+) <", match[4])
                self.insns[int(match[1], 16)] = (size, match[3], match[4].split("#")[0].strip(),
                                                 int(target[1], 16) if target else None, label)
        for line in tool("nm", "-S", "--defined-only", path).splitlines():
            fields = line.split()
            if len(fields) == 4 and fields[2] in "tT":
                self.names[fields[3]] = (int(fields[0], 16), int(fields[1], 16))
        note = tool("readelf", "-n", path)
        match = re.search(r"Build ID: (\w+)", note)
        self.build_id = match[1] if match else None
        segments = re.findall(r"LOAD\s+(\S+) (\S+) \S+\s+(\S+) \S+ +(\w[\w ]*?)\s+0x", tool("readelf", "-lW", path))
        self.offset, self.address, self.size = [(int(o, 16), int(a, 16), int(s, 16))
                                                for o, a, s, flags in segments if "E" in flags][0]

    def function(self, at):
        for name, (start, size) in self.names.items():
            if start <= at < start + size:
                return name
        return None


class Loaded:
    """Code at an address."""

    def __init__(self, code, base):
        self.code, self.base = code, base


class Thread:
    """One that goes its own way through a program."""

    def __init__(self, pid, tid, comm, files):
        self.pid, self.tid, self.comm, self.files, self.stack = pid, tid, comm, files, []
        self.random = random.Random(tid)
        self.at = self.start()

    def start(self):
        return self.find("run")

    def find(self, name):
        for file in self.files:
            if name in file.code.names:
                return file.base + file.code.names[name][0]
        raise KeyError(name)

    def insn(self, at):
        for file in self.files:
            found = file.code.insns.get(at - file.base)
            if found:
                return file, found
        raise KeyError(hex(at))

    def at_function(self):
        return any(self.at - file.base in [start for start, _ in file.code.names.values()] for file in self.files)

    def step(self):
        """Executes one instruction: where it was."""
        here = self.at
        file, (size, name, operands, target, label) = self.insn(here)
        behind, first = here + size, operands.split(",")[0]
        if target is not None:
            target += file.base
        name = name.removeprefix("c.")
        if name[0] == "b" and target is not None:
            self.at = target if self.random.random() < 0.4 else behind
        elif name == "j" or (name == "jal" and first == "zero"):
            self.at = target
        elif name == "jal":
            self.stack.append(behind)
            self.at = target
        elif name in ("jalr", "jr"):
            self.at = self.indirect(name, operands, first, target, label, behind)
        else:
            self.at = behind
        return here

    def indirect(self, name, operands, first, target, label, behind):
        if label.endswith("@plt"):
            return self.find(label.removesuffix("@plt"))
        if name == "jr" and first != "ra" or first == "zero" and "(ra)" not in operands:
            return target
        if name == "jr" or first == "zero":
            return self.stack.pop() if self.stack else self.start()
        self.stack.append(behind)
        return target


def compile_all(folder):
    def write(name, text):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def build(*args):
        subprocess.run([TOOLS + "gcc", "-O2", "-g", "-march=rv64gc", "-mabi=lp64d", "-nostdlib",
                        f"-I{folder}", *args], check=True)

    os.makedirs(f"{folder}/files/opt", exist_ok=True)
    for name, text in (("program.c", PROGRAM), ("library.h", LIBRARY_H), ("library.c", LIBRARY),
                       ("handler.S", HANDLER)):
        write(name, text)
    library, program = f"{folder}/files/opt/library.so", f"{folder}/files/opt/program"
    build("-shared", "-fPIC", "-Wl,--build-id", "-o", library, f"{folder}/library.c")
    build("-pie", "-fPIE", "-Wl,--build-id", "-Wl,-erun", "-o", program, f"{folder}/program.c", library)
    build("-static", f"-Wl,-Ttext={KERNEL:#x}", "-Wl,--build-id=none", "-Wl,-ekernel_entry", "-o",
          f"{folder}/handler", f"{folder}/handler.S")
    for path, out in ((library, "library.bin"), (program, "program.bin"), (f"{folder}/handler", "kernel.bin")):
        subprocess.run([TOOLS + "objcopy", "-O", "binary", "-j", ".plt", "-j", ".text", path,
                        f"{folder}/{out}"], check=True)
    return Code(program), Code(library), Code(f"{folder}/handler")


class Hart:
    """What a hart executes: its list for the encoder, the truth, and who runs when, in ticks."""

    def __init__(self, number, kernel):
        self.number, self.kernel, self.ticks = number, kernel, 0
        self.rows, self.truth, self.switches = [], [], []

    def add(self, thread, at, size, who, file):
        function = file.code.function(at - file.base) if file else self.kernel.function(at)
        self.rows.append(f"1,{at:x},0,{0 if file else 1},0,0,0,0")
        self.ticks += size // 2
        self.truth.append({"address": at, "hart": self.number, "thread": who.tid, "pid": who.pid,
                           "function": function, "file": file.code.path if file else None,
                           "link": at - file.base if file else at, "tick": self.ticks})

    def run(self, thread, count):
        for _ in range(count):
            file, insn = thread.insn(thread.at)
            self.add(thread, thread.step(), insn[0], thread, file)

    def switch(self, old, new):
        """An interrupt, and the kernel goes on with another thread in the midst of its code."""
        self.rows.append(f"1,{old.at:x},0,0,0,5,0,1")
        at, who = KERNEL, old
        change = self.kernel.names["kernel_switch"][0] + 400
        while at in self.kernel.insns:
            size = self.kernel.insns[at][0]
            if who is old and at >= change:
                who = new
                self.switches.append((self.ticks, old, new))
            self.add(who, at, size, who, None)
            at += size
        assert who is new


def to_ns(tick):
    return START + round(tick * 1e9 / HZ)


def packets(data, hart):
    """Of E-Trace, with srcID, which the encoder leaves 0."""
    found, start = [], 0
    while start < len(data):
        size = 2 + (data[start] & 0x1f) + (data[start] >> 7) * PARAMETERS["timestamp_width"] // 8
        assert data[start] & 0x1f and start + size <= len(data)
        found.append(data[start:start + 1] + bytes([hart]) + data[start + 2:start + size])
        start += size
    return found


def messages(data):
    """Of N-Trace: each ends with a byte whose MSEO is 3."""
    found, start = [], 0
    for at, byte in enumerate(data):
        if byte & 3 == 3:
            found.append(data[start:at + 1])
            start = at + 1
    assert start == len(data)
    return found


def metadata(form):
    def source(number):
        parameters = {"etrace": PARAMETERS} if form == "etrace" else {}
        return {"component": f"encoder{number}", "cpus": [number], "harts": [number], "format": form,
                "src_id": number, "src_bits": 8 if form == "etrace" else 1, **parameters,
                "attributes": {"generation": "TCI 1.0", "ts_width": "40", "timestamp_frequency": f"{HZ} measured",
                               "context": "0", "inst_en_call_stack": "0"}}
    return {"host": {"machine": "riscv64"}, "sideband": True,
            "sinks": [{"name": "s0", "mode": "stream", "sources": [source(0), source(1)]}]}


def share(path):
    """Both harts of a recording have one encoder, and its source id and the next one; without a seal."""
    with open(path, encoding="ascii") as file:
        described = json.load(file)
    del described["xxh64"]
    (sink,) = described["sinks"]
    first, second = sink["sources"]
    first["cpus"] += second["cpus"]
    first["harts"] += second["harts"]
    sink["sources"] = [first]
    with open(path, "w", encoding="ascii") as file:
        json.dump(described, file)


def script(threads, harts, kernel_size, program):
    lines = [f"clock {t} {to_ns(t)}" for t in range(0, 400001, 50000)]
    done = set()
    for thread in threads:
        if thread.pid not in done:
            maps = [{"start": f"{f.base + f.code.address & -PAGE:#x}",
                     "end": f"{f.base + f.code.address + f.code.size + PAGE - 1 & -PAGE:#x}",
                     "offset": f"{f.code.offset & -PAGE:#x}", "build_id": f.code.build_id if not program else None,
                     "path": "/opt/" + os.path.basename(f.code.path)} for f in thread.files]
            process = {"pid": thread.pid, "comm": thread.comm, "time": START - 1000, "maps": maps}
            lines.append("line images/maps.jsonl " + json.dumps(process))
        else:
            lines.append(f"fork {START - 500} {thread.pid} {thread.tid} {thread.pid}")
        done.add(thread.pid)
    for hart in harts:
        first = hart.switches[0][1]
        lines.append(f"switch {START - 100} {hart.number} {first.pid} {first.tid} in")
        for tick, old, new in hart.switches:
            lines.append(f"switch {to_ns(tick)} {hart.number} {old.pid} {old.tid} out")
            lines.append(f"switch {to_ns(tick)} {hart.number} {new.pid} {new.tid} in")
    kernel = {"kind": "kernel", "name": "vmlinux", "file": "images/kernel", "address": f"{KERNEL:#x}",
              "size": kernel_size}
    lines.append("line images/index.jsonl " + json.dumps(kernel))
    if program:
        lines.append("line images/index.jsonl " + json.dumps(program))
    return "\n".join(lines) + "\n"


def encode(folder, tracectl, hart, files, form):
    images = [f"--image={folder}/kernel.bin@{KERNEL:#x}"]
    for file in files:
        start = min(file.code.insns)
        images.append(f"--image={folder}/{os.path.basename(file.code.path).split('.')[0]}.bin@{file.base + start:#x}")
    with open(f"{folder}/rows", "w", encoding="ascii") as out:
        out.write("VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n" + "\n".join(hart.rows) + "\n")
    path = f"{folder}/hart{hart.number}.trace"
    options = ["--xlen=64", "--timestamps", "--src-bits=1", f"--src={hart.number}"]
    if form == "etrace":
        options = [f"--param={folder}/parameters"]
    subprocess.run([tracectl, "encode", "--format", form, *options, "--sync=packets:40", *images, "-o", path,
                    f"{folder}/rows"], check=True)
    with open(path, "rb") as file:
        data = file.read()
    return packets(data, hart.number) if form == "etrace" else messages(data)


def add_program(folder, path, build_id):
    """To the images of a recording, stripped: what their index says of it."""
    os.makedirs(f"{folder}/recording/images")
    tool("strip", "-o", f"{folder}/recording/images/program", path)
    return {"kind": "file", "name": "/opt/program", "file": "images/program", "build_id": build_id,
            "size": os.path.getsize(f"{folder}/recording/images/program")}


def elsewhere(folder, tracectl, program, library, kernel, form):
    """Trace of the first hart, where none of the other threads ever is."""
    files = [Loaded(program, 0x2bbbbb0000), Loaded(library, 0x3fee000000)]
    hart = Hart(0, kernel)
    hart.run(Thread(300, 300, "gamma", files), 3000)
    return b"".join(encode(folder, tracectl, hart, files, form))


def make(folder, tracectl, maker, times=1, form="ntrace", build_id=None):
    program, library, kernel = compile_all(folder)
    first = [Loaded(program, 0x2aaaaa0000), Loaded(library, 0x3fff000000)]
    second = [Loaded(program, 0x2abcd00000), Loaded(library, 0x3ffe800000)]
    a, b, c = Thread(100, 100, "alpha", first), Thread(100, 101, "alpha", first), Thread(200, 200, "beta", second)
    harts = [Hart(0, kernel), Hart(1, kernel)]
    for order, hart in zip(([a, c, a, b], [c, b, c, a]), harts):
        for i, thread in enumerate(order):
            hart.run(thread, 3000 + 100 * i)
            # in front of the first instruction of a function
            while i == 1 and not thread.at_function():
                hart.run(thread, 1)
            if i + 1 < len(order):
                hart.switch(thread, order[i + 1])
    with open(f"{folder}/parameters", "w", encoding="ascii") as file:
        json.dump(PARAMETERS, file)
    with open(f"{folder}/elsewhere", "wb") as file:
        file.write(elsewhere(folder, tracectl, program, library, kernel, form))
    lists = [encode(folder, tracectl, hart, first + second, form) for hart in harts]
    mixed, chooser = [], random.Random(7)
    while any(lists):
        mixed.append(chooser.choice([l for l in lists if l]).pop(0))
    with open(f"{folder}/trace", "wb") as file:
        file.write(b"".join(mixed) * int(times))
    with open(f"{folder}/metadata", "w", encoding="ascii") as file:
        json.dump(metadata(form), file)
    entry = add_program(folder, program.path, build_id) if build_id else None
    subprocess.run([maker, f"{folder}/recording", f"{folder}/metadata", f"{folder}/trace"], check=True, text=True,
                   input=script([a, b, c], harts, os.path.getsize(f"{folder}/kernel.bin"), entry))
    os.makedirs(f"{folder}/recording/images", exist_ok=True)
    os.replace(f"{folder}/kernel.bin", f"{folder}/recording/images/kernel")
    with open(f"{folder}/truth.json", "w", encoding="ascii") as file:
        json.dump([hart.truth for hart in harts], file)


def source_lines(path, addresses):
    told = tool("addr2line", "-e", path, *[hex(a) for a in addresses]).splitlines()
    return {a: re.sub(r" \(.*", "", t).rsplit(":", 1) for a, t in zip(addresses, told)}


def instructions(listing):
    with open(listing, encoding="utf-8") as file:
        return [i for i in json.load(file)["items"] if i["type"] == "instruction"]


def check_place(item, true, lines):
    """Function, offset, file, line, of user code; of the kernel there are no names."""
    if not true["file"]:
        assert "symbol" not in item and "line" not in item, item
        return
    name = os.path.basename(true["file"])
    assert os.path.basename(item["file"]) == name, (item, true)
    assert item.get("symbol") == true["function"], (item, true)
    source, line = lines[true["file"]][true["link"]]
    if line in "?0":
        assert "line" not in item, (item, line)
    else:
        assert (item["source"], str(item["line"])) == (source, line), (item, source, line)


def check_who(item, true, before):
    """Time is that of the message that tells of the instruction: none was before it."""
    assert item["time"] >= true["tick"] > before, (item, true)
    assert item["time_ns"] == round(item["time"] * 1e9 / HZ), item
    assert item["privilege"] == ("U" if true["file"] else "S"), item
    if true["file"]:
        assert (item["tid"], item["pid"]) == (true["thread"], true["pid"]), (item, true)


def check(folder, listing, kind):
    with open(f"{folder}/truth.json", encoding="ascii") as file:
        truth = json.load(file)
    items, seen = instructions(listing), set()
    lines = {path: source_lines(path, sorted({t["link"] for h in truth for t in h if t["file"] == path}))
             for path in {t["file"] for h in truth for t in h if t["file"]}}
    for hart, expected in enumerate(truth):
        mine, before, now = [i for i in items if i["hart"] == hart], 0, 0
        assert [int(i["address"], 16) for i in mine] == [t["address"] for t in expected], hart
        for item, true in zip(mine, expected):
            if item["time"] != now:
                before, now = now, item["time"]
            # what a packet of E-Trace reports comes out with the next one
            if kind != "raw":
                check_who(item, true, before - (kind == "etrace"))
            check_place(item, true, lines)
            seen.add((item.get("symbol"), os.path.basename(item.get("source", "")), item.get("line")))
    # what is inlined into middle() is a line of its own
    assert {("middle", "program.c", n) for n in (6, 7)} <= {(a, b, n) for a, b, n in seen}, seen
    assert ("library_scale", "library.c") in {(a, b) for a, b, n in seen}, seen


def calls(listing):
    """What executed there and what was kept from that by a trap: all of it is in a file."""
    with open(listing, encoding="utf-8") as file:
        items = [i for i in json.load(file)["items"] if i["type"] in ("call", "start", "return", "jump")]
    for item in items:
        assert int(item["address"], 16) >= KERNEL or "file" in item, item
    assert {i.get("symbol") for i in items} >= {"run", "middle", "leaf", "library_add", "library_scale"}
    check_returns(listing)


def check_returns(listing):
    """Each ends a call of that function, thread and depth, or a jump to it, as long ago as it took. Harts
    have clocks of their own here, so that items of a thread that moves are not in its order."""
    with open(listing, encoding="utf-8") as file:
        items = json.load(file)["items"]
    under_way, checked = {}, 0
    for item in items:
        if item["type"] in ("call", "jump", "start"):
            what = tuple(item.get(n) for n in ("tid", "depth", "address", "symbol"))
            under_way.setdefault(what, set()).add(item.get("time"))
    for item in items:
        if item["type"] != "returned":
            continue
        times = under_way[tuple(item.get(n) for n in ("tid", "depth", "address", "symbol"))]
        if "duration_ns" in item:
            assert item["time"] - round(item["duration_ns"] * HZ / 1e9) in times, item
            checked += 1
        else:
            assert "time" not in item or None in times or max(times) > item["time"], item
    assert checked > 100, checked


def pcs(listing, condition):
    for item in instructions(listing):
        item["user"] = int(item["address"], 16) < KERNEL
        item["symbol"] = item.get("symbol", "")
        if eval(condition, {}, {**item, "at": int(item["address"], 16)}):  # the suite's own words
            print(item["address"])


if __name__ == "__main__":
    {"make": make, "share": share, "check": check, "calls": calls, "pcs": pcs}[sys.argv[1]](*sys.argv[2:])
