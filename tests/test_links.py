"""Every page can be reached from the README where no documentation is built, and every link leads somewhere."""

import re
from pathlib import Path

import pytest
from committed import REFERENCED

from replication.tools.ledger import ID, read_entries

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "config", "benchmarks", "src/arena", "data")
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(page for top in FOLDERS for page in (ROOT / top).rglob("*.md")))
    if not {"_build", "generated", "figures"} & set(path.parts)
)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")


def text_of(page):
    return page.read_text(encoding="utf-8")


def links(page):
    """Texts and targets of a page's links; code keeps its place in texts, and holds no links."""
    return [(link["text"], link["target"]) for link in _LINK.finditer(_CODE.sub("code", text_of(page)))]


def files(page):
    """Where a page's links into the repository lead."""
    found = [target.partition("#")[0] for _, target in links(page) if "://" not in target and target[0] != "#"]
    return {(page.parent / target).resolve() for target in found}


def anchors(page):
    """The places in a page that a Git host gives its headings."""
    headings = re.findall(r"^#+ (.+)$", _CODE.sub(lambda code: code[0].strip("`"), text_of(page)), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def built(page):
    """Whether only built documentation has this: pages from docstrings, and entries of the ledger."""
    return "generated" in page.parts or (ROOT / "docs/ledger") in page.parents


def test_every_page_is_reached_from_the_readme():
    known, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in known and page.suffix == ".md" and page.is_file():
            known.add(page)
            waiting += files(page)
    hidden = [str(page.relative_to(ROOT)) for page in PAGES if page not in known and not built(page)]
    assert [name for name in hidden if name != "CHANGELOG.md"] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_a_text_and_lead_somewhere(page):
    assert [target for text, target in links(page) if not text.strip()] == []
    assert [str(target) for target in files(page) if not target.exists()] == []
    for _, target in links(page):
        file, _, place = target.partition("#")
        other = (page.parent / file).resolve() if file else page
        if place and "://" not in target and other.suffix == ".md" and not built(other):
            assert place in anchors(other), target


@pytest.mark.parametrize("slug", REFERENCED)
def test_ids_of_the_ledger_on_a_paper_page_link_to_their_entries(slug):
    _, _, written = text_of(ROOT / f"docs/papers/{slug}.md").partition("\n## ")
    targets = re.compile(r"^\[(\w+)\]: (.+)$", re.MULTILINE)
    prose = targets.sub("", _LINK.sub("", _CODE.sub("", written)))
    prose = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", prose)  # descriptions of pictures
    cited = set(re.findall(r"\[(\w+)\]", prose))
    assert ID.findall(re.sub(r"\[\w+\]", "", prose)) == [], "expected [L07], and its target at the end of the page"
    entries = read_entries(ROOT)
    order = sorted(cited, key=lambda name: (name[0] != "L", int(name[1:])))
    assert targets.findall(written) == [(name, f"../ledger/{entries[name].address}") for name in order]
