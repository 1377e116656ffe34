"""Build the bandit that an experiment plays, with the users of all seeds, for judges and tables."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.models.fair import FairBandit
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from causal_bandits.problems.construction.huang2022.constructed import unconstrained
from causal_bandits.problems.huang2022 import adult_video_bandit, email, user_counts
from experiments.results import Results


def bandit_of(results: Results, experiment: str) -> FairBandit:
    """Build the bandit of one of the paper's two tasks, or that of E25.

    Raises
    ------
    ValueError
        If the experiment plays another problem.
    """
    label, *_ = results.policies(experiment)
    settings = results.settings(experiment, label)
    if settings["problem"] == "email":
        return campaign()
    if settings["problem"] == "adult_video":
        counts = user_counts(results.file("data_adult"))
        return adult_video_bandit(counts, income_descends_from_sex=bool(settings["income_descends_from_sex"]))
    if settings["problem"] == "unconstrained":
        return unconstrained()
    raise ValueError(f"{experiment} plays {settings['problem']}; expected email, adult_video or unconstrained")


@cache
def campaign() -> FairBandit:
    """Return the email campaign; it is built once."""
    return email()


# Compute Adult-Video's unfair rounds under other couplings of a user's two possible incomes (L42).

#: Rounds of the paper.
HORIZON = 5_000


class Incomes(NamedTuple):
    """Compute P(income = 1) by a user's own sex and by the other; arrays by (age, sex, race)."""

    own: FloatArray
    other: FloatArray


def both_high(incomes: Incomes) -> dict[str, FloatArray]:
    """Compute P(income = 1 in both worlds) by coupling; the tables leave it open within Fréchet's bounds."""
    own, other = incomes
    return {
        "one noise for both (the study's)": np.minimum(own, other),
        "independent noise": own * other,
        "opposite noise": np.maximum(own + other - 1, 0.0),
    }


def discrepancies(incomes: Incomes, both: FloatArray) -> FloatArray:
    """Compute E[R(other sex) - R | user], shape (2, 2, 2, 2) by (age, sex, race, income)."""
    own, other = incomes
    high_though_low = (other - both) / (1 - own)
    return WEIGHTS["income"] * np.stack([high_though_low, both / own - 1], axis=-1)


def discrepancies_by_coupling(counts: NDArray[np.int64]) -> dict[str, FloatArray]:
    """Compute the absolute E[R(other sex) - R | user] by coupling, shape (2, 2, 2, 2).

    That of opposite noise has the largest there can be: both branches fall in P(income = 1 in both worlds).

    Parameters
    ----------
    counts : int array, shape (2, 2, 2, 2)
        Users by (age, sex, race, income).
    """
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = Incomes(own, own[:, ::-1])
    return {name: np.abs(discrepancies(incomes, both)) for name, both in both_high(incomes).items()}


def couplings(results: Results) -> pd.DataFrame:
    """Compute the unfair rounds expected in 5,000, whatever is played, with an edge from sex to income."""
    from causal_bandits.problems.huang2022 import user_counts  # loads Numba, which other tables do not need

    counts = user_counts(results.files["data_adult"])
    share = counts / counts.sum()
    rows = []
    for name, size in discrepancies_by_coupling(counts).items():
        expected = {f"tau = {tau:g}": f"{HORIZON * share[size > tau].sum():.0f}" for tau in THRESHOLDS}
        rows.append({"a user's two incomes": name, "largest discrepancy": f"{size.max():.4f}", **expected})
    return pd.DataFrame(rows)
