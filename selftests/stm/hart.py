# SPDX-License-Identifier: GPL-2.0
"""A hart that executes RV32IM or RV64IM without compressed instructions, from an ELF file, and
notes the software trace events, fences and stores to a device that its functions make."""
import struct

CSR_TRACE = 0x8f0
END = 0xfffffff0            # where functions return to
STACK = 0x40000000
DEVICE = 0x50000000         # stimulus registers, 128 bytes

def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value

class Elf:
    def __init__(self, path):
        data = open(path, 'rb').read()
        assert data[:4] == b'\x7fELF'
        self.xlen = 64 if data[4] == 2 else 32
        wide = self.xlen == 64
        phoff, shoff = struct.unpack_from('<QQ' if wide else '<II', data, 32 if wide else 28)
        phentsize, phnum, shentsize, shnum = struct.unpack_from('<4H', data, 54 if wide else 42)
        self.memory = {}
        for i in range(phnum):
            at = phoff + i * phentsize
            if wide:
                kind, _, offset, address, _, size, memsize = struct.unpack_from('<IIQQQQQ', data, at)
            else:
                kind, offset, address, _, size, memsize = struct.unpack_from('<IIIIII', data, at)
            if kind == 1:
                for k, byte in enumerate(data[offset:offset + size].ljust(memsize, b'\0')):
                    self.memory[address + k] = byte
        self.symbols = {}
        sections = [struct.unpack_from('<IIQQQQIIQQ' if wide else '<10I', data, shoff + i * shentsize)
                    for i in range(shnum)]
        for section in sections:
            if section[1] != 2:
                continue
            names = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], section[9]):
                if wide:
                    name, _, _, _, value = struct.unpack_from('<IBBHQ', data, at)
                else:
                    name, value = struct.unpack_from('<II', data, at)
                end = data.index(0, names + name)
                self.symbols[data[names + name:end].decode()] = value

class Hart:
    def __init__(self, path):
        elf = Elf(path)
        self.xlen, self.memory, self.symbols = elf.xlen, elf.memory, elf.symbols
        self.mask = (1 << self.xlen) - 1

    def load(self, address, size):
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(size))

    def store(self, address, value, size):
        for i in range(size):
            self.memory[address + i] = value >> 8 * i & 0xff

    def string(self, address, text):
        for i, byte in enumerate(text + b'\0'):
            self.memory[address + i] = byte

    def call(self, name, *arguments):
        """Returns a0; self.log has what was noted, self.count the instructions, ret included."""
        self.x = [0] * 32
        self.x[1], self.x[2] = END, STACK
        for i, value in enumerate(arguments):
            self.x[10 + i] = value & self.mask
        self.log, self.count = [], 0
        pc = self.symbols[name]
        while pc != END:
            self.count += 1
            assert self.count < 100000, f'{name} does not return'
            pc = self.step(pc, self.load(pc, 4))
            self.x[0] = 0
        return self.x[10]

    def events(self):
        """(identifier, value) of CSR and hint form."""
        return [entry[1:] for entry in self.log if entry[0] == 'event']

    def step(self, pc, word):
        assert word & 3 == 3, f'compressed instruction at {pc:#x}'
        x, mask, xlen = self.x, self.mask, self.xlen
        opcode, rd, funct3 = word & 0x7f, word >> 7 & 31, word >> 12 & 7
        rs1, rs2, funct7 = word >> 15 & 31, word >> 20 & 31, word >> 25
        imm = signed(word >> 20, 12)
        following = pc + 4
        if opcode == 0x37:
            x[rd] = signed(word & 0xfffff000, 32) & mask
        elif opcode == 0x17:
            x[rd] = pc + signed(word & 0xfffff000, 32) & mask
        elif opcode == 0x6f:
            offset = word >> 31 << 20 | (word >> 12 & 0xff) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1
            x[rd], following = following, pc + signed(offset, 21)
        elif opcode == 0x67:
            target = x[rs1] + imm & mask & ~1
            x[rd], following = following, target
        elif opcode == 0x63:
            offset = word >> 31 << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3f) << 5 | (word >> 8 & 15) << 1
            a, b = x[rs1], x[rs2]
            sa, sb = signed(a, xlen), signed(b, xlen)
            if {0: a == b, 1: a != b, 4: sa < sb, 5: sa >= sb, 6: a < b, 7: a >= b}[funct3]:
                following = pc + signed(offset, 13)
        elif opcode == 0x03:
            size = 1 << (funct3 & 3)
            value = self.load(x[rs1] + imm & mask, size)
            x[rd] = value if funct3 & 4 else signed(value, 8 * size) & mask
        elif opcode == 0x23:
            size = 1 << funct3
            address = x[rs1] + signed(funct7 << 5 | rd, 12) & mask
            self.store(address, x[rs2], size)
            self.log.append(('store', address, size, x[rs2] & (1 << 8 * size) - 1))
        elif opcode == 0x13 and funct3 == 2 and rd == 0:
            self.log.append(('event', rs1 << 12 | word >> 20, x[10]))
        elif opcode in (0x13, 0x1b):
            x[rd] = self.arithmetic(opcode == 0x1b, funct3, x[rs1], imm & mask,
                                    funct3 == 5 and word >> 30 & 1)
        elif opcode in (0x33, 0x3b):
            assert funct7 in (0, 0x20), f'not of the base set: {word:#x}'
            x[rd] = self.arithmetic(opcode == 0x3b, funct3, x[rs1], x[rs2], funct7 == 0x20)
        elif opcode == 0x0f:
            self.log.append(('fence', word >> 24 & 15, word >> 20 & 15))
        elif opcode == 0x73 and funct3 in (1, 5):
            assert word >> 20 == CSR_TRACE and rd == 0, f'another CSR, or read: {word:#x}'
            self.log.append(('event', (rs1 if funct3 == 5 else x[rs1]), x[10]))
        else:
            raise AssertionError(f'{word:#x} at {pc:#x}')
        return following

    def arithmetic(self, narrow, funct3, a, b, other):
        bits = 32 if narrow else self.xlen
        shift = b & bits - 1
        a, b = a & (1 << bits) - 1, b & (1 << bits) - 1
        result = {
            0: a - b if other else a + b, 1: a << shift, 2: int(signed(a, bits) < signed(b, bits)),
            3: int(a < b), 4: a ^ b, 5: signed(a, bits) >> shift if other else a >> shift,
            6: a | b, 7: a & b,
        }[funct3]
        return signed(result, bits) & self.mask
