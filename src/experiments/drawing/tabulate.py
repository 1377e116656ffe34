"""Make a paper's tables with its own functions, and write them as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from experiments.aggregate import half_width
from experiments.files import whole
from experiments.results import Plan, Results
from experiments.settings import Setting, compact, differing

if TYPE_CHECKING:
    from experiments.study import ItemJob


def tabulate(job: ItemJob, inputs: Mapping[str, Any], outputs: Sequence[str | Path]) -> None:
    """Make one table of a paper.

    Parameters
    ----------
    job : ItemJob
        Its functions return a `DataFrame`.
    inputs : mapping
        As for `Results.load`.
    outputs : sequence of path
        The format follows the suffix: .csv, .md or .tex.
    """
    frame = resolve_name(job.items)[job.item](Results.load(job, inputs))
    for output in outputs:
        with whole(output) as temporary:
            temporary.write_text(as_text(frame, Path(output).suffix), encoding="utf-8", newline="\n")


def as_text(frame: pd.DataFrame, suffix: str) -> str:
    """Return the table as ``.csv``, ``.md`` or ``.tex``."""
    if suffix == ".csv":
        return str(frame.to_csv(index=False, lineterminator="\n"))
    if suffix == ".md":
        cells = frame.map(lambda cell: str(cell).replace("|", "\\|"))
        return f"{cells.to_markdown(index=False, disable_numparse=True)}\n"
    return str(_escaped(frame).to_latex(index=False, escape=False))


def _escaped(frame: pd.DataFrame) -> pd.DataFrame:
    """Escape LaTeX's special characters, except in the columns that ``frame.attrs["math"]`` names."""
    special = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"} | {"\\": r"\textbackslash{}"})
    math = frame.attrs.get("math", ())
    return pd.DataFrame(
        {
            str(name).translate(special): values if name in math else values.astype(str).str.translate(special)
            for name, values in frame.items()
        }
    )


def plus_minus(values: pd.Series) -> str:
    """Format a mean and half the width of its 95 % interval (Student's t, ledger L17)."""
    half = half_width(np.array([values.std()]), np.array([len(values)]))[0]
    return f"{values.mean():.2f} ± {half:.2f}"


def comparison(results: Results) -> pd.DataFrame:
    """Tabulate the final regret of every policy that is played, ordered by mean within a setting.

    A setting is what the policies of an experiment play: the problem with its options. If every experiment has only one
    setting, the table has no column for it.
    """
    rows = []
    for experiment in results.experiments():
        for setting, policies in _by_setting(results.plans[experiment]).items():
            regret = {policy: results.final(experiment, policy=policy) for policy in sorted(policies)}
            ordered = sorted(regret, key=lambda policy: float(regret[policy].mean()))
            for policy in ordered:
                rows.append(
                    {
                        "experiment": experiment,
                        "setting": setting,
                        "policy": policy,
                        "regret": plus_minus(regret[policy]),
                        "above the lowest, paired": plus_minus(regret[policy] - regret[ordered[0]]),
                        "seeds": len(regret[policy]),
                        "rounds": results.horizon(experiment),
                    }
                )
    table = pd.DataFrame(rows)
    return table if any(row["setting"] for row in rows) else table.drop(columns="setting", errors="ignore")


def told_apart(policies: Mapping[str, Mapping[str, Setting]]) -> dict[str, str]:
    """Label each policy with the settings in which the policies differ, such as ``size 10, components 2``."""
    names = differing(policies.values())
    return {policy: ", ".join(f"{name} {compact(own.get(name))}" for name in names) for policy, own in policies.items()}


def _by_setting(plan: Plan) -> dict[str, list[str]]:
    """Group the played policies by the options in which their problems differ."""
    options = {}
    for policy, settings in plan.settings.items():
        own = {"algorithm", "arms", *plan.defaults[str(settings["algorithm"])]}
        options[policy] = {name: value for name, value in settings.items() if name not in own}
    found = defaultdict[str, list[str]](list)
    for policy, setting in told_apart(options).items():
        found[setting].append(policy)
    return found
