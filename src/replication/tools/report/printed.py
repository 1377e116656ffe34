"""The tables of results that the papers print, with the claim in each cell.

A cell names its claim as the published table does, by the columns ``place``, ``row`` and ``column`` of
data/published/<slug>.csv. `lay_out` finds the claims and fails for a cell without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from replication.judging.claims import FAMILIES
from replication.judging.claims import Printed as Claim


class PrintedError(ValueError):
    """A printed cell without a claim, or a printed claim without a cell.

    The message names the table, and the cell or the claim.
    """


@dataclass(frozen=True)
class Head:
    """A cell of a header: its text, and how many columns and rows it covers."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True)
class Cell:
    """One printed value.

    It has the words ``row`` and ``column`` of its claim, and how many rows the paper's cell covers.
    """

    row: str
    column: str
    rows: int = 1


@dataclass(frozen=True)
class Line:
    """One printed row: its header cells, then its values; None where the paper prints nothing."""

    heads: tuple[Head, ...]
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """A table as the paper prints it.

    Attributes
    ----------
    paper, item : str
        The slug, and the value of its claims in the column ``place``.
    title : str
        The paper's own caption.
    header : tuple of tuples of Head
        The lines above the values.
    lines : tuple of Line
    """

    paper: str
    item: str
    title: str
    header: tuple[tuple[Head, ...], ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Placed:
    """A cell with the id of its claim."""

    claim: str
    rows: int


def lay_out(table: Table, claims: Iterable[Claim]) -> list[list[Placed | None]]:
    """Find the claim of every cell of a printed table.

    Parameters
    ----------
    table : Table
    claims : iterable of Claim
        What the paper prints.

    Returns
    -------
    list of list
        One list per line: a `Placed` per value, None where the paper prints nothing.

    Raises
    ------
    PrintedError
        If a cell has no claim, or a number of this table has no cell.
    """
    known = {(c.row, c.column): c.id for c in claims if c.place == table.item and c.kind in FAMILIES["numbers"]}
    grid: list[list[Placed | None]] = []
    for line in table.lines:
        placed: list[Placed | None] = []
        for cell in line.cells:
            if cell is None:
                placed.append(None)
                continue
            claim = known.pop((cell.row, cell.column), None)
            if claim is None:
                raise PrintedError(
                    f"data/published/{table.paper}.csv: no number with place {table.item!r}, row {cell.row!r}, "
                    f"column {cell.column!r}; expected one for each printed cell"
                )
            placed.append(Placed(claim, cell.rows))
        grid.append(placed)
    if known:
        left = next(iter(known.values()))
        raise PrintedError(f"data/published/{table.paper}.csv: {left}: a number of {table.item} without a printed cell")
    return grid


def tables_of(paper: str) -> Sequence[Table]:
    """Return the printed tables of a paper, in its order; lu2021 and xiong2023 print none."""
    return [table for table in TABLES if table.paper == paper]


def _row(*heads: str | Head) -> tuple[Head, ...]:
    return tuple(head if isinstance(head, Head) else Head(head) for head in heads)


def _lee2019() -> Table:
    """Lay out Table 1, which merges the cells of strategies that share their arms.

    In Fig. 5a these are POMIS = MIS = BF, in Fig. 5b POMIS = MIS.
    """
    lines = []
    for solver in ("TS", "UCB"):
        merged_a = Cell(f"{solver} POMIS = MIS = BF", "Fig. 5a", rows=3)
        merged_b = Cell(f"{solver} POMIS = MIS", "Fig. 5b", rows=2)
        lines += [
            Line(
                _row(Head(solver, rows=4), "POMIS+"),
                tuple(Cell(f"{solver} POMIS+", f"Fig. 5{panel}") for panel in "abc"),
            ),
            Line(_row("POMIS"), (merged_a, merged_b, Cell(f"{solver} POMIS", "Fig. 5c"))),
            Line(_row("MIS"), (Cell(f"{solver} MIS", "Fig. 5c"),)),
            Line(_row("BF"), (Cell(f"{solver} BF", "Fig. 5b"), Cell(f"{solver} BF", "Fig. 5c"))),
        ]
    header = (_row(Head("", columns=2), "Fig. 5a", "Fig. 5b", "Fig. 5c"),)
    return Table("lee2019", "Table 1", "Average cumulative regret at T = 10,000", header, tuple(lines))


_TAUS = ("0.1", "0.2", "0.3", "0.4", "0.5")


def _huang2022(item: str, title: str, regret: str, unfair: tuple[str, ...]) -> Table:
    """Lay out a table of regrets and counts of unfair decisions; F-UCB's zeros are one claim, so they share a cell."""
    header = (
        _row(Head("tau", rows=2), Head(regret, rows=2), Head("Unfair Decisions", columns=len(unfair))),
        _row(*unfair),
    )

    def cells(tau: str) -> Iterator[Cell]:
        yield Cell(f"tau = {tau}", "regret of F-UCB")
        for policy in unfair:
            column = f"unfair decisions of {policy} per run"
            if policy != "F-UCB":
                yield Cell(f"tau = {tau}", column)
            elif tau == _TAUS[0]:
                yield Cell("tau = 0.1 to 0.5", column, rows=len(_TAUS))

    return Table("huang2022", item, title, header, tuple(Line(_row(tau), tuple(cells(tau))) for tau in _TAUS))


def _huang2024() -> Table:
    columns = ("CP", "Biased", "BCE lb", "BCE ub", "Truth")
    header = (
        _row(
            *(Head(text, rows=2) for text in ("Index", "CP", "Biased")), Head("BCE", columns=2), Head("Truth", rows=2)
        ),
        _row("lb", "ub"),
    )
    lines = (Line(_row(str(i)), tuple(Cell(f"index {i}", column) for column in columns)) for i in range(1, 17))
    return Table("huang2024", "Table 1", "Reward Estimation for the Synthetic Data", header, tuple(lines))


#: All printed tables of results. huang2022's Tables 3 to 5 and huang2024's Table 2 print names and parameters, not
#: results.
TABLES = (
    _lee2019(),
    _huang2022(
        "Table 1",
        "Comparison results for Email Campaign Data",
        "Cumulative Regret of F-UCB",
        ("UCB", "C-UCB", "D-UCB", "F-UCB"),
    ),
    _huang2022("Table 2", "Comparison results for Adult-Video Data", "Regret of F-UCB", ("F-UCB", "Fair-LinUCB")),
    _huang2024(),
)
