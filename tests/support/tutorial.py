"""Run a tutorial: ``python tutorial.py PAGE`` in a copy of the checkout; fail if it prints anything but what it shows.

Blocks of a page run in order. ``python`` is executed in one namespace, or becomes a file if its first line is a comment
with the file's path; ``sh`` is run by a shell. A ``text`` block directly after one of them is its output, in which
``...`` stands for any text. A ``python`` block without one prints nothing.
"""

import contextlib
import doctest
import io
import re
import subprocess
import sys
from pathlib import Path

_BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (\S+/\S+\.\w+)\n")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    """The kind, the code and the printed output (None: none is shown) of each block that runs."""
    return [block.groups() for block in _BLOCK.finditer(page)]


def output(kind, code, names):
    """What a block prints."""
    if kind == "sh":
        done = subprocess.run(
            code, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert not done.returncode, f"{code}{done.stdout}"
        return done.stdout
    if file := _FILE.match(code):
        Path(file[1]).write_text(code.removeprefix(file[0]), encoding="utf-8")
        return ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "tutorial", "exec"), names)
    return printed.getvalue()


def main(path):
    names = {"__name__": "tutorial"}
    for kind, code, expected in blocks(Path(path).read_text(encoding="utf-8")):
        printed = output(kind, code, names)
        if expected is None and kind == "sh":
            continue
        if not doctest.OutputChecker().check_output(expected or "", printed, _FLAGS):
            sys.exit(f"{path}:\n{code}\nexpected:\n{expected or ''}\nprinted:\n{printed}")


if __name__ == "__main__":
    main(sys.argv[1])
