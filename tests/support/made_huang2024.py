"""Made-up results of huang2024, of every policy that its file declares; only the numbers are made up."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from committed import Claims
from plans import plan_of

from causal_bandits.problems.huang2024 import PROBLEMS
from causal_bandits.seeding import generators
from experiments.files import write
from experiments.results import Results
from experiments.study import Study
from replication.papers.huang2024 import stages
from replication.papers.huang2024.stages import exact_bounds, exact_bounds_at_levels

ROOT = Path(__file__).parents[2]
CLAIMS = Claims("huang2024")
PUBLISHED = CLAIMS.published
ROWS = np.arange(16)
EFFECT = stages.rows_of_pairs(PROBLEMS["synthetic"]().means)
#: Table 1 as printed.
TABLE_1 = {
    "cp": [313, 336, 533, 510, 517, 494, 657, 710, 377, 386, 525, 518, 547, 513, 756, 681],
    "biased": [364, 351, 346, 362, 539, 519, 513, 537, 492, 474, 468, 490, 652, 628, 620, 649],
    "lower": [246, 236, 233, 244, 350, 376, 371, 389, 296, 285, 282, 295, 414, 409, 404, 324],
    "upper": [385, 371, 367, 384, 565, 545, 538, 563, 505, 486, 480, 503, 665, 640, 632, 662],
    "truth": [283, 278, 275, 283, 448, 440, 436, 448, 419, 411, 407, 419, 580, 569, 564, 580],
}
TABLE_1 = {column: np.array(values) / 1000 for column, values in TABLE_1.items()}


@cache
def study(extras=True):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["huang2024"]
    config["scale"]["when"] = "whole" if extras else "small"
    return Study(config, ROOT)


@cache
def plans(extras=True):
    made = study(extras)
    return {name: plan_of(made, "huang2024", name) for name in made.papers["huang2024"]["experiments"]}


def made(regret=None, ruled_out=None, seeds=100, files=None, extras=True, published=None, horizon=None):
    """Results where ``regret(experiment, settings)`` and ``ruled_out(...)`` give a policy's values or their mean.

    A mean gets normal noise of standard deviation 1, an array (seeds,) none.
    """
    rng = np.random.default_rng(0)
    finals, curves = {}, {}
    chosen = plans(extras)
    if horizon is not None:
        chosen = {name: replace(plan, horizon=horizon) for name, plan in chosen.items()}
    for experiment, plan in chosen.items():
        labels, columns = list(plan.settings), {"cumulative_regret": [], "ruled_out": []}
        for settings in plan.settings.values():
            for metric, of in zip(columns, (regret, ruled_out), strict=True):
                value = of(experiment, settings) if of else 100.0
                columns[metric].append(value if isinstance(value, np.ndarray) else value + rng.normal(0, 1, seeds))
        runs = {"policy": np.repeat(np.array(labels, dtype=object), seeds), "seed": np.tile(range(seeds), len(labels))}
        runs["draw"] = runs["seed"]
        runs |= {metric: np.concatenate(values) for metric, values in columns.items()}
        finals[experiment] = pd.DataFrame(runs | {"t": plan.horizon})
        mean = np.mean(columns["cumulative_regret"], axis=1)
        points = {"policy": labels, "metric": "cumulative_regret", "t": plan.horizon, "mean": mean}
        curves[experiment] = pd.DataFrame(points | {"ci_low": mean - 1, "ci_high": mean + 1})
    return Results(curves, finals, PUBLISHED if published is None else published, files or {}, chosen)


def judged(claim_id, results, *, default=False, **changed):
    """The verdict of a committed claim, with some of its cells changed."""
    claim = CLAIMS[claim_id].printing(**changed)
    return (claim.default if default else claim).judged(results)


def exact_files(folder):
    """The stage's tables of exact bounds, made by the study's own builder."""
    paths = {}
    for contextual, name in ((True, "bounds_contextual_exact"), (False, "bounds_non_contextual_exact")):
        paths[name] = str(folder / f"{name}.parquet")
        write(exact_bounds([0], None, contextual), paths[name])
    return paths


def samples(path, columns, seeds, sd=0.01, rng=0):
    """A table of the stage ``bounds``: every column's cells in the order of Table 1, with normal noise of ``sd``."""
    rows, noise = np.arange(16), np.random.default_rng(rng).normal(0, 1, (seeds, len(columns), 16))
    # Table 1's order is arm, then context.
    found = {"context": rows % 4, "arm": rows // 4, "count": 100.0 + rows}
    found = {name: np.tile(values, seeds) for name, values in found.items()} | {"seed": np.repeat(range(seeds), 16)}
    for i, (name, centre) in enumerate(columns.items()):
        found[name] = (np.asarray(centre) + noise[:, i] * (0.0 if name.startswith("strict") else sd)).ravel()
    pd.DataFrame(found).sort_values(["seed", "context", "arm"]).to_parquet(path, index=False)
    return str(path)


def with_column(column, values):
    """The published numbers with another column of Table 1."""
    table = PUBLISHED.copy()
    table.loc[(table["place"] == "Table 1") & (table["column"] == column), "value"] = [f"{v:.6f}" for v in values]
    return table


def regret(experiment, settings):
    """Another mean for every policy, and 10 more at twice the confounding."""
    order = ["lin_ucb", "lin_ucb_pcb", "oam", "oam_pcb", "ucb", "ucb_pcb"]
    start = [None, "biased", "cp", "observed"].index(settings.get("warm_start"))
    shared, small = settings.get("shared", False), settings.get("epsilon", 1) < 1
    reach = ["choices", "gaps", "arms"].index(settings.get("bounds_enter", "choices"))
    return (
        100.0 * (1 + order.index(settings["algorithm"]))
        + 1.5 * reach
        + 20 * start
        + 7 * shared
        + 5 * small
        + settings.get("alpha", 1.0)
        + 10 * (settings.get("confounding") == 2)
    )


def pulls(experiment, settings):
    """Pulls of ruled-out arms: 50 of the first seeds of one policy."""
    return np.where(np.arange(20) < 4, 50.0, 0.0) * (settings.get("alpha") == 0.25 and experiment == "exact")


def level_files(folder):
    """Bounds of every level that the file names, on either side of the effect; at (0, 0) one sample misses."""
    wide = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1}
    wide |= {"confident_lower": EFFECT - 0.2, "confident_upper": EFFECT + 0.2}
    parts = {"levels": [], "sizes": []}
    for name, levels in (
        ("levels", [(c, s, 30_000) for c in (0, 1, 2) for s in (0, 1, 1.25)]),
        ("sizes", [(1, 1, n) for n in (3_000, 10_000, 100_000)]),
    ):
        for confounding, selection, draws in levels:
            frame = pd.read_parquet(samples(folder / "one.parquet", wide, 4, sd=0.001))
            frame = frame.assign(confounding=float(confounding), selection=float(selection), offline_draws=draws)
            if confounding == selection == 0:
                frame.loc[frame["seed"] == 2, "upper"] = 0.0
            parts[name].append(frame)
    files = {}
    for name, frames in parts.items():
        files[f"bounds_{name}"] = str(folder / f"{name}.parquet")
        pd.concat(frames).to_parquet(files[f"bounds_{name}"], index=False)
    files["bounds_levels_exact"] = str(folder / "exact.parquet")
    exact = exact_bounds_at_levels([0], None, [0, 1, 2], [0, 1, 1.25]).to_pandas()
    exact.to_parquet(files["bounds_levels_exact"], index=False)
    return files


def rng(seed):
    return generators(1, "test/huang2024", seed)[0]


def cells(table, **key):
    """The one row of a table with these cells."""
    found = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]
