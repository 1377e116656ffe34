"""Is a paper's whole story true under one reading? Its headlines under every reading of what it leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from replication.judging.claims import Claim
from replication.judging.gaps import Option, filled, name_of
from replication.judging.judges.judgement import Outcome, Why
from replication.judging.verdict_tables import OfReadings, Row, markdown

#: The name of the reading in which every gap has its default.
DEFAULTS = "all defaults"

#: What a table shows where a headline was not tested under a reading.
UNTESTED = "-"


class Count(NamedTuple):
    """How many headlines hold, are true by construction, are contradicted, open and not tested under a reading."""

    hold: int
    by_construction: int
    against: int
    open: int
    untested: int


class Matrix(NamedTuple):
    """Headlines by readings.

    Attributes
    ----------
    headlines : tuple of dict
        Rows of a table of verdicts.
    readings : tuple of str
        Names: that of all defaults, those under which a headline is tested, and `best` if it is another one.
    judged : tuple of tuple of dict or None
        For each reading and headline the row of the test that has these options, of a table of readings or of verdicts;
        None if there is none.
    best : str
        Of the readings that contradict no headline, or of all if each contradicts one, that under which most hold; the
        one with the fewest departures from the defaults, if several. Some headline is tested under each departure.
    """

    headlines: tuple[Row, ...]
    readings: tuple[str, ...]
    judged: tuple[tuple[Row | None, ...], ...]
    best: str

    @property
    def outcomes(self) -> list[list[str]]:
        """The outcome under each reading of each headline; empty if it is not tested under that reading."""
        return [[outcome_of(row) for row in rows] for rows in self.judged]

    def counted(self, reading: str) -> Count:
        """Count the headlines by what became of them under a reading."""
        return _count(self.judged[self.readings.index(reading)])

    def sentence(self) -> str:
        """Say whether one reading makes all headlines true."""
        found, of = self.counted(self.best), f"all {len(self.headlines)} headlines"
        under_defaults, under_best = (f"Under {name}, {_told(self.counted(name))}." for name in (DEFAULTS, self.best))
        if found.against:
            told = f"No reading makes {of} hold: each contradicts at least one."
        elif found.open or found.untested:
            told = f"Whether one reading makes {of} hold is not decided."
        elif found.by_construction:
            none = f"none of the {len(self.headlines)} headlines"
            told = f"One reading contradicts {none}, but makes some true by construction."
        else:
            told = f"One reading makes {of} hold."
        return " ".join(dict.fromkeys([told, under_best, under_defaults]))

    def table(self) -> str:
        """Write a row for each reading as Markdown; the columns are the headlines, numbered in order."""
        header = ["reading", *(str(i) for i in range(1, len(self.headlines) + 1))]
        lines = [
            [name.replace("|", r"\|"), *(cell or UNTESTED for cell in row)]
            for name, row in zip(self.readings, self.outcomes, strict=True)
        ]
        return markdown(header, lines)


def matrix(rows: Sequence[Row], readings: OfReadings, claims: Mapping[str, Claim]) -> Matrix | None:
    """Put a paper's headlines and the readings of what it leaves open side by side.

    A reading fills every gap that some headline meets. A headline has the outcome of its test with the same options of
    the gaps that it meets; if there is no such test, it is not tested under this reading.

    Parameters
    ----------
    rows : sequence of dict
        The paper's verdicts.
    readings : dict from claim to reading to row
    claims : dict from id to Claim
        How the claims are tested.

    Returns
    -------
    Matrix or None
        None if no headline meets a gap.
    """
    headlines = tuple(row for row in rows if row["headline"])
    tested = [claims[row["claim_id"]] for row in headlines]
    gaps = tuple(dict.fromkeys(gap for claim in tested for gap in claim.gaps))
    if not gaps:
        return None

    def judged(options: Sequence[Option]) -> tuple[Row | None, ...]:
        pairs = zip(headlines, tested, strict=True)
        return tuple(_judged(row, readings.get(row["claim_id"], {}), claim, options) for row, claim in pairs)

    def rank(options: Sequence[Option]) -> tuple[bool, int, int, int]:
        found = _count(judged(options))
        return not found.against, found.hold, found.by_construction, -sum(o != o.gap.default for o in options)

    def is_played(options: Sequence[Option]) -> bool:
        """Return whether some headline is tested under each of the options that are no defaults."""
        found = {option for claim in tested if (test := claim.under(options)) for option in test.options}
        return all(option in found for option in options if option != option.gap.default)

    every = (tuple(map(Option, gaps, names)) for names in product(*(gap.options for gap in gaps)))
    best = max(filter(is_played, every), key=rank)
    shown = [filled((), gaps), *(filled(test.options, gaps) for claim in tested for test in claim.tests), best]
    distinct = tuple(dict.fromkeys(shown))
    return Matrix(headlines, tuple(map(_name, distinct)), tuple(map(judged, distinct)), _name(best))


def _judged(row: Row, readings: Mapping[str, Row], claim: Claim, options: Sequence[Option]) -> Row | None:
    """Return the row of the test of a claim that has these options of the gaps that it meets."""
    test = claim.under(options)
    if test is None:
        return None
    return row if len(claim.tests) == 1 else readings[test.name]


def outcome_of(row: Row | None) -> str:
    """Return what became of a headline under a reading: its outcome, or that it is true by construction."""
    if row is None:
        return ""
    return str(Why.BY_CONSTRUCTION) if row["why"] == Why.BY_CONSTRUCTION else row["outcome"]


def _count(rows: Sequence[Row | None]) -> Count:
    told = Counter(map(outcome_of, rows))
    return Count(
        told[Outcome.HOLDS],
        told[Why.BY_CONSTRUCTION],
        told[Outcome.FAILS] + told[Outcome.DEPENDS],
        told[Outcome.OPEN],
        told[""],
    )


def _told(count: Count) -> str:
    words = ("true by construction", "contradicted", "open", "not tested")
    others = [f"{n} {'is' if n == 1 else 'are'} {word}" for n, word in zip(count[1:], words, strict=True) if n]
    return ", ".join([f"{count.hold or 'none'} hold{'s' * (count.hold < 2)}", *others])


def _name(options: tuple[Option, ...]) -> str:
    departs = any(option != option.gap.default for option in options)
    return name_of(options) if departs else DEFAULTS
