"""Every algorithm has its page, and a page's steps, options and file names are those of the code."""

import ast
import dataclasses
import doctest
import io
import re
import tokenize
from functools import cache

import pytest
import study_pages

from causal_bandits.policies.registry import ALGORITHMS, load

FOLDER = study_pages.ROOT / "docs/algorithms"
PACKAGE = study_pages.ROOT / "src/causal_bandits"
POLICIES = PACKAGE / "policies"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md") if path.stem != "index"}
INDEX = (FOLDER / "index.md").read_text(encoding="utf-8")

_CITED = re.compile(r"\b(line|step)s? (\d+[a-d]?(?:(?:, | and | to )\d+[a-d]?)*)", re.IGNORECASE)


def cited(text):
    """The lines and steps that a text names: pairs of a kind and a number; 1a counts as 1."""
    found = set()
    for kind, numbers in _CITED.findall(text):
        for first, last in re.findall(r"(\d+)[a-d]?(?: to (\d+))?", numbers):
            found |= {(kind.lower(), n) for n in range(int(first), int(last or first) + 1)}
    return found


@cache
def place(file):
    """The file of a policy or of its helpers, whatever its kind, or of another package of the library; None if none."""
    found = list(POLICIES.rglob(file)) or [PACKAGE / file]
    return found[0] if len(found) == 1 and found[0].is_file() else None


@cache
def in_comments(file):
    """The lines and steps that the comments of a module of policies name."""
    tokens = tokenize.generate_tokens(io.StringIO(place(file).read_text(encoding="utf-8")).readline)
    return cited("\n".join(token.string for token in tokens if token.type == tokenize.COMMENT))


def modules(name):
    """The modules of policies that a page names, that of the registry among them."""
    named = {file for file in re.findall(r"`(\w+\.py)`", PAGES[name]) if place(file)}
    return named | {ALGORITHMS[name].partition(":")[0].rpartition(".")[2] + ".py"}


def section(name, heading):
    """A section of a page, without its heading; '' if there is none."""
    return PAGES[name].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def steps(name):
    """The numbered list of a page: number and text of each item, with what stands below it."""
    body = section(name, "Steps").partition("\n| ")[0]
    parts = re.split(r"^(\d+)\. ", body, flags=re.MULTILINE)[1:]
    return [(int(number), text) for number, text in zip(parts[::2], parts[1::2], strict=True)]


def numbers(name):
    """The lines or steps that the list of a page describes."""
    items = steps(name)
    lines = {n for n in cited("".join(text for _, text in items)) if n[0] == "line"}
    return lines or {("step", number) for number, _ in items}


def test_numbers_are_read_with_their_ranges():
    assert cited("Alg. 4, lines 3 to 6, 8 and 9; step 1a") == {*(("line", n) for n in (3, 4, 5, 6, 8, 9)), ("step", 1)}
    assert cited("lines 13 and 14, Eq. 16") == {("line", 13), ("line", 14)}
    assert cited("the 3 lines, outline 4") == set()


def test_every_algorithm_of_the_registry_has_its_page_and_there_is_no_other():
    assert sorted(PAGES) == sorted(ALGORITHMS)


@pytest.mark.parametrize("name", sorted(PAGES))
class TestPage:
    def test_it_says_what_a_user_asks(self, name):
        text = PAGES[name]
        assert re.match(rf"# [^\n]+: `{name}`\n\nUse it ", text)
        assert re.search(r"[.] Do\snot\s", text.partition("\n## ")[0].replace("\n", " "))
        headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
        assert headings == ["Steps", "What to know", "Example"]
        for part in (r"Plays:", r"Source:", r"Told:", r"Assumes:", r"Cost per [\w ]+:"):
            assert len(re.findall(rf"\*\*{part}\*\* ", section(name, "What to know"))) == 1, part
        assert "\n\nRelated: " in section(name, "Example")
        assert f"- **Plays:** `{load(name).plays.__name__}` ([" in text

    def test_its_steps_are_numbered_and_each_says_its_lines_or_is_a_step_of_the_code(self, name):
        items = steps(name)
        assert len(items) >= 3
        assert [number for number, _ in items] == list(range(items[0][0], items[-1][0] + 1))
        if {kind for kind, _ in numbers(name)} == {"line"}:
            assert [number for number, text in items if not re.search(r"\*\*[^*]*[Ll]ines? \d", text)] == []
        else:
            assert re.search(r"\bours\b", section(name, "Steps").partition("\n1. ")[0])

    def test_its_numbers_stand_in_the_comments_of_the_code(self, name):
        assert numbers(name) - set().union(*map(in_comments, modules(name))) == set()

    def test_the_functions_that_it_names_are_in_their_files(self, name):
        for row in re.findall(r"^\| .* \|$", section(name, "Steps"), flags=re.MULTILINE):
            file = ""
            for word in re.findall(r"`([\w./]+)`", row.split(" | ", 1)[1]):
                if word.endswith(".py"):
                    file = place(word)
                elif file:
                    assert defined(file, word.split(".")) or word in fields(name), (file, word)

    def test_the_options_that_it_names_have_the_defaults_that_it_says(self, name):
        defaults = {field.name: field.default for field in dataclasses.fields(load(name))}
        for row in re.findall(r"^\| (`.*) \|$", section(name, "What to know"), flags=re.MULTILINE):
            options, values = row.split(" | ", 1)
            if values.startswith("as for "):
                continue
            options = re.findall(r"`(\w+)`", options)
            said = re.findall(
                r"[-\w.]+", re.sub(r"\([LE]\d+\)|`", "", values).replace("6 sqrt(2)", spelled(6 * 2**0.5))
            )
            assert options
            for option, word in zip(options, said, strict=False):
                if defaults[option] is not None:
                    assert word.rstrip(".") == spelled(defaults[option]), (option, word)

    def test_its_example_runs_as_it_stands(self, name):
        text = re.sub(r"^```.*$", "", PAGES[name], flags=re.MULTILINE)  # a blank line ends an output
        example = doctest.DocTestParser().get_doctest(text, {}, name, str(FOLDER / f"{name}.md"), 0)
        assert f"import {load(name).__name__}\n" in text
        assert sum(bool(line.want) for line in example.examples) >= 1
        report: list[str] = []
        doctest.DocTestRunner().run(example, out=report.append)
        assert not report, "".join(report)


def fields(name):
    """The hyper-parameters of an algorithm."""
    return {field.name for field in dataclasses.fields(load(name))}


def defined(file, names):
    """Whether a module defines a function or class, or a class with a method, of these names."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    for name in names:
        found = [n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name]
        if not found:
            return False
        body = found[0].body
    return True


def spelled(value):
    """A default as pages spell it."""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def test_every_number_in_a_comment_stands_on_a_page():
    for path in sorted(POLICIES.rglob("*.py")):
        if path.stem in ("__init__", "registry"):  # it cites papers, and has no steps
            continue
        pages = [name for name in PAGES if path.name in modules(name)]
        assert in_comments(path.name) - set().union(*map(numbers, pages)) == set(), path.name


def test_the_index_links_every_page_once_where_its_bandit_is_described():
    families = re.split(r"^## ", INDEX, flags=re.MULTILINE)[1:]
    linked = [(name, family) for family in families for name in re.findall(r"^\| \[.*?\]\((\w+)\.md\)", family, re.M)]
    assert sorted(name for name, _ in linked) == sorted(PAGES)
    for name, family in linked:
        title = family.partition("\n")[0]
        (anchor,) = re.findall(r"\*\*Plays:\*\* .*\(index\.md#([\w-]+)\)", PAGES[name])
        assert anchor == title.lower().replace(" ", "-")
        row = next(row for row in INDEX.splitlines() if f"[{title}](#{anchor})" in row)
        assert f"`{load(name).plays.__name__}`" in row
