#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one small log per format of nccl-tests and NCCL into this folder, and expected.json beside them: what a
reader has to find in each. Numbers are made up; formats are those of the versions named. Nothing is taken from a
real machine.

  make_logs.py            writes the files
  make_logs.py --check    exits with 1 when they are not what it would write
  make_logs.py --mixed N  prints N times a long mixed log (for the bar on speed) to standard output
"""
import json
import os
import sys

sys.dont_write_bytecode = True
import formats  # noqa: E402
import scripts  # noqa: E402
from mixed import mixed  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    if sys.argv[1:2] == ["--mixed"]:
        return mixed(int(sys.argv[2]))
    for make in (formats.formats, formats.interleaved, formats.logs, scripts.scripts, scripts.json_files):
        make()
    files = {name: text for name, (text, _) in formats.FILES.items()}
    about = {name: expected for name, (_, expected) in sorted(formats.FILES.items())}
    files["expected.json"] = json.dumps(about, indent=1) + "\n"
    wrong = []
    for name, text in files.items():
        path = os.path.join(HERE, name)
        if sys.argv[1:] == ["--check"]:
            if not os.path.exists(path) or open(path, newline="").read() != text:
                wrong.append(name)
        else:
            with open(path, "w", newline="") as out:
                out.write(text)
    if wrong:
        sys.exit("not what make_logs.py writes: " + " ".join(wrong))


if __name__ == "__main__":
    main()
