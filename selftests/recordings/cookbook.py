#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers to the questions of docs/cookbook.md, held to what is known otherwise.

    cookbook.py FOLDER     FOLDER has the recording, its database, and answers: readme.py cookbook

Known are what rvtrace-recipes does (selftests/programs/recipes.c), the records of switches, and the
calls as decode lists them one by one. Prints TAP.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

WRITES, PAGES, ROUNDS = 40, 64, 20      # of rvtrace-recipes
FROM, TO = 0.8, 0.8004                  # of the window
UNITS = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}

(DATABASE, SYSTEM_CALL, WINDOW, INTERRUPT, WOKEN, SLOWEST, LOCK, FAULTS, INIT, THREAD, HARTS) = range(11)


class Answers:
    def __init__(self, folder):
        self.folder = folder
        self.items = None

    def rows(self, number):
        with open(f'{self.folder}/answers/{number}', encoding='utf-8') as answer:
            return [row for row in answer.read().splitlines() if not row.startswith('tracectl: ')]

    def tree(self, number):
        """Functions and callees: indentation, calls, name, total in ns; the first tree alone"""
        found = []
        for row in self.rows(number):
            fits = re.match(r' *([0-9.]+) ([mun]?s) +(?:[0-9.]+ [mun]?s|-) +([0-9]+)( +)(\S.*)', row)
            if row.startswith('slowest:'):
                break
            if fits:
                total, unit, calls, indent, name = fits.groups()
                found.append((len(indent), int(calls), name, float(total) * UNITS[unit]))
        return found

    def calls(self):
        """Items of decode --output calls"""
        if not self.items:
            command = ('tracectl', 'decode', '--json', '--output', 'calls', '-o', 'calls.json', 'first')
            subprocess.run(command, cwd=self.folder, check=True, stderr=subprocess.DEVNULL)
            with open(f'{self.folder}/calls.json', encoding='utf-8') as listing:
                self.items = json.load(listing)['items']
        return self.items

    def switches(self, clock='relative_ns'):
        """Of each hart: time in ns, and thread"""
        command = ('tracectl', 'threads', '--switches', '--json', 'first')
        listed = json.loads(subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.PIPE).stdout)
        found = {}
        for switch in listed['list']:
            found.setdefault(switch['cpu'], []).append((switch[clock], switch['tid']))
        return found


def entered(answers, name, **of):
    """Items that enter a function, and are calls of it"""
    return [item for item in answers.calls() if item.get('symbol') == name and item['type'] in ('call', 'jump') and
            all(item.get(member) == value for member, value in of.items())]


def system_call(answers):
    """As many calls as decode lists, most of them those that the program makes"""
    tree = answers.tree(SYSTEM_CALL)
    listed = len(entered(answers, '__riscv_sys_write', pid=1000))
    assert tree[0][2] == '__riscv_sys_write' and tree[0][1] == listed >= WRITES, (tree[0], listed)
    assert tree[1][2] == 'ksys_write' and tree[1][1] == listed, tree[1]
    assert all(tree[0][3] >= row[3] for row in tree), tree


def window(answers):
    """Hart 1 alone, between the times, and the threads that ran there by the records of switches"""
    rows = answers.rows(WINDOW)
    found = [re.match(r'\[   1\] +([0-9.]+) . +\S+ +([0-9]+) ', row) for row in rows]
    assert rows and all(found), rows
    assert all(FROM - 1e-6 <= float(f.group(1)) <= TO + 1e-6 for f in found), rows
    on_hart = answers.switches()[1]
    ran = {tid for n, (time, tid) in enumerate(on_hart) if time <= TO * 1e9 + 1e5 and
           (n + 1 == len(on_hart) or on_hart[n + 1][0] >= FROM * 1e9 - 1e5)}
    shown = {int(f.group(2)) for f in found}
    assert shown <= ran, (shown, ran)


def interrupt(answers):
    """The longest of all that decode lists, at its time"""
    fits = re.match(r' *[0-9]+ +.* ([0-9.]+) ([mun]?s) +([0-9.]+)  interrupt, do_irq', answers.rows(INTERRUPT)[1])
    open_ones, longest, began = {}, 0, None
    for item in answers.calls():
        key = item.get('tid') or -1 - item['hart'], item.get('depth')
        if item['type'] == 'interrupt':
            open_ones[key] = item['relative_ns']
        elif item['type'] == 'trap-return' and key in open_ones:
            start = open_ones.pop(key)
            if item.get('duration_ns', 0) > longest:
                longest, began = item['duration_ns'], start
    shown = float(fits.group(1)) * UNITS[fits.group(2)]
    assert abs(shown - longest) <= 0.01 * longest, (shown, longest)
    assert abs(float(fits.group(3)) * 1e9 - began) <= 1000, (fits.group(3), began)


def woken(answers):
    """The holder of the lock wakes the waiter at least when it leaves the lock to it"""
    row = next(row for row in answers.rows(WOKEN) if row.startswith('holder 1000/1001 ') and 'waiter 1000/1002' in row)
    waits = next(calls for _, calls, name, _ in answers.tree(LOCK) if name == '__riscv_sys_futex')
    assert int(row.split()[-1]) >= waits / 2, (row, waits)


def slowest(answers):
    """The ten with the longest duration that decode lists, in this order"""
    shown = [int(row.split()[0]) for row in answers.rows(SLOWEST)[2:]]
    listed = sorted((item['duration_ns'] for item in answers.calls() if item.get('symbol') == 'ksys_write' and
                     item['type'] in ('returned', 'unwound', 'cut') and 'duration_ns' in item), reverse=True)[:10]
    assert len(shown) == 10 and shown == sorted(shown, reverse=True), shown
    assert all(abs(a - b) <= 100 + 1e-5 * b for a, b in zip(shown, listed)), (shown, listed)


def lock(answers):
    """It is taken once in each round, and is taken; what is waited for is most of the holder's time"""
    tree = answers.tree(LOCK)
    assert re.fullmatch('(__)?pthread_mutex_lock', tree[0][2]) and tree[0][1] == ROUNDS, tree[0]
    waits, rested = next((calls, total) for _, calls, name, total in tree if name == '(did not run)')
    assert ROUNDS / 2 <= waits, tree
    assert 0.5 * tree[0][3] < rested <= tree[0][3], tree


def faults(answers):
    """A fault for each page"""
    row = next(row for row in answers.rows(FAULTS) if 'main > touch_pages > exception' in row)
    assert int(row.split()[0]) == PAGES, row


def init(answers):
    """What the source of tun's init function calls, and no name of another function of the module"""
    tree = answers.tree(INIT)
    assert tree[0][2] == 'do_one_initcall' and tree[0][1] == 1, tree[0]
    assert re.fullmatch(r'(tun_init|0x[0-9a-f]+|\?) \(tun\)', tree[1][2]), tree[1]
    below = set()
    for indent, _, name, _ in tree[2:]:
        if indent <= tree[1][0]:
            break
        if indent == tree[1][0] + 2:
            below.add(name)
    calls = {'_printk', 'rtnl_link_register', 'misc_register', 'register_netdevice_notifier'}
    assert 'misc_register' in below and below <= calls | {'interrupt', 'exception'}, below


def thread(answers):
    """Its run time by the records of switches"""
    row = next(row for row in answers.rows(THREAD) if row.endswith(' rvtrace-recipes/1000'))
    ran = 0
    for switches in answers.switches().values():
        ran += sum(after[0] - before[0] for before, after in zip(switches, switches[1:]) if before[1] == 1002)
    assert abs(float(row.split()[0]) * 1e9 - ran) <= 2000, (row, ran)


def overlap(a, b):
    """How long each pair of threads of two harts ran at the same time, in ns"""
    found = {}
    for start, end, one in a:
        for began, ended, other in b:
            if began < end and start < ended:
                found[one, other] = found.get((one, other), 0) + min(end, ended) - max(start, began)
    return found


def harts(answers):
    """Records of switches have the same pairs, and times that the trace allows"""
    shown = {}
    for row in answers.rows(HARTS)[2:]:
        pair, both = re.fullmatch(r'(.*) ([0-9]+) *', row).groups()
        tids = (0 if name.startswith('idle') else int(re.search(r'([0-9]+)$', name).group(1))
                for name in re.split(r' {2,}', pair.strip()))
        shown[tuple(tids)] = int(both)
    limits, true = [], []
    with sqlite3.connect(f'{answers.folder}/first.db') as database:
        for began, ended in (('latest', 'earliest'), ('earliest', 'latest')):
            runs = [database.execute(f'SELECT started_{began}, ended_{ended}, tid FROM run JOIN thread ON id = thread '
                                     f'WHERE run.hart = ? AND started_{began} < ended_{ended}', (hart,)).fetchall()
                    for hart in (0, 1)]
            limits.append(overlap(*runs))
        # no record has the end of the last runs: between no time and the end of the trace
        end = database.execute('SELECT max(ended_latest) FROM run').fetchone()[0]
    for after in ([], [(end, None)]):
        true.append(overlap(*([(began[0], ended[0], began[1]) for began, ended in zip(switches, switches[1:] + after)]
                              for _, switches in sorted(answers.switches('monotonic_ns').items()))))
    assert len(shown) == 5, shown
    for pair, both in shown.items():
        least, most = (limit.get(pair, 0) for limit in limits)
        known = [times.get(pair, 0) for times in true]
        # A record is made before its switch, and this computer may do something else in between.
        slack = 3e7 + both / 100
        assert least <= both <= most and least - slack <= known[1] and known[0] <= most + slack, \
            (pair, both, least, most, known)


def main():
    answers = Answers(sys.argv[1])
    failed = 0
    checks = (system_call, window, interrupt, woken, slowest, lock, faults, init, thread, harts)
    print(f'TAP version 13\n1..{len(checks)}')
    for number, check in enumerate(checks, 1):
        try:
            check(answers)
            print(f'ok {number} - {check.__doc__}')
        except (AssertionError, StopIteration, LookupError, AttributeError, TypeError, OSError, subprocess.SubprocessError) as wrong:
            failed += 1
            print(f'not ok {number} - {check.__doc__}')
            print(*(f'# {line}' for line in f'{type(wrong).__name__}: {wrong}'.splitlines()), sep=os.linesep)
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
