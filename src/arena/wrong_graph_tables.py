"""The arena's tables of beliefs about a diagram: what they leave out, and how likely an error may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from arena.arm_counts import arm_count
from arena.dose_curves import (
    MEASURED,
    BreakEven,
    Curve,
    break_even,
    chance,
    curves,
    points,
    rounds_to_answer,
)
from arena.players import PLAYERS, TOLD, situations
from arena.wording import edges_text, ratio_text, rounds_text, situation_text
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena.beliefs import ROUNDING, true_diagram
from causal_bandits.problems.construction.arena.diagrams import BELIEFS
from causal_bandits.problems.construction.arena.dosed import EVERYTHING, SINGLE
from experiments.results import Results


def beliefs(results: Results) -> pd.DataFrame:
    """Make a row per situation and belief: its arms, how often the best is lost, and what that costs."""
    rows = []
    for situation in situations(results, "diagram"):
        for player in PLAYERS["diagram"]:
            told = str(player.algorithm.get("told", ""))
            if player.experiment or not results.policies("diagram", **player.algorithm, **situation):
                continue
            settings = {**player.algorithm, **situation}
            regret = results.final("diagram", by="draw", **settings)
            lost = results.final("diagram", "lost_for_good", by="draw", **settings)
            kept = regret[lost <= ROUNDING]
            rows.append(
                {
                    "situation": situation_text(situation),
                    "knows, and plays": player.name,
                    "nothing to be wrong about, share": _unchanged(told, situation, len(regret)),
                    "arms": arm_count("diagram", player, situation, len(regret)),
                    "best intervention lost, share": f"{(lost > ROUNDING).mean():.3f}",
                    "regret of that": f"{lost.mean():.1f}",
                    "regret in all": f"{regret.mean():.1f}",
                    "regret where the best is kept": f"{kept.mean():.1f}" if len(kept) else "",
                    "rounds": results.horizon("diagram"),
                    "problems": len(regret),
                }
            )
    return pd.DataFrame(rows)


def chances(results: Results) -> pd.DataFrame:
    """Make a row per error and number of variables: up to which chance of it the diagram pays."""
    rows = []
    found = situations(results, "diagram")
    for told in (told for told, (_, knowledge) in TOLD.items() if knowledge == "wrong"):
        for nodes in sorted({s["nodes"] for s in found}):
            here = [
                s for s in found if s["nodes"] == nodes and results.policies("diagram", told=told, **s)
            ]  # without confounders nothing is overlooked
            for chosen in ([s] for s in here) if len(here) < 2 else [*([s] for s in here), here]:
                pooled = {t: _pooled(results, t, chosen) for t in ("diagram", told, EVERYTHING, SINGLE)}
                alone = min((EVERYTHING, SINGLE), key=lambda t: float(pooled[t].mean()))
                paid = chance(pooled["diagram"], pooled[told], pooled[alone])
                rows.append(
                    {
                        "variables": nodes,
                        "confounded pairs": ", ".join(str(s["confounders"]) for s in chosen),
                        "the error": TOLD[told][0],
                        "the diagram pays up to a chance of": _percent(paid.value),
                        "95 %": f"{_percent(paid.low)} to {_percent(paid.high)}",
                        "against": TOLD[alone][0],
                        "rounds": results.horizon("diagram"),
                        "problems": len(pooled[told]),
                    }
                )
    return pd.DataFrame(rows)


def _pooled(results: Results, told: str, chosen: list[dict[str, Any]]) -> pd.Series:
    """Return the regrets of all problems of some situations, one after another."""
    parts = [results.final("diagram", by="draw", algorithm="thompson", told=told, **s) for s in chosen]
    return pd.concat(parts, ignore_index=True)


def _unchanged(told: str, situation: Mapping[str, Any], draws: int) -> str:
    """Return the share of draws in which a belief is the true diagram, because nothing in it can be wrong."""
    if told not in BELIEFS or told == "diagram":
        return ""
    size = (int(situation["nodes"]), int(situation["confounders"]))
    true = [true_diagram(*size, draw) for draw in range(draws)]
    same = sum(problems.taken(graph, told, *size, draw) == graph for draw, graph in enumerate(true))
    return f"{same / draws:.3f}"


def _percent(value: float) -> str:
    return "any" if math.isinf(value) else f"{100 * value:.1f} %"


# ---------------------------------------------------------------------- a given number of wrong edges


def doses(results: Results) -> pd.DataFrame:
    """Make a row per learner, what is measured of it, size, kind of errors and number of wrong edges."""
    rows = []
    for curve in curves(results):
        for _, row in points(curve).iterrows():
            share = curve.learner.metric == "correct"
            rows.append(
                {
                    **_named(results, curve),
                    "wrong edges": int(row["wrong"]),
                    "mean": f"{row['loss']:.3f}" if share else f"{row['loss']:.1f}",
                    "against": curve.against,
                    "over that without a graph": ratio_text(row["ratio"], row["low"], row["high"]),
                    "smaller, share of problems": f"{row['less']:.3f}",
                    "larger, share of problems": f"{row['more']:.3f}",
                    "best intervention lost, share": "" if pd.isna(row["lost"]) else f"{row['lost']:.3f}",
                    "regret where it is kept": "" if pd.isna(row["kept"]) else f"{row['kept']:.1f}",
                    "rounds to the answer, median": _to_answer(results, curve, int(row["wrong"])),
                    "problems": len(curve.losses),
                    "of": curve.problems,
                }
            )
    return pd.DataFrame(rows)


def _to_answer(results: Results, curve: Curve, dose: int) -> str:
    if curve.learner.metric != "sample_complexity":
        return ""
    rounds, low, high = rounds_to_answer(results, curve, dose)
    return f"{rounds_text(rounds)} ({rounds_text(low)} to {rounds_text(high)})"


def breakeven(results: Results) -> pd.DataFrame:
    """Make a row per learner, size and kind of errors: how many edges may be wrong before the graph costs."""
    rows = []
    for curve in curves(results):
        if not curve.learner.breaks_even:
            continue
        means, typical = break_even(curve), break_even(curve, typical=True)
        largest = max(curve.doses)
        rows.append(
            {
                **_named(results, curve),
                "wrong edges at which the means are equal": edges_text(means.value, largest),
                "95 %": _interval(means, largest),
                "wrong edges at which half of the problems lose": edges_text(typical.value, largest),
                "95 % of that": _interval(typical, largest),
                "against": curve.against,
                "problems": len(curve.losses),
                "of": curve.problems,
            }
        )
    return pd.DataFrame(rows)


def _named(results: Results, curve: Curve) -> dict[str, Any]:
    return {
        "algorithm": curve.learner.name,
        "variables": curve.situation["nodes"],
        "errors": curve.kind,
        "rounds": results.horizon(curve.learner.experiment),
        "measured": MEASURED[curve.learner.metric],
    }


def _interval(found: BreakEven, largest: int) -> str:
    return f"{edges_text(found.low, largest)} to {edges_text(found.high, largest)}"
