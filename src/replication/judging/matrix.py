"""Is a paper's whole story true under one reading? Its headlines under every reading of what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from replication.judging.claims import Claim
from replication.judging.gaps import Option, filled, name_of
from replication.judging.judges.judgement import Outcome
from replication.judging.verdict_tables import OfReadings, Row, markdown

#: The name of the reading in which every gap has its default.
DEFAULTS = "all defaults"

#: What a table shows where a headline was not tested under a reading.
UNTESTED = "-"


class Matrix(NamedTuple):
    """Headlines by readings.

    Attributes
    ----------
    headlines : tuple of dict
        Rows of a table of verdicts.
    readings : tuple of str
        Names: that of all defaults, those under which a headline is tested, and, if it is another one, that under which
        most headlines hold.
    judged : tuple of tuple of dict or None
        For each reading and headline the row of the test that has these options, of a table of readings or of verdicts;
        None if there is none.
    best : str
        The reading under which most headlines hold; the one with the fewest departures from the defaults, if several.
    """

    headlines: tuple[Row, ...]
    readings: tuple[str, ...]
    judged: tuple[tuple[Row | None, ...], ...]
    best: str

    @property
    def outcomes(self) -> list[list[str]]:
        """The outcome under each reading of each headline; empty if it is not tested under that reading."""
        return [[row["outcome"] if row else "" for row in rows] for rows in self.judged]

    def holding(self, reading: str) -> int:
        """Count the headlines that hold under a reading."""
        return _holding(self.judged[self.readings.index(reading)])

    def sentence(self) -> str:
        """Say whether one reading makes all headlines true."""
        count, most, default = len(self.headlines), self.holding(self.best), self.holding(DEFAULTS)
        if most == count:
            return f"All {count} headlines hold in the tests under: {self.best}."
        told = f"In no combination of readings that was tested do all {count} headlines hold"
        if most == default:
            return f"{told}; none does better than all defaults, under which {_do(default)}."
        return f"{told}. Under all defaults {_do(default)}; at most {_do(most)}, under: {self.best}."

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

    A reading fills every gap that some headline meets. A headline has its outcome under the test with these options;
    one that meets no gap has the same under all.

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

    every = [tuple(map(Option, gaps, names)) for names in product(*(gap.options for gap in gaps))]
    held = {options: _holding(judged(options)) for options in every}
    best = max(every, key=lambda options: (held[options], -sum(o != o.gap.default for o in options)))
    shown = [filled((), gaps), *(filled(test.options, gaps) for claim in tested for test in claim.tests), best]
    distinct = tuple(dict.fromkeys(shown))
    return Matrix(headlines, tuple(map(_name, distinct)), tuple(map(judged, distinct)), _name(best))


def _judged(row: Row, readings: Mapping[str, Row], claim: Claim, options: Sequence[Option]) -> Row | None:
    """Return the row of the test of a claim that has these options."""
    if len(claim.tests) == 1:
        return row
    known = set(options)
    name = next((test.name for test in claim.tests if known.issuperset(test.options)), "")
    return readings[name] if name else None


def _holding(rows: Sequence[Row | None]) -> int:
    return sum(row is not None and row["outcome"] == Outcome.HOLDS for row in rows)


def _do(count: int) -> str:
    return f"{count} do{'es' * (count == 1)}"


def _name(options: tuple[Option, ...]) -> str:
    departs = any(option != option.gap.default for option in options)
    return name_of(options) if departs else DEFAULTS
