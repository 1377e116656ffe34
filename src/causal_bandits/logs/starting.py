"""What logs are worth to a bandit that learns about each arm from the arm's own rounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.logs.logs import Logs


def as_if_played(logs: Logs, sets: Iterable[tuple[str, ...]]) -> Iterator[tuple[dict[str, str], float, float]]:
    """Find, for arms on these sets of variables, the mean reward and the number of rounds that the logs are worth.

    An estimate with variance v is worth m (1 - m) / v rounds, those after which the share of successes has this
    variance, but at most as many as the logs have records with the arm's values: v is 0 if all records agree. Arms
    whose effects are not identified are left out.
    """
    for names in sets:
        if not names:
            counts = logs.counts.marginal([logs.outcome]).counts
            if counts.sum():
                yield {}, float(counts[logs.success_state] / counts.sum()), float(counts.sum())
            continue
        records = Logs(logs.counts, logs.graph, treatment=names, outcome=logs.outcome, success=logs.success)
        try:
            effect = records.effect()
        except NotIdentifiable:
            continue
        of_arms = zip(effect.arms, effect.estimate[0], np.diagonal(effect.covariance[0]), records.units[0], strict=True)
        for do, estimate, variance, count in of_arms:
            mean = float(np.clip(estimate, 0.0, 1.0))
            weight = min(float(count), mean * (1 - mean) / variance) if variance > 0 else float(count)
            if weight > 0 and mean == mean:
                yield dict(do), mean, weight
