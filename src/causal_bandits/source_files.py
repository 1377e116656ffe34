"""What Python executes of a source file, and what it imports, kept on disk by content.

To parse all files of a package takes seconds, and every process that asks for a digest of code would pay them.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: Changes with what is kept of a file.
_KEPT = b"2"


class Imported(NamedTuple):
    """One ``import`` statement.

    Attributes
    ----------
    level : int
        How many dots ``from ... import`` begins with; -1 for a plain ``import``.
    base : str
        What stands between the dots and ``import``.
    names : list of (str, str)
        Each name that is imported, and what it is called here.
    top : bool
        Whether it stands at the top of the file: neither in a function nor in a block other than ``try``.
    """

    level: int
    base: str
    names: list[tuple[str, str]]
    top: bool


class SourceFile(NamedTuple):
    """A file without comments, docstrings and formatting: its digest, and its imports."""

    executed: str
    imports: list[Imported]


@cache
def read(path: Path, _edited: int) -> SourceFile:
    """Read a file, from disk where it was read before with the same content.

    Parameters
    ----------
    path : Path
    _edited : int
        When it was edited last: within a process a file is read again after an edit only.

    Raises
    ------
    SyntaxError
        If the file is no Python.
    """
    content = path.read_bytes()
    kept = Path(importlib.util.cache_from_source(str(path))).with_suffix(".imports")
    key = _digest(_KEPT + content)
    try:
        told, facts = kept.read_text().split("\n")
        if told == f"{key} {_digest(facts.encode())}":
            executed, imports = json.loads(facts)
            return SourceFile(
                executed,
                [
                    Imported(level, base, [(name, called) for name, called in names], top)
                    for level, base, names, top in imports
                ],
            )
    except (OSError, ValueError):  # absent, or damaged: made anew
        pass
    found = _parsed(content, str(path))
    facts = json.dumps(found)
    with contextlib.suppress(OSError):  # a folder that cannot be written
        _write(kept, f"{key} {_digest(facts.encode())}\n{facts}")
    return found


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file whole: processes side by side write the same one."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def _parsed(content: bytes, name: str) -> SourceFile:
    tree = ast.parse(content, filename=name)
    imports = []
    for statement, top in list(_statements(tree)):
        if isinstance(statement, ast.ImportFrom):
            imports.append(Imported(statement.level, statement.module or "", _names(statement), top))
        elif isinstance(statement, ast.Import):
            imports.append(Imported(-1, "", _names(statement), top))
        _without_docstring(statement)
    _without_docstring(tree)
    return SourceFile(_digest(ast.unparse(tree).encode()), imports)


def _names(statement: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    return [(alias.name, alias.asname or alias.name) for alias in statement.names]


def _statements(node: ast.AST, top: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    """List all statements below a node, nested ones too, and whether each is a top one (`Imported.top`)."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, block, ()):
            if isinstance(child, ast.stmt):
                yield child, top
            yield from _statements(child, top and isinstance(child, ast.Try))


def _without_docstring(node: ast.AST) -> None:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
        value = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            node.body = node.body[1:] or [ast.Pass()]
