#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Compare the switches of a recording (tracectl threads --switches --json) with those that
# the kernel's own trace of its scheduler has of the same time, CPU by CPU, in order: who
# runs, under what name, when.
#
#   threads.py SWITCHES.json TRACE
import json, re, sys

SLACK = 200_000_000	# ns between two readings of the clock, at the ends and after losses
BEGUN = 1_000_000	# ns from the first record of a CPU, what it ran then, to when it tells of all

recorded, truth = {}, {}
document = json.load(open(sys.argv[1]))
for s in document["list"]:
    recorded.setdefault(s["cpu"], []).append(s)
line = re.compile(r'\[(\d+)\].*? (\d+)\.(\d{6}): sched_switch: .* ==> next_comm=(.*) next_pid=(\d+) next_prio=')
with open(sys.argv[2], errors="replace") as file:
    for text in file:
        found = line.search(text)
        if not found:
            sys.exit(f"not a switch: {text}")
        cpu, s, us, comm, tid = found.groups()
        truth.setdefault(int(cpu), []).append((int(s) * 10**9 + int(us) * 1000, int(tid), comm))

end = max(s["time_ns"] for list in recorded.values() for s in list)
losses = sorted(s["time_ns"] for list in recorded.values() for s in list if s["lost"])
missing = extra = wrong = lost = matched = apart = 0

def tell(what, cpu, *of):
    if missing + extra + wrong < 10:
        print(f"CPU {cpu}: {what}: {of}", file=sys.stderr)

# Where in @kernel, from @at on, the records from @i on begin: the best of the places about that time
def align(kernel, at, list, i):
    best, most = at, -1
    while at < len(kernel) and kernel[at][0] < list[i]["time_ns"] + SLACK:
        if kernel[at][0] > list[i]["time_ns"] - SLACK:
            alike = 0
            for k, s in zip(kernel[at:at + 50], list[i:i + 50]):
                if k[1:] != (s["tid"], s["comm"]):
                    break
                alike += 1
            if alike > most:
                best, most = at, alike
        at += 1
    return best

for cpu, list in sorted(recorded.items()):
    kernel = truth.get(cpu, [])
    # the first one says what ran when the session began
    at, before = 0, list[0]["time_ns"]
    for i, s in enumerate(list):
        if not i:
            continue
        if i == 1 or any(before < l <= s["time_ns"] for l in losses):
            here = align(kernel, at, list, i)
            lost += here - at if i > 1 else 0
            for k in kernel[at:here] if i == 1 else []:
                if k[0] > list[0]["time_ns"] + BEGUN:
                    missing += 1
                    tell("missing", cpu, k)
            at = here
        before = s["time_ns"]
        if at == len(kernel):
            extra += 1
            tell("extra", cpu, s)
            continue
        time, tid, comm = kernel[at]
        if (tid, comm) == (s["tid"], s["comm"]):
            matched += 1
            apart = max(apart, abs(time - s["time_ns"]))
        elif at + 1 < len(kernel) and kernel[at + 1][1:] == (s["tid"], s["comm"]):
            missing += 1
            tell("missing", cpu, kernel[at], s)
            at += 1
        else:
            wrong += 1
            tell("wrong", cpu, kernel[at], s)
        at += 1
    for k in kernel[at:]:
        if k[0] < end - SLACK:
            missing += 1
            tell("missing", cpu, k)

print(f"{matched} switches on {len(recorded)} CPUs: {missing} missing, {extra} extra, {wrong} wrong, "
      f"{lost} in {len(losses)} losses of {document['records_lost']} records, at most {apart / 1000:.0f} us apart")
untold = set(truth) - set(recorded)
if untold:
    print(f"nothing is recorded of CPUs {untold}", file=sys.stderr)
bad = untold or missing or extra or wrong or lost > document["records_lost"] or not matched
sys.exit(1 if bad else 0)
