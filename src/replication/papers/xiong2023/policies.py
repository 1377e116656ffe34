"""Policies of xiong2023 by name, and how their runs ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from experiments.drawing.looks import COLOURS, Look
from experiments.results import Results

#: Factor of the radii that gives Eq. 16 the shape of a Hoeffding bound: sqrt(1/2), to four digits.
HOEFFDING = 0.7071
_HOEFFDING_OBSERVING = {"alpha_o": HOEFFDING, "alpha_i": HOEFFDING}

#: How figures draw the policies that most experiments play, by name.
POLICIES = {
    "CCPE-General": Look({"algorithm": "ccpe_general"}, COLOURS["red"]),
    "LUCB1": Look({"algorithm": "lucb"}, COLOURS["blue"]),
    "LUCB, radii of Eq. 16": Look({"algorithm": "lucb", "bounds": "xiong"}, COLOURS["sky"]),
    "KL-LUCB": Look({"algorithm": "lucb", "bounds": "kl"}, COLOURS["green"]),
    "Track-and-Stop": Look({"algorithm": "track_and_stop"}, COLOURS["purple"]),
    "CCPE-General, Hoeffding": Look({"algorithm": "ccpe_general", **_HOEFFDING_OBSERVING}, COLOURS["red"], "--"),
    "LUCB, Hoeffding": Look({"algorithm": "lucb", "bounds": "xiong", "alpha": HOEFFDING}, COLOURS["blue"], "--"),
}


def called(settings: Mapping[str, Any]) -> str:
    """Name a policy by its algorithm and the hyper-parameters that matter."""
    if settings["algorithm"] == "lucb":
        names = {"lucb1": "LUCB1", "kl": "KL-LUCB", "xiong": f"LUCB, alpha {settings['alpha']:g}"}
        return names[str(settings["bounds"])]
    if settings["algorithm"] == "track_and_stop":
        return "Track-and-Stop"
    radii = f"alpha {settings['alpha_o']:.3g} and {settings['alpha_i']:.3g}"
    if settings["algorithm"] == "ccpe_general" and settings["divisor"] == 1:
        radii += ", delta undivided"
    if settings["algorithm"] == "ccpe_bglm":
        return f"CCPE-BGLM, {settings['radius']} radius, {radii}, c {settings['c']:g}"
    if settings["algorithm"] == "observe_then_lucb":
        return f"observe {settings['observations']}, then LUCB, {radii}"
    return f"CCPE-General, {radii}"


def problem_of(settings: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Name a problem by its builder and options."""
    shown = ", ".join(f"{name} {settings[name]}" for name in options if name in settings)
    return f"{settings['problem']}: {shown}"


def rounds_of(results: Results, experiment: str, **settings: Any) -> pd.Series:
    """Return the rounds of every seed; a run that reached the cap counts as the cap."""
    return results.final(experiment, "t", **settings)


def ended(results: Results, experiment: str, **settings: Any) -> pd.Series:
    """Return whether each seed's run ended with an answer."""
    return results.final(experiment, "answer", **settings).notna()


#: The conditions that a run had not met when it reached its cap (`best_arm.capped`), in words.
CONDITIONS = {"unmet_width": "arms not told apart", "unmet_observations": "too few observations (line 5)"}


def unmet(results: Results, experiment: str, **settings: Any) -> str:
    """List the conditions that runs without an answer did not meet, with the number of runs; empty if all ended."""
    if ended(results, experiment, **settings).all():
        return ""
    counts = {name: int((results.final(experiment, m, **settings) > 0).sum()) for m, name in CONDITIONS.items()}
    return "; ".join(f"{name}: {count}" for name, count in counts.items() if count)


def correct(results: Results, experiment: str, **settings: Any) -> pd.Series:
    """Return whether each seed's answer is right within epsilon; False without an answer."""
    return results.final(experiment, "correct", **settings) == 1
