"""What readers see first is what the committed verdicts say, in few words, and nothing typed in it is wrong."""

import doctest
import re
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import yaml
from committed import REFERENCED
from made_verdicts import row

from replication.judging.verdict_tables import READING_COLUMNS, write
from replication.tools import pages

ROOT = Path(__file__).parents[3]
README = (ROOT / pages.README).read_text(encoding="utf-8")


def test_the_committed_pages_are_those_of_the_committed_verdicts():
    for path, text in pages.written(ROOT).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `python -m replication.tools.pages`"


def test_the_dark_picture_of_the_readme_is_made_of_the_light_one():
    dark = matplotlib.image.imread(ROOT / pages.DARK)[:, :, :3]
    assert abs(dark - pages.darkened(ROOT / pages.FIGURE) / 255).max() < 1e-6
    assert (np.median(dark), dark.max()) == (0, 1)
    for path in (pages.FIGURE, pages.DARK):
        assert f'"{path}"' in README


def test_a_dark_picture_keeps_hues(tmp_path):
    picture = np.array([[[255, 255, 255], [0, 0, 0], [0, 114, 178], [200, 200, 200]]], np.uint8)
    matplotlib.image.imsave(tmp_path / "a.png", picture)
    white, black, blue, grey = pages.darkened(tmp_path / "a.png")[0].tolist()
    assert (white, black, grey) == ([0] * 3, [255] * 3, [55] * 3)
    assert blue[0] < blue[1] < blue[2]


def test_the_readme_is_short():
    read_as_text = re.sub(r"<!--.*?-->|</?[a-z][^<>]*>", "", README, flags=re.DOTALL)  # markup is not read
    assert sum(any(map(str.isalpha, word)) for word in read_as_text.split()) <= 450  # "|" and numbers are no words


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "src/causal_bandits/README.md"])
def test_the_examples_of_the_first_pages_come_out(page):
    text = re.sub(r"^```.*$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert example.examples
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)


def test_papers_are_named_as_they_are_cited():
    cited = {
        yaml.safe_load((ROOT / f"config/papers/{slug}.yaml").read_text(encoding="utf-8"))["title"]: slug
        for slug in REFERENCED
    }
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    by_slug = {cited[" ".join(reference["title"].split())]: reference for reference in references}
    for paper in pages.read_papers(ROOT, REFERENCED):
        reference = by_slug[paper.slug]
        assert re.split(", | & ", paper.authors) == [author["family-names"] for author in reference["authors"]]
        conference, year = paper.venue.split()
        assert conference in reference["conference"]["name"]
        assert int(year) == reference["year"]
        known = {reference.get("url"), *(each["value"] for each in reference.get("identifiers", []))}
        known |= {f"https://doi.org/{doi}" for doi in [reference.get("doi"), *known] if doi}
        assert set(paper.links.values()) <= known


def _reference(**cells):
    """The two claims of the paper p as the committed verdicts, and pages to show them."""
    write([row(**cells), row("p.b", outcome="open")], "data/reference/verdicts.csv")
    write([], "data/reference/verdict_readings.csv", READING_COLUMNS)
    paper = {
        "authors": "A & B",
        "venue": "C 2000",
        "about": "of",
        "claim": "It is.",
        "links": {"arXiv": "x"},
        "found": "It is so.",
        "outcome": "{errors} errors.",
    }
    pages.PAPERS.write_text(yaml.safe_dump({"p": paper}))
    pages.PAGES.mkdir(parents=True, exist_ok=True)
    (pages.PAGES / "p.md").write_text("# Title\n\nformer\n\n## First\n\ntext\n")
    pages.FIGURE.parent.mkdir(parents=True, exist_ok=True)
    matplotlib.image.imsave(pages.FIGURE, np.zeros((1, 1, 3)))
    for path, names in ((pages.README, ("answer", "found", "in view")), (pages.INDEX, ("outcomes",))):
        marks = (f"<!-- {name}: made by make reference -->\nformer\n<!-- /{name} -->\n" for name in names)
        path.write_text("\n".join(marks))


def test_pages_show_headlines_links_and_files(checkout):
    _reference(statement="It grows.", headline="yes", published="log n", column="POMIS", in_view="L07: open")
    assert pages.main([]) == 0
    readme = pages.README.read_text()
    assert "1 of 2 numbers, 0 of 0 curves, " in readme
    assert "errors](docs/errata.md) explain none that fail." in readme
    assert "results for 1 numbers (1); brackets: outcomes changed. Choices of [seeds](" in readme
    assert "- **[A & B 2000](docs/papers/p.md)**: It is so. Hold: numbers 1 of 2.\n" in readme
    assert "former" not in readme
    page = (pages.PAGES / "p.md").read_text()
    assert page.startswith("# Title\n\nA & B, C 2000 ([arXiv](x)). 0 errors.\n\n| claim | published | ours | outcome |")
    assert "[table1](../../figures/p/table1.csv)" in page
    assert page.endswith("\n\n## First\n\ntext\n")
    assert "- [A & B, C 2000: of](p.md). *Claimed:* It is. *Found:* It is so.\n" in pages.INDEX.read_text()


def test_the_index_counts_errors_by_kind(checkout):
    _reference(outcome="fails", why="error")
    assert pages.main([]) == 0
    index = pages.INDEX.read_text()
    assert "|  | error | slip | misprint |" in index
    assert "| numbers | 1 | 0 | 0 |\n| curves | 0 | 0 | 0 |" in index


def test_what_a_page_lacks_is_named(checkout, capsys):
    def told():
        assert pages.main([]) == 1
        return capsys.readouterr().err

    _reference()
    pages.README.write_text("<!-- answer: made by make reference -->\n")
    assert "README.md: no lines '<!-- answer: made by make reference -->'" in told()
    _reference()
    (pages.PAGES / "p.md").write_text("# Title\n")
    assert "docs/papers/p.md: expected a title in its first line, and a heading" in told()
    (pages.PAGES / "p.md").unlink()
    assert "docs/papers/p.md: missing; expected a page" in told()
    pages.PAPERS.write_text("p: {authors: A}\n")
    assert "papers.yaml: p: keys authors; expected authors, venue, about, claim, links, found, outcome" in told()
    pages.PAPERS.write_text("{}\n")
    assert "papers.yaml: p: missing; expected its authors" in told()
