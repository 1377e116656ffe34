"""Write the first things that readers see: parts of the README, and the openings of the papers' pages.

``python -m replication.tools.pages`` (a part of `make reference`) writes them from ``data/reference``. A test compares
the committed files with them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import yaml

from experiments.files import whole
from replication.judging import confirmation
from replication.judging.claims import FAMILIES, claims_of
from replication.judging.confirmation import FIRST_SEED, FRESH_PROBLEMS, beside, other_runs
from replication.judging.judges import FAULTS, Outcome
from replication.judging.matrix import matrix
from replication.judging.verdict_tables import (
    OfReadings,
    Row,
    TableError,
    by_kind,
    chosen_in_view,
    counts,
    family_of,
    faults,
    headlines,
    held,
    is_counted,
    other_outcomes,
    overview,
    read,
    read_readings,
)
from replication.tools.reference import FOLDER, READINGS, VERDICTS

README = Path("README.md")
#: The README's figure, and the same for readers whose pages are dark.
FIGURE, DARK = Path("figures/lee2019/fig5.png"), Path("docs/fig5-dark.png")
PAGES = Path("docs/papers")
INDEX = PAGES / "index.md"
#: How to read a table of headlines by readings.
UNDER = (
    "The numbered columns are the headlines above, in order; - means not tested. Each row reads the whole paper in one "
    "way. A headline that this way does not concern has its outcome under all defaults."
)
#: What the run with a fresh root seed confirms.
CONFIRMATION = Path("docs/guide/confirmation.md")
#: Who wrote each paper, where it appeared, what it claims and what came out.
PAPERS = Path("data/published/papers.yaml")


class PageError(ValueError):
    """A page that cannot be written; the message names the file and what was expected."""


@dataclass(frozen=True)
class Paper:
    """How pages present a paper.

    Attributes
    ----------
    slug : str
        Its name in this study.
    authors, venue, about, claim, found, outcome : str
        Family names; conference and year; its subject in a few words; what it claims and what came out, in a sentence
        each; what came out in a few sentences. The last may contain the numbers of claims that fail because of
        ``{errors}``, ``{slips}`` and ``{misprints}``.
    links : mapping from place to address
        Where it can be read.
    """

    slug: str
    authors: str
    venue: str
    about: str
    claim: str
    links: Mapping[str, str]
    found: str
    outcome: str

    @property
    def name(self) -> str:
        """Authors and venue."""
        return ", ".join(filter(None, (self.authors, self.venue)))


def read_papers(root: Path, slugs: Sequence[str]) -> list[Paper]:
    """Read how pages present these papers.

    Raises
    ------
    PageError
        If a paper or one of its keys is missing, or a key is unknown.
    """
    found: dict[str, dict[str, Any]] = yaml.safe_load((root / PAPERS).read_text(encoding="utf-8"))
    keys = [field.name for field in fields(Paper) if field.name != "slug"]
    for slug in slugs:
        if slug not in found:
            expected = f"its {', '.join(keys)}, or --papers with its folder if it is no paper of the study"
            raise PageError(f"{PAPERS}: {slug}: missing; expected {expected}")
        if set(found[slug]) != set(keys):
            raise PageError(f"{PAPERS}: {slug}: keys {', '.join(found[slug])}; expected {', '.join(keys)}")
    return [Paper(slug, **found[slug]) for slug in found if slug in slugs]


def written(root: Path) -> dict[Path, str]:
    """Return the text of every file that readers see first, by its path from ``root``.

    Parameters
    ----------
    root : Path
        The checkout's top folder.

    Raises
    ------
    PageError
        If a page is missing, or lacks the marks between which something is written.
    TableError, OSError
        If the committed verdicts are damaged or missing.
    """
    second = read(root / FOLDER / VERDICTS)
    others = other_runs(root)
    first, fresh = (confirmation.compared(second, others.get(name, {})) for name in (FIRST_SEED, FRESH_PROBLEMS))
    rows, readings = list(beside(second, others).values()), read_readings(root / FOLDER / READINGS)
    papers = read_papers(root, list(dict.fromkeys(row["paper"] for row in rows)))
    of = {paper.slug: [row for row in rows if row["paper"] == paper.slug] for paper in papers}
    readme = _page(root, README)
    for name, text in (
        ("answer", _answer(rows, first, fresh)),
        ("found", _found(papers, of)),
        ("in view", _in_view(rows)),
    ):
        readme = _between(readme, name, text, README)
    pages = {
        path: _opened(_page(root, path), _opening(root, paper, of[paper.slug], readings), path)
        for paper in papers
        for path in [PAGES / f"{paper.slug}.md"]
    }
    index = _between(_page(root, INDEX), "outcomes", _outcomes(papers, rows), INDEX)
    made = {README: readme, **pages, INDEX: index}
    if others:
        page = _page(root, CONFIRMATION)
        for name, pairs, runs in (
            ("confirmation", [(before, after) for after, before in first], ("first seed", "second seed")),
            ("fresh", fresh, ("second seed", "fresh problems")),
        ):
            if pairs:
                page = _between(page, name, confirmation.report(pairs, runs), CONFIRMATION)
        made[CONFIRMATION] = page
    return made


def _page(root: Path, path: Path) -> str:
    try:
        return (root / path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PageError(f"{path}: missing; expected a page") from None


def _between(text: str, name: str, new: str, path: Path) -> str:
    """Return a page with new text between its two marks."""
    begin, end = f"<!-- {name}: made by make reference -->\n", f"<!-- /{name} -->\n"
    before, first, rest = text.partition(begin)
    _, last, after = rest.partition(end)
    if not (first and last):
        raise PageError(f"{path}: no lines {begin.strip()!r} and {end.strip()!r}; expected what is made between them")
    return f"{before}{begin}\n{new}\n\n{end}{after}"


def _opened(text: str, opening: str, path: Path) -> str:
    """Return a paper's page with this opening between its title and its first heading."""
    title, _, rest = text.partition("\n")
    _, heading, after = rest.partition("\n## ")
    if not (title.startswith("# ") and heading):
        raise PageError(f"{path}: expected a title in its first line, and a heading of the second level")
    return f"{title}\n\n{opening}\n{heading}{after}"


def _answer(rows: Sequence[Row], first: Sequence[tuple[Row, Row]], fresh: Sequence[tuple[Row, Row]]) -> str:
    """Say by kind how many claims hold, how many fail because of an error, and how many came out so in other runs."""
    told = ", ".join(f"{of[Outcome.HOLDS]} of {of.total()} {family}" for family, of in counts(rows).items())
    wrong = Counter(family_of(row) for row in rows if row["outcome"] == Outcome.FAILS and row["why"] in FAULTS)
    answer = f"{told} hold. The papers' [errors](docs/errata.md) explain {_listed(wrong)} that fail."
    if first:
        answer += f" [Another root seed]({CONFIRMATION}), tests frozen, gave the same outcome for {_again(first)}"
        answer += (
            f"; [fresh random problems]({CONFIRMATION}#fresh-random-problems) for {_again(fresh)}." if fresh else "."
        )
    return answer


def _again(pairs: Sequence[tuple[Row, Row]]) -> str:
    """Say by kind how many claims have the same outcome in two runs."""
    all_of = Counter(family_of(one) for one, _ in pairs)
    same = Counter(family_of(one) for one, other in pairs if one["outcome"] == other["outcome"])
    return ", ".join(f"{same[family]} of {all_of[family]} {family}" for family in FAMILIES if all_of[family])


def _in_view(rows: Sequence[Row]) -> str:
    """Say by kind on how many claims a choice made after seeing results bears, and on how many outcomes."""
    chosen = [row for row in rows if is_counted(row) and row["in_view"]]
    changes = Counter(family_of(row) for row in chosen if other_outcomes(row))
    listed = _listed(Counter(family_of(row) for row in chosen), lambda family: f" ({changes[family]})")
    seeds = "Choices of [seeds](docs/guide/verdicts.md#how-many-seeds) are not counted."
    return f"Part of the test was chosen after seeing results for {listed}; brackets: outcomes changed. {seeds}"


def _listed(of: Mapping[str, int], more: Callable[[str], str] = lambda _: "") -> str:
    """List numbers of claims by kind, none as such."""
    *most, last = [f"{of[family]} {family}{more(family)}" for family in FAMILIES if of.get(family)] or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _found(papers: Sequence[Paper], of: Mapping[str, Sequence[Row]]) -> str:
    """Say of each paper what was found in a sentence, and how many claims of each kind hold."""
    lines = []
    for paper in papers:
        told = [f"{family} {held(found)}" for family, found in counts(of[paper.slug]).items() if found.total()]
        last = "" if any(row["kind"] in FAMILIES["numbers"] for row in of[paper.slug]) else "; prints no numbers"
        link = f"[{paper.authors} {paper.venue.split()[-1]}]({PAGES.as_posix()}/{paper.slug}.md)"
        lines.append(f"- **{link}**: {paper.found.strip()} Hold: {', '.join(told)}{last}.")
    return "\n".join(lines)


def _opening(root: Path, paper: Paper, rows: Sequence[Row], readings: OfReadings) -> str:
    """Write the opening of a paper's page: its links, what came out, its headlines, the files with its numbers."""
    links = ", ".join(f"[{place}]({address})" for place, address in paper.links.items())
    tables = sorted((root / "figures" / paper.slug).glob("*.csv"))
    files = ", ".join(f"[{path.stem}](../../figures/{paper.slug}/{path.name})" for path in tables)
    parts = [f"{paper.name} ({links}). {sentence(paper, rows)}"]
    if any(row["headline"] for row in rows):
        parts.append(headlines(rows, readings, of_one=True))
    claims = claims_of(paper.slug)
    if claims and (side_by_side := matrix(rows, readings, claims)):
        parts += [side_by_side.sentence() + " " + UNDER, side_by_side.table()]
    if any(row["headline"] and row["in_view"] for row in rows):
        parts.append(chosen_in_view(rows))
    parts.append("[What the outcomes mean](../guide/verdicts.md)." + (f" Numbers as CSV: {files}." if files else ""))
    return "\n\n".join(parts)


def sentence(paper: Paper, rows: Sequence[Row]) -> str:
    """Say what came out, with the numbers of errors in the paper itself.

    Rows that cite the same ledger entry first show the same error.
    """
    wrong = Counter(why for why, _ in {(row["why"], row["ledger"].partition(" ")[0]) for row in rows})
    return paper.outcome.strip().format(**{f"{fault}s": wrong[fault] for fault in FAULTS})


def _outcomes(papers: Sequence[Paper], rows: Sequence[Row]) -> str:
    """Say what each paper claims and what came out, and count outcomes by kind and by paper."""
    lines = [
        f"- [{paper.name}: {paper.about}]({paper.slug}.md). *Claimed:* {paper.claim.strip()} "
        f"*Found:* {paper.found.strip()}"
        for paper in papers
    ]
    return "\n\n".join(["\n".join(lines), overview(rows), by_kind(rows), faults(rows)])


def darkened(picture: Path) -> np.ndarray:
    """Return a picture drawn on white with light and dark exchanged and hues kept, as in a report on a dark page.

    Returns
    -------
    numpy.ndarray of uint8, shape (height, width, 3)
    """
    inverted: np.ndarray = 1 - matplotlib.image.imread(picture)[:, :, :3].astype(float)
    # Half a turn around the grey axis, with CSS's weights of red, green and blue (``hue-rotate(180deg)``).
    turned = 2 * (inverted @ [0.213, 0.715, 0.072])[:, :, None] - inverted
    return np.asarray(255 * turned.clip(0, 1) + 0.5, dtype=np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the first things that readers see; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.pages", description=__doc__).parse_args(arguments)
    try:
        pages = written(Path())
        for path, text in pages.items():
            with whole(path) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
        with whole(DARK) as temporary:
            matplotlib.image.imsave(temporary, darkened(FIGURE), format="png", metadata={"Software": ""})
    except (OSError, PageError, TableError) as error:
        print(f"pages: {error}", file=sys.stderr)
        return 1
    print(f"{len(pages)} pages from {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
