"""The arena's tables by name; here those with one row for each situation, or for each player in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from arena.arm_counts import arm_count
from arena.fair_tables import fairness_table, separators_table
from arena.limit import constants_table, limit_table
from arena.network_tables import networks_table
from arena.players import SAME_RADII, Player, answered, compared, ratio, until_sure
from arena.profiles import pairs_table, ranks_table
from arena.summaries import Scores
from arena.wording import in_columns, in_one_cell, ratio_text, rounds_text, situation_text
from arena.wrong_graph_tables import beliefs, breakeven, chances, doses
from experiments.results import Results

# ---------------------------------------------------------------------- cells

#: Where arms may share cells, where they may not, and on random models.
EXPERIMENTS = ("cells_benign", "cells_worst", "cells_random")
#: What is said of the option ``width`` of C-UCB.
SIGMA = {"subgaussian": "sigma 1", "bounded": "sigma 1/2"}


def named(settings: Mapping[str, Any]) -> str:
    """Name a player by its algorithm and the hyper-parameters in which players differ."""
    algorithm = settings["algorithm"]
    if algorithm == "thompson":
        return "TS"
    if algorithm == "c_ts":
        return "C-TS"
    if algorithm == "c_ucb_arms":
        return "UCB" if settings["pool"] == "none" else f"C-UCB, {SIGMA[settings['width']]}"
    return "HAC-UCB, first of ties" if settings["ties"] == "first" else "HAC-UCB"


def cells(results: Results) -> pd.DataFrame:
    """Tabulate the regret where arms may share cells, and where they may not."""
    rows = []
    for experiment in EXPERIMENTS:
        for label in results.policies(experiment):
            settings = results.settings(experiment, label)
            regret = results.final(experiment, policy=label)
            switched = pd.Series(dtype=float)
            if settings["algorithm"] == "hac_ucb":
                switched = results.final(experiment, "switched", policy=label)
            rows.append(
                {
                    "problem": settings["problem"],
                    "rounds": results.horizon(experiment),
                    "plays": named(settings),
                    **in_columns(regret),
                    "gave up sharing, share of runs": f"{switched.notna().mean():.2f}" if len(switched) else "",
                    "after rounds, median": f"{switched.median():.0f}" if switched.notna().any() else "",
                    "runs": len(regret),
                }
            )
    return pd.DataFrame(rows)


def parents(results: Results) -> pd.DataFrame:
    """Regret on the interventions that random diagrams leave, with the law of the reward's parents."""
    rows = []
    for label in results.policies("parents"):
        settings = results.settings("parents", label)
        regret = results.final("parents", by="draw", policy=label)
        rows.append(
            {
                "confounded pairs": settings["confounders"],
                "variables": settings["nodes"],
                "plays": named(settings),
                "arms share cells": {"checked": "where the diagram allows it", "all": "all"}.get(
                    str(settings.get("pool")), ""
                ),
                "rounds": results.horizon("parents"),
                **in_columns(regret),
                "problems": len(regret),
            }
        )
    order = ["confounded pairs", "variables"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)


# ---------------------------------------------------------------------- linear models

#: Experiments, with what each algorithm is held against on the same problems: the settings, and their name.
AGAINST = {
    "linear_told": ({"told": "graph"}, "told the graph"),
    "linear_maximum": ({"maximum": "forward"}, "the forward pass"),
}


def linear_told(results: Results) -> pd.DataFrame:
    """Tabulate final regret by what the learner is told and how it plays.

    It is a mean over random problems. A few problems with large regret can make it; so its 95 % interval is of
    percentiles of a bootstrap over problems, and the median stands beside it. The last columns compare with another
    algorithm on the same problems.
    """
    rows = []
    for experiment, (reference, against) in AGAINST.items():
        if not results.policies(experiment, **reference):
            continue
        other = results.final(experiment, by="draw", **reference)
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            final = results.final(experiment, by="draw", policy=policy)
            name = "LinSEM-TS" if settings["algorithm"] == "linsem_ts" else f"LinSEM-UCB, {settings['maximum']}"
            scores = Scores((final.to_numpy()[np.newaxis, np.newaxis],))
            mean, low, high = (float(values[0]) for values in scores.means(scores.values))
            itself = reference.items() <= settings.items()
            rows.append(
                {
                    "algorithm": name,
                    "told": settings["told"],
                    "rounds": results.horizon(experiment),
                    "regret": f"{mean:.1f}",
                    "95 %": f"{low:.1f} to {high:.1f}",
                    "median": f"{final.median():.1f}",
                    "against": "" if itself else against,
                    "over that": "" if itself else ratio_text(*ratio(final, other)),
                    "smaller, share of problems": "" if itself else f"{(final < other).mean():.3f}",
                    "problems": len(final),
                }
            )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- tasks of SCM-AAM

MATCHING = ("matching_1", "matching_2", "matching_3")
MATCHING_PLAYERS = {
    "aam": "SCM-AAM: likelihood ratio, other arms, supremum",
    "aam_unforced": "the same, no arm is forced",
    "kl_ucb": "kl-UCB",
    "thompson": "Thompson sampling",
}
#: Those whose regret in the same worlds is taken off.
MATCHING_RIVALS = ("kl_ucb", "thompson")


def matching_table(results: Results) -> pd.DataFrame:
    """Make a row for each task and player: regret, differences in the same worlds, kinds of rounds."""
    rows = []
    for experiment in MATCHING:
        regrets = {label: results.final(experiment, policy=label) for label in MATCHING_PLAYERS}
        for label, name in MATCHING_PLAYERS.items():
            own = regrets[label]
            settings = results.settings(experiment, label)
            rounds = {
                said: f"{results.final(experiment, extra, policy=label).mean():.0f}" if label.startswith("aam") else ""
                for said, extra in (
                    ("rounds with an empty set", "empty"),
                    ("rounds of the leader", "exploits"),
                    ("forced rounds", "forced"),
                )
            }
            rows.append(
                {"task": settings["task"], "plays": name}
                | in_columns(own)
                | {
                    f"difference to {MATCHING_PLAYERS[b]}": "" if b == label else in_one_cell(own - regrets[b])
                    for b in MATCHING_RIVALS
                }
                | rounds
                | {"rounds": results.horizon(experiment), "seeds": len(own)}
            )
    return pd.DataFrame(rows)


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
                    "situation": situation_text(row["situation"]),
                    "knows, and plays": row["player"].name,
                    "knowledge": row["knowledge"],
                    "arms": arm_count(kind, row["player"], row["situation"], row["n"]),
                    "rounds": results.horizon(kind),
                    "regret": f"{row['mean']:.1f}",
                    "95 %": f"{row['low']:.1f} to {row['high']:.1f}",
                    "over that without knowledge": ratio_text(*row[["ratio", "ratio_low", "ratio_high"]]),
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
                "situation": situation_text(row["situation"]),
                "knows, and plays": row["player"].name,
                "knowledge": row["player"].knowledge,
                "arms": arm_count("exploration", row["player"], row["situation"], row["n"]),
                "right": f"{row['right']:.3f}",
                "95 %": f"{row['low']:.3f} to {row['high']:.3f}",
                "answers in time": f"{row['ended']:.3f}",
                "problems": row["n"],
            }
            for _, row in answered(results).iterrows()
        ]
    )


def sure(results: Results) -> pd.DataFrame:
    """Make a row for every player that ends when sure: after how many rounds, and how often right."""
    rows = []
    for _, row in until_sure(results).iterrows():
        rows.append(
            {
                "situation": situation_text(row["situation"]),
                "knows, and plays": row["player"].name,
                "knowledge": row["player"].knowledge,
                "arms": arm_count("sure", row["player"], row["situation"], row["n"]),
                "rounds to the answer, median": rounds_text(row["rounds"]),
                "95 %": f"{rounds_text(row['low'])} to {rounds_text(row['high'])}",
                "mean rounds over those of LUCB with radii of CCPE-General": ratio_text(
                    row["over"], row["over_low"], row["over_high"]
                )
                if row["player"] != SAME_RADII
                else "",
                "answers": f"{row['ended']:.2f}",
                "right": f"{row['right']:.2f}",
                "played at most": results.horizon("sure"),
                "problems": row["n"],
            }
        )
    return pd.DataFrame(rows)


def choice(results: Results) -> pd.DataFrame:
    """Make a row per situation: what to play without knowledge, and with it; what errors cost."""
    rows = []
    for kind in PLAYED:
        frame = compared(results, kind)
        for situation in frame["situation"].map(situation_text).drop_duplicates():
            here = frame[frame["situation"].map(situation_text) == situation]
            by = {k: here[here["knowledge"] == k].sort_values("mean") for k in ("none", "right", "wrong")}
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


def _best(rows: pd.DataFrame, last: bool = False) -> str:
    """Name the player with the least regret, or the most, and the interval."""
    row = rows.iloc[-1 if last else 0]
    player: Player = row["player"]
    return f"{player.name}: {row['mean']:.0f} ({row['low']:.0f} to {row['high']:.0f})"


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "choice": choice,
    "regrets": regrets,
    "beliefs": beliefs,
    "chances": chances,
    "answers": answers,
    "cells": cells,
    "parents": parents,
    "sure": sure,
    "doses": doses,
    "breakeven": breakeven,
    "limit": limit_table,
    "constants": constants_table,
    "networks": networks_table,
    "linear_told": linear_told,
    "fairness": fairness_table,
    "separators": separators_table,
    "matching": matching_table,
    "ranks": ranks_table,
    "pairs": pairs_table,
}
