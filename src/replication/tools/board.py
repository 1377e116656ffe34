"""Draw the board: one picture of the outcome of every finding, for README and documentation.

There is a row per paper. A large square is a claim on which the paper's abstract relies, a small one any other finding
(rows of verdicts about the same fact count once). Colour and mark both show the outcome. The picture is SVG, 800 wide,
once for light and once for dark pages, and its text can be read at half that width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from replication.judging.judges import Outcome
from replication.judging.verdict_tables import FITTED, WORDS, Row, by_fact, word_of

WIDTH = 800
_LARGE, _SMALL = 40, 12
#: Distance from one square to the next of its size; three small ones are as high as a large one.
_LARGE_STEP, _SMALL_STEP, _LINES = 46, 14, 3
#: Height of a row and of its heading.
_ROW, _HEADING = 92, 30
_GAP = 14
_FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'DejaVu Sans', sans-serif"

#: The text in the legend for each outcome.
_MEANING = {
    Outcome.HOLDS: "holds",
    Outcome.DEPENDS: "depends on how the paper is read",
    Outcome.FAILS: "fails",
    Outcome.OPEN: "not decided",
    FITTED: "used to set up our runs, so no evidence",
}
#: The positions of the outcomes in the legend: the place within a line, and the line.
_PLACES = (
    (0, 0, Outcome.HOLDS),
    (130, 0, Outcome.FAILS),
    (250, 0, Outcome.OPEN),
    (0, 1, Outcome.DEPENDS),
    (400, 1, FITTED),
)


@dataclass(frozen=True)
class Theme:
    """Colours of the board.

    Attributes
    ----------
    ink, soft : str
        Colours of text, and of secondary text.
    squares : mapping from outcome to (fill, line, mark)
        Okabe and Ito's hues, darkened or lightened until marks have a contrast of at least 4.5.
    """

    ink: str
    soft: str
    squares: Mapping[str, tuple[str, str, str]]


LIGHT = Theme(
    ink="#1f2328",
    soft="#59636e",
    squares={
        Outcome.HOLDS: ("#00795a", "#00795a", "#ffffff"),
        Outcome.DEPENDS: ("#f5c04d", "#b57a00", "#1f2328"),
        Outcome.FAILS: ("#b8460e", "#b8460e", "#ffffff"),
        Outcome.OPEN: ("none", "#6e7781", "#59636e"),
        FITTED: ("none", "#0072b2", "#0072b2"),
    },
)
DARK = Theme(
    ink="#f0f6fc",
    soft="#9aa4af",
    squares={
        Outcome.HOLDS: ("#2fbf95", "#2fbf95", "#0d1117"),
        Outcome.DEPENDS: ("#6b5310", "#e6b54a", "#ffe9b0"),
        Outcome.FAILS: ("#f0783c", "#f0783c", "#0d1117"),
        Outcome.OPEN: ("none", "#8b949e", "#9aa4af"),
        FITTED: ("none", "#6cb8ee", "#6cb8ee"),
    },
)
THEMES = {"light": LIGHT, "dark": DARK}

#: The marks of `words.yaml` in a square of side 1, as the path of a line.
_PATHS = {
    Outcome.HOLDS: "M.22 .53L.42 .72L.78 .3",
    Outcome.DEPENDS: "M.5 .2V.62M.29 .41H.71M.29 .77H.71",
    Outcome.FAILS: "M.27 .27L.73 .73M.73 .27L.27 .73",
    Outcome.OPEN: "M.36 .36Q.36 .22 .5 .22Q.64 .22 .64 .36Q.64 .46 .5 .52V.6M.5 .74V.79",
    FITTED: "M.3 .4H.7M.3 .6H.7",
}


def findings(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return a paper's headlines, in order, and its other findings, by outcome.

    The latter are one row per fact without a headline.
    """
    rows = list(rows)
    large = [row for row in rows if row["headline"]]
    told = {row["fact"] for row in large}
    small = [row for row in by_fact(rows) if row["fact"] not in told]
    order = list(WORDS)
    return large, sorted(small, key=lambda row: order.index(word_of(row)))


def count(rows: Iterable[Row]) -> tuple[int, int]:
    """Return how many facts of a paper hold, and how many there are."""
    facts = by_fact(rows)
    return Counter(map(word_of, facts))[Outcome.HOLDS], len(facts)


def board(papers: Sequence[tuple[str, str, Sequence[Row]]], theme: Theme) -> str:
    """Draw the board as SVG.

    Parameters
    ----------
    papers : sequence of (name, about, rows)
        Authors and venue of each paper; its subject in a few words; its rows of the table of verdicts.
    theme : Theme
        Colours, `LIGHT` or `DARK`.
    """
    parts, top = [], 6.0
    for name, about, rows in papers:
        parts.append(_row(name, about, rows, theme, top))
        top += _ROW
    legend, height = _legend(theme, top)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
            f'viewBox="0 0 {WIDTH} {height:g}" font-family="{_FONT}" role="img">',
            f"<title>{escape(described(papers))}</title>",
            "<defs>",
            *(_drawn(word, size, theme) for word in WORDS for size in ("large", "small")),
            "</defs>",
            *parts,
            legend,
            "</svg>\n",
        ]
    )


def described(papers: Sequence[tuple[str, str, Sequence[Row]]]) -> str:
    """Describe in words what the board shows."""
    told = "; ".join("{}: {} of {} findings hold".format(name, *count(rows)) for name, _, rows in papers)
    return f"Outcomes of the findings of {len(papers)} papers: {told}."


def _row(name: str, about: str, rows: Sequence[Row], theme: Theme, top: float) -> str:
    """Draw a paper's row: authors, subject, squares, and how many of its findings hold."""
    large, small = findings(rows)
    base, squares = top + 20, top + _HEADING
    parts = [
        f'<text x="0" y="{base:g}" font-size="20" fill="{theme.ink}"><tspan font-weight="600">{escape(name)}</tspan>'
        f'<tspan dx="14" fill="{theme.soft}">{escape(about)}</tspan></text>'
    ]
    for i, row in enumerate(large):
        parts.append(_square(word_of(row), i * _LARGE_STEP, squares, "large"))
    left = len(large) * _LARGE_STEP + _GAP
    for i, row in enumerate(small):
        column, line = divmod(i, _LINES)
        x, y = left + column * _SMALL_STEP, squares + line * _SMALL_STEP
        parts.append(_square(word_of(row), x, y, "small"))
    hold, of = count(rows)
    parts.append(
        f'<text x="{WIDTH}" y="{squares + 18:g}" font-size="20" font-weight="600" text-anchor="end" '
        f'fill="{theme.ink}">{hold} of {of}</text><text x="{WIDTH}" y="{squares + 38:g}" font-size="18" '
        f'text-anchor="end" fill="{theme.soft}">hold</text>'
    )
    return "\n".join(parts)


def _square(word: str, x: float, y: float, size: str) -> str:
    """Draw one finding at a position."""
    return f'<use href="#{word}-{size}" x="{x:g}" y="{y:g}"/>'


def _drawn(word: str, size: str, theme: Theme) -> str:
    """Draw the square of an outcome in a size; relative to the side, marks are thicker in a small one."""
    fill, line, mark = theme.squares[word]
    side, edge, width = (_SMALL, 1.4, 0.15) if size == "small" else (_LARGE, 2, 0.11)
    box = (
        f'<rect x="{edge / 2:g}" y="{edge / 2:g}" width="{side - edge:g}" height="{side - edge:g}" rx="{side / 8:g}" '
        f'fill="{fill}" stroke="{line}" stroke-width="{edge:g}"/>'
    )
    path = (
        f'<path d="{_PATHS[word]}" transform="scale({side})" fill="none" stroke="{mark}" stroke-width="{width:g}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )
    return f'<g id="{word}-{size}">{box}{path}</g>'


def _legend(theme: Theme, top: float) -> tuple[str, float]:
    """Draw the legend of marks and sizes, and return where the picture ends."""
    parts = []
    for x, line, word in _PLACES:
        y = top + 4 + 30 * line
        parts.append(f'<g transform="translate({x} {y:g}) scale(.5)">{_square(word, 0, 0, "large")}</g>')
        parts.append(f'<text x="{x + 28}" y="{y + 16:g}" font-size="17" fill="{theme.soft}">{_MEANING[word]}</text>')
    y = top + 80
    parts.append(
        f'<text x="0" y="{y:g}" font-size="17" fill="{theme.soft}">'
        "Large: a claim on which an abstract relies. Small: every other finding.</text>"
    )
    return "\n".join(parts), y + 10
