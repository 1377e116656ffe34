"""Search which normal noise would give the published counts of unfair decisions (ledger L82).

Only the counts are used.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import yaml
from scipy.special import ndtr, ndtri

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import Results
from experiments.selection import selection
from experiments.settings import LOADER
from replication.papers.huang2022.labels import NAMES

#: What is searched: standard deviations of the noise, and means of it.
DEVIATIONS = np.arange(10, 401) / 1000
MEANS = np.arange(0, 61) / 200


def count_noise(results: Results) -> pd.DataFrame:
    """Fit normal noise to each policy's published counts.

    A round is unfair if the noise is larger than tau in size.
    """
    rows = []
    for (task, policy), shares in _published(results).items():
        sd, miss = fitted(shares, np.zeros(1))[1:]
        mean, sd_too, miss_too = fitted(shares, MEANS)
        alone = {f"sd at tau = {tau:g}": f"{implied(tau, share):.3f}" for tau, share in shares.items()}
        rows.append(
            {"task": task, "policy": policy, **alone, "sd of centred noise": f"{sd:.3f}"}
            | {"mean miss": f"{100 * miss:.1f} %", "mean and sd of noise": f"{mean:.3f}, {sd_too:.3f}"}
            | {"mean miss, not centred": f"{100 * miss_too:.1f} %"}
        )
    return pd.DataFrame(rows)


def _published(results: Results) -> dict[tuple[str, str], dict[float, float]]:
    """Collect the published shares of unfair rounds that are not 0, by task and policy, then by tau."""
    found: dict[tuple[str, str], dict[float, float]] = {}
    for row in results.published_where(judge="unfair_decisions").to_dict("records"):
        arguments = yaml.load(row["arguments"], LOADER)
        if float(row["value"]) > 0:
            key = (row["item"], NAMES[str(selection(row["policy"], "published")["algorithm"])])
            found.setdefault(key, {})[arguments["tau"]] = float(row["value"]) / arguments["rounds"]
    return {key: {tau: shares[tau] for tau in THRESHOLDS if tau in shares} for key, shares in found.items()}


def implied(tau: float, share: float) -> float:
    """Compute the standard deviation of the noise that gives a share of unfair rounds.

    The noise is normal and centred. It exceeds ``tau`` in size in this share of rounds.
    """
    return float(-tau / ndtri(share / 2))


def fitted(shares: dict[float, float], means: FloatArray) -> tuple[float, float, float]:
    """Find the mean and standard deviation that miss the shares least on average.

    The average miss, relative to the shares, is returned too.
    """
    best = (math.nan, math.nan, math.inf)
    tau, share = np.array(list(shares)), np.array(list(shares.values()))
    for mean in means:
        sd = DEVIATIONS[:, None]
        beyond = ndtr((-tau - mean) / sd) + ndtr((mean - tau) / sd)
        misses = np.abs(beyond / share - 1).mean(axis=1)
        i = int(misses.argmin())
        if misses[i] < best[2]:
            best = (float(mean), float(DEVIATIONS[i]), float(misses[i]))
    return best
