"""The test of a whole table of counts: how often it is wrong, what it refutes, cells without spread."""

import math

import numpy as np
import pytest

from replication.papers.huang2022 import resampling
from replication.papers.huang2022.resampling import RARE, Cell, together

TRIALS, SEEDS, CELLS = 5, 100, 15


def counts(rng, kind, cell, size):
    """Counts of so many runs of a model; rare ones at the largest thresholds, as in the paper's table."""
    if kind == "skewed":
        return rng.exponential(50 * (cell + 1), size).round()
    if kind == "rare":
        return rng.poisson(0.2 * cell, size).astype(float)
    return rng.normal(3000 / (cell + 1), 60, size).round()


def a_table(rng, kind, shift=0.0, dependent=False):
    """A printed table of averages over the paper's trials, and the study's own seeds, of one model."""
    cells = []
    trial = np.random.default_rng(rng.integers(10**9)) if dependent else None
    state = trial.bit_generator.state if dependent else None
    for k in range(CELLS):
        if dependent:
            trial.bit_generator.state = state  # all cells of the table from the very same draws
        printed = counts(trial or rng, kind, k, TRIALS).mean()
        cells.append(Cell(round(printed + shift * (k == 3)), counts(rng, kind, k, SEEDS)))
    return cells


@pytest.fixture
def fewer(monkeypatch):
    """Fewer resamples: enough for a share of one in 40."""
    monkeypatch.setattr(resampling, "RESAMPLES", 2_000)


@pytest.mark.parametrize("kind", ["normal", "skewed", "rare"])
@pytest.mark.parametrize("dependent", [False, True])
def test_a_table_of_the_very_model_is_refuted_no_more_often_than_declared(fewer, kind, dependent):
    """Of 500 tables 21 or more would be refuted in less than 2.5 % of cases if the level were 2.5 %."""
    rng = np.random.default_rng(7)
    wrong = sum(together(a_table(rng, kind, dependent=dependent), TRIALS).refuted for _ in range(500))
    assert wrong <= 20


@pytest.mark.parametrize("kind", ["normal", "skewed"])
def test_a_table_that_is_shifted_is_refuted(fewer, kind):
    """By ten standard errors of an average, in one cell of fifteen."""
    rng, spread = np.random.default_rng(8), {"normal": 60, "skewed": 200}[kind]
    shift = 10 * spread / math.sqrt(TRIALS)
    assert all(together(a_table(rng, kind, shift), TRIALS).refuted for _ in range(100))


def test_a_cell_without_spread_is_exact():
    same = Cell(18, np.full(SEEDS, 18.0))
    tested = together([same, Cell(0, np.zeros(SEEDS))], TRIALS)
    assert (tested.off, tested.refuted) == (0.0, False)
    tested = together([same, Cell(1, np.zeros(SEEDS))], TRIALS)
    assert (tested.worst, tested.off, tested.share) == (1, math.inf, 0.0)
    assert tested.refuted


def test_a_printed_average_is_rounded():
    """0.4 is printed as 0; 0.6 is not."""
    assert Cell(0, np.full(SEEDS, 0.4)).off(TRIALS) == 0.0
    assert Cell(0, np.full(SEEDS, 0.6)).off(TRIALS) == math.inf


def test_what_no_value_reaches_no_average_reaches():
    """The resamples are not drawn then; where they are, the share is theirs."""
    rng = np.random.default_rng(9)
    cell = Cell(0, rng.normal(100, 10, SEEDS))
    assert together([cell], TRIALS).share == 0.0
    near = together([Cell(round(cell.values.mean() + 5), cell.values)], TRIALS)
    assert RARE < near.share < 1
