"""The executed code and the imports of source files, kept on disk by content.

Parsing all files of a package takes seconds, and without the cache every process that needs a digest would do it.
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

#: The version of the cache; it has to change whenever what is kept of a file changes.
_KEPT = b"3"


class Imported(NamedTuple):
    """One ``import`` statement.

    Attributes
    ----------
    level : int
        The number of dots that ``from ... import`` begins with; -1 for a plain ``import``.
    base : str
        The text between the dots and ``import``.
    names : list of (str, str)
        Each name that is imported, and what it is called here.
    top : bool
        Whether it is at the top level of the file: neither in a function nor in a block other than ``try``.
    """

    level: int
    base: str
    names: list[tuple[str, str]]
    top: bool


class SourceFile(NamedTuple):
    """A file without comments, docstrings, formatting and imports for type checkers: its digest, and its imports."""

    executed: str
    imports: list[Imported]


@cache
def read(path: Path, _edited: int) -> SourceFile:
    """Read a file, or return the cached result if its content has not changed since it was last read.

    Parameters
    ----------
    path : Path
    _edited : int
        When it was last edited: within a process, a file is read again only after an edit.

    Raises
    ------
    SyntaxError
        If the file is not Python.
    """
    content = path.read_bytes()
    kept = Path(importlib.util.cache_from_source(str(path))).with_suffix(f"{path.suffix}.imports")
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
    except (OSError, ValueError):  # absent or damaged: read anew
        pass
    found = _parsed(content, str(path))
    facts = json.dumps(found)
    with contextlib.suppress(OSError):  # a folder that is not writable
        _write(kept, f"{key} {_digest(facts.encode())}\n{facts}")
    return found


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file in one step, because parallel processes may write the same one."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def _parsed(content: bytes, name: str) -> SourceFile:
    tree = ast.parse(content, filename=name)
    for node in ast.walk(tree) if Path(name).name != "__init__.py" else ():  # which names there what it imports lazily
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]  # never executed
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
    """List all statements below a node, even nested ones, and whether each is at the top level (`Imported.top`)."""
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
