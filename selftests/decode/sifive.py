# SPDX-License-Identifier: GPL-2.0
"""An N-Trace stream as SiFive's encoders before N-Trace 1.0 would have sent it: histories of equal
branches become counts, timestamps are XORed with the one before, and what software writes and
in-circuit trace is in between.  sifive.py IN OUT"""
import sys

SYNCS = (9, 11, 12, 29)


def messages(data):
    start = 0
    for at, byte in enumerate(data):
        if byte & 3 == 3:
            yield data[start:at + 1]
            start = at + 1


def fields(message, widths):
    """Values of fields; width 0: variable-length, up to the end of a byte that says so."""
    bits = [(byte >> 2 >> i & 1, byte & 3 and i == 5) for byte in message for i in range(6)]
    at, values = 0, []
    for width in widths:
        value, start = 0, at
        while at < len(bits) and (at - start < width if width else True):
            value |= bits[at][0] << (at - start)
            at += 1
            if not width and bits[at - 1][1]:
                break
        values.append(value)
    return values


def build(parts):
    """A message of (value, width); width 0: variable-length."""
    out, bits = [], []
    for index, (value, width) in enumerate(parts):
        bits += [value >> i & 1 for i in range(width or max(1, value.bit_length()))]
        if not width:
            bits += [0] * (-len(bits) % 6)
            size = len(bits) // 6
            out += [sum(bits[6 * i + j] << (j + 2) for j in range(6)) for i in range(size)]
            out[-1] |= 3 if index == len(parts) - 1 else 1
            bits = []
    return bytes(out)


def runs(message):
    """ResourceFull with a history of equal branches, as a count; else None."""
    rcode, history, repeat = fields(message, (6, 4, 0, 0))[1:]
    if rcode not in (1, 2):
        return None
    count = history.bit_length() - 1
    outcomes = history ^ 1 << count
    if outcomes not in (0, (1 << count) - 1):
        return None
    return build(((27, 6), (9 if outcomes else 8, 4),
                  (count * (repeat if rcode == 2 else 1), 0)))


def main():
    with open(sys.argv[1], "rb") as file:
        stream = file.read()
    out, counts, time, before, source = [], 0, 1 << 30, 0, 0
    for number, message in enumerate(messages(stream)):
        tcode = message[0] >> 2
        counted = runs(message) if tcode == 27 else None
        counts += counted is not None
        message = counted or message
        time += 5 + number % 7
        stamp = build(((time if tcode in SYNCS else time ^ before, 0),))
        if tcode in SYNCS or number % 3:
            out.append(message[:-1] + bytes([message[-1] & ~3 | 1]) + stamp)
            before = time
        else:
            out.append(message)
        if number % 50 == 10:
            source += 1
            out += [build(((7, 6), (source % 64, 0), (number, 0))),
                    build(((14, 6), (source, 0), (number, 0))),
                    build(((2, 6), (0x1235, 0))),
                    build(((34, 6), (14, 4), (0, 2), (0, 0))),
                    build(((34, 6), (0, 4), (0, 2), (2, 0)))]
    assert counts and source, (counts, source)
    with open(sys.argv[2], "wb") as file:
        file.write(b"".join(out))


main()
