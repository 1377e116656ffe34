"""Search which normal noise would give the published counts of unfair decisions (ledger L82).

Only the counts are used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import yaml
from scipy.special import ndtr, ndtri

from causal_bandits.arrays import FloatArray
from experiments.results import Results
from experiments.settings import LOADER
from replication.papers.huang2022.labels import NAMES
from replication.papers.huang2022.published import by_threshold

#: What is searched: standard deviations of the noise, and means of it.
DEVIATIONS = np.arange(10, 401) / 1000
MEANS = np.arange(0, 61) / 200
MEANS_FINE = np.arange(0, 301) / 1000


def count_noise(results: Results) -> pd.DataFrame:
    """Fit normal noise to each policy's published counts.

    A round is unfair if the noise is larger than tau in size. The last columns have one standard deviation for all
    policies of a table, and a mean for each.
    """
    rows = []
    published = _published(results)
    tasks = {task: {p: shares for (t, p), shares in published.items() if t == task} for task, _ in published}
    common = {task: common_deviation(list(of_task.values())) for task, of_task in tasks.items()}
    for (task, policy), shares in published.items():
        shift, _, miss_shift = fitted(shares, MEANS_FINE, common[task])
        sd, miss = fitted(shares, np.zeros(1))[1:]
        mean, sd_too, miss_too = fitted(shares, MEANS)
        alone = {f"sd at tau = {tau:g}": f"{implied(tau, share):.3f}" for tau, share in shares.items()}
        rows.append(
            {"task": task, "policy": policy, **alone, "sd of centred noise": f"{sd:.3f}"}
            | {"mean miss": f"{100 * miss:.1f} %", "mean and sd of noise": f"{mean:.3f}, {sd_too:.3f}"}
            | {"mean miss, not centred": f"{100 * miss_too:.1f} %"}
            | {
                "mean with one sd for all": f"{shift:.3f}, {common[task][0]:.3f}",
                "its miss": f"{100 * miss_shift:.1f} %",
            }
        )
    return pd.DataFrame(rows)


def _published(results: Results) -> dict[tuple[str, str], dict[float, float]]:
    """Collect the published shares of unfair rounds that are not 0, by task and policy, then by tau."""
    found: dict[tuple[str, str], dict[float, float]] = {}
    for row in results.published_where(judge="counts").to_dict("records"):
        arguments = yaml.load(row["arguments"], LOADER)
        for policy, counts in by_threshold(arguments["counts"]).items():
            if any(counts.values()):
                found[row["item"], NAMES[policy]] = {tau: n / arguments["rounds"] for tau, n in counts.items()}
    return found


def implied(tau: float, share: float) -> float:
    """Compute the standard deviation of the noise that gives a share of unfair rounds.

    The noise is normal and centred. It exceeds ``tau`` in size in this share of rounds.
    """
    return float(-tau / ndtri(share / 2))


def common_deviation(of_policies: Sequence[dict[float, float]]) -> FloatArray:
    """Find the one standard deviation that misses all shares least, with a mean per policy; shape (1,)."""
    missed = [sum(fitted(shares, MEANS_FINE, np.array([sd]))[2] for shares in of_policies) for sd in DEVIATIONS]
    return DEVIATIONS[[int(np.argmin(missed))]]


def fitted(
    shares: dict[float, float], means: FloatArray, deviations: FloatArray = DEVIATIONS
) -> tuple[float, float, float]:
    """Find the mean and standard deviation that miss the shares least on average.

    The average miss, relative to the shares, is returned too.
    """
    best = (math.nan, math.nan, math.inf)
    tau, share = np.array(list(shares)), np.array(list(shares.values()))
    for mean in means:
        sd = deviations[:, None]
        beyond = ndtr((-tau - mean) / sd) + ndtr((mean - tau) / sd)
        misses = np.abs(beyond / share - 1).mean(axis=1)
        i = int(misses.argmin())
        if misses[i] < best[2]:
            best = (float(mean), float(deviations[i]), float(misses[i]))
    return best
