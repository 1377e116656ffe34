"""The arena's tables: every regret with its interval, and what to play in which situation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from replication.papers.arena.linear_tables import linear_authors, linear_told
from replication.papers.arena.players import Player, answered, compared
from replication.pipeline.results import Results

#: Kinds of problems whose players are judged by regret.
PLAYED = ("diagram", "kl_ucb", "tree", "offline")


def regrets(results: Results) -> pd.DataFrame:
    """Final regret of every player in every situation, and over the same problems without knowledge."""
    rows = []
    for kind in PLAYED:
        for _, row in compared(results, kind).iterrows():
            rows.append(
                {
                    "problem": kind,
                    "situation": _said(row["situation"]),
                    "knows, and plays": row["player"].name,
                    "knowledge": row["player"].knowledge,
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
    """How often each player names the best arm, or one within epsilon, before its budget is spent."""
    return pd.DataFrame(
        [
            {
                "situation": _said(row["situation"]),
                "knows, and plays": row["player"].name,
                "knowledge": row["player"].knowledge,
                "right": f"{row['right']:.3f}",
                "95 %": f"{row['low']:.3f} to {row['high']:.3f}",
                "answers in time": f"{row['ended']:.3f}",
                "problems": row["n"],
            }
            for _, row in answered(results).iterrows()
        ]
    )


def choice(results: Results) -> pd.DataFrame:
    """One row per situation: what to play without knowledge, what with it, and what it costs to be wrong."""
    rows = []
    for kind in PLAYED:
        frame = compared(results, kind)
        for situation in frame["situation"].map(_said).drop_duplicates():
            here = frame[frame["situation"].map(_said) == situation]
            by = {k: here[[p.knowledge == k for p in here["player"]]].sort_values("mean") for k in _KINDS}
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


def _said(situation: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in situation.items())


def _best(rows: pd.DataFrame, last: bool = False) -> str:
    """The player with the least regret, or the most, and the interval."""
    row = rows.iloc[-1 if last else 0]
    player: Player = row["player"]
    return f"{player.name}: {row['mean']:.0f} ({row['low']:.0f} to {row['high']:.0f})"


def _ratio(row: pd.Series) -> str:
    if pd.isna(row["ratio"]):
        return ""
    return f"{row['ratio']:.3g} ({row['ratio_low']:.3g} to {row['ratio_high']:.3g})"


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "choice": choice,
    "regrets": regrets,
    "answers": answers,
    "linear_authors": linear_authors,
    "linear_told": linear_told,
}
