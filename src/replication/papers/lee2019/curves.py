"""Compare the published curves of Fig. 5 with ours, and test each curve as a whole.

The checkpoints of a curve are dependent, so their differences are not judged one by one. The test statistic of a curve
is the largest difference between its mean and ours in units of the combined standard error. Its distribution under
equal means is computed: means of so many runs are taken as normal, with the covariance between checkpoints that our
runs have. Round 1 is shown but left out of the test: it reflects the order in which a policy first plays its arms
(ledger L05).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from experiments import files
from experiments.aggregate import milestone
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Final, Printed, check
from replication.judging.judges import PRECISION, Judgement, Outcome, Why, opened, reason
from replication.judging.judges.means import FEW, SEEN, SHARE_OF_ERROR
from replication.papers.lee2019.policies import (
    SOLVERS,
    STRATEGIES,
    TASKS,
    alike,
    by_order,
    called,
    played,
    printed,
    task_of,
)

#: Number of runs averaged in a published curve.
TRIALS = 1000
#: Half-width of a 95 % band in standard errors, as in the published figure.
NORMAL = 1.96
#: The distribution of the largest difference is integrated over 2 to this power points.
POWER = 14


@dataclass(frozen=True)
class Compared:
    """A published curve compared with ours.

    Attributes
    ----------
    table : DataFrame
        One row per published checkpoint: ``t``, ``regret``, ``band_low``, ``band_high``; our ``mean`` and the ends of
        its 95 % band ``low`` and ``high``; the standard errors of our mean (``error``), of the paper's (``paper``) and
        of their difference (``joint``); ``z``, our mean minus the published one in units of ``joint``.
    own : Ours
        Our curve at these checkpoints.
    """

    table: pd.DataFrame
    own: Ours

    @property
    def n(self) -> int:
        """Number of our runs."""
        return len(self.own.drawn)

    @cached_property
    def largest(self) -> FloatArray:
        """The distribution of the largest absolute z of curves with equal means: see `largest_differences`."""
        return largest_differences(self.own)

    @cached_property
    def of_paper(self) -> FloatArray:
        """What ``largest`` would be if our mean were known exactly."""
        return largest_differences(self.own, exact=True)

    @property
    def overlap(self) -> int:
        """Number of checkpoints at which the two 95 % bands overlap."""
        t = self.table
        return int(((t["low"] <= t["band_high"]) & (t["band_low"] <= t["high"])).sum())

    @property
    def later(self) -> pd.DataFrame:
        """The checkpoints after round 1."""
        return self.table[self.table["t"] > 1]

    @property
    def worst(self) -> pd.Series:
        """The checkpoint of the largest difference, except round 1."""
        row: pd.Series = self.later.iloc[int(self.later["z"].abs().to_numpy().argmax())]
        return row

    @property
    def chance(self) -> float:
        """The p-value: how often curves with equal means differ at least as much at some checkpoint."""
        return float((self.largest >= abs(self.worst["z"])).mean())

    @property
    def border(self) -> float:
        """The value that the largest absolute z exceeds in a share `FEW` of cases under equal means."""
        return float(np.quantile(self.largest, 1 - FEW))

    @property
    def share(self) -> float:
        """The largest ratio of our standard error to the paper's."""
        return float((self.later["error"] / self.later["paper"]).max())

    @property
    def explained(self) -> bool:
        """Whether the paper's own standard error explains the largest difference, at level `FEW`."""
        off = ((self.later["mean"] - self.later["regret"]) / self.later["paper"]).abs().max()
        return bool(off <= np.quantile(self.of_paper, 1 - FEW))


class Ours(NamedTuple):
    """Our curve at given rounds.

    Attributes
    ----------
    t : float64 array, shape (checkpoints,)
    mean, error : float64 arrays, shape (checkpoints,)
        Mean regret and its standard error. In round 1 they are known, and the error is 0: TS draws an arm uniformly,
        KL-UCB plays do() (L05).
    drawn, expected : float64 arrays, shape (runs, checkpoints)
        Each run's deviation from the mean, for drawn rewards, which the paper averages (L16), and for expected ones.
        Zero in round 1.
    spread : float64 array, shape (checkpoints,)
        Standard deviation of a run's regret for drawn rewards.
    """

    t: FloatArray
    mean: FloatArray
    error: FloatArray
    drawn: FloatArray
    expected: FloatArray
    spread: FloatArray


def published(results: Results, name: str, task: str, solver: str, strategy: str) -> pd.DataFrame:
    """Return the published curve of a strategy, empty if there is none; ``name`` identifies the file of curves."""
    table = files.read(results.file(name)).to_pandas()
    rows = table[(table["task"] == task) & (table["solver"] == solver) & (table["strategy"] == strategy)]
    found: pd.DataFrame = rows.reset_index(drop=True)
    return found


def ours(
    results: Results,
    experiment: str,
    solver: str,
    strategy: str,
    t: FloatArray,
    settings: Mapping[str, Setting] | None = None,
) -> Ours:
    """Return our curve at rounds ``t``; between our checkpoints every run is interpolated.

    ``settings`` select our policy, by default that of the paper's solver and strategy.

    Raises
    ------
    NotRunError
        If the configuration does not play the strategy, or plays fewer rounds.
    """
    horizon, chosen = results.horizon(experiment), settings or played(solver, strategy)
    if t.max() > horizon:
        raise NotRunError(f"{t.max():.0f} rounds of {experiment}")
    metrics = {metric: _by_checkpoint(results, experiment, metric, horizon, chosen) for metric in _METRICS}
    kept = np.array(list(metrics["cumulative_regret"].columns), dtype=np.float64)
    regret, reward = (_between(table.to_numpy(), kept, t) for table in metrics.values())
    later = t >= kept[0]
    if not np.array_equal(t[~later], [1] * int((~later).sum())):
        raise NotRunError(f"a checkpoint of {experiment} before {t[~later].max():.0f} rounds")
    # The regret for drawn rewards is a constant minus the reward, so both have the same deviations but for the sign.
    drawn, expected = (np.where(later, values - values.mean(axis=0), 0.0) for values in (-reward, regret))
    mean, spread = regret.mean(axis=0), drawn.std(axis=0, ddof=1)
    error = np.where(later, regret.std(axis=0, ddof=1), 0.0) / np.sqrt(len(regret))
    if not later.all():
        mean[~later], spread[~later] = _first_round(task_of(results, experiment), solver, strategy)
    return Ours(t, mean, error, drawn, expected, spread)


def _first_round(task: str, solver: str, strategy: str) -> tuple[float, float]:
    """Compute the mean regret after round 1, and the standard deviation of its reward."""
    from causal_bandits.problems.lee2019 import build  # loads Numba, which most tables do without

    bandit = build(task).with_arms(STRATEGIES[strategy].arms)
    first = float(bandit.means.mean() if solver == "TS" else bandit.means[0])
    return bandit.optimal_mean - first, float(np.sqrt(first * (1 - first)))


_METRICS = ("cumulative_regret", "cumulative_reward")


def _by_checkpoint(
    results: Results, experiment: str, metric: str, horizon: int, settings: Mapping[str, Setting]
) -> pd.DataFrame:
    """Return every run's cumulative value at every milestone and at the end, with one column per round."""
    finals, label = results.finals[experiment], results.label(experiment, dict(settings))
    named = {milestone(metric, t): t for t in range(1, horizon)} | {metric: horizon}
    columns = set(finals)
    there = [name for name in named if name in columns]
    runs = finals.loc[finals["policy"] == label, there]
    return runs.rename(columns=named)


def _between(values: FloatArray, kept: FloatArray, t: FloatArray) -> FloatArray:
    """Interpolate each row, whose columns are at rounds ``kept``, at rounds ``t``."""
    right = np.clip(np.searchsorted(kept, t), 1, len(kept) - 1)
    share = (t - kept[right - 1]) / (kept[right] - kept[right - 1])
    between: FloatArray = values[:, right - 1] * (1 - share) + values[:, right] * share
    return between


def compare(
    results: Results,
    name: str,
    task: str,
    solver: str,
    strategy: str,
    settings: Mapping[str, Setting] | None = None,
    *,
    after: int = 0,
) -> Compared:
    """Compare a published curve with ours, ``after`` a round and up to our horizon.

    ``name`` identifies the file of curves, and ``settings`` select our policy as in `ours`.

    Raises
    ------
    NotRunError
        As `ours`.
    """
    table = published(results, name, task, solver, strategy)
    table = table[(table["t"] > after) & (table["t"] <= results.horizon(task))]
    return beside(table, ours(results, task, solver, strategy, table["t"].to_numpy(np.float64), settings))


def beside(table: pd.DataFrame, own: Ours) -> Compared:
    """Compare a published curve, as `published` returns it, with ours at the same rounds."""
    paper = (table["band_high"] - table["band_low"]).to_numpy() / 2 / NORMAL
    joint = np.hypot(own.error, paper)
    table = table.assign(mean=own.mean, low=own.mean - NORMAL * own.error, high=own.mean + NORMAL * own.error).assign(
        error=own.error, paper=paper, joint=joint, z=(own.mean - table["regret"].to_numpy()) / joint
    )
    return Compared(table, own)


def largest_differences(own: Ours, *, exact: bool = False) -> FloatArray:
    """Compute the distribution of the largest absolute z after round 1 if both curves have equal means.

    The published mean of `TRIALS` runs has the covariance of our runs for drawn rewards, and our mean that for expected
    rewards; the two means are independent. With ``exact``, our mean has no error.

    Returns
    -------
    float64 array, shape (2 ** POWER,)
        The largest absolute value at the points of `_normal_points`, so that shares of this array are probabilities. No
        random numbers are drawn.
    """
    n, later = len(own.drawn), own.t > 1
    drawn, expected = own.drawn[:, later], own.expected[:, later]
    covariance = drawn.T @ drawn / ((n - 1) * TRIALS)
    if not exact:
        covariance += expected.T @ expected / ((n - 1) * n)
    sd = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(sd, sd))
    # Most of the variance goes to the first coordinates, where the points are spread most evenly. The sign of an
    # eigenvector is arbitrary: it is chosen so that all processors agree.
    root = (vectors * np.where(vectors[0] < 0, -1, 1) * np.sqrt(values.clip(0)))[:, ::-1]
    largest: FloatArray = np.abs(_normal_points(len(sd)) @ root.T).max(axis=1)
    return largest


@cache
def _normal_points(dimensions: int) -> FloatArray:
    """Return points that represent the standard normal distribution, shape (2 ** POWER, dimensions).

    They are the quantiles of Sobol's sequence, moved to the middle of its cells.
    """
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol  # takes a second to load, and drawing does without

    uniform = Sobol(dimensions, scramble=False).random_base2(POWER) + 2.0 ** -(POWER + 1)
    points: FloatArray = ndtri(uniform)
    return points


@check
def curve(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether our curve equals the published one, as a whole (see the module).

    The rule is that for printed means, applied to all checkpoints at once (`judges.judge_mean`, ledger L161, L194):

    - Of curves with equal means, a share `FEW`, 2.5 %, fail. This level was fixed before any curves except KL-UCB's
      baselines in Fig. 5c had been compared.
    - The claim holds if the paper's own error explains the largest difference, our standard error is at most half of
      the paper's at every checkpoint (`SHARE_OF_ERROR`), and the boundary is at most twice `PRECISION` of the published
      regret at every checkpoint.
    - Otherwise it is open. Fewer than `SEEN` runs decide nothing.
    """
    label, task = ours.label(results), task_of(results, ours.experiment)
    solver, strategy = called(ours.policy.selection)
    return judge_curve(compare(results, "data_curves", task, solver, strategy, {"policy": label}))


def judge_curve(found: Compared) -> Judgement:
    """Judge a published curve against ours by the rule of `curve`."""
    worst, points = found.worst, len(found.table)
    precise = bool((found.border * found.later["joint"] <= 2 * PRECISION * found.later["regret"]).all())
    shown = f"{found.overlap} of {points}"
    off = 100 * (worst["mean"] / worst["regret"] - 1)
    told = (
        f"the 95 % bands overlap at {shown} checkpoints",
        f"the largest difference is {worst['z']:+.1f} standard errors, {off:+.1f} %, at t = {worst['t']:.0f}",
        f"curves with equal means differ as much in {100 * found.chance:.1f} % of cases, boundary {100 * FEW:g} %",
    )
    outcome = Outcome.OPEN
    if found.n >= SEEN and found.chance <= FEW:
        outcome = Outcome.FAILS
    elif found.n >= SEEN and precise and found.share <= SHARE_OF_ERROR and found.explained:
        outcome = Outcome.HOLDS
    else:
        beside = f"our standard error is up to {found.share:.2f} of the paper's; at most {SHARE_OF_ERROR:g} confirms it"
        told = (beside, *told[1:])
    return Judgement(outcome, reason(*told), shown, n=found.n, why=opened(outcome, Why.SEEDS))


def curves(results: Results) -> pd.DataFrame:
    """Compare every published curve with ours, and check whether it can be from the same bandit.

    ``mu*`` is our bandit's optimal mean. 1,000 (mu* t - regret) is the sum of 1,000 runs' rewards, so it is an integer
    if the curve is from this bandit.
    """
    from causal_bandits.problems.lee2019 import build  # loads Numba, which most tables do without

    rows = []
    for task, label in TASKS.items():
        best = build(task).optimal_mean
        for solver in SOLVERS:
            for strategy in reversed(STRATEGIES):
                stated = published(results, "published_curves", task, solver, strategy)
                if stated.empty:
                    continue
                rewards = TRIALS * (best * stated["t"] - stated["regret"])
                end = stated["regret"].iloc[-1] - printed(results, task, solver, strategy)
                for name, chosen in by_order(results, task, solver, strategy).items():
                    found = compare(results, "published_curves", task, solver, strategy, chosen)
                    rows.append(
                        {
                            "curve": f"{label} {solver} {name}",
                            "same arms as": ", ".join(s for s in alike(task, strategy) if s != strategy),
                            "bands overlap at": f"{found.overlap} of {len(found.table)}",
                            "largest z": f"{found.worst['z']:+.2f}",
                            "at t": int(found.worst["t"]),
                            "off there": f"{100 * (found.worst['mean'] / found.worst['regret'] - 1):+.1f} %",
                            "boundary": f"{found.border:.2f}",
                            "as large by chance, %": f"{100 * found.chance:.1f}",
                            "mu*": f"{best:.10g}",
                            "rewards farthest from a whole number": f"{np.abs(rewards - rewards.round()).max():.4f}",
                            "end less Table 1": f"{end:+.4f}",
                            "seeds": found.n,
                        }
                    )
    return pd.DataFrame(rows)


def predicted_curves(results: Results) -> pd.DataFrame:
    """Predict the published curves that were held out, at the checkpoints of the others.

    ``band_low`` and ``band_high`` are the 95 % band of our mean; ``published_low`` and ``published_high`` are the ends
    between which a published mean of 1,000 runs lies in 95 % of cases, separately at each checkpoint.
    """
    rows = []
    t = np.sort(files.read(results.file("published_curves")).to_pandas()["t"].unique()).astype(np.float64)
    for task, solver, strategy in product(TASKS, SOLVERS, STRATEGIES):
        if len(published(results, "published_curves", task, solver, strategy)):
            continue
        at = t[t <= results.horizon(task)]
        for name, chosen in by_order(results, task, solver, strategy).items():
            own = ours(results, task, solver, strategy, at, chosen)
            half, wide = NORMAL * own.error, NORMAL * np.hypot(own.error, own.spread / np.sqrt(TRIALS))
            columns = {
                "regret": own.mean,
                "band_low": own.mean - half,
                "band_high": own.mean + half,
                "published_low": own.mean - wide,
                "published_high": own.mean + wide,
            }
            rows.append(
                pd.DataFrame(
                    {"task": task, "solver": solver, "strategy": name, "t": at.astype(int)}
                    | {column: values.round(3) for column, values in columns.items()}
                )
            )
    return pd.concat(rows, ignore_index=True)
