#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""alone.py TRUTH BITS branch|priv LISTING < PACKETS

Whether packets of the debug specification (tracectl decode --packets) that tell of nothing but
branches, or changes of privilege, are in the window of the ground truth those of what executed.
LISTING is what objdump -d says of the program. compare.py reads TRUTH.
"""
import re
import sys

from compare import executed

LEAST = 40  # packets that are not in a row like that by accident


def read_listing(path):
    """Branches: where they lead, and what is behind them; labels, returns from traps"""
    branches, labels, returns, pending = {}, {}, set(), None
    with open(path) as f:
        for line in f:
            if found := re.match(r"([0-9a-f]+) <(\w+)>:", line):
                labels[found[2]] = int(found[1], 16)
            if not (found := re.match(r" *([0-9a-f]+):\s+(\S+)(.*)", line)):
                continue
            pc = int(found[1], 16)
            if pending:
                branches[pending[0]] = (pending[1], pc)
            pending = None
            if found[2] == "mret":
                returns.add(pc)
            elif found[2][0] == "b":
                pending = pc, int(re.search(r"([0-9a-f]+) <", found[3])[1], 16)
    return branches, labels, returns


def branches_of(pcs, listing):
    """T taken, N not, . not known: an interrupt came behind it"""
    branches = listing[0]
    for pc, following in zip(pcs, pcs[1:]):
        if pc in branches:
            target, behind = branches[pc]
            yield "T" if following == target else "N" if following == behind else "."


def changes_of(pcs, listing):
    """I interrupt, o anything else"""
    _, labels, returns = listing
    for i, pc in enumerate(pcs):
        if pc == labels["trap"]:
            yield "I" if labels["interrupt"] in pcs[i:i + 6] else "o"
        elif pc in returns:
            yield "o"


def same(want, got, at):
    return len(got) - at >= len(want) and all(w in (got[at + i], ".") for i, w in enumerate(want))


def main():
    what, listing = sys.argv[3], read_listing(sys.argv[4])
    pcs = [int(line, 16) for lines in executed(sys.argv[1], int(sys.argv[2])) for line in lines]
    # how the window ends is in the trace, too, but may be not known
    want = "".join((branches_of if what == "branch" else changes_of)(pcs, listing))
    packets = sys.stdin.read()
    if what == "branch":
        got = "".join("N" if no else "T" for no in re.findall(r" Branch (Not )?Taken ", packets))
    else:
        got = "".join("I" if i == "1" else "o" for i in re.findall(r" interrupt=(\d) ", packets))
    if len(want) < LEAST or len(set(want)) < 2:
        sys.exit("nothing was executed that could be told apart")
    if not any(same(want, got, at.start()) for at in re.finditer(f"(?={want[:LEAST]})", got)):
        sys.exit(f"{len(want)} were executed, which are not among {len(got)} decoded")
    print(f"{len(want)} of {len(pcs)} instructions compared")


if __name__ == "__main__":
    main()
