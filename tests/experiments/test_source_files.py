"""What is kept of a source file is what the file holds, whatever lies on disk."""

import ast
import importlib.util
from pathlib import Path

import pytest

from experiments import source_files

SOURCE = Path(__file__).parents[2] / "src"
TEXT = '''"""What this is."""
import os.path as p, sys
from ..near import one as two, three

class A:
    """A class."""

    def late(self):
        """Read it."""  # a remark
        try:
            pass
        except OSError:
            from .deep import *
        return 1
'''


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(TEXT)
    return path


def read(path):
    """Read as another process would: nothing is remembered."""
    source_files.read.cache_clear()
    return source_files.read(path, 0)


def kept(path):
    (found,) = Path(importlib.util.cache_from_source(str(path))).parent.glob("*.imports")
    return found


def test_imports_are_found_wherever_they_stand(path):
    assert read(path).imports == [
        (-1, "", [("os.path", "p"), ("sys", "sys")], True),
        (2, "near", [("one", "two"), ("three", "three")], True),
        (1, "deep", [("*", "*")], False),
    ]


def test_every_import_of_the_packages_is_found():
    """Twin: all nodes of the syntax tree, not statements alone, but those that type checkers alone look at."""

    def imports(node):
        if path.name != "__init__.py" and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return sum(map(imports, node.orelse))
        return isinstance(node, ast.Import | ast.ImportFrom) + sum(map(imports, ast.iter_child_nodes(node)))

    for path in SOURCE.rglob("*.py"):
        expected = imports(ast.parse(path.read_text()))
        assert len(source_files.read(path, 0).imports) == expected, path


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("# a remark", "# another", False),
        ("What this is.", "What it is.", False),
        ("A class.", "Some class.", False),
        ("Read it.", "Reads it.", False),
        ("return 1", "return (1)", False),
        ("return 1", "return 2", True),
        ("import *", "import a", True),
        ("pass", "'no docstring'", True),
    ],
)
def test_only_what_python_executes_counts(path, old, new, moves):
    before = read(path).executed
    path.write_text(TEXT.replace(old, new))
    assert (read(path).executed != before) is moves


def test_what_is_kept_is_believed_for_the_same_content_only(path, monkeypatch):
    before = read(path)
    with monkeypatch.context() as context:
        context.setattr(source_files, "_parsed", None)  # it would fail
        assert read(path) == before
    path.write_text(TEXT.replace("return 1", "return 2"))
    assert read(path).executed != before.executed
    path.write_text(TEXT)
    assert read(path) == before


@pytest.mark.parametrize("damage", [lambda text: text[:-3], lambda text: text.replace("deep", "keep"), lambda _: ""])
def test_what_is_damaged_is_made_anew(path, damage):
    before = read(path)
    whole = kept(path).read_text()
    kept(path).write_text(damage(whole))
    assert read(path) == before
    assert kept(path).read_text() == whole


def test_it_is_read_where_nothing_can_be_kept(path):
    path.with_name("__pycache__").write_text("a file, no folder")
    assert len(read(path).imports) == 3
