"""What readers see first is what the committed verdicts say, in few words, and nothing typed in it is wrong."""

import doctest
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from made_verdicts import row

from causal_bandits.problems import make
from replication.judging.verdict_tables import READING_COLUMNS, read, write
from replication.tools import pages
from replication.tools.reference import COLUMNS, write_columns
from replication.tools.summary import summary

ROOT = Path(__file__).parents[3]
README = (ROOT / pages.README).read_text(encoding="utf-8")
SLUGS = list(yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["papers"])


def test_the_committed_pages_are_those_of_the_committed_verdicts():
    for path, text in pages.written(ROOT).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `python -m replication.tools.pages`"


def test_the_readme_is_short():
    read_as_text = re.sub(r"<!--.*?-->|</?[a-z][^<>]*>", "", README, flags=re.DOTALL)  # markup is not read
    assert sum(any(map(str.isalpha, word)) for word in read_as_text.split()) < 700  # "|" and numbers are no words


def test_the_readme_shows_a_headline_of_every_outcome_that_a_paper_has():
    """The first of them, in few words."""
    rows = read(ROOT / "data/reference/verdicts.csv").values()
    headlines = [row for row in rows if row["headline"]]
    assert {"holds", "depends", "fails"} <= {row["outcome"] for row in headlines}
    shown = [row for row in headlines if f"| {row['statement']} |" in README]
    seen = [(row["paper"], row["outcome"]) for row in headlines]
    assert shown == [row for i, row in enumerate(headlines) if seen.index(seen[i]) == i]
    assert [row["statement"] for row in shown if len(row["statement"].split()) > 20] == []


def test_the_findings_of_the_readme_are_those_of_the_tables():
    assert f"{make('lee2019/sixvar').optimal_mean:.10f}" in README
    as_printed = pd.read_csv(ROOT / "figures/lu2021/as_printed.csv").set_index(["experiment", "policy"])
    trees, cliques = (as_printed.loc[key] for key in (("lemma1", "cn_ucb"), ("theorem3", "cn_ucb,kind=interval")))
    assert (
        f"never ends on {trees['never']} of {trees['graphs']} trees and "
        f"{cliques['never']} of {cliques['graphs']} interval graphs"
    ) in README
    rows = pd.read_csv(ROOT / "src/arena/figures/arena/wrong.csv")
    rows = rows[(rows[["variables", "rounds"]] == [5, 10_000]).all(axis=1)].set_index(["kind", "wrong edges"])
    right, lost = (
        "{:.2g} times ({:.2g} to {:.2g})".format(
            *(rows.loc[key, name] for name in ("ratio", "ratio, low", "ratio, high"))
        )
        for key in (("mixed", 0), ("cause_lost", 1))
    )
    told = f"has {right} the regret of the best one that does not; if its graph omits a cause of the reward, {lost}"
    assert told in README


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_examples_of_the_first_pages_come_out(page):
    text = re.sub(r"^```.*$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert example.examples
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)


def test_the_readme_shows_what_a_small_run_prints_at_its_end(checkout):
    """The shape of its lines; their numbers are those of a run."""
    _reference()
    printed = [line for line in summary(Path("results/quick"), Path("results/quick/figures")) if line]
    assert [line.split()[:4] for line in printed[:2]][1] == ["p", "1", "of", "2"]
    (shown,) = re.findall(r"```console\n\$ make quick\n(.*?)\n```", README, flags=re.DOTALL)
    lines = shown.splitlines()
    assert lines[0].split()[:2] == ["hold", "numbers"]
    assert [line.split()[0] for line in lines[1 : 1 + len(SLUGS)]] == SLUGS
    assert lines[1 + len(SLUGS) :] == printed[2:]
    assert max(map(len, lines)) < 90


def test_papers_are_named_as_they_are_cited():
    cited = {
        yaml.safe_load((ROOT / f"config/papers/{slug}.yaml").read_text(encoding="utf-8"))["title"]: slug
        for slug in SLUGS
    }
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    by_slug = {cited[" ".join(reference["title"].split())]: reference for reference in references}
    for paper in pages.read_papers(ROOT, SLUGS):
        reference = by_slug[paper.slug]
        assert re.split(", | & ", paper.authors) == [author["family-names"] for author in reference["authors"]]
        conference, year = paper.venue.split()
        assert conference in reference["conference"]["name"]
        assert int(year) == reference["year"]
        known = {reference.get("url"), *(each["value"] for each in reference.get("identifiers", []))}
        known |= {f"https://doi.org/{doi}" for doi in [reference.get("doi"), *known] if doi}
        assert set(paper.links.values()) <= known


def _reference(**cells):
    """The two claims of the paper p as the committed verdicts and as those of a small run, and pages to show them."""
    for folder in ("data/reference", "results/quick"):
        write([row(**cells), row("p.b", outcome="open")], f"{folder}/verdicts.csv")
        write([], f"{folder}/verdict_readings.csv", READING_COLUMNS)
    write_columns({}, pages.FOLDER / COLUMNS)
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
    for path, names in ((pages.README, ("headlines", "quick")), (pages.INDEX, ("outcomes",))):
        marks = (f"<!-- {name}: made by make reference -->\nformer\n<!-- /{name} -->\n" for name in names)
        path.write_text("\n".join(marks))


def test_pages_show_headlines_links_and_files(checkout):
    _reference(statement="It grows.", headline="yes", published="log n", column="POMIS", in_view="L07: open")
    assert pages.main([]) == 0
    readme = pages.README.read_text()
    assert "| [A & B 2000](docs/papers/p.md) | It grows. | POMIS: 10 (9 to 11) | holds † (otherwise open) |" in readme
    assert "[All 1 headlines](data/reference/verdicts.md): holds 1. † We chose part of this test" in readme
    assert "```console\n$ make quick\nhold" in readme
    assert "former" not in readme
    page = (pages.PAGES / "p.md").read_text()
    assert page.startswith("# Title\n\nA & B, C 2000 ([arXiv](x)). 0 errors.\n\n| claim | published | ours | outcome |")
    assert "[table1](../../figures/p/table1.csv)" in page
    assert page.endswith("\n\n## First\n\ntext\n")
    assert "- [A & B, C 2000: of](p.md). *Claimed:* It is. *Found:* It is so.\n" in pages.INDEX.read_text()
    before = {path: path.read_text() for path in Path().rglob("*.md")}
    (pages.QUICK / "verdicts.csv").unlink()
    assert pages.main([]) == 0  # README keeps what it has
    assert {path: path.read_text() for path in before} == before


def test_what_a_page_lacks_is_named(checkout, capsys):
    def told():
        assert pages.main([]) == 1
        return capsys.readouterr().err

    _reference()
    pages.README.write_text("<!-- headlines: made by make reference -->\n")
    assert "README.md: no lines '<!-- headlines: made by make reference -->'" in told()
    _reference()
    (pages.PAGES / "p.md").write_text("# Title\n")
    assert "docs/papers/p.md: expected a title in its first line, and a heading" in told()
    (pages.PAGES / "p.md").unlink()
    assert "docs/papers/p.md: missing; expected a page" in told()
    pages.PAPERS.write_text("p: {authors: A}\n")
    assert "papers.yaml: p: keys authors; expected authors, venue, about, claim, links, found, outcome" in told()
    pages.PAPERS.write_text("{}\n")
    assert "papers.yaml: p: missing; expected its authors" in told()
