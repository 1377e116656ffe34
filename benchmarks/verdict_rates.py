"""Simulate how often each judge is wrong: false `holds` and false `fails`, by number of seeds.

``python benchmarks/verdict_rates.py`` prints the table and writes it into docs/guide/verdicts.md, between two marks.
Truths lie at the judge's border or just beyond it, where it errs most; seeds are normal, exponential, or have a rare
disaster. 2,000 seeds take some minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from replication.judging.judges import (
    Judgement,
    Outcome,
    judge_above,
    judge_growth,
    judge_growth_bound,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    judge_same,
    judge_trend,
    judge_zero,
)
from replication.judging.judges.intervals import FloatArray
from replication.judging.judges.means import explained_by

GUIDE = Path("docs/guide/verdicts.md")
BEGIN, END = "<!-- rates: made by benchmarks/verdict_rates.py -->\n", "<!-- /rates -->\n"
SIZES = (5, 20, 100, 500, 2000)

Draw = Callable[[np.random.Generator, int], FloatArray]
Case = Callable[[np.random.Generator, int], Judgement]


def normal(rng: np.random.Generator, n: int) -> FloatArray:
    """Mean 0, standard deviation 1."""
    return rng.normal(size=n)


def exponential(rng: np.random.Generator, n: int) -> FloatArray:
    """Mean 0, standard deviation 1, skewed as regrets are."""
    return rng.exponential(size=n) - 1


def _mean(draw: Draw, off: float) -> Case:
    """1,000 trials, sd 0.3 of the published mean; ``off`` in units of the border."""
    truth = 100 * (1 + off * explained_by(1000) * 0.3 / np.sqrt(1000))
    return lambda rng, n: judge_mean(100, truth + 30 * draw(rng, n), 1000)


def _disaster(share: float) -> Case:
    """The published mean is the truth, half of which a rare disaster carries."""

    def case(rng: np.random.Generator, n: int) -> Judgement:
        values = 50 + 5 * rng.normal(size=n) + (rng.random(n) < share) * 50 / share
        return judge_mean(100, values, 1000)

    return case


def _above(draw: Draw, truth: float) -> Case:
    """A tenth of the claimed difference of 2 is the border."""

    def case(rng: np.random.Generator, n: int) -> Judgement:
        smaller = 10 + draw(rng, n)
        return judge_above(smaller + truth + draw(rng, n), smaller, claimed=2.0)

    return case


def _growth(law: Callable[[FloatArray], FloatArray], model: str) -> Case:
    x = np.array([10.0, 30, 100, 300, 1000, 3000, 10_000])
    curve = law(x) / law(x)[-1]

    def case(rng: np.random.Generator, n: int) -> Judgement:
        return judge_growth(x, curve[:, None] * rng.exponential(size=n) + 0.05 * rng.normal(size=(7, n)), model=model)

    return case


def _growth_bound(times: float) -> Case:
    def case(rng: np.random.Generator, n: int) -> Judgement:
        values = np.array([[1.0], [2 * times]]) * rng.exponential(size=(2, n))
        return judge_growth_bound(np.array([1.0, 4.0]), values, model="sqrt")

    return case


def _trend(step: float) -> Case:
    levels = np.array([0.0, 1, 1 + step, 2 + step])
    return lambda rng, n: judge_trend(np.arange(4.0), levels[:, None] + exponential(rng, 4 * n).reshape(4, n), "rises")


def _mean_bound(rng: np.random.Generator, n: int) -> Judgement:
    return judge_mean_bound(1.0, rng.exponential(size=n), 9)


def _square(x: FloatArray) -> FloatArray:
    return np.square(np.log(x))


def _bounded(x: FloatArray) -> FloatArray:
    return np.asarray(1 - np.exp(-x / 300))


#: Judge and truth; what is wrong to say of it; the case.
CASES: list[tuple[str, Outcome, Case]] = [
    ("mean, normal, at the border", Outcome.FAILS, _mean(normal, 1)),
    ("mean, normal, at the border", Outcome.HOLDS, _mean(normal, 1)),
    ("mean, exponential, at the border", Outcome.FAILS, _mean(exponential, 1)),
    ("mean, exponential, at the border", Outcome.HOLDS, _mean(exponential, -1)),
    ("mean, half of it in a disaster of 1 seed in 20", Outcome.FAILS, _disaster(0.05)),
    ("mean, half of it in a disaster of 1 seed in 50", Outcome.FAILS, _disaster(0.02)),
    ("above, exponential, at the border", Outcome.HOLDS, _above(exponential, 0.2)),
    ("above, exponential, at the border", Outcome.FAILS, _above(exponential, 0.2)),
    (
        "mean_bound, exponential, at the bound",
        Outcome.HOLDS,
        lambda r, n: judge_mean_bound(1.0, r.exponential(size=n), 9),
    ),
    (
        "mean_bound, exponential, at the bound",
        Outcome.FAILS,
        lambda r, n: judge_mean_bound(1.0, r.exponential(size=n), 9),
    ),
    ("zero, 95 % of seeds with none", Outcome.FAILS, lambda r, n: judge_zero(1.0 * (r.random(n) > 0.95), 5)),
    ("zero, 94 % of seeds with none", Outcome.HOLDS, lambda r, n: judge_zero(1.0 * (r.random(n) > 0.94), 5)),
    ("rate 0.9, truth 0.9", Outcome.HOLDS, lambda r, n: judge_rate(r.random(n) < 0.9, 0.9)),
    ("rate 0.9, truth 0.9", Outcome.FAILS, lambda r, n: judge_rate(r.random(n) < 0.9, 0.9)),
    ("rate 1, truth 0.995", Outcome.HOLDS, lambda r, n: judge_rate(r.random(n) < 0.995, 1.0)),
    ("rate 1, truth 0.999", Outcome.HOLDS, lambda r, n: judge_rate(r.random(n) < 0.999, 1.0)),
    ("same, 1 seed in 200 differs", Outcome.HOLDS, lambda r, n: judge_same(np.zeros(n), 1.0 * (r.random(n) < 0.005))),
    ("growth log, truth log", Outcome.FAILS, _growth(np.log, "log")),
    ("growth log, truth log squared", Outcome.HOLDS, _growth(_square, "log")),
    ("growth log, truth bounded", Outcome.HOLDS, _growth(_bounded, "log")),
    ("growth_bound sqrt, at the border", Outcome.HOLDS, _growth_bound(1.1)),
    ("growth_bound sqrt, at the border", Outcome.FAILS, _growth_bound(1.1)),
    ("trend, a step of 0", Outcome.HOLDS, _trend(0.0)),
    ("trend, a step just above 0", Outcome.FAILS, _trend(0.01)),
]


def rates(case: Case, wrong: Outcome, repetitions: int) -> list[float]:
    """Shares of wrong outcomes, by number of seeds."""
    found = []
    for n in SIZES:
        rng = np.random.default_rng([20261122, n])
        found.append(sum(case(rng, n).outcome is wrong for _ in range(repetitions)) / repetitions)
    return found


def table(repetitions: int) -> str:
    """The table as Markdown, in percent."""
    lines = [["test and truth", "wrong outcome", *(f"{n:,} seeds" for n in SIZES)], ["---"] * (2 + len(SIZES))]
    for name, wrong, case in CASES:
        lines.append([name, f"`{wrong}`", *(f"{100 * rate:.1f}" for rate in rates(case, wrong, repetitions))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and write it into the guide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000, help="simulated studies of each kind (1000)")
    options = parser.parse_args(arguments)
    made = table(options.repetitions)
    print(made)
    before, begin, rest = GUIDE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{GUIDE}: no lines {BEGIN.strip()!r} and {END.strip()!r}")
    GUIDE.write_text(f"{before}{begin}\n{made}\n\n{end}{after}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
