"""The arena's tables by name; here those with one row for each situation, or for each player in it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from arena.arm_counts import arm_count
from arena.belief_tables import beliefs, chances
from arena.cell_tables import cells, parents
from arena.dose_tables import breakeven, doses
from arena.fair_tables import fairness_table, separators_table
from arena.limit import constants_table, limit_table
from arena.linear_tables import linear_told
from arena.matching_table import matching_table
from arena.measured import measured
from arena.network_tables import networks_table
from arena.players import SAME_RADII, Player, answered, compared, until_sure
from arena.profiles import pairs_table, ranks_table
from arena.wording import ratio_text, rounds_text, situation_text
from experiments.results import Results

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
    "measured": measured,
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
