"""What logs are worth to a bandit that learns about each arm from the arm's own rounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.logs.logs import Logs


def as_if_played(logs: Logs, sets: Iterable[tuple[str, ...]]) -> Iterator[tuple[dict[str, str], float, float]]:
    """Estimate each arm's mean reward from logs, and the number of rounds of playing it that are as informative.

    After m (1 - m) / v rounds, the share of successes of an arm with mean m has the variance v. So an estimate m with
    variance v counts as that many rounds. It never counts as more rounds than there are records with the arm's values;
    this matters if all these records agree, because v is then 0. An arm whose effect is not identified is left out.

    Parameters
    ----------
    logs : Logs
    sets : iterable of tuple of str
        The variables that arms set; an empty one for the arm that sets nothing.

    Yields
    ------
    dict from str to str, float, float
        What the arm sets, the estimate, and the number of rounds.
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
