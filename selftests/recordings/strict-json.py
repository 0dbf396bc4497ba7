#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""strict-json.py DIRECTORY...: every JSON document and line of trace directories, read by a parser that refuses
a member which comes twice."""
import json
import pathlib
import sys


def members(pairs):
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"twice in one object: {', '.join(sorted(twice))}")
    return dict(pairs)


def texts(path):
    """What has to be one object: a document, or each line."""
    text = path.read_text(encoding="utf-8")
    return text.splitlines() if path.suffix == ".jsonl" else [text]


def main():
    checked = 0
    for directory in sys.argv[1:]:
        for path in sorted(pathlib.Path(directory).rglob("*.json*")):
            for number, text in enumerate(texts(path), 1):
                try:
                    if list(json.loads(text, object_pairs_hook=members))[-1] != "xxh64":
                        raise ValueError("the seal is not the last member")
                except ValueError as error:
                    sys.exit(f"{path}: {number}: {error}")
                checked += 1
    if not checked:
        sys.exit("no documents")
    print(f"{checked} documents and lines")


main()
