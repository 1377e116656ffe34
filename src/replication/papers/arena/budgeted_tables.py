"""The arena's table of algorithms that spend a budget, beside what is published of them."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from experiments.results import Results
from experiments.selection import selection

#: The experiments with published numbers, and what is measured in them.
PLAYED = {
    "budgeted": "regret",
    "budgeted_costs": "regret",
    "naming": "simple regret",
    "naming_costs": "simple regret",
}
#: The experiments without.
WATCHING = ("naming_watching", "naming_watching_costs")

_METRICS = {"regret": "cumulative_regret", "simple regret": "excess"}
_NAMES = {
    "confounded_budgeted": "Algorithm 1",
    "f_kube": "F-KUBE",
    "crm_nb": "CRM-NB-ALG",
    "confounded_naming": "Algorithm 2",
}
#: gamma-NB-ALG by when it intervenes.
_VARIANTS = {"if_cheap": "gamma-NB-ALG", "always": "PB-ALG", "never": "watching alone"}


def budgeted_table(results: Results) -> pd.DataFrame:
    """Make a row for each published mean, and for watching alone, of which none is published.

    A mean has its standard error behind it. Where an index may leave out costs, both forms are shown.
    """
    rows = []
    for experiment, of in PLAYED.items():
        for text, value in _published(results, experiment):
            chosen = selection(text, experiment)
            rows.append(_row(results, experiment, of, chosen, value))
    for experiment in WATCHING:
        for policy in results.policies(experiment):
            rows.append(_row(results, experiment, "simple regret", {"policy": policy}, ""))
    return pd.DataFrame(rows)


def _published(results: Results, experiment: str) -> list[tuple[str, str]]:
    """Return what selects each player of whom a mean is published, and the mean."""
    found = results.published_where(experiment=experiment, judge="mean")
    return list(zip(found["policy"], found["value"], strict=True))


def _row(results: Results, experiment: str, of: str, chosen: dict[str, Any], value: str) -> dict[str, object]:
    metric = _METRICS[of]
    settings = results.settings(experiment, results.label(experiment, chosen))
    without = {"confounded_budgeted": "printed", "f_kube": "mean", "crm_nb": "mean"}.get(str(settings["algorithm"]))
    least, spread = int(str(settings["cost"])), int(str(settings["spread"]))
    own = results.final(experiment, metric, **chosen)
    bare = results.final(experiment, metric, **{**chosen, "index": without}) if without else None
    return {
        "problem": "general graph" if of == "regret" else "parallel graph",
        "budget": settings["budget"],
        "costs": f"{least} to {least + spread}" if spread else f"{least}",
        "plays": _VARIANTS.get(str(settings.get("intervenes")), _NAMES.get(str(settings["algorithm"]), "")),
        "mean of": of,
        "published": value,
        "here": _with_error(own, of),
        "here, index without costs": "" if bare is None else _with_error(bare, of),
        "runs": len(own),
    }


def _with_error(values: pd.Series, of: str) -> str:
    """Write a mean and its standard error; nothing where runs were cut off before their budget was spent."""
    if values.isna().any() or len(values) < 2:
        return ""
    digits = 1 if of == "regret" else 4
    return f"{values.mean():.{digits}f} ({values.std() / math.sqrt(len(values)):.{digits}f})"
