"""What the found six-variable instances predict (L194).

Predicted are curves kept back from the search; shown is how far they differ.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from experiments import files
from experiments.results import Results
from replication.papers.lee2019.gaps import gap
from replication.papers.lee2019.labels import written
from replication.papers.lee2019.strategies import SOLVERS, STRATEGIES, intervention_sets, played

#: Curves of Fig. 5c that were not read from the drawing: solver and strategy.
KEPT_BACK = [*(("TS", strategy) for strategy in reversed(STRATEGIES)), ("KL-UCB", "POMIS+")]
#: Repetitions that the paper averages.
TRIALS = 1000


def predicted_curves(results: Results) -> pd.DataFrame:
    """Predict the curves of Fig. 5c that were kept back, at the checkpoints of those that were published.

    The interval is where one more instance's mean of 1,000 drawn regrets would lie in 95 % of cases. Seeds of all
    instances are averaged at a checkpoint; what part of their variance lies between instances is known at the horizon
    alone, and is taken for the same before. It is symmetric in logarithms, so that no regret is below zero.
    Between checkpoints of the runs, and before the first, at 100 rounds, curves are straight lines.
    """
    (experiment,) = results.experiments()
    checkpoints = files.read(results.file("published_curves")).to_pandas()["t"].unique()
    rows = []
    for solver, strategy in KEPT_BACK:
        settings = played(solver, strategy)
        n, share = _between(results, experiment, settings)
        curve = results.curve(experiment, "cumulative_regret", **settings).sort_values("t")
        drawn = results.curve(experiment, "drawn_regret", **settings).sort_values("t")
        t = np.array([at for at in np.sort(checkpoints) if at <= curve["t"].max()])
        mean, spread = (np.interp(t, [0, *curve["t"]], [0.0, *curve[column]]) for column in ("mean", "std"))
        # Rewards of single rounds are drawn: their variance grows with the rounds.
        noise = np.sqrt(np.interp(t, [0, *drawn["t"]], [0.0, *drawn["std"] ** 2]) / TRIALS)
        error = np.sqrt(share * spread**2 * (1 + 1 / n) + noise**2)
        times = np.exp(stdtrit(n - 1, 0.975) * error / mean)
        rows.append(
            pd.DataFrame(
                {"solver": solver, "strategy": strategy, "t": t, "mean": mean.round(3)}
                | {"low": (mean / times).round(3), "high": (mean * times).round(3), "instances": n}
            )
        )
    return pd.concat(rows, ignore_index=True)


def _between(results: Results, experiment: str, settings: dict[str, str]) -> tuple[int, float]:
    """Return the number of instances, and the share of the final regret's variance that lies between them."""
    means = results.final(experiment, by="draw", **settings)
    seeds = results.final(experiment, **settings)
    each = len(seeds) / len(means)
    within = (float(seeds.var()) * (len(seeds) - 1) - each * float(means.var()) * (len(means) - 1)) / max(
        len(seeds) - len(means), 1
    )
    between = max(0.0, float(means.var()) - within / each)
    total = between + within
    return len(means), between / total if total > 0 else 0.0


def found_instances(results: Results) -> pd.DataFrame:
    """List the found instances: distance from the published curves, best arms, gaps, and regrets on each."""
    from replication.papers.lee2019.problems import build  # loads numba, which most tables do without
    from replication.papers.lee2019.theorem_claims import best_mean

    (experiment,) = results.experiments()
    path = Path(results.file("sixvar"))
    members = json.loads(path.read_text())["members"]
    regret = {
        (solver, strategy): results.final(experiment, by="draw", **played(solver, strategy))
        for solver in SOLVERS
        for strategy in ("POMIS", "POMIS+")
    }
    rows = []
    for draw in next(iter(regret.values())).index:
        member = members[draw]
        bandit = build("sixvar", ensemble=path, draw=int(draw)).with_arms("possibly_optimal")
        sets = sorted((s for s in intervention_sets("sixvar", "possibly_optimal")), key=lambda s: (len(s), sorted(s)))
        best = [written([chosen]) for chosen in sets if best_mean(bandit.scm, chosen) > bandit.means.max() - 1e-12]
        rows.append(
            {
                "instance": int(draw),
                "squared distance from the curves": f"{member['distance'] ** 2:.1f}",
                "best set": " ".join(best),
                "best arms": int((bandit.means > bandit.means.max() - 1e-12).sum()),
                "best mean": f"{bandit.means.max():.7f}",
                "gap to the next": f"{gap(bandit.means):.4f}",
                "worst arm below": f"{bandit.means.max() - bandit.means.min():.4f}",
                **{f"noise of {name}": f"{noise:.2f}" for name, noise in member["noises"].items()},
                **{f"{solver} {strategy}": f"{values[draw]:.1f}" for (solver, strategy), values in regret.items()},
            }
        )
    return pd.DataFrame(rows)
