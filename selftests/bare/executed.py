#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""executed.py TRUTH BITS: addresses of all that executed, as tracectl decode prints them"""
import sys

from compare import executed

for lines in executed(sys.argv[1], int(sys.argv[2])):
    sys.stdout.writelines(lines)
