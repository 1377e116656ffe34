"""Simulate how often each judge errs and decides, by number of seeds, and count the printed numbers that can hold.

``python benchmarks/verdict_rates.py`` writes the tables of simulated rates into benchmarks/verdict_rates.md, between
two marks, in half an hour. With ``--numbers`` it judges the printed numbers of a finished study again and prints how
many of them can be confirmed with the paper's trials, and with ours.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
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
from replication.judging.judges.intervals import percents_below
from replication.papers.huang2024.judges import judge_column
from replication.papers.lee2019 import curves

PAGE = Path("benchmarks/verdict_rates.md")
BEGIN, END = "<!-- rates: made by benchmarks/verdict_rates.py -->\n", "<!-- /rates -->\n"
SIZES = (20, 126, 1000, 4000)

Draw = Callable[[np.random.Generator, int], FloatArray]
#: Gives the outcome of a simulated study; None if the study does not count.
Case = Callable[[np.random.Generator, int], Outcome | None]

#: Sizes of lu2021's trees.
NODES = np.array([10.0, 30, 100, 300, 1000, 3000, 10_000])


def normal(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw normal values with mean 0 and standard deviation 1."""
    return rng.normal(size=n)


def exponential(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw values with mean 0 and standard deviation 1, skewed as regrets are."""
    return rng.exponential(size=n) - 1


def _mean(draw: Draw, trials: int, off: float = 0.0, *, lower: bool | None = None, deviation: float = 0.3) -> Case:
    """Make a case of a printed mean; values have a standard deviation of ``deviation`` times the mean.

    The published mean is drawn too. Our distribution is higher by ``off`` of the paper's standard errors. With
    ``lower``, only those studies count in which our mean is (or is not) below the published one.
    """

    def case(rng: np.random.Generator, n: int) -> Outcome | None:
        published = 100 + 100 * deviation * draw(rng, trials).mean()
        values = 100 + 100 * deviation * (draw(rng, n) + off / np.sqrt(trials))
        found = judge_mean(published, values, trials).outcome
        return found if lower is None or (values.mean() < published) == lower else None

    return case


def _percentage(rng: np.random.Generator, n: int) -> Outcome:
    """Judge a true printed percentage over 1,000 paired trials: one strategy has two thirds of the other's regret."""

    def pairs(count: int) -> tuple[FloatArray, FloatArray]:
        common = 20 * normal(rng, count)
        more = 100 + common + 20 * exponential(rng, count)
        return more, 66 + 0.5 * common + 20 * exponential(rng, count)

    more, less = pairs(1000)
    published = 100 * float(1 - less.mean() / more.mean())
    return judge_mean(published, percents_below(*pairs(n)), 1000).outcome


def _curve(off: float = 0.0) -> Case:
    """Make a case of a curve of 40 points with accumulated noise; ours is ``off`` standard errors higher everywhere.

    The standard errors are the paper's. A run's expected rewards have 0.6 of the spread of its rewards.
    """
    points, trials = 40, curves.TRIALS
    growth = np.sqrt(np.arange(1, points + 1) / points)

    def walks(rng: np.random.Generator, count: int, spread: float) -> FloatArray:
        return np.cumsum(rng.normal(0, spread / np.sqrt(points), (count, points)), axis=1)

    def case(rng: np.random.Generator, n: int) -> Outcome:
        error = 30 / np.sqrt(trials) * growth
        stated = 100 + walks(rng, 1, 30)[0] / np.sqrt(trials)
        expected, luck = walks(rng, n, 18), walks(rng, n, 24)
        mean = 100 + off * error + expected.mean(axis=0)
        expected -= expected.mean(axis=0)
        drawn = expected + luck - luck.mean(axis=0)
        t = np.arange(2.0, points + 2)
        own = curves.Ours(
            t, mean, expected.std(axis=0, ddof=1) / np.sqrt(n), drawn, expected, drawn.std(axis=0, ddof=1)
        )
        band = curves.NORMAL * error
        table = pd.DataFrame({"t": t, "regret": stated, "band_low": stated - band, "band_high": stated + band})
        return curves.judge_curve(curves.beside(table, own)).outcome

    return case


def _column(off: float = 0.0) -> Case:
    """Make a case of a column of 16 cells with a common factor; its first is ``off`` standard deviations higher."""

    def case(rng: np.random.Generator, n: int) -> Outcome:
        samples = 0.6 + 0.02 * (rng.normal(size=(n + 1, 16)) + rng.normal(size=(n + 1, 1)))
        published = samples[0].copy()
        published[0] += off * 0.02 * np.sqrt(2)
        return judge_column(published.round(3), samples[1:]).outcome

    return case


def _disaster(share: float) -> Case:
    """Make a case of a true printed mean, half of which comes from a rare disaster."""

    def case(rng: np.random.Generator, n: int) -> Outcome:
        values = 50 + 5 * rng.normal(size=n) + (rng.random(n) < share) * 50 / share
        return judge_mean(100, values, 1000).outcome

    return case


def _of(judged: Callable[[np.random.Generator, int], Judgement]) -> Case:
    return lambda rng, n: judged(rng, n).outcome


def _above(draw: Draw, truth: float) -> Case:
    """Make a case of "A has more than B" with the boundary at a tenth of the claimed difference of 2."""

    def case(rng: np.random.Generator, n: int) -> Outcome:
        smaller = 10 + draw(rng, n)
        return judge_above(smaller + truth + draw(rng, n), smaller, claimed=2.0).outcome

    return case


def _grown(law: Callable[[FloatArray], FloatArray], rng: np.random.Generator, n: int) -> FloatArray:
    """Draw curves over `NODES` with noise of a fifth of their rise."""
    curve = law(NODES)
    return curve[:, None] + 0.2 * np.ptp(curve) * rng.normal(size=(len(NODES), n))


def _growth(law: Callable[[FloatArray], FloatArray], model: str) -> Case:
    return lambda rng, n: judge_growth(NODES, _grown(law, rng, n), model=model).outcome


def _growth_bound(law: Callable[[FloatArray], FloatArray], model: str) -> Case:
    return lambda rng, n: judge_growth_bound(NODES, _grown(law, rng, n), model=model).outcome


def _outgrown(rng: np.random.Generator, n: int) -> Outcome:
    """Judge a growth bound on a curve at the boundary: a tenth more than the law's factor."""
    values = np.array([[1.0], [1.0], [2.2]]) * rng.exponential(size=(3, n))
    return judge_growth_bound(np.array([0.5, 1.0, 4.0]), values, model="sqrt").outcome


def _trend(step: float) -> Case:
    levels = np.array([0.0, 1, 1 + step, 2 + step])

    def case(rng: np.random.Generator, n: int) -> Outcome:
        return judge_trend(np.arange(4.0), levels[:, None] + exponential(rng, 4 * n).reshape(4, n), "rises").outcome

    return case


def _square(x: FloatArray) -> FloatArray:
    return np.square(np.log(x))


def _bounded(x: FloatArray) -> FloatArray:
    return np.asarray(1 - np.exp(-x / 300))


def _rounds(x: FloatArray) -> FloatArray:
    """Return T_1 of lu2021's Theorem 1 up to constants: K B (2 + d) log2 n + B, with K = 2, d = 3 and delta = 0.05."""
    samples = np.log(8 * (2 * x) ** 2 / 0.05)
    return np.asarray(samples * (10 * np.log2(x) + 1))


#: Judge and truth; the outcome that is wrong; the case.
ERRORS: list[tuple[str, Outcome, Case]] = [
    *(
        (f"mean, {draw.__name__}, {trials:,} trials, equal laws, ours {side}", Outcome.FAILS, case)
        for draw in (normal, exponential)
        for trials in (100, 1000)
        for side, case in (
            ("higher", _mean(draw, trials, lower=False)),
            ("lower", _mean(draw, trials, lower=True)),
        )
    ),
    ("mean, normal, 1,000 trials, laws 3 standard errors apart", Outcome.HOLDS, _mean(normal, 1000, 3)),
    ("mean, normal, 1,000 trials, laws 5 standard errors apart", Outcome.HOLDS, _mean(normal, 1000, 5)),
    ("mean, normal, 1,000 trials, laws 20 % apart", Outcome.HOLDS, _mean(normal, 1000, 20 / 30 * np.sqrt(1000))),
    ("mean, half of it in a disaster of 1 seed in 50", Outcome.FAILS, _disaster(0.02)),
    ("percentage, 1,000 trials, equal laws", Outcome.FAILS, _percentage),
    ("curve, 1,000 trials, equal laws", Outcome.FAILS, _curve()),
    ("curve, 1,000 trials, laws 3 standard errors apart", Outcome.HOLDS, _curve(3)),
    ("curve, 1,000 trials, laws 5 standard errors apart", Outcome.HOLDS, _curve(5)),
    ("column of 16 cells, one sample, equal laws", Outcome.FAILS, _column()),
    ("column of 16 cells, one sample, a cell 6 standard deviations off", Outcome.HOLDS, _column(6)),
    ("above, exponential, at the boundary", Outcome.HOLDS, _above(exponential, 0.2)),
    ("above, exponential, at the boundary", Outcome.FAILS, _above(exponential, 0.2)),
    *(
        (
            "mean_bound, exponential, at the bound",
            wrong,
            _of(lambda r, n: judge_mean_bound(1.0, r.exponential(size=n), 9)),
        )
        for wrong in (Outcome.HOLDS, Outcome.FAILS)
    ),
    ("zero, 95 % of seeds with none", Outcome.FAILS, _of(lambda r, n: judge_zero(1.0 * (r.random(n) > 0.95), 5))),
    ("zero, 94 % of seeds with none", Outcome.HOLDS, _of(lambda r, n: judge_zero(1.0 * (r.random(n) > 0.94), 5))),
    ("rate 0.9, truth 0.9", Outcome.HOLDS, _of(lambda r, n: judge_rate(r.random(n) < 0.9, 0.9))),
    ("rate 0.9, truth 0.9", Outcome.FAILS, _of(lambda r, n: judge_rate(r.random(n) < 0.9, 0.9))),
    ("rate 1, truth 0.995", Outcome.HOLDS, _of(lambda r, n: judge_rate(r.random(n) < 0.995, 1.0))),
    ("rate 1, truth 0.999", Outcome.HOLDS, _of(lambda r, n: judge_rate(r.random(n) < 0.999, 1.0))),
    (
        "same, 1 seed in 200 differs",
        Outcome.HOLDS,
        _of(lambda r, n: judge_same(np.zeros(n), 1.0 * (r.random(n) < 0.005))),
    ),
    ("growth log, truth log", Outcome.FAILS, _growth(np.log, "log")),
    ("growth log, truth (log n)^2", Outcome.HOLDS, _growth(_square, "log")),
    ("growth log, truth bounded", Outcome.HOLDS, _growth(_bounded, "log")),
    ("growth_bound sqrt, exponential, at the boundary", Outcome.HOLDS, _outgrown),
    ("growth_bound sqrt, exponential, at the boundary", Outcome.FAILS, _outgrown),
    ("trend, a step of 0", Outcome.HOLDS, _trend(0.0)),
    ("trend, a step just above 0", Outcome.FAILS, _trend(0.01)),
]

#: Judge and truth; the outcome that is right; the case.
POWER: list[tuple[str, Outcome, Case]] = [
    *(
        (f"mean, {draw.__name__}, {trials:,} trials, equal laws", Outcome.HOLDS, _mean(draw, trials))
        for draw in (normal, exponential)
        for trials in (100, 1000)
    ),
    *(
        (
            f"mean, exponential, {trials:,} trials, equal laws, deviation equal to the mean",
            Outcome.HOLDS,
            _mean(exponential, trials, deviation=1.0),
        )
        for trials in (100, 1000)
    ),
    ("mean, normal, 1,000 trials, laws 5 standard errors apart", Outcome.FAILS, _mean(normal, 1000, 5)),
    ("percentage, 1,000 trials, equal laws", Outcome.HOLDS, _percentage),
    ("curve, 1,000 trials, equal laws", Outcome.HOLDS, _curve()),
    ("curve, 1,000 trials, laws 5 standard errors apart", Outcome.FAILS, _curve(5)),
    ("column of 16 cells, one sample, equal laws", Outcome.HOLDS, _column()),
    ("column of 16 cells, one sample, a cell 6 standard deviations off", Outcome.FAILS, _column(6)),
    ("above, exponential, the claimed difference", Outcome.HOLDS, _above(exponential, 2.0)),
    ("above, exponential, no difference", Outcome.FAILS, _above(exponential, 0.0)),
    (
        "mean_bound, exponential, half the bound",
        Outcome.HOLDS,
        _of(lambda r, n: judge_mean_bound(2.0, r.exponential(size=n), 9)),
    ),
    ("zero, always", Outcome.HOLDS, _of(lambda _, n: judge_zero(np.zeros(n), 5))),
    ("rate 0.9, truth 0.95", Outcome.HOLDS, _of(lambda r, n: judge_rate(r.random(n) < 0.95, 0.9))),
    ("rate 0.9, truth 0.85", Outcome.FAILS, _of(lambda r, n: judge_rate(r.random(n) < 0.85, 0.9))),
    ("rate 1, truth 1", Outcome.HOLDS, _of(lambda _, n: judge_rate(np.ones(n, bool), 1.0))),
    ("growth log, truth log", Outcome.HOLDS, _growth(np.log, "log")),
    ("growth log, truth (log n)^2", Outcome.FAILS, _growth(_square, "log")),
    ("growth (log n)^2, truth T_1 of lu2021", Outcome.HOLDS, _growth(_rounds, "log_squared")),
    ("growth_bound log, truth log", Outcome.HOLDS, _growth_bound(np.log, "log")),
    ("growth_bound log, truth (log n)^2", Outcome.FAILS, _growth_bound(_square, "log")),
    ("growth_bound (log n)^2, truth T_1 of lu2021", Outcome.HOLDS, _growth_bound(_rounds, "log_squared")),
    ("trend, equal steps", Outcome.HOLDS, _trend(1.0)),
]


def _border(rng: np.random.Generator) -> tuple[FloatArray, Callable[[FloatArray], Judgement]]:
    """Draw values of 64 seeds whose mean is the boundary of "above", and return them with the judge."""
    return 0.2 + exponential(rng, 64), lambda v: judge_above(v + 10, np.full(len(v), 10.0), claimed=2.0)


def _printed(rng: np.random.Generator) -> tuple[FloatArray, Callable[[FloatArray], Judgement]]:
    """Draw values of 4,000 seeds; return them with the judge of a mean of 1,000 trials of the same distribution."""
    published = 100 + 30 * exponential(rng, 1000).mean()
    return 100 + 30 * exponential(rng, 4000), lambda v: judge_mean(published, v, 1000)


#: Tests that are looked at more than once: name, wrong outcome, values, and the numbers of seeds, each played only if
#: the one before left the claim open.
LOOKS = [
    ("above, exponential, at the boundary", Outcome.HOLDS, _border, (10, 32, 64)),
    ("above, exponential, at the boundary", Outcome.FAILS, _border, (10, 32, 64)),
    ("mean, exponential, 1,000 trials, equal laws", Outcome.FAILS, _printed, (1000, 2500, 4000)),
]


def looks(repetitions: int) -> str:
    """Return a Markdown table of percentages: wrong outcomes with one look at all seeds, and with several looks."""
    lines = [["test and truth", "wrong outcome", "seeds", "one look", "every look"], ["---"] * 5]
    for name, wrong, drawn, sizes in LOOKS:
        rng, once, ever = np.random.default_rng(20261123), 0, 0
        for _ in range(repetitions):
            values, judged = drawn(rng)
            found = [judged(values[:n]).outcome for n in sizes]
            once += found[-1] is wrong
            ever += next((outcome for outcome in found if outcome is not Outcome.OPEN), Outcome.OPEN) is wrong
        shares = (f"{100 * count / repetitions:.1f}" for count in (once, ever))
        lines.append([name, f"`{wrong}`", ", ".join(f"{n:,}" for n in sizes), *shares])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rates(case: Case, counted: Outcome, repetitions: int) -> list[float]:
    """Return the shares of an outcome, by number of seeds."""
    found = []
    for n in SIZES:
        rng = np.random.default_rng([20261122, n])
        found.append(sum(case(rng, n) is counted for _ in range(repetitions)) / repetitions)
    return found


def table(cases: Sequence[tuple[str, Outcome, Case]], kind: str, repetitions: int) -> str:
    """Return a Markdown table of percentages."""
    lines = [["test and truth", f"{kind} outcome", *(f"{n:,} seeds" for n in SIZES)], ["---"] * (2 + len(SIZES))]
    for name, counted, case in cases:
        lines.append([name, f"`{counted}`", *(f"{100 * rate:.1f}" for rate in rates(case, counted, repetitions))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def numbers() -> str:
    """Count the numbers of a finished study that can be confirmed, with any number of seeds and with ours.

    A reading that changes the distribution changes the spread; the default reading counts.
    """
    import yaml

    from experiments.results import Results
    from experiments.study import Study
    from replication.judging import judges
    from replication.judging.claims import claims_of, read
    from replication.judging.jobs import verdicts_job
    from replication.judging.judges.means import SHARE_OF_ERROR, explained_by
    from replication.papers.huang2022 import judges as huang2022_judges
    from replication.papers.huang2024 import judges as huang2024_judges

    seen: list[tuple[bool, bool]] = []

    def recorded(published: float, values: FloatArray, trials: int, **options: Any) -> Judgement:
        drawn, precision = options.get("drawn"), options.get("precision", judges.PRECISION)
        error = float(np.std(values if drawn is None else drawn, ddof=1)) / np.sqrt(trials)
        ever = explained_by(trials) * error <= 2 * precision * abs(published)
        ours = float(np.std(values, ddof=1)) / np.sqrt(len(values))
        seen.append((ever, ever and ours <= SHARE_OF_ERROR * error))
        return judge_mean(published, values, trials, **options)

    for module in (judges, huang2022_judges, huang2024_judges):
        vars(module)["judge_mean"] = recorded
    study = Study(yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8")), Path.cwd())
    lines = []
    for paper in study.papers:
        job = verdicts_job(study, paper)
        inputs = {
            kind: [f"results/{paper}/{name}/{kind}.parquet" for name in job.experiments]
            for kind in ("curves", "finals")
        } | {name: path.replace("<results>", "results") for name, path in study.stage_files(paper).items()}
        results = Results.load(job, {**inputs, "published": f"data/published/{paper}.csv"})
        found: Counter[str] = Counter()
        tests = claims_of(paper)
        for id_, printed in read(f"data/published/{paper}.csv").items():
            if printed.kind in ("mean", "percentage"):
                seen.clear()
                tests[id_].tests[0].check(printed, results)
                found.update(all=1, ever=any(ever for ever, _ in seen), ours=any(ours for _, ours in seen))
        if found:
            lines.append(f"{paper}: {found['all']} numbers, {found['ever']} could hold, {found['ours']} with our seeds")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, and write them into their page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000, help="simulated studies per rate (default: 1000)")
    parser.add_argument("--numbers", action="store_true", help="only count the numbers that could hold")
    options = parser.parse_args(arguments)
    if options.numbers:
        print(numbers())
        return
    how_many = f"Each rate is based on {options.repetitions:,} simulated studies."
    made = "\n\n".join(
        [
            how_many,
            table(ERRORS, "wrong", options.repetitions),
            table(POWER, "right", options.repetitions),
            f"Raising the number of seeds while a claim is open, in {10 * options.repetitions:,} simulated studies:",
            looks(10 * options.repetitions),
        ]
    )
    print(made)
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{PAGE}: no lines {BEGIN.strip()!r} and {END.strip()!r}")
    PAGE.write_text(f"{before}{begin}\n{made}\n\n{end}{after}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
