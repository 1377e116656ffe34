"""The arena's tables of fair play: what the diagram saves, and what fairness costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.players import ratio
from arena.wording import in_columns, in_one_cell, mean_interval, ratio_text
from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.unfairness import ROUNDING, unfair
from causal_bandits.problems.construction.arena.fair_models import FEATURES, fair
from experiments.results import Results

EXPERIMENT = "fair"
#: Those who play without a threshold.
BLIND = {
    "ucb": "UCB: a mean for each user and arm",
    "c_ucb": "C-UCB: cells of the reward's causes",
    "d_ucb": "D-UCB: the fewest cells",
}
#: F-UCB by what it plays when no arm is fair beyond doubt.
FAIR = {"safest": "F-UCB, else the fairest arm", "best": "F-UCB, else the best arm"}
KNOWN = "the best fair arm, known"
#: As many features of an arm in D-UCB's cells, or more, are one row: few problems have more.
MANY = 2


def fairness_table(results: Results) -> pd.DataFrame:
    """Make a row for each sway of S, threshold and player.

    It has the player's regret, that over UCB's on the same problems, and how many of its decisions are unfair. The last
    row of a threshold needs no play: it is exact for each problem, and has intervals over problems too.
    """
    taus = _values(results, "tau")
    rows: list[dict[str, object]] = []
    for sway in _values(results, "sway"):
        alone = results.final(EXPERIMENT, by="draw", algorithm="ucb", sway=sway)
        problems = {draw: fair(sway, draw=draw) for draw in alone.index}
        for tau in taus:
            about = {"S decides": f"{sway:g}", "tau": f"{tau:g}"}
            for player in [*BLIND, *FAIR]:
                chosen: dict[str, Any] = {"sway": sway, "algorithm": player if player in BLIND else "f_ucb"}
                if player in FAIR:
                    chosen |= {"tau": tau, "fallback": player}
                own = results.final(EXPERIMENT, by="draw", **chosen)
                wrong = results.final(EXPERIMENT, unfair("exact", tau), by="draw", **chosen)
                none = results.final(EXPERIMENT, "empty_set", by="draw", **chosen) if player in FAIR else None
                rows.append(
                    about
                    | {"plays": (BLIND | FAIR)[player]}
                    | in_columns(own)
                    | {"over that of UCB": ratio_text(*ratio(own, alone))}
                    | {"unfair decisions, %": _percent(wrong, results.horizon(EXPERIMENT))}
                    | {"no arm fair beyond doubt, %": _percent(none, results.horizon(EXPERIMENT))}
                    | {"problems": len(own)}
                )
            best = pd.DataFrame([best_fair(problem, tau) for problem in problems.values()], index=list(problems))
            lost = results.horizon(EXPERIMENT) * best["lost"]
            rows.append(
                about
                | {"plays": KNOWN}
                | in_columns(lost)
                | {"over that of UCB": ratio_text(*ratio(lost, alone))}
                | {"unfair decisions, %": _percent(best["unfair"], 1)}
                | {"no arm fair beyond doubt, %": "", "problems": len(lost)}
            )
    return pd.DataFrame(rows)


def separators_table(results: Results) -> pd.DataFrame:
    """Make a row for each sway of S and number of an arm's features among the variables of D-UCB's cells.

    It has the regret of D-UCB and C-UCB on the same problems: rewards of one arm tell of another only where they share
    cells, and an arm's features keep them apart.
    """
    rows: list[dict[str, object]] = []
    for sway in _values(results, "sway"):
        regrets = {name: results.final(EXPERIMENT, by="draw", algorithm=name, sway=sway) for name in ("d_ucb", "c_ucb")}
        problems = {draw: fair(sway, draw=draw) for draw in regrets["d_ucb"].index}
        chosen = {draw: minimal_separator(problem) for draw, problem in problems.items()}
        features = pd.Series({draw: min(len({*cells} & {*FEATURES}), MANY) for draw, cells in chosen.items()})
        for count, draws in features.groupby(features).groups.items():
            own, other = (regrets[name].loc[draws] for name in ("d_ucb", "c_ucb"))
            rows.append(
                {
                    "S decides": f"{sway:g}",
                    "features in D-UCB's cells": f"{count} or more" if count == MANY else f"{count}",
                    "D-UCB's cells": f"{np.mean([2 ** len(chosen[draw]) for draw in draws]):.1f}",
                    "C-UCB's cells": 2 ** len(problems[draws[0]].weights),
                    "regret of D-UCB": in_one_cell(own),
                    "regret of C-UCB": in_one_cell(other),
                    "D-UCB's over C-UCB's": ratio_text(*ratio(own, other)),
                    "problems": len(draws),
                }
            )
    return pd.DataFrame(rows)


def _values(results: Results, name: str) -> list[float]:
    """Return the values of a setting among the players, ascending."""
    settings = (results.settings(EXPERIMENT, policy) for policy in results.policies(EXPERIMENT))
    return sorted({float(str(own[name])) for own in settings if name in own})


class BestFair(NamedTuple):
    """What playing the best fair arm of each user costs a round, and how often no arm of a user is fair."""

    lost: float
    unfair: float


def best_fair(bandit: FairBandit, tau: float) -> BestFair:
    """Find each user's best arm with a discrepancy of at most ``tau``, or else of the fairest arms."""
    sizes = np.abs(bandit.discrepancies)
    fairest = sizes.min(axis=1, keepdims=True)
    allowed = sizes <= np.maximum(tau, fairest) + ROUNDING
    lost = bandit.means.max(axis=1) - np.where(allowed, bandit.means, -np.inf).max(axis=1)
    shares = bandit.context_probabilities
    return BestFair(float(shares @ lost), float(shares @ (fairest[:, 0] > tau + ROUNDING)))


def _percent(values: pd.Series | None, of: float) -> str:
    """Write a mean share in percent with its 95 % interval behind it, cut at 0 and 100."""
    if values is None:
        return ""
    mean, low, high = mean_interval(100 * values / of)
    return f"{mean:.1f} ({max(low, 0):.1f} to {min(high, 100):.1f})"
