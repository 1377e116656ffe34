"""The arena's tables of wrong edges: what each number of them costs, and how many still pay."""

from __future__ import annotations

from typing import Any

import pandas as pd

from arena.dose_curves import (
    MEASURED,
    BreakEven,
    Curve,
    break_even,
    curves,
    points,
    rounds_to_answer,
)
from arena.wording import edges_text, ratio_text, rounds_text
from experiments.results import Results


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
