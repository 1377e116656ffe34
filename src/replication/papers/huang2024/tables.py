"""Build the tables of huang2024 about online learning, and list all tables by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.problems.huang2024 import PROBLEMS, scm
from experiments import files
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import Results
from replication.papers.huang2024 import offline_tables as offline
from replication.papers.huang2024.bounds import GRAPHS, ROUNDING, substitutes
from replication.papers.huang2024.estimates import (
    BOUNDS_AT_LEVELS,
    at_level,
    by_row,
    covered_rows,
    levels_played,
)
from replication.papers.huang2024.policies import FIGURE_4
from replication.papers.huang2024.table1 import ROW_COUNT, rows_of_pairs
from replication.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound


def table2(results: Results) -> pd.DataFrame:
    """Build Table 2: the conditional probabilities of the simulated model."""
    model, rows = scm(), []
    for variable in model.variables:
        parents, table = model.cpt(variable)
        ones = np.asarray(table)[..., 1]
        entries = [
            f"{', '.join(f'{p}={x}' for p, x in zip(parents, states, strict=True))}: {ones[states]:.4g}"
            for states in np.ndindex(*ones.shape)
        ]
        given = f" | {', '.join(parents)}" if parents else ""
        rows.append({"variable": variable, "probability of 1": f"P({variable}=1{given})", "value": "; ".join(entries)})
    return pd.DataFrame(rows)


def theory(results: Results) -> pd.DataFrame:
    """Evaluate the regret bounds of Theorems 5, 7 and 8 with the exact causal bounds.

    The measured regret is listed next to them.
    """
    contextual = PROBLEMS["synthetic"](bounds=results.files["bounds_contextual_exact"], draw=0)
    without_context = PROBLEMS["non_contextual"](bounds=results.files["bounds_non_contextual_exact"], draw=0)
    rows = []
    linear, oam, ucb = ("lin_ucb", "lin_ucb_pcb"), ("oam", "oam_pcb"), ("ucb", "ucb_pcb")
    shared: dict[str, Any] = {"shared": True}
    oam_as_printed = partial(oam_bound, contextual, bounded="all")
    for name, experiment, algorithms, settings, bound in (
        ("Theorem 5: LinUCB, one theta", "variants", linear, shared, partial(lin_ucb_bound, contextual)),
        ("Theorem 7: OAM", "oam", oam, {}, partial(oam_bound, contextual)),
        ("Theorem 7 as printed, constraints on all arms: OAM", "oam", oam, {}, oam_as_printed),
        ("Theorem 8: UCB", "non_contextual", ucb, {}, partial(ucb_bound, without_context)),
    ):
        horizon = results.horizon(experiment)
        means = (without_context if experiment == "non_contextual" else contextual).means
        for with_bounds, algorithm in zip((False, True), algorithms, strict=True):
            rows.append(
                {
                    "statement": name,
                    "prior causal bounds": "yes" if with_bounds else "no",
                    "bound on regret": f"{bound(horizon, with_bounds=with_bounds):.1f}",
                    "largest regret possible": f"{horizon * (means.max(axis=1) - means.min(axis=1)).max():.1f}",
                    "regret measured": plus_minus(results.final(experiment, algorithm=algorithm, **settings)),
                    "rounds": horizon,
                }
            )
    return pd.DataFrame(rows)


def ruled_out_pairs(results: Results) -> pd.DataFrame:
    """Count the pairs of arm and context that the bounds rule out (N_pcb).

    The table also lists how often a best arm is among them.
    """
    rows = []
    for name, problem, path in (
        ("U1, U2", "synthetic", results.files["bounds_contextual"]),
        ("U1, U2, exact bounds", "synthetic", results.files["bounds_contextual_exact"]),
        ("none", "non_contextual", results.files["bounds_non_contextual"]),
        ("none, exact bounds", "non_contextual", results.files["bounds_non_contextual_exact"]),
    ):
        means = PROBLEMS[problem]().means
        best = means.max(axis=1)
        frame = files.read(path).to_pandas()
        frame = frame.assign(
            out=frame["upper"].to_numpy() < best[frame["context"]],
            optimal=means[frame["context"], frame["arm"]] >= best[frame["context"]] - 1e-12,
        )
        counts = frame.groupby("seed")["out"].sum()
        highest = frame.groupby(["seed", "context"])["lower"].transform("max")
        by_bounds = (frame["upper"] < highest).groupby(frame["seed"]).sum()
        hit = (frame["out"] & frame["optimal"]).groupby(frame["seed"]).any()
        rows.append(
            {
                "context": name,
                "pairs": means.size,
                "ruled out, mean": f"{counts.mean():.2f}",
                "least": int(counts.min()),
                "most": int(counts.max()),
                "below another arm's lower bound, mean": f"{by_bounds.mean():.2f}",
                "samples whose bound of a best arm is too low, %": f"{100 * hit.mean():.1f}",
                "offline samples": len(counts),
            }
        )
    return pd.DataFrame(rows)


def ruled_out_pulls(results: Results) -> pd.DataFrame:
    """Count the pulls of arms that the bounds rule out (Lemma 6)."""
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment):
            pulls = results.final(experiment, policy=policy, metric="ruled_out")
            rows.append(
                {
                    "experiment": experiment,
                    "policy": policy,
                    "pulls of ruled-out arms": plus_minus(pulls),
                    "seeds with any": int((pulls > 0).sum()),
                    "seeds": len(pulls),
                    "rounds": results.horizon(experiment),
                }
            )
    return pd.DataFrame(rows)


def oam_rounds(results: Results) -> pd.DataFrame:
    """Count the rounds of each kind that OAM and OAM-PCB play; "unwasted" includes the warm-up."""
    rows = []
    for experiment in results.experiments():
        horizon = results.horizon(experiment)
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            kinds = {k: results.final(experiment, k, policy=policy) for k in ("exploitation", "wasted", "forced")}
            row = {
                "policy": policy,
                "rounds": horizon,
                "c": settings["c"],
                "epsilon": settings["epsilon"],
                "bounds enter": settings.get("bounds_enter", ""),
                "seeds": len(kinds["exploitation"]),
                "seeds with exploitation": int((kinds["exploitation"] > 0).sum()),
            }
            row |= {name: f"{counts.mean():.1f}" for name, counts in kinds.items()}
            row["unwasted"] = f"{horizon - sum(counts.mean() for counts in kinds.values()):.1f}"
            rows.append({**row, "regret": plus_minus(results.final(experiment, policy=policy))})
    return pd.DataFrame(rows)


def levels(results: Results) -> pd.DataFrame:
    """Compare coverage of the bounds and regret over levels of the biases and sizes of the offline sample."""
    frames = {experiment: by_row(results.files[table]) for experiment, table in BOUNDS_AT_LEVELS.items()}
    exact = by_row(results.files["bounds_levels_exact"])
    rows = []
    for experiment, level in levels_played(results):
        chosen = {"confounding": 1.0, "selection": 1.0, "offline_draws": 30_000} | level
        frame = at_level(frames[experiment], level)
        limit = at_level(exact, {name: chosen[name] for name in ("confounding", "selection")})
        effect = rows_of_pairs(PROBLEMS["synthetic"](**level).means)
        row = {name: f"{float(value):g}" for name, value in chosen.items()}
        row["cells covered, exact bounds"] = str(int(covered_rows(limit, effect, rounding=1e-12).min()))
        for name, bounds in (("estimated", ""), ("valid for a sample", "confident_")):
            counts = covered_rows(frame, effect, bounds)
            width = (frame[f"{bounds}upper"] - frame[f"{bounds}lower"]).mean()
            row[f"cells covered, {name}"] = f"{counts.mean():.2f}"
            row[f"all covered, {name}, %"] = f"{100 * (counts == ROW_COUNT).mean():.0f}"
            row[f"width, {name}"] = f"{width:.3f}"
        regret = {label: results.final(experiment, **level, **look.settings) for label, look in FIGURE_4.items()}
        row |= {label: plus_minus(values) for label, values in regret.items()}
        row["LinUCB above LinUCB-PCB, paired"] = plus_minus(regret["LinUCB"] - regret["LinUCB-PCB"])
        rows.append({**row, "seeds": len(regret["LinUCB"])})
    return pd.DataFrame(rows)


def theorem_4(results: Results) -> pd.DataFrame:
    """Count how often P_x(y) lies outside the extremes over w of P_{x,w}(y).

    The models are those of the stage ``bounds``. "As printed" requires recoverability alone, as Theorem 4 does; "with
    the exchange condition" requires both.
    """
    models = files.read(results.files["bounds_theorem_4"]).to_pandas()
    rows = []
    for name in GRAPHS:
        printed, strict = (substitutes(name, exchange) for exchange in (False, True))
        excess = models.loc[models["graph"] == name, "excess"]
        rows.append(
            {
                "graph, besides X -> Y": name,
                "{W} is a substitute as printed": "yes" if printed else "no",
                "with the exchange condition": "yes" if strict else "no",
                "random models": len(excess),
                "P_x(y) outside for some x, %": f"{100 * (excess > ROUNDING).mean():.1f}",
                "by at most": f"{max(excess.max(), 0):.3f}",
            }
        )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": offline.table1,
    "table2": table2,
    "coverage": offline.coverage,
    "truth": offline.truth,
    "theory": theory,
    "theorem4": theorem_4,
    "ruled_out_pairs": ruled_out_pairs,
    "ruled_out_pulls": ruled_out_pulls,
    "oam_rounds": oam_rounds,
    "levels": levels,
    "comparison": comparison,
}
