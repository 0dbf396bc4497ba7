#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Compare the tasks that harts wrote to tp (tracectl events --json --id of THREAD_SWITCH) with the
# switches that the kernel's own trace of its scheduler has, CPU by CPU, in order: one for each,
# and the same address for the same thread as long as it lives.
#
#   pointers.py EVENTS.json TRACE
import json, re, sys

SLACK = 200_000_000	# ns between two readings of the clock, at the ends and after losses

line = re.compile(r'\[(\d+)\].*? (\d+)\.(\d{6}): sched_switch: .*prev_pid=(\d+) prev_prio=\d+ '
                  r'prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio=')
truth = {}
with open(sys.argv[2], errors="replace") as file:
    for text in file:
        found = line.search(text)
        if not found:
            sys.exit(f"not a switch: {text}")
        cpu, s, us, before, state, tid = found.groups()
        truth.setdefault(int(cpu), []).append(
            (int(s) * 10**9 + int(us) * 1000, int(tid), int(before), state[0] in "XZ"))

# Of each hart, (when, tp), and None where something is missing. A trap writes the task again that
# was there before: that is no switch.
pointers = {}
for event in json.load(open(sys.argv[1]))["events"]:
    list = pointers.setdefault(event["hart"], [])
    if event["type"] == "lost":
        list.append(None)
    elif event["type"] == "event" and event["value"] == event.get("tp"):
        if not list or not list[-1] or list[-1][1] != event["value"]:
            list.append((event["monotonic_ns"], event["value"]))

end = max(p[0] for list in pointers.values() for p in list if p)
missing = extra = wrong = matched = losses = 0
task, pointer = {}, {}	# of an address, the thread it was seen with; of a thread, its address
pairs = []		# (when, tp, tid, who went, whether for ever), of all CPUs

def tell(what, cpu, *of):
    if missing + extra + wrong < 10:
        print(f"CPU {cpu}: {what}: {of}", file=sys.stderr)

# How many of the switches from @at on have the address that a thread had, at that place, already
def alike(kernel, at, list, i):
    seen, score = {}, 0
    for k, p in zip(kernel[at:at + 200], list[i:i + 200]):
        if not p:
            break
        score += seen.get(p[1], k[1]) == k[1]
        seen[p[1]] = k[1]
    return score

def align(kernel, at, list, i):
    places = [k for k in range(at, len(kernel)) if abs(kernel[k][0] - list[i][0]) < SLACK]
    return max(places, key=lambda k: alike(kernel, k, list, i), default=at)

for cpu, list in sorted(pointers.items()):
    kernel, at, anew = truth.get(cpu, []), 0, True
    # the first one is whatever was in tp when the first trap came
    for i, p in enumerate(list):
        if not p:
            losses += not anew
            anew = True
            continue
        if anew:
            if i + 1 < len(list) and list[i + 1]:
                at = align(kernel, at, list, i + 1)
                anew = False
            continue
        if at == len(kernel):
            extra += 1
            tell("extra", cpu, p)
            continue
        pairs.append((kernel[at][0], cpu, p[1], *kernel[at][1:]))
        at += 1
    for k in kernel[at:]:
        if list[-1] and k[0] < end - SLACK:
            missing += 1
            tell("missing", cpu, k)

# A thread keeps its address until it is dead. An idle one has one on each CPU. One that executes
# another program takes the number of the first of its process, the lower one; that one may leave
# its CPU for the last time after that, with the other number.
renumbered = 0
running = {}
for when, cpu, tp, tid, before, dead in sorted(pairs):
    if dead and running.get(cpu) in task:
        pointer.pop(task.pop(running[cpu]), None)
    elif dead and before in pointer:
        task.pop(pointer.pop(before), None)
    running[cpu] = tp
    who = tid or -1 - cpu
    if tp in task and 0 < who < task[tp]:
        pointer.pop(task.pop(tp), None)
        task.pop(pointer.pop(who, None), None)
        renumbered += 1
    if task.setdefault(tp, who) != who or pointer.setdefault(who, tp) != tp:
        wrong += 1
        tell("wrong", cpu, tp, task[tp], pointer.get(who), who)
    else:
        matched += 1

print(f"{matched} tasks in tp on {len(pointers)} harts: {missing} missing, {extra} extra, {wrong} wrong, "
      f"{renumbered} threads with another number, {losses} losses")
sys.exit(1 if missing or extra or wrong or renumbered > matched / 100 or not matched or
         len(pointers) != len(truth) else 0)
