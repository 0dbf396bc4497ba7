#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What functions of events.c emit, and in how many instructions, by executing them.

check.py events FORM ELF            every macro emits what it says
check.py cost FORM ELF REFERENCE    an event takes the instructions that stm.h documents
check.py off FORM ELF REFERENCE     with RVTRACE_STM_SWITCH
check.py condition FORM ELF         with RVTRACE_STM_ENABLED
check.py encodings FORM OBJDUMP     one instruction each, by objdump's listing
"""
import re
import sys

from hart import DEVICE, Hart

TEXT = 0x60000000
FENCE_OW = ('fence', 5, 5)

def value_of(hart):
    return 0x8123456789abcdef & hart.mask

# Functions whose argument is the value: identifier
IDENTIFIERS = {
    'user_first': 1, 'user_31': 31, 'user_32': 32, 'user_7ff': 0x7ff, 'user_800': 0x800,
    'user_fff': 0xfff, 'user_1000': 0x1000, 'user_last': 0x3fff, 'com_first': 0x4000,
    'com_last': 0x7fff, 'sys_first': 0xc000, 'sys_last': 0xffff, 'thread_switch': 0x8000,
    'counter': 0x200,
}

def same(what, got, want):
    assert got == want, f'{what}: {got}, not {want}'

def pack(text, xlen):
    """The characters and their NUL, as events' values."""
    size = xlen // 8
    padded = text + b'\0' * (size - len(text) % size)
    return [int.from_bytes(padded[i:i + size], 'little') for i in range(0, len(padded), size)]

def itc_log(xlen, number, value):
    """What the ITC form does for an event."""
    stores = [('store', DEVICE, 4, value >> 32 * i & 0xffffffff) for i in range(xlen // 32)]
    return [FENCE_OW, *stores, FENCE_OW, ('store', DEVICE + 66, 2, number)]

def start(form, path):
    hart = Hart(path)
    if form == 'itc':
        hart.store(hart.symbols['channel'], DEVICE, hart.xlen // 8)
    if 'condition' in hart.symbols:
        hart.store(hart.symbols['condition'], 1, 4)
    return hart

def expect(form, hart, name, arguments, events):
    hart.call(name, *arguments)
    if form != 'itc':
        same(name, hart.events(), events)
        return
    wanted = [entry for event in events for entry in itc_log(hart.xlen, *event)]
    same(name, [entry for entry in hart.log if entry[0] == 'fence' or DEVICE <= entry[1] < DEVICE + 128], wanted)

def check_strings(form, hart):
    for text in b'', b'a', b'1234567', b'12345678', b'123456789abcdef0', b'\xff' * 37:
        hart.string(TEXT, text)
        expect(form, hart, 'any_string', [TEXT], [(0x30, part) for part in pack(text, hart.xlen)])
    expect(form, hart, 'literal', [], [(0x31, part) for part in pack(b'counted', hart.xlen)])
    expect(form, hart, 'thread_name', [], [(0x4000, part) for part in pack(b'worker/0:1', hart.xlen)])

def check_events(form, path):
    hart = start(form, path)
    value, other = value_of(hart), 0x76543210
    for name, number in IDENTIFIERS.items():
        expect(form, hart, name, [value], [(number, value)])
    expect(form, hart, 'putchar_of', [0x141], [(4, 0x41)])
    expect(form, hart, 'pair', [value], [(0x3ffe, value), (0x3fff, value)])
    expect(form, hart, 'constant', [], [(0x10, 42)])
    expect(form, hart, 'negative', [], [(0x10, -2 & hart.mask)])
    expect(form, hart, 'second_argument', [value, other], [(0x11, other)])
    expect(form, hart, 'pointer', [TEXT], [(0x12, TEXT)])
    expect(form, hart, 'several', [value, other], [(1, value), (2, other), (3, value)])
    expect(form, hart, 'argument_with_effect', [], [(0x40, 1)])
    expect(form, hart, 'argument_with_effect', [], [(0x40, 2)])
    check_strings(form, hart)
    for name in 'ordered', 'ordered_plain':
        hart.call(name, TEXT)
        first, last = ('store', TEXT, 4, 1), ('store', TEXT, 4, 2)
        assert hart.log[0] == first and hart.log[-1] == last and len(hart.log) > 2, f'{name}: {hart.log}'
    if form == 'itc':
        hart.store(hart.symbols['channel'], 0, hart.xlen // 8)
        expect(form, hart, 'user_first', [value], [])

def identifier_cost(number, immediate):
    """Instructions that load a constant."""
    if number < 32 and immediate:
        return 0
    return 1 if number < 0x800 or number % 0x1000 == 0 else 2

def documented(form, xlen, number):
    if form == 'hint':
        return 1
    if form == 'csr':
        return 1 + identifier_cost(number, True)
    return (6 if xlen == 64 else 4) + identifier_cost(number, False)

def check_cost(form, path, reference):
    hart, plain = start(form, path), Hart(reference)
    for name, number in IDENTIFIERS.items():
        hart.call(name, value_of(hart))
        plain.call(name, value_of(hart))
        cost = hart.count - plain.count
        if form == 'itc':
            # loads the pointer: its address, itself, a branch
            assert cost - documented(form, hart.xlen, number) in (3, 4), f'{name}: {cost}'
        else:
            same(f'{name}: instructions', cost, documented(form, hart.xlen, number))
    for length in range(0, 40):
        hart.string(TEXT, b'x' * length)
        hart.call('any_string', TEXT)
        events = len(pack(b'x' * length, hart.xlen))
        limit = 8 * (length + 1) + (8 + documented(form, hart.xlen, 0x30)) * events + 6
        assert hart.count <= limit, f'{length} characters: {hart.count} instructions, more than {limit}'

def check_offsets(hart):
    """What is written into a site, taken for a jump, leads to where the event is."""
    for bit in range(1, 21):
        for offset in 1 << bit, -(1 << bit), (1 << bit) - 2, 2 - (1 << bit), 0xaaaaa & (1 << bit) - 1:
            hart.store(TEXT, 0, 4)
            hart.store(TEXT + 4, offset - 4, 4)
            word = hart.call('offset_of', TEXT) & 0xffffffff
            if offset and -1 << 20 <= offset < 1 << 20:
                hart.x = [0] * 32
                same(f'jump by {offset}', hart.step(TEXT, word | 0x6f), TEXT + offset)
            else:
                same(f'jump by {offset}', word, 0)

def check_off(form, path, reference):
    hart, plain = start(form, path), Hart(reference)
    value = value_of(hart)
    def is_off():
        # where an argument has a call, compilers may make its frame before they ask
        expect(form, hart, 'argument_with_effect', [], [])
        for name in [*IDENTIFIERS, 'any_string', 'thread_name', 'constant']:
            expect(form, hart, name, [value], [])
            plain.call(name, value)
            # a compiler may move the pointer out of a0 before it asks
            limit = 2 if name == 'any_string' else 1
            assert 1 <= hart.count - plain.count <= limit, f'{name}: {hart.count - plain.count} instructions'
    is_off()
    check_offsets(hart)
    for _ in range(2):
        for on in 1, 1, 0:
            same('switch', hart.call('switch_events', on), 0)
            if on:
                for name, number in IDENTIFIERS.items():
                    expect(form, hart, name, [value], [(number, value)])
                check_strings(form, hart)
        is_off()
    same('evaluated', hart.load(hart.symbols['calls'], 4), 0)

def check_condition(form, path):
    hart = start(form, path)
    value = value_of(hart)
    expect(form, hart, 'user_32', [value], [(32, value)])
    hart.store(hart.symbols['condition'], 0, 4)
    expect(form, hart, 'argument_with_effect', [], [])
    for name in [*IDENTIFIERS, 'constant']:
        expect(form, hart, name, [value], [])
        # loads the flag: its address, itself, a branch; and returns
        assert hart.count <= 5, f'{name}: {hart.count} instructions'
    same('evaluated', hart.load(hart.symbols['calls'], 4), 0)

def words(path):
    """Encodings by function, as objdump prints them."""
    functions, name = {}, None
    for line in open(path):
        heading = re.match(r'[0-9a-f]+ <([^>.][^>]*)>:$', line)
        if heading:
            name = heading[1]
            functions[name] = []
        code = re.match(r' *[0-9a-f]+:\t((?:[0-9a-f]{2} )+|[0-9a-f]+)\s', line)
        if code and name:
            functions[name].append(int(code[1].replace(' ', ''), 16))
    return functions

def check_encodings(form, path):
    functions = words(path)
    for name, number in IDENTIFIERS.items():
        code = functions[name]
        if form == 'hint':
            want = (number & 0xfff) << 20 | number >> 12 << 15 | 2 << 12 | 0x13
        elif form == 'nop':
            want = 0x15000000 | number
        elif number < 32:
            want = 0x8f0 << 20 | number << 15 | 5 << 12 | 0x73
        else:
            want = 0x8f0 << 20 | 1 << 12 | 0x73
            code = [word & ~(31 << 15) for word in code]
        same(f'{name}: {[hex(w) for w in code]}', code.count(want), 1)
        if form in ('hint', 'nop'):
            same(f'{name}: instructions', len(code), 2 if form == 'hint' else 3)

def main():
    sys.dont_write_bytecode = True
    command, form, *paths = sys.argv[1:]
    globals()['check_' + command](form, *paths)

try:
    main()
except AssertionError as wrong:
    sys.exit(f'check.py: {wrong}')
