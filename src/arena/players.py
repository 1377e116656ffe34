"""Who plays in the arena, what each knows of the graph, and how far that takes it.

Figures and tables show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, stdtrit
from scipy.stats import binomtest

from arena.wording import mean_interval
from experiments.results import Results

Knowledge = Literal["none", "right", "wrong"]


@dataclass(frozen=True)
class Player:
    """An algorithm with what it knows.

    Parameters
    ----------
    name : str
        What the learner is told, then the algorithm.
    knowledge : {"none", "right", "wrong"}
        Of the causal graph, or of what follows from it.
    algorithm : mapping
        Settings that select it in its experiment.
    against : mapping
        Those of the player without knowledge that it is held against; empty for that player itself.
    experiment : str
        Where it plays, if not in the experiment of its kind of problem.
    right_where : mapping
        Options of a problem under which what else is wrong is right.
    """

    name: str
    knowledge: Knowledge
    algorithm: Mapping[str, Any]
    against: Mapping[str, Any] = field(default_factory=dict)
    experiment: str = ""
    right_where: Mapping[str, Any] = field(default_factory=dict)

    def knows(self, situation: Mapping[str, Any]) -> Knowledge:
        """Say what it knows in a situation."""
        if self.right_where and self.right_where.items() <= situation.items():
            return "right"
        return self.knowledge


#: What the option ``told`` of the problem `diagram` says.
TOLD: dict[str, tuple[str, Knowledge]] = {
    "nothing": ("nothing: all interventions", "none"),
    "single": ("nothing: one variable at most", "none"),
    "diagram": ("the diagram", "right"),
    "cautious": ("the edges, any pair confounded", "right"),
    "unconfounded": ("the edges, no pair confounded", "wrong"),
    "turned": ("the diagram, an edge turned", "wrong"),
    "edge_lost": ("the diagram, an edge between causes lost", "wrong"),
    "cause_lost": ("the diagram, a cause of Y lost", "wrong"),
}


_TS, _KL = {"algorithm": "thompson", "told": "nothing"}, {"algorithm": "kl_ucb", "told": "nothing"}
_UCB = {"algorithm": "ucb"}
_LIN, _TREE = {"algorithm": "lin_ucb", "warm_start": None}, {"algorithm": "gaussian_ucb", "arms": "all"}
_PCB = {"algorithm": "lin_ucb_pcb"}


def _rejects(budget: int) -> list[Player]:
    alone = {"algorithm": "successive_rejects", "watch": 0.0, "budget": budget}
    return [
        Player(f"nothing, SR of {budget:,} rounds", "none", alone),
        Player(f"the diagram, SR of {budget:,}, half watching", "right", {**alone, "watch": 0.5}, alone),
    ]


#: The fair rival of algorithms that read a diagram and play until sure: LUCB with radii of the same form (L271).
SAME_RADII = Player("nothing, LUCB with radii of CCPE-General", "none", {"algorithm": "lucb", "bounds": "xiong"})
#: The players by kind of problem, which is the name of the experiment that those without knowledge play in.
PLAYERS: dict[str, list[Player]] = {
    "diagram": [
        *(
            Player(f"{said}, TS", knowledge, {**_TS, "told": told}, {} if told == "nothing" else _TS)
            for told, (said, knowledge) in TOLD.items()
        ),
        Player("the diagram, z2-TS", "right", {"algorithm": "z2_thompson"}, _TS, "borrowing"),
    ],
    "kl_ucb": [
        Player("nothing: all interventions, kl-UCB", "none", _KL),
        Player("the diagram, kl-UCB", "right", {**_KL, "told": "diagram"}, _KL),
        Player("the diagram, z2-kl-UCB", "right", {"algorithm": "z2_kl_ucb"}, _KL, "kl_ucb_borrowing"),
    ],
    "tree": [
        Player("nothing, UCB", "none", _TREE),
        Player("nothing, TS", "none", {"algorithm": "gaussian_thompson"}, _TREE),
        Player("that effects show, RAPS", "right", {"algorithm": "raps"}, _TREE),
        Player("the essential graph, CN-UCB", "right", {"algorithm": "cn_ucb"}, _TREE),
        Player("the reward's cause, UCB", "right", {"algorithm": "gaussian_ucb", "arms": "reward"}, _TREE),
    ],
    "offline": [
        Player("nothing, UCB", "none", _UCB),
        Player("bounds by the diagram, UCB-PCB", "right", {"algorithm": "ucb_pcb"}, _UCB),
        Player("nothing, LinUCB", "none", _LIN),
        Player("bounds by the diagram, LinUCB-PCB", "right", {**_PCB, "upper": "upper"}, _LIN),
        Player("bounds valid at 95 %, LinUCB-PCB", "right", {**_PCB, "upper": "safe_upper"}, _LIN),
        Player(
            "the data at their word, LinUCB",
            "wrong",
            {**_LIN, "warm_start": "naive"},
            _LIN,
            right_where={"bias": 0.0},
        ),
    ],
    "exploration": [
        *_rejects(500),
        *_rejects(2000),
    ],
    "sure": [
        Player("nothing, LUCB1", "none", {"algorithm": "lucb", "bounds": "lucb1"}),
        Player("nothing, KL-LUCB", "none", {"algorithm": "lucb", "bounds": "kl"}),
        SAME_RADII,
        Player("the diagram, CCPE-General", "right", {"algorithm": "ccpe_general"}),
        Player("the diagram, 1,000 watching, then LUCB", "right", {"algorithm": "observe_then_lucb"}),
    ],
}

#: The options of the problems that tell situations apart, by kind of problem.
SITUATIONS: dict[str, tuple[str, ...]] = {
    "diagram": ("confounders", "nodes"),
    "kl_ucb": ("confounders", "nodes"),
    "tree": ("nodes",),
    "offline": ("bias", "samples"),
    "exploration": ("confounders", "nodes"),
    "sure": ("confounders", "nodes"),
}

#: At this share of the horizon players are looked at too.
EARLY = 0.1


def situations(results: Results, kind: str) -> list[dict[str, Any]]:
    """All combinations of the options that are played, in order."""
    found = []
    for policy in results.policies(kind):
        settings = results.settings(kind, policy)
        found.append({name: settings[name] for name in SITUATIONS[kind]})
    return sorted({tuple(s.items()): s for s in found}.values(), key=lambda s: tuple(s.values()))


def _plays(results: Results, kind: str, player: Player, situation: Mapping[str, Any]) -> bool:
    return bool(results.policies(player.experiment or kind, **player.algorithm, **situation))


def compared(results: Results, kind: str) -> pd.DataFrame:
    """Return one row per situation and player: its regret, and its ratio to the regret without knowledge.

    Returns
    -------
    DataFrame
        ``situation`` (mapping), ``player`` (`Player`), ``knowledge`` in this situation; ``mean, low, high`` of the
        final regret, a mean over problems;
        ``ratio, ratio_low, ratio_high``, of the means over those of ``player.against`` on the same problems (Student's
        t on the logarithm, by the delta method); ``less``, the share of problems on which it has less regret;
        ``early``, the same ratio at `EARLY` of the horizon; ``n``, the number of problems. NaN without an ``against``.
    """
    rows = []
    for situation in situations(results, kind):
        for player in PLAYERS[kind]:
            if not _plays(results, kind, player, situation):
                continue
            own = _regret(results, kind, player, situation)
            row = {"situation": situation, "player": player, "knowledge": player.knows(situation), "n": len(own)}
            row |= dict(zip(("mean", "low", "high"), mean_interval(own), strict=True))
            if player.against:
                nothing = results.final(kind, by="draw", **player.against, **situation)
                row |= dict(zip(("ratio", "ratio_low", "ratio_high"), ratio(own, nothing), strict=True))
                row["less"] = float((own < nothing).mean())
                row["early"] = _early(results, player.experiment or kind, {**player.algorithm, **situation}) / _early(
                    results, kind, {**player.against, **situation}
                )
            rows.append(row)
    return pd.DataFrame(rows)


def _regret(results: Results, kind: str, player: Player, situation: Mapping[str, Any]) -> pd.Series:
    return results.final(player.experiment or kind, by="draw", **player.algorithm, **situation)


def _early(results: Results, experiment: str, settings: Mapping[str, Any]) -> float:
    """The mean regret at the first checkpoint from `EARLY` of the horizon on."""
    curve = results.curve(experiment, **settings)
    return float(curve[curve["t"] >= EARLY * results.horizon(experiment)]["mean"].iloc[0])


def ratio(own: pd.Series, other: pd.Series) -> tuple[float, float, float]:
    """The ratio of two paired means, and its 95 % interval."""
    a, b = own.align(other, join="inner")
    relative = a / a.mean() - b / b.mean()
    half = stdtrit(len(a) - 1, 0.975) * relative.std() / np.sqrt(len(a))
    value = a.mean() / b.mean()
    return float(value), float(value * np.exp(-half)), float(value * np.exp(half))


def answered(results: Results, kind: str = "exploration") -> pd.DataFrame:
    """One row per situation and player: how often its answer, given in time, is right.

    Returns
    -------
    DataFrame
        ``situation``, ``player``; ``right, low, high``, the share of problems with a Clopper-Pearson interval;
        ``ended``, the share that have an answer when the budget is spent; ``n``.
    """
    rows = []
    for situation in situations(results, kind):
        for player in PLAYERS[kind]:
            if _plays(results, kind, player, situation):
                right = results.final(kind, "correct", by="draw", **player.algorithm, **situation)
                low, high = binomtest(int((right == 1).sum()), len(right)).proportion_ci(0.95, "exact")
                rows.append(
                    {
                        "situation": situation,
                        "player": player,
                        "right": float((right == 1).mean()),
                        "low": low,
                        "high": high,
                        "ended": float(right.notna().mean()),
                        "n": len(right),
                    }
                )
    return pd.DataFrame(rows)


def until_sure(results: Results, kind: str = "sure") -> pd.DataFrame:
    """Return one row per situation and player that ends when it is sure.

    The row says after how many rounds it is sure of its answer, and how often it is right.

    Returns
    -------
    DataFrame
        ``situation``, ``player``; ``rounds, low, high``: the median number of rounds with a 95 % interval of order
        statistics, infinite where a run has no answer at the horizon (L214); ``right`` and ``ended``, shares of
        problems; ``over, over_low, over_high``: the mean of the rounds over that of `SAME_RADII` on the same problems,
        with a 95 % interval, a run without an answer counting with all its rounds; ``n``.
    """
    rows = []
    for situation in situations(results, kind):
        for player in PLAYERS[kind]:
            if _plays(results, kind, player, situation):
                settings = {**player.algorithm, **situation}
                right = results.final(kind, "correct", by="draw", **settings)
                rounds = results.final(kind, "sample_complexity", by="draw", **settings)
                middle, low, high = median(np.where(right.isna(), np.inf, rounds))
                played = {**SAME_RADII.algorithm, **situation}
                alone = results.final(kind, "sample_complexity", by="draw", **played).fillna(results.horizon(kind))
                over, over_low, over_high = ratio(rounds.fillna(results.horizon(kind)), alone)
                rows.append(
                    {
                        "situation": situation,
                        "player": player,
                        "rounds": middle,
                        "low": low,
                        "high": high,
                        "over": over,
                        "over_low": over_low,
                        "over_high": over_high,
                        "right": float((right == 1).mean()),
                        "ended": float(right.notna().mean()),
                        "n": len(right),
                    }
                )
    return pd.DataFrame(rows)


def median(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the median of values, infinite ones allowed, and a 95 % interval of order statistics.

    The interval goes from the r-th smallest to the r-th largest value, with the largest r for which fewer than r of n
    fair coins fall heads with probability at most 2.5 %; with so few values that there is none, it is all of them.
    """
    ordered = np.sort(values)
    n = len(ordered)
    middle = ordered[[(n - 1) // 2, n // 2]]
    r = max(int((bdtr(np.arange(n), n, 0.5) <= 0.025).sum()), 1)
    return float(middle[0] if middle[0] == middle[1] else middle.mean()), float(ordered[r - 1]), float(ordered[n - r])
