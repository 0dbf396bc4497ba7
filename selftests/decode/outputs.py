# SPDX-License-Identifier: GPL-2.0
"""What outputs of tracectl decode must say, from a list of executed addresses and from what
binutils know of the program; the outputs themselves are read as JSON."""
import json
import re
import subprocess
import sys

TOOLS = "riscv64-linux-gnu-"


def addresses(path):
    with open(path, encoding="ascii") as file:
        return [int(line, 16) for line in file]


def items(path, kind):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert document["schema"] == 1 and document["output"] == kind, document.keys()
    return document["addresses" if kind == "pc" else "items"]


def tool(name, *args):
    return subprocess.run([TOOLS + name, *args], check=True, capture_output=True,
                          text=True).stdout


def code(program):
    """Address to mnemonic and operands."""
    found = {}
    for line in tool("objdump", "-d", "-M", "no-aliases", program).splitlines():
        match = re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t(\S+)\s*(.*)", line)
        if match:
            found[int(match[1], 16)] = (match[2], match[3].split("#")[0].split("<")[0].strip())
    return found


def functions(program):
    """Ranges of addresses by name."""
    found = {}
    for line in tool("nm", "-S", "--defined-only", program).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            found[fields[3]] = (int(fields[0], 16), int(fields[0], 16) + int(fields[1], 16))
    return found


def check_pc(truth, path):
    assert [int(text, 16) for text in items(path, "pc")] == truth


def check_listing(truth, path, program):
    named = functions(program)
    instructions = [i for i in items(path, "listing") if i["type"] == "instruction"]
    assert [int(i["address"], 16) for i in instructions] == truth
    checked = 0
    for i in instructions:
        if i.get("symbol") in named:
            start, end = named[i["symbol"]]
            at = int(i["address"], 16)
            assert start <= at < end and at - start == int(i["offset"], 16), i
            checked += 1
    assert checked > len(truth) // 2, checked


def check_blocks(truth, path):
    at = 0
    for block in items(path, "blocks"):
        if block["type"] != "block":
            continue
        start, count = int(block["address"], 16), block["instructions"]
        part = truth[at:at + count]
        assert part[0] == start and part[-1] < start + block["size"], block
        assert all(1 < b - a < 23 for a, b in zip(part, part[1:])), block
        at += count
    assert at == len(truth), at


def links(mnemonic, operands):
    first = operands.split(",")[0]
    if mnemonic == "c.jalr" or mnemonic == "c.jal":
        return True
    return mnemonic in ("jal", "jalr") and first in ("ra", "t0")


def returns(mnemonic, operands):
    if mnemonic == "c.jr":
        return operands in ("ra", "t0")
    return mnemonic == "jalr" and operands.split(",")[0] == "zero" and \
        re.search(r"\((ra|t0)\)", operands) is not None


def check_calls(truth, path, program):
    """Every call and return with its depth, as a stack of return addresses has it."""
    known, stack, expected = code(program), [], []
    for here, after in zip(truth, truth[1:]):
        mnemonic, operands = known[here]
        behind = here + (2 if mnemonic.startswith("c.") else 4)
        if links(mnemonic, operands) and after != behind:
            stack.append((behind, after))
            expected.append(("call", len(stack), after))
        elif returns(mnemonic, operands) and after in [behind for behind, _ in stack]:
            while True:
                behind, called = stack.pop()
                expected.append(("returned", len(stack) + 1, called))
                if behind == after:
                    break
    got, called, executes = [], {}, {}
    for item in items(path, "calls"):
        depth, address = item["depth"], int(item.get("address", "0"), 16)
        if item["type"] == "call":
            called[depth] = executes[depth] = address
            got.append(("call", depth, address))
        elif item["type"] == "jump":
            executes[depth] = address
        elif item["type"] in ("returned", "unwound"):
            # what a tail call led to returns for what was called
            assert executes[depth] == address, item
            got.append(("returned", depth, called[depth]))
    assert got == expected, (len(got), len(expected), [(i, g, e) for i, (g, e) in enumerate(zip(got, expected)) if g != e][:3])
    assert len([g for g in got if g[0] == "call"]) > 3 and ("returned" in [g[0] for g in got]), got


def check_lines(truth, path, program):
    """Lines are those that addr2line finds."""
    wanted = sorted(set(truth))
    told = tool("addr2line", "-e", program, *[hex(a) for a in wanted]).splitlines()
    expected = {a: re.sub(r" \(.*", "", t).rsplit(":", 1)[1] for a, t in zip(wanted, told)}
    checked = 0
    for i in items(path, "listing"):
        if i["type"] != "instruction":
            continue
        line = expected[int(i["address"], 16)]
        assert str(i.get("line", "?")) == line or ("line" not in i and line in "?0"), (i, line)
        checked += "line" in i
    assert checked > len(truth) // 4, checked


def check_text(truth, path, *programs):
    """Text of instructions is objdump's, but for names and comments, and 0x before addresses."""
    expected = {}
    for program in programs:
        for line in tool("objdump", "-d", program).splitlines():
            match = re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t(\S+)\s*(.*)", line)
            if match:
                operands = re.sub(r"\b([0-9a-f]+) <[^>]*>", r"0x\1", match[3].split("#")[0]).strip()
                expected[int(match[1], 16)] = (match[2] + " " + operands).strip()
    instructions = [i for i in items(path, "listing") if i["type"] == "instruction"]
    assert [int(i["address"], 16) for i in instructions] == truth
    for i in instructions:
        wanted = expected[int(i["address"], 16)]
        assert i["text"] == wanted, (i, wanted)


def check_dump(dump, path):
    """N-Trace: the dump of the reference code: its bytes, and fields that have a byte of their own."""
    shift = {"FADDR": 1, "UADDR": 1}
    names = {"ICNT": "I-CNT", "FADDR": "F-ADDR", "UADDR": "U-ADDR", "BTYPE": "B-TYPE",
             "BCNT": "B-CNT", "CDF": "CDF"}
    with open(path, encoding="utf-8") as file:
        packets = json.load(file)["packets"]
    with open(dump, encoding="ascii") as file:
        messages = [m for m in file.read().replace("\r", "").split("\n\n") if "TCODE" in m]
    assert len(messages) == len(packets), (len(messages), len(packets))
    offset = checked = 0
    for message, packet in zip(messages, packets):
        lines = [line for line in message.split("\n") if line.startswith("0x")]
        raw = "".join(line[2:4].lower() for line in lines)
        assert packet["bytes"] == raw and packet["offset"] == offset, packet
        offset += len(lines)
        assert re.search(r" - (\S+)", lines[0])[1] == packet["name"], packet
        for name, value in re.findall(r"(\w+)\[\d+\]=(\w+)", message):
            got = packet[names.get(name, name)]
            got = int(got, 16) if isinstance(got, str) else got
            assert got == int(value, 0) << shift.get(name, 0), (name, value, packet)
            checked += 1
    assert checked > 3 * len(packets) - 3, checked


def check_fields(csv, path, scf):
    """E-Trace: every packet's fields, as the reference flow's list has them: "_" is not there."""
    with open(path, encoding="utf-8") as file:
        packets = json.load(file)["packets"]
    with open(csv, encoding="ascii") as file:
        names, *rows = [line.rstrip("\r\n").split(",") for line in file]
    with open(scf, encoding="ascii") as file:
        given = dict(re.findall(r"^(\w+)_p=(\d+)", file.read(), re.M))
    lsb, width = int(given["iaddress_lsb"]), int(given["iaddress_width"])
    assert len(rows) == len(packets), (len(rows), len(packets))
    offset = 0
    for row, packet in zip(rows, packets):
        assert packet["offset"] >= offset and 2 * packet["size"] == len(packet["bytes"]), packet
        offset = packet["offset"] + packet["size"]
        for name, text in zip(names, row):
            assert (text == "_") == (name not in packet), (name, text, packet)
            if text == "_":
                continue
            got = packet[name]
            got = int(got, 16) if isinstance(got, str) else got
            if name == "address":
                got = got >> lsb & (1 << width - lsb) - 1
            assert got == int(text, 16 if name in ("address", "tval") else 10), (name, text, packet)


def main():
    checks = {"pc": check_pc, "listing": check_listing, "blocks": check_blocks,
              "calls": check_calls, "lines": check_lines, "text": check_text}
    what, truth, *rest = sys.argv[1:]
    if what in ("dump", "fields"):
        (check_dump if what == "dump" else check_fields)(truth, *rest)
    else:
        checks[what](addresses(truth), *rest)


main()
