"""Print how many seeds point 2 of the study's rule (L280) asks for, experiment by experiment, from the current runs.

``python benchmarks/seeds.py lu2021`` judges the paper's claims and observes what is passed to the judges of orders of
means and of bounds on growth. For each experiment it prints how many values there are, how many the rule asks for, the
row and reading that ask for most, and how often the values of the study give the right answer if the truth is a fifth
away. It uses the spread of the first 24 values, relative to the smaller mean or the boundary, and never the difference.

Orders whose difference the paper prints are left out (point 1), and so are those whose seeds are not kept
(`judge_above_apart`).
"""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from scipy.special import ndtr

from causal_bandits.arrays import FloatArray
from experiments.results import Results
from experiments.study import Study
from replication.judging import judges
from replication.judging.claims import Check, Final, claims_of, read
from replication.judging.jobs import verdicts_job
from replication.judging.judges import PRECISION, Judgement
from replication.judging.judges.borders import SHARE_OF_SMALLER
from replication.judging.judges.growth import GROWTHS, OUTGROWN
from replication.judging.judges.intervals import quantile
from replication.judging.verdicts import judge_under

#: The spread is that of this many first values, however many were played.
FIRST = 24
#: The difference that should not be missed; a printed mean is confirmed to within the same fraction.
MATTERS = 2 * PRECISION
#: The share of studies in which the judge should detect it.
POWER = 0.8


class Look(NamedTuple):
    """What a judge was given: how many values, their relative spread, and how far the boundary is from the truth."""

    n: int
    spread: float
    away: float


def power(spread: float, n: int, away: float) -> float:
    """Return the probability that n values decide."""
    return float(ndtr(away * math.sqrt(n) / spread - quantile(n)))


def asked(spread: float, away: float) -> int:
    """Return the smallest number of values that decide in a share `POWER` of studies."""
    few, enough = 1, 2
    while power(spread, enough, away) < POWER:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if power(spread, middle, away) >= POWER else (middle, enough)
    return enough


def look(judged: FloatArray, relative_to: float, away: float) -> Iterator[Look]:
    """Yield the spread of the first judged values, unless it is zero or has nothing to be relative to."""
    spread = float(np.std(judged[:FIRST], ddof=1)) if len(judged) > 1 else 0.0
    if spread and relative_to:
        yield Look(len(judged), spread / relative_to, away)


def watch(paper: str) -> list[Look]:
    """Make the judges record what they are given, in the list that is returned."""
    seen: list[Look] = []
    judge_above, judge_growth_bound = judges.judge_above, judges.judge_growth_bound

    def above(
        larger: FloatArray, smaller: FloatArray, *, claimed: float | None = None, unit: str = "seed"
    ) -> Judgement:
        if claimed is None:
            mean = min(abs(float(np.mean(side[:FIRST]))) for side in (larger, smaller))
            seen.extend(look(larger - smaller, mean, MATTERS - SHARE_OF_SMALLER))
        return judge_above(larger, smaller, claimed=claimed, unit=unit)

    def growth_bound(x: FloatArray, values: FloatArray, *, model: str) -> Judgement:
        middle, last = len(x) // 2, len(x) - 1
        law = GROWTHS[model](np.array([x[middle], x[last]], dtype=np.float64))
        border = (1 + OUTGROWN) * float(law[1] / law[0]) * values[middle]
        seen.extend(look(border - values[last], abs(float(border[:FIRST].mean())), MATTERS))
        return judge_growth_bound(x, values, model=model)

    for module in (judges, importlib.import_module(f"replication.papers.{paper}.judges")):
        for name, watching in (("judge_above", above), ("judge_growth_bound", growth_bound)):
            if hasattr(module, name):
                setattr(module, name, watching)
    return seen


def load(paper: str) -> Results:
    """Read the current results."""
    study = Study(yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8")), Path.cwd())
    job = verdicts_job(study, paper)
    kinds = {
        kind: [f"results/{paper}/{name}/{kind}.parquet" for name in job.experiments] for kind in ("curves", "finals")
    }
    stages = {name: path.replace("<results>", "results") for name, path in study.stage_files(paper).items()}
    return Results.load(job, {**kinds, **stages, "published": f"data/published/{paper}.csv"})


def seeds_per_value(check: Check, experiment: str, results: Results, n: int) -> int:
    """Return the number of seeds over which a value is averaged."""
    return int(results.finals[experiment]["seed"].nunique()) // n if check.kwargs.get("by") == "draw" else 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each experiment of the paper that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper")
    paper = parser.parse_args(arguments).paper
    results, printed, seen = load(paper), read(f"data/published/{paper}.csv"), watch(paper)
    most: dict[str, tuple[int, str]] = {}
    for id_, claim in claims_of(paper).items():
        for test in claim.tests:
            seen.clear()
            experiment = next((final.experiment for final in test.check.reads(Final)), "")
            if experiment:
                judge_under(test, printed[id_], results)
            for n, spread, away in seen:
                each, enough = seeds_per_value(test.check, experiment, results, n), asked(spread, away)
                row = f"{id_} ({test.name})" if test.name else id_
                told = f"{each * n:,} seeds; point 2 asks for {each * enough:,} ({row})"
                found = each * enough, f"{told}; power {100 * power(spread, n, away):.0f} %"
                most[experiment] = max(most.get(experiment, found), found)
    for experiment, (_, told) in most.items():
        print(f"{experiment}: {told}")


if __name__ == "__main__":
    main()
