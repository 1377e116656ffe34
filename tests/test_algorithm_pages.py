"""The docstring of an algorithm describes it: complete, listed, and with the numbers that stand in the code."""

import ast
import dataclasses
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString

from causal_bandits.policies.registry import ALGORITHMS, load

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
POLICIES = "causal_bandits.policies."
INDEX = (ROOT / "docs/algorithms/index.md").read_text(encoding="utf-8")

_CITED = re.compile(r"\b(line|step)s? (\d+[a-d]?(?:(?:, | and | to )\d+[a-d]?)*)", re.IGNORECASE)


def cited(text):
    """The lines and steps that a text names: pairs of a kind and a number; 1a counts as 1."""
    found = set()
    for kind, numbers in _CITED.findall(text):
        for first, last in re.findall(r"(\d+)[a-d]?(?: to (\d+))?", numbers):
            found |= {(kind.lower(), n) for n in range(int(first), int(last or first) + 1)}
    return found


def source(module):
    return SRC.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


@cache
def in_comments(module):
    """The lines and steps that the comments of a module name."""
    tokens = tokenize.generate_tokens(io.StringIO(source(module)).readline)
    return cited("\n".join(token.string for token in tokens if token.type == tokenize.COMMENT))


@cache
def modules(module):
    """A module of policies and those that it imports."""
    found = {module}
    for node in ast.walk(ast.parse(source(module))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith(POLICIES):
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                if SRC.joinpath(*name.split(".")).with_suffix(".py").is_file():
                    found |= modules(name)
    return frozenset(found)


def parsed(name):
    return NumpyDocString(load(name).__doc__)


def numbers(name):
    """The lines or steps that the numbered list of a docstring describes."""
    items = re.findall(r"^(\d+)\. (.*(?:\n   .*)*)", "\n".join(parsed(name)["Extended Summary"]), flags=re.MULTILINE)
    assert items, "expected a numbered list of steps"
    lines = {n for n in cited("\n".join(text for _, text in items)) if n[0] == "line"}
    return lines or {("step", int(number)) for number, _ in items}


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
class TestDocstring:
    def test_it_has_its_parts(self, name):
        page = parsed(name)
        assert len(page["Summary"]) == 1
        assert page["References"]
        described = [one.strip() for each in page["Parameters"] for one in each.name.split(",")]
        assert sorted(described) == sorted(field.name for field in dataclasses.fields(load(name)))
        assert all(" ".join(each.desc).strip() for each in page["Parameters"])

    def test_its_numbers_stand_in_the_comments_of_the_code(self, name):
        found = modules(ALGORITHMS[name].partition(":")[0])
        assert numbers(name) - set().union(*map(in_comments, found)) == set()


def test_every_number_in_a_comment_stands_in_a_docstring():
    described = {}
    for name, path in ALGORITHMS.items():
        for module in modules(path.partition(":")[0]):
            described.setdefault(module, set()).update(numbers(name))
    missing = {module: in_comments(module) - found for module, found in described.items()}
    assert {module: numbers for module, numbers in missing.items() if numbers} == {}


def test_the_index_lists_every_algorithm_once_below_its_kind_with_its_summary():
    listed = [
        (kind, *item)
        for kind, body in re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", INDEX, flags=re.MULTILINE | re.DOTALL)
        for item in re.findall(r"^- \[(\w+)\]\(\.\./\.\./src/(.+?)\): (.*)$", body, flags=re.MULTILINE)
    ]
    expected = []
    for name, path in ALGORITHMS.items():
        module, _, of_class = path.partition(":")
        file = f"{module.replace('.', '/')}.py"
        expected.append((module.split(".")[2], of_class, file, " ".join(parsed(name)["Summary"])))
    assert sorted(listed) == sorted(expected)
