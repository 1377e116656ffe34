"""The arena's tables: regrets with intervals, and what diagrams that are wrong cost.

They show what beliefs leave out, and how wrong a diagram may be and still pay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pandas as pd

from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from replication.drawing.tabulate import comparison
from replication.papers.arena import problems
from replication.papers.arena.cell_tables import cells, parents
from replication.papers.arena.diagrams import BELIEFS, REWARD
from replication.papers.arena.dose_curves import BreakEven, Curve, break_even, chance, curves, points, rounds_to_answer
from replication.papers.arena.dosed import EVERYTHING, SINGLE
from replication.papers.arena.limit import constants_table, limit_table
from replication.papers.arena.linear_tables import linear_authors, linear_told
from replication.papers.arena.measured import measured
from replication.papers.arena.network_tables import networks_table
from replication.papers.arena.players import PLAYERS, TOLD, Player, answered, compared, situations, until_sure
from replication.papers.arena.profiles import pairs_table, ranks_table
from replication.papers.arena.told import ROUNDING, true_diagram
from replication.pipeline.results import Results

#: Kinds of problems whose players are judged by regret.
PLAYED = ("diagram", "kl_ucb", "tree", "offline")


def regrets(results: Results) -> pd.DataFrame:
    """Make a row for every player in every situation: its final regret, and over that without knowledge."""
    rows = []
    for kind in PLAYED:
        for _, row in compared(results, kind).iterrows():
            rows.append(
                {
                    "problem": kind,
                    "situation": _said(row["situation"]),
                    "knows, and plays": row["player"].name,
                    "knowledge": row["knowledge"],
                    "arms": _arms(kind, row["player"], row["situation"], row["n"]),
                    "rounds": results.horizon(kind),
                    "regret": f"{row['mean']:.1f}",
                    "95 %": f"{row['low']:.1f} to {row['high']:.1f}",
                    "over that without knowledge": _ratio(row),
                    "less regret, share of problems": "" if pd.isna(row["ratio"]) else f"{row['less']:.2f}",
                    "problems": int(row["n"]),
                }
            )
    return pd.DataFrame(rows)


def answers(results: Results) -> pd.DataFrame:
    """Make a row for every player with a budget: how often it names the best arm, or one within epsilon."""
    return pd.DataFrame(
        [
            {
                "situation": _said(row["situation"]),
                "knows, and plays": row["player"].name,
                "knowledge": row["player"].knowledge,
                "arms": _arms("exploration", row["player"], row["situation"], row["n"]),
                "right": f"{row['right']:.3f}",
                "95 %": f"{row['low']:.3f} to {row['high']:.3f}",
                "answers in time": f"{row['ended']:.3f}",
                "problems": row["n"],
            }
            for _, row in answered(results).iterrows()
        ]
    )


def sure(results: Results) -> pd.DataFrame:
    """Make a row for every player that ends when it is sure.

    The row says after how many rounds it ends, and how often it is right.
    """
    rows = []
    for _, row in until_sure(results).iterrows():
        rows.append(
            {
                "situation": _said(row["situation"]),
                "knows, and plays": row["player"].name,
                "knowledge": row["player"].knowledge,
                "arms": _arms("sure", row["player"], row["situation"], row["n"]),
                "rounds to the answer, median": _whole(row["rounds"]),
                "95 %": f"{_whole(row['low'])} to {_whole(row['high'])}",
                "answers": f"{row['ended']:.2f}",
                "right": f"{row['right']:.2f}",
                "played at most": results.horizon("sure"),
                "problems": row["n"],
            }
        )
    return pd.DataFrame(rows)


def choice(results: Results) -> pd.DataFrame:
    """Make a row per situation: what to play without knowledge, and what with it.

    The row also says what it costs to be wrong.
    """
    rows = []
    for kind in PLAYED:
        frame = compared(results, kind)
        for situation in frame["situation"].map(_said).drop_duplicates():
            here = frame[frame["situation"].map(_said) == situation]
            by = {k: here[here["knowledge"] == k].sort_values("mean") for k in _KINDS}
            rows.append(
                {
                    "problem": kind,
                    "situation": situation,
                    "rounds": results.horizon(kind),
                    "without knowledge": _best(by["none"]),
                    "with right knowledge": _best(by["right"]),
                    "the worst with right knowledge": _best(by["right"], last=True),
                    "the worst with wrong knowledge": _best(by["wrong"], last=True) if len(by["wrong"]) else "",
                }
            )
    return pd.DataFrame(rows)


_KINDS = ("none", "right", "wrong")


# ---------------------------------------------------------------------- what beliefs leave out, and when they pay


def beliefs(results: Results) -> pd.DataFrame:
    """Make a row per situation and belief of a diagram.

    The row has its arms, how often the best is lost, and what that costs.
    """
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
                    "situation": _said(situation),
                    "knows, and plays": player.name,
                    "nothing to be wrong about, share": _unchanged(told, situation, len(regret)),
                    "arms": _arms("diagram", player, situation, len(regret)),
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


def doses(results: Results) -> pd.DataFrame:
    """Make a row per learner, size, kind of errors and number of wrong edges."""
    rows = []
    for curve in curves(results):
        for _, row in points(curve).iterrows():
            share = curve.learner.metric == "correct"
            known = not pd.isna(row["ratio"])
            rows.append(
                {
                    **_named(results, curve),
                    "wrong edges": int(row["wrong"]),
                    "regret, or share of wrong answers": f"{row['loss']:.3f}" if share else f"{row['loss']:.1f}",
                    "over that without a graph": _ratio(row, "low", "high") if known else "",
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
    if not curve.learner.ends:
        return ""
    rounds, low, high = rounds_to_answer(results, curve, dose)
    return f"{_whole(rounds)} ({_whole(low)} to {_whole(high)})"


def breakeven(results: Results) -> pd.DataFrame:
    """Make a row per learner, size and kind of errors: how many edges may be wrong before the graph costs."""
    rows = []
    for curve in curves(results):
        if curve.learner.ends:
            continue
        means, typical = break_even(curve), break_even(curve, typical=True)
        largest = max(curve.doses)
        rows.append(
            {
                **_named(results, curve),
                "wrong edges at which the means are equal": _edges(means.value, largest),
                "95 %": _interval(means, largest),
                "wrong edges at which half of the problems lose": _edges(typical.value, largest),
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
    }


def _edges(value: float, largest: int) -> str:
    return f"more than {largest}" if math.isinf(value) else f"{value:.1f}"


def _interval(found: BreakEven, largest: int) -> str:
    return f"{_edges(found.low, largest)} to {_edges(found.high, largest)}"


def _percent(value: float) -> str:
    return "any" if math.isinf(value) else f"{100 * value:.1f} %"


def _whole(value: float) -> str:
    return "no answer" if math.isinf(value) else f"{value:,.0f}"


# ---------------------------------------------------------------------- how many arms


@cache
def _told_arms(nodes: int, confounders: int, told: str, draw: int) -> int:
    """Count the arms of `problems.diagram`, from the diagram alone."""
    if told == EVERYTHING:
        return int(3**nodes)
    if told == SINGLE:
        return 1 + 2 * nodes
    belief = problems.taken(true_diagram(nodes, confounders, draw), told, nodes, confounders, draw)
    return sum(2 ** len(chosen) for chosen in possibly_optimal_intervention_sets(belief, REWARD))


def _unchanged(told: str, situation: Mapping[str, Any], draws: int) -> str:
    """Return the share of draws in which a belief is the true diagram, because nothing in it can be wrong."""
    if told not in BELIEFS or told == "diagram":
        return ""
    size = (int(situation["nodes"]), int(situation["confounders"]))
    true = [true_diagram(*size, draw) for draw in range(draws)]
    same = sum(problems.taken(graph, told, *size, draw) == graph for draw, graph in enumerate(true))
    return f"{same / draws:.3f}"


def _arms(kind: str, player: Player, situation: Mapping[str, Any], draws: int) -> str:
    """Count a player's arms; where they differ between problems, their mean."""
    if kind in ("diagram", "kl_ucb"):
        told = str(player.algorithm.get("told", "diagram"))
        size = (int(situation["nodes"]), int(situation["confounders"]))
        counts = [_told_arms(*size, told, draw) for draw in range(draws)]
        return f"{sum(counts) / draws:.1f}" if len(set(counts)) > 1 else str(counts[0])
    if kind == "tree":
        return "2" if player.algorithm.get("arms") == "reward" else str(2 * int(situation["nodes"]) + 1)
    if kind == "offline":
        return str(len(problems.offline(0.0, 1).arms))
    return str(2 * int(situation["nodes"]) + 1)


def _said(situation: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in situation.items())


def _best(rows: pd.DataFrame, last: bool = False) -> str:
    """Name the player with the least regret, or the most, and the interval."""
    row = rows.iloc[-1 if last else 0]
    player: Player = row["player"]
    return f"{player.name}: {row['mean']:.0f} ({row['low']:.0f} to {row['high']:.0f})"


def _ratio(row: pd.Series, low: str = "ratio_low", high: str = "ratio_high") -> str:
    if pd.isna(row["ratio"]):
        return ""
    return f"{row['ratio']:.3g} ({row[low]:.3g} to {row[high]:.3g})"


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "choice": choice,
    "regrets": regrets,
    "beliefs": beliefs,
    "chances": chances,
    "answers": answers,
    "cells": cells,
    "parents": parents,
    "measured": measured,
    "sure": sure,
    "doses": doses,
    "breakeven": breakeven,
    "limit": limit_table,
    "constants": constants_table,
    "networks": networks_table,
    "linear_authors": linear_authors,
    "linear_told": linear_told,
    "entries": comparison,
    "ranks": ranks_table,
    "pairs": pairs_table,
}
