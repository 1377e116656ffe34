"""The board has a square for every finding, in the colour and with the mark of its outcome, and all of it in view."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_verdicts import row

from replication.judging.verdict_tables import WORDS, by_fact, read, word_of
from replication.tools.board import THEMES, WIDTH, board, count, findings

ROWS = list(read(Path(__file__).parents[3] / "data/reference/verdicts.csv").values())
SVG = "{http://www.w3.org/2000/svg}"


def squares(text):
    """Numbers of squares by outcome and size, those of the legend left out."""
    return Counter(re.findall(r'^<use href="#(\w+-\w+)"', text, flags=re.MULTILINE))


def test_every_finding_is_a_square_with_its_outcome():
    rows = [
        row("p.a", fact="f", headline="yes"),
        row("p.b", fact="f", outcome="fails"),  # of the headline's fact
        row("p.c", fact="g", outcome="open"),
        row("p.d", fact="h", outcome="fails"),
        row("p.e", fact="h", outcome="fails"),
        row("p.f", fact="i", basis="fitted"),
    ]
    large, small = findings(rows)
    assert [each["claim_id"] for each in large] == ["p.a"]
    assert [word_of(each) for each in small] == ["fails", "open", "fitted"]  # in the order of the words
    text = board([("A & B", "what", rows)], THEMES["light"])
    assert squares(text) == {"holds-large": 1, "fails-small": 1, "open-small": 1, "fitted-small": 1}
    assert "A &amp; B" in text
    assert "0 of 4</text>" in text  # the headline holds, its fact depends
    assert count(rows) == (0, 4)


@pytest.mark.parametrize("name", THEMES)
def test_the_committed_board_is_whole_and_in_view(name):
    of = {paper: [row for row in ROWS if row["paper"] == paper] for paper in dict.fromkeys(r["paper"] for r in ROWS)}
    text = board([(paper, "about", rows) for paper, rows in of.items()], THEMES[name])
    assert sum(squares(text).values()) == sum(len(by_fact(rows)) for rows in of.values())
    tree = ElementTree.fromstring(text)
    assert {each.get("id") for each in tree.iter(f"{SVG}g")} >= {
        f"{word}-{s}" for word in WORDS for s in ("large", "small")
    }
    ends = [float(use.get("x")) + 12 for use in tree.iter(f"{SVG}use") if use.get("href").endswith("small")]
    assert max(ends) < WIDTH - 100  # where the counts begin


@pytest.mark.parametrize("name", THEMES)
def test_marks_are_seen_on_their_squares_without_colour(name):
    """The contrast of WCAG between fill and mark; marks differ by their form as well."""
    ground = {"light": "#ffffff", "dark": "#0d1117"}[name]

    def luminance(colour):
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for fill, line, mark in THEMES[name].squares.values():
        for one, other in ((ground if fill == "none" else fill, mark), (ground, line)):
            low, high = sorted(map(luminance, (one, other)))
            assert (high + 0.05) / (low + 0.05) >= (4.5 if other == mark else 3)
    text = board([], THEMES[name])
    forms = {word: re.search(rf'id="{word}-large">.*?(<path d="[^"]*"|</g>)', text)[1] for word in WORDS}
    assert len(set(forms.values())) == len(WORDS)
