"""Every cell of the tables that the papers print has its claim, and every printed number its cell."""

import re

import pytest
from made_report import ROOT

from replication.judging.claims import Printed, read
from replication.tools.report.printed import TABLES, Cell, Head, Line, Placed, PrintedError, Table, lay_out

#: So many numbers the papers print.
NUMBERS = {
    ("lee2019", "Table 1"): 18,
    ("huang2022", "Table 1"): 21,
    ("huang2022", "Table 2"): 11,
    ("huang2024", "Table 1"): 80,
}


def claims(paper):
    return read(ROOT / f"data/published/{paper}.csv").values()


def width(heads):
    return sum(head.columns for head in heads)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.paper}, {table.item}")
def test_cells_and_numbers_are_the_same_and_cover_a_rectangle(table):
    grid = lay_out(table, claims(table.paper))
    placed = [cell.claim for line in grid for cell in line if cell]
    assert len(placed) == len(set(placed)) == NUMBERS[table.paper, table.item]
    area = sum(cell.rows if cell else 1 for line in grid for cell in line)
    area += sum(head.columns * head.rows for line in table.lines for head in line.heads)
    below = sum(head.columns * head.rows for line in table.header for head in line)
    columns = width(table.header[0])
    assert area == columns * len(table.lines)
    assert below == columns * len(table.header)


@pytest.mark.parametrize(
    ("paper", "item", "line", "column", "claim"),
    [
        ("huang2024", "Table 1", 6, 3, "huang2024.table1.7.upper"),
        ("huang2022", "Table 1", 1, 0, "huang2022.table1.regret.f_ucb.02"),
        ("huang2022", "Table 2", 0, 2, "huang2022.table2.unfair.fair_lin_ucb.01"),
        ("huang2022", "Table 1", 4, 3, "huang2022.table1.unfair.d_ucb.05"),
        ("lee2019", "Table 1", 5, 0, "lee2019.table1.frontdoor.kl_ucb.pomis"),
        ("lee2019", "Table 1", 3, 1, "lee2019.table1.sixvar.ts.bf"),
    ],
)
def test_known_cells(paper, item, line, column, claim):
    (table,) = [table for table in TABLES if (table.paper, table.item) == (paper, item)]
    assert lay_out(table, claims(paper))[line][column].claim == claim


TABLE = Table("x", "Table 1", "", ((Head("a"),),), (Line((), (Cell("r", "c", 2), None)), Line((), (Cell("s", "c"),))))


def claim(name, row, kind="mean", item="Table 1"):
    return Printed(id=name, place=item, statement="", kind=kind, row=row, column="c", value="")


def test_what_is_read_off_a_table_or_stands_elsewhere_is_no_cell():
    others = [claim("x.order", "u", kind="ordering"), claim("x.other", "r", item="Table 2")]
    grid = lay_out(TABLE, [claim("x.b", "s"), claim("x.a", "r"), *others])
    assert grid == [[Placed("x.a", 2), None], [Placed("x.b", 1)]]


def test_a_cell_without_a_claim_and_a_claim_without_a_cell_are_told():
    message = (
        "data/published/x.csv: no number with place 'Table 1', row 's', column 'c'; expected one for each printed cell"
    )
    with pytest.raises(PrintedError, match=re.escape(message)):
        lay_out(TABLE, [claim("x.a", "r")])
    with pytest.raises(PrintedError, match=r"x\.c: a number of Table 1 without a printed cell"):
        lay_out(TABLE, [claim("x.a", "r"), claim("x.b", "s"), claim("x.c", "t")])
