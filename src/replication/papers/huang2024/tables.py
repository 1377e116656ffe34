"""Build the tables of huang2024: Table 1 and what offline data say, regrets, and the theorems."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.huang2024 import LEVELS, PROBLEMS, scm
from experiments import files
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import Results
from replication.papers.huang2024.policies import FIGURE_4
from replication.papers.huang2024.stages import (
    COLUMNS,
    ESTIMATED,
    GRAPHS,
    ROUNDING,
    ROW_COLUMNS,
    ROW_COUNT,
    VARIABLES,
    outcome_given,
    printed_column,
    row_name,
    rows_of_axes,
    rows_of_pairs,
    substitutes,
)
from replication.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound

# ------------------------------------------------------------------ estimates of each offline sample


#: Experiments at different levels of bias or sizes of the offline sample, with the bounds that each learns from.
BOUNDS_AT_LEVELS = {"levels": "bounds_levels", "sizes": "bounds_sizes"}


def published_column(results: Results, column: str) -> FloatArray:
    """Read a column of Table 1 as published, shape (16,)."""
    rows = results.published_where(place="Table 1", column=column)
    return printed_column([{str(k): str(v) for k, v in row.items()} for row in rows.to_dict("records")], column)


def by_row(path: str | Path) -> pd.DataFrame:
    """Read a table of the stage ``bounds`` and add the column ``row``, the row of Table 1 (0 to 15)."""
    frame: pd.DataFrame = files.read(path).to_pandas()
    return frame.assign(row=4 * frame["arm"] + frame["context"])


def per_sample(path: str | Path, column: str) -> pd.DataFrame:
    """Read a column of a table of the stage ``bounds``, shape (offline samples, rows of Table 1)."""
    return by_row(path).pivot(index="seed", columns="row", values=column)


def cp_per_sample(path: str | Path) -> FloatArray:
    """Read the estimate CP for a very large number of samples (`cp_samples`), shape (samples, 16).

    It is NaN in a row without data.
    """
    return _cp_per_sample(str(path), Path(path).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _cp_per_sample(path: str, modified: int) -> FloatArray:
    table = files.read(path)
    cp = np.stack([table[name].to_numpy() for name in ROW_COLUMNS], axis=1) / 1000
    cp[cp < 0] = np.nan
    cp.flags.writeable = False
    return cp


def covered_rows(frame: pd.DataFrame, effect: FloatArray, bounds: str = "", rounding: float = 0.0) -> pd.Series:
    """Count, for each sample, the rows among the 16 whose bounds contain the exact effect.

    Parameters
    ----------
    frame : DataFrame
        As `by_row` reads it.
    effect : array, shape (16,)
    bounds : "" or "confident_"
        Which bounds of the table: the paper's, or those that are valid for a finite sample (ledger L93).
    rounding : float
        How far outside its bounds an effect may lie, at least 0.
    """
    target = np.asarray(effect)[frame["row"].to_numpy()]
    low, high = frame[f"{bounds}lower"], frame[f"{bounds}upper"]
    inside: pd.Series = ((low <= target + rounding) & (target <= high + rounding)).groupby(frame["seed"]).sum()
    return inside


def levels_played(results: Results) -> list[tuple[str, dict[str, Any]]]:
    """List each experiment of `BOUNDS_AT_LEVELS` with each level at which it is played.

    A level maps the problem's options to values.
    """
    found = []
    for experiment in BOUNDS_AT_LEVELS:
        for policy in results.policies(experiment, algorithm="lin_ucb_pcb"):
            settings = results.settings(experiment, policy)
            found.append((experiment, {name: settings[name] for name in LEVELS if name in settings}))
    return found


def at_level(frame: pd.DataFrame, level: dict[str, Any]) -> pd.DataFrame:
    """Select the rows of a table of the stage ``bounds`` that belong to a level."""
    return frame[(frame[list(level)] == pd.Series(level)).all(axis=1)]


# ------------------------------------------------------------------ offline data


def table1(results: Results) -> pd.DataFrame:
    """Build Table 1, with each cell as published and as replicated.

    Replicated cells show the mean and standard deviation over offline samples.
    """
    groups = by_row(results.files["bounds_contextual"]).groupby("row")
    mean, spread = groups.mean(), groups.std()
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    published = {label: published_column(results, label) for label in COLUMNS.values()}
    rows = []
    for row in range(ROW_COUNT):
        cells = {"index": str(row + 1), "x1 x2|u1 u2": row_name(row)}
        for column, label in ESTIMATED.items():
            cells[f"{label} published"] = f"{published[label][row]:.3f}"
            cells[f"{label} replicated"] = f"{mean[column][row]:.3f} ({spread[column][row]:.3f})"
        cells["Truth published"] = f"{published['Truth'][row]:.3f}"
        cells["Truth exact"] = f"{truth[row]:.3f}"
        rows.append(cells)
    return pd.DataFrame(rows)


def coverage(results: Results) -> pd.DataFrame:
    """Count how often each row's estimated bounds contain the exact effect.

    The bounds from the exact distribution are listed next to them.
    """
    frame, exact = (
        by_row(results.files["bounds_contextual"]),
        by_row(results.files["bounds_contextual_exact"]).set_index("row"),
    )
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    rows = []
    for row, cell in frame.groupby("row"):
        number = int(str(row))
        inside = (cell["lower"] <= truth[number]) & (truth[number] <= cell["upper"])
        sure = (cell["confident_lower"] <= truth[number]) & (truth[number] <= cell["confident_upper"])
        rows.append(
            {
                "index": str(number + 1),
                "x1 x2|u1 u2": row_name(number),
                "offline samples of the cell": f"{cell['count'].mean():.0f}",
                "exact effect": f"{truth[number]:.4f}",
                "exact bounds": f"[{exact['lower'][number]:.4f}, {exact['upper'][number]:.4f}]",
                "mean width of estimated bounds": f"{(cell['upper'] - cell['lower']).mean():.3f}",
                "coverage, %": f"{100 * inside.mean():.1f}",
                "mean width, valid for a sample": f"{(cell['confident_upper'] - cell['confident_lower']).mean():.3f}",
                "coverage, valid for a sample, %": f"{100 * sure.mean():.1f}",
                "strict bounds": f"[{cell['strict_lower'].min():.0f}, {cell['strict_upper'].max():.0f}]",
                "offline seeds": len(cell),
            }
        )
    counts = covered_rows(frame, truth)
    together = {"index": "all 16 at once", "coverage, %": f"{100 * (counts == ROW_COUNT).mean():.1f}"}
    together |= {"exact effect": f"{counts.mean():.1f} cells on average, minimum {counts.min()}"}
    sure = covered_rows(frame, truth, "confident_")
    together |= {"coverage, valid for a sample, %": f"{100 * (sure == ROW_COUNT).mean():.1f}"}
    blank = {name: "" for name in rows[0] if name not in together}
    return pd.DataFrame([*rows, {**blank, **together, "offline seeds": len(counts)}])


def truth(results: Results) -> pd.DataFrame:
    """Compare the published Truth with the exact effect of Table 2, and with P(y | x1, x2), which it shows (E03)."""
    published = published_column(results, "Truth")
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    shown = rows_of_axes(outcome_given(scm().distribution(VARIABLES).sum(axis=-1), ("X1", "X2"))[..., 0])
    rows = [
        {
            "index": str(row + 1),
            "x1 x2|u1 u2": row_name(row),
            "published": f"{published[row]:.3f}",
            "E[Y | do(x), u] of Table 2": f"{effect[row]:.4f}",
            "deviation": f"{published[row] - effect[row]:+.3f}",
            "P(y | x1, x2) of Table 2": f"{shown[row]:.4f}",
            "deviation from it": f"{published[row] - shown[row]:+.3f}",
        }
        for row in range(ROW_COUNT)
    ]
    deviations = {"deviation": effect, "deviation from it": shown}
    largest = {name: f"{np.abs(published - values).max():.4f}" for name, values in deviations.items()}
    return pd.DataFrame([*rows, {"index": "largest", **dict.fromkeys(list(rows[0])[1:], ""), **largest}])


# ------------------------------------------------------------------ bandits


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
    linear: list[dict[str, Any]] = [
        {"algorithm": "lin_ucb", "shared": True, "warm_start": None},
        {"algorithm": "lin_ucb_pcb", "shared": True},
    ]
    oam: list[dict[str, Any]] = [
        {"algorithm": "oam", "epsilon": 1},
        {"algorithm": "oam_pcb", "epsilon": 1, "bounds_enter": "choices"},
    ]
    ucb: list[dict[str, Any]] = [{"algorithm": "ucb"}, {"algorithm": "ucb_pcb"}]
    oam_as_printed = partial(oam_bound, contextual, bounded="all")
    for name, experiment, policies, bound in (
        ("Theorem 5: LinUCB, one theta", "variants", linear, partial(lin_ucb_bound, contextual)),
        ("Theorem 7: OAM", "oam", oam, partial(oam_bound, contextual)),
        ("Theorem 7 as printed, constraints on all arms: OAM", "oam", oam, oam_as_printed),
        ("Theorem 8: UCB", "non_contextual", ucb, partial(ucb_bound, without_context)),
    ):
        horizon = results.horizon(experiment)
        means = (without_context if experiment == "non_contextual" else contextual).means
        for with_bounds, policy in zip((False, True), policies, strict=True):
            rows.append(
                {
                    "statement": name,
                    "prior causal bounds": "yes" if with_bounds else "no",
                    "bound on regret": f"{bound(horizon, with_bounds=with_bounds):.1f}",
                    "largest regret possible": f"{horizon * (means.max(axis=1) - means.min(axis=1)).max():.1f}",
                    "regret measured": plus_minus(results.final(experiment, **policy)),
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
    "table1": table1,
    "table2": table2,
    "coverage": coverage,
    "truth": truth,
    "theory": theory,
    "theorem4": theorem_4,
    "ruled_out_pairs": ruled_out_pairs,
    "ruled_out_pulls": ruled_out_pulls,
    "oam_rounds": oam_rounds,
    "levels": levels,
    "comparison": comparison,
}
