"""What the documentation says of the configuration and of the figures is complete and as the study has it."""

import doctest
import re
from types import SimpleNamespace

import formulas
import full_size
import outcomes
import pytest
import schema_keys
import source_pages
import study_pages
import yaml
from docutils import nodes
from docutils.core import publish_doctree

from experiments.config import read_paper

ROOT = study_pages.ROOT
SCHEMAS = sorted(schema_keys.SCHEMAS.iterdir())
SLUGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["papers"]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_key_of_the_configuration_is_described(path):
    keys = list(schema_keys.keys(yaml.safe_load(path.read_text())))
    assert keys
    assert [key for key, entry, _ in keys if not entry.get("description", "").strip()] == []


def test_the_configuration_reference_is_that_of_the_schemas():
    text = schema_keys.README.read_text()
    marked = re.findall(r"<!-- keys of (.*) -->", text)
    assert sorted(marked) == [path.name for path in SCHEMAS]
    assert schema_keys.filled(text) == text, "run `make docs`"


def test_the_answers_of_the_guide_run_as_they_stand():
    page = ROOT / "docs/guide/which_tool.md"
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)  # a blank line ends an output
    answers = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(answers.examples) > 30
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL).run(
        answers, out=report.append
    )
    assert not report, "".join(report)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_figure_is_described_and_nothing_else(slug):
    described, drawn = study_pages.alt_texts().get(slug, {}), read_paper(slug, ROOT).get("figures", {})
    assert sorted(described) == sorted(drawn)
    assert [
        name for name, text in described.items() if len(text.split()) < 8 or text.strip() == drawn[name]["caption"]
    ] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_every_committed_figure_stands_once_in_the_text_of_its_page_with_its_description(slug):
    text = (ROOT / f"docs/papers/{slug}.md").read_text(encoding="utf-8")
    found = {picture["name"]: " ".join(picture["alt"].split()) for picture in study_pages.PICTURE.finditer(text)}
    committed = {path.stem for path in (ROOT / f"figures/{slug}").glob("*.png")}
    assert found == {name: study_pages.alt_text(slug, name) for name in committed}
    assert text.count("![") == len(committed)
    caption = study_pages.escaped(study_pages.figures(slug)[min(found)]["caption"])
    made = f"Made by `snakemake --cores 2 {slug}_{min(found)}`."
    shown = study_pages.with_captions(text)
    assert re.search(rf"\n\n{re.escape(caption)}.* {re.escape(made)}\n```", shown)
    for table in study_pages.numbers_of(min(found), study_pages.settings(slug)):
        assert f"[{table}.csv](../../figures/{slug}/{table}.csv)" in shown


def test_the_pages_lead_to_a_report_of_every_committed_verdict(tmp_path):
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path / "html")
    app.outdir.mkdir()
    study_pages.write_report(app, None)
    report = (app.outdir / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'<tbody id="(.+?)"', report) == [row["claim_id"] for row in study_pages.reference()]
    for slug in SLUGS:
        assert '<a href="../report.html#verdicts?paper=' + slug in study_pages.verdicts(slug)
        assert f'<option value="{slug}">' in report


def test_a_link_to_a_file_in_a_paragraph_of_its_own_becomes_the_file():
    made = study_pages.with_files("a\n\n[The script](x-y.py)\n\n[keys](../../config/README.md)\n")
    assert "```{literalinclude} x-y.py\n:language: python\n```\n\n```{include} ../../config/README.md\n" in made
    for prose in ("a\n[b](x.py)\nc\n", "a\n\n[b](x.py).\n", "a\n\n[b](other.md)\n"):
        assert study_pages.with_files(prose) == prose


@pytest.mark.parametrize("page", ["papers/a", "guide/a"])
def test_formulas_are_set_in_the_prose_of_papers_alone(page):
    document = publish_doctree("The regret of tau_1 in T_1.\n\n``T_1``\n")
    document.settings.env = SimpleNamespace(docname=page)
    formulas.Formulas(document).apply()
    first, second = document.children
    told = [(type(node), node.astext()) for node in first.children]
    set_ = [(nodes.Text, "The regret of τ"), (nodes.subscript, "1"), (nodes.Text, " in T"), (nodes.subscript, "1")]
    plain = [(nodes.Text, "The regret of tau_1 in T_1.")]
    assert told == ([*set_, (nodes.Text, ".")] if page == "papers/a" else plain)
    assert second.astext() == "T_1"


def test_keys_are_found_wherever_a_schema_nests_them():
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"description": "first", "$ref": "#/$defs/named"},
            "b": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "integer", "minimum": 2}}}},
        },
        "$defs": {
            "named": {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": {"d": {"enum": ["x", "y"]}}},
            }
        },
    }
    found = {key: (schema_keys.value(entry), required) for key, entry, required in schema_keys.keys(schema)}
    assert found == {
        "a": ("mapping", True),
        "a.<name>.d": ("`x`, `y`", False),
        "b": ("list of entries", False),
        "b.c": ("integer >= 2", False),
    }


def test_a_picture_links_to_its_file_once():
    picture = '<img alt="a" src="../_images/a.png" />'
    linked = f'<a href="../_images/a.png">{picture}</a>'
    assert full_size.linked(f"<p>{picture}</p>") == f"<p>{linked}</p>"
    assert full_size.linked(linked) == linked
    assert full_size.linked('<img src="_static/logo.svg">') == '<img src="_static/logo.svg">'


def test_outcomes_in_cells_are_marked():
    row = '<td><p>holds †</p></td><td><p>it holds</p></td><td class="x"><p>depends (1 of 2)</p></td>'
    assert re.findall(r'class="outcome (\w+)"', outcomes.marked(row)) == ["holds", "depends"]
    assert outcomes.marked("<td><p>opened</p></td>") == "<td><p>opened</p></td>"


def test_a_page_of_source_leads_to_what_is_documented():
    body = '<a class="viewcode-back" href="../x.html#p.{}">[docs]</a>'
    text = (
        body.format("A.run") + body.format("B") + body.format("gone") + '<li><a href="builtins.html">builtins</a></li>'
    )
    known = {"p.m.A.run": "m", "p.B": "p"}
    assert source_pages.mended(text, "p.m", known, lambda name: f"{known[name]}.html#{name}") == (
        '<a class="viewcode-back" href="m.html#p.m.A.run">[docs]</a>'
        '<a class="viewcode-back" href="p.html#p.B">[docs]</a>'
    )
