"""What the documentation says of the configuration, of figures and of the library is as the study has it."""

import doctest
import re
from types import SimpleNamespace

import entry_links
import pytest
import schema_keys
import yaml
from committed import REFERENCED
from docutils import nodes
from docutils.core import publish_doctree

ROOT = schema_keys.ROOT
SCHEMAS = sorted(schema_keys.SCHEMAS.iterdir())
DESCRIBED = yaml.safe_load((ROOT / "docs/figures.yaml").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("slug", REFERENCED)
def test_every_committed_figure_stands_in_the_text_of_its_page_with_its_description(slug):
    text = (ROOT / f"docs/papers/{slug}.md").read_text(encoding="utf-8")
    shown = re.findall(rf"^!\[([^\]]*)\]\(\.\./\.\./figures/{slug}/(\w+)\.png\)$", text, re.MULTILINE)
    committed = {path.stem for path in (ROOT / f"figures/{slug}").glob("*.png")}
    assert {name: alt.split() for alt, name in shown} == {name: DESCRIBED[slug][name].split() for name in committed}


def test_ids_of_the_ledger_become_links_in_prose_alone():
    document = publish_doctree(f"See L07 and L{999}.\n\n``L07``\n")
    config = SimpleNamespace(entry_pages={"L07": "ledger/lee2019"})
    document.settings.env = SimpleNamespace(docname="papers/a", config=config)
    entry_links.EntryLinks(document).apply()
    links = {link.astext(): link["refuri"] for link in document.findall(nodes.reference)}
    assert links == {"L07": "../ledger/lee2019.html#l07"}
    assert document.astext() == f"See L07 and L{999}.\n\nL07"


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
