"""One verdict per published number: does it hold, within what error, and if not, why."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from causal_bandits.evaluation.aggregate import CONFIDENCE, half_width
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.files import whole

REPRODUCED = "reproduced"
DIRECTION_ONLY = "direction only"
NOT_REPRODUCED = "not reproduced"
CONTRADICTED = "contradicted by the paper"
CALIBRATED = "calibrated"
NOT_TESTABLE = "not testable"

#: All verdicts, the best first.
VERDICTS = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, CONTRADICTED, CALIBRATED, NOT_TESTABLE)

#: Columns of a table of verdicts.
COLUMNS = (
    "claim_id",
    "paper",
    "item",
    "published",
    "replicated",
    "ci_low",
    "ci_high",
    "n",
    "verdict",
    "why",
    "ledger",
)


@dataclass(frozen=True)
class Judgement:
    """What the replication says about one published claim."""

    verdict: str
    why: str
    replicated: str = ""
    ci_low: float = math.nan
    ci_high: float = math.nan
    n: int = 0
    ledger: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict {self.verdict!r} is not one of {', '.join(VERDICTS)}")


def judge_mean(
    published: float,
    values: pd.Series,
    trials: int,
    *,
    calibrated: bool = False,
    ledger: str = "",
    margin: float = 0.0,
    direction: Judgement | None = None,
) -> Judgement:
    """Judge a published mean over ``trials`` repetitions.

    Parameters
    ----------
    published : float
    values : Series
        The replication's value per seed.
    trials : int
        The number of repetitions that the paper averages; its mean then lies, if both draw from the same distribution,
        in the 95 % prediction interval mean +- t * sd * sqrt(1/n + 1/trials).
    calibrated : bool
        Whether the number was used to fix what the paper omits.
    ledger : str
        Ids of ledger entries that the verdict rests on.
    margin : float
        Equivalence margin, relative to the published value; 0 for none. The whole 95 % interval of the replication must
        lie within it.
    direction : Judgement, optional
        The judgement of the ordering that the number stands for: where it is reproduced and the number is not, the
        verdict is "direction only".
    """
    mean, half = _interval(values)
    n = len(values)
    reach = (
        math.nan if n < 2 else stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1) * values.std() * math.sqrt(1 / n + 1 / trials)
    )
    deviation = f"{100 * (mean / published - 1):+.1f} %"
    if calibrated:
        verdict, why = CALIBRATED, f"the instance was chosen to come near this number; it misses it by {deviation}"
    else:
        verdict, why = _judged_number(published, mean, half, reach, margin * abs(published), direction)
        why = f"{why}; replicated over published {deviation}"
    return Judgement(verdict, why, _shown(mean, published), mean - half, mean + half, n, ledger)


def judge_percentage(
    published: float,
    base: pd.Series,
    other: pd.Series,
    trials: int,
    *,
    ledger: str = "",
    direction: Judgement | None = None,
) -> Judgement:
    """Judge "``other`` lies ``published`` percent below ``base``", both means over ``trials``, paired by seed.

    The 95 % interval is that of `relative_reduction`; the prediction interval is wider by sqrt(1 + n / trials). Other
    parameters as in `judge_mean`.
    """
    percent, low, high = relative_reduction(base, other)
    reach = (high - low) / 2 * math.sqrt(1 + len(base) / trials)
    verdict, why = _judged_number(published, percent, (high - low) / 2, reach, 0.0, direction)
    return Judgement(verdict, why, f"{percent:.1f}", low, high, len(base), ledger)


def relative_reduction(base: pd.Series, other: pd.Series) -> tuple[float, float, float]:
    """By how many percent the mean of ``other`` lies below that of ``base``, with its 95 % interval.

    Pairs are resampled together (percentile bootstrap, 4,000 resamples, fixed generator).
    """
    _paired(base, other)

    def percent(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(100 * (1 - b.mean(axis=axis) / a.mean(axis=axis)))

    pairs = (base.to_numpy(), other.to_numpy())
    result = stats.bootstrap(
        pairs, percent, paired=True, n_resamples=4000, method="percentile", rng=np.random.default_rng(0)
    )
    return float(percent(*pairs)), float(result.confidence_interval.low), float(result.confidence_interval.high)


def _judged_number(
    published: float, replicated: float, half: float, reach: float, margin: float, direction: Judgement | None
) -> tuple[str, str]:
    low, high = (_shown(replicated + sign * reach, published) for sign in (-1, 1))
    interval = f"the 95 % prediction interval {low} to {high}"
    if abs(replicated - published) <= reach:
        return REPRODUCED, f"inside {interval}"
    if abs(replicated - published) + half <= margin:
        within = f"its 95 % interval is within the declared margin of {_shown(margin, published)}"
        return REPRODUCED, f"outside {interval}, but {within}"
    if direction is not None and direction.verdict == REPRODUCED:
        return DIRECTION_ONLY, f"outside {interval}; the ordering holds"
    return NOT_REPRODUCED, f"outside {interval}"


def _shown(number: float, published: float) -> str:
    """With two digits after the point, or four beside a published number below one."""
    return f"{number:.{2 if abs(published) >= 1 else 4}f}"


def judge_ordering(larger: pd.Series, smaller: pd.Series, *, ledger: str = "", paired_by: str = "seed") -> Judgement:
    """Judge "``larger`` exceeds ``smaller`` on average": paired, the 95 % interval of the difference lies above 0."""
    difference = _paired(larger, smaller)
    mean, half = _interval(difference)
    shown = f"difference {mean:.2f}"
    if mean - half > 0:
        verdict, why = REPRODUCED, "the 95 % interval of the difference lies above 0"
    elif mean + half < 0:
        verdict, why = NOT_REPRODUCED, "the ordering is the other way round"
    else:
        verdict, why = NOT_REPRODUCED, "the difference cannot be told from 0"
    why = f"paired by {paired_by}, {why}"
    return Judgement(verdict, why, shown, mean - half, mean + half, len(difference), ledger)


def judge_bound(bound: float, values: pd.Series, worst: float, *, ledger: str = "") -> Judgement:
    """Judge "the regret is at most ``bound``" on every seed; ``worst`` is the largest regret possible at all."""
    shown = f"{values.mean():.2f}"
    if bound >= worst:
        why = f"the bound is {bound:.0f}; no policy can have more than {worst:.0f}, so no run could break it"
        return Judgement(NOT_TESTABLE, why, shown, n=len(values), ledger=ledger)
    kept = int((values <= bound).sum())
    why = f"the bound is {bound:.1f}; {kept} of {len(values)} seeds keep it, the largest regret is {values.max():.1f}"
    return Judgement(REPRODUCED if kept == len(values) else NOT_REPRODUCED, why, shown, n=len(values), ledger=ledger)


def judge_identity(a: pd.Series, b: pd.Series, *, ledger: str = "") -> Judgement:
    """Judge "both have exactly the same results", seed by seed."""
    difference = _paired(a, b).abs()
    same = bool((difference == 0).all())
    why = "equal for every seed" if same else f"{int((difference > 0).sum())} of {len(difference)} seeds differ"
    shown = f"largest difference {difference.max():g}"
    return Judgement(REPRODUCED if same else NOT_REPRODUCED, why, shown, n=len(difference), ledger=ledger)


def judge_exact(published: str, computed: str, *, ledger: str = "") -> Judgement:
    """Judge a claim that is computed without error: a count, a set."""
    same = published == computed
    why = "computed, no sampling" if same else "computed, no sampling: another value"
    return Judgement(REPRODUCED if same else NOT_REPRODUCED, why, computed, ledger=ledger)


def judge(paper: str, experiments: Sequence[str], inputs: Mapping[str, Any], output: str | Path) -> None:
    """Judge every claim of ``paper`` and write the table of verdicts.

    Parameters
    ----------
    paper : str
        Slug; its module ``claims`` has a function ``judge_claim(claim_id, claim, results) -> Judgement``.
    experiments, inputs
        As `Results.load`.
    output : path
        CSV with the columns of `COLUMNS`, in the order of the published table.
    """
    claims = importlib.import_module(f"causal_bandits.papers.{paper}.claims")
    results = Results.load(experiments, inputs)
    rows = []
    for claim_id, claim in results.published.iterrows():
        try:
            judgement: Judgement = claims.judge_claim(str(claim_id), claim, results)
        except NotRunError as missing:
            judgement = Judgement(NOT_TESTABLE, str(missing))
        rows.append(
            {"claim_id": claim_id, "paper": paper, "published": claim["value"]}
            | {"item": ", ".join(filter(None, [claim["item"], claim["row"], claim["column"]]))}
            | vars(judgement)
        )
    _write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), output)


def combine(tables: Iterable[str | Path], csv: str | Path, summary: str | Path) -> None:
    """Put the verdicts of several papers into one table, and count them per paper as Markdown."""
    frame = pd.concat([pd.read_csv(path, keep_default_na=False, dtype=str) for path in tables], ignore_index=True)
    _write_csv(frame, csv)
    counts = pd.crosstab(frame["paper"], frame["verdict"]).reindex(columns=list(VERDICTS), fill_value=0)
    counts["all"] = counts.sum(axis=1)
    with whole(summary) as temporary:
        temporary.write_text(counts.reset_index().to_markdown(index=False) + "\n")


def _write_csv(frame: pd.DataFrame, output: str | Path) -> None:
    with whole(output) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.6g", lineterminator="\n")


def _interval(values: pd.Series) -> tuple[float, float]:
    """Mean and half its 95 % interval."""
    half = half_width(np.array([values.std()]), np.array([len(values)]))
    return float(values.mean()), float(half[0])


def _paired(a: pd.Series, b: pd.Series) -> pd.Series:
    if not a.index.equals(b.index):
        raise ValueError("the two policies were not played with the same seeds")
    return a - b
