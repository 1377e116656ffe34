"""The arena's table of linear models: what wrong edges cost, and how a largest mean is sought."""

from __future__ import annotations

import numpy as np
import pandas as pd

from arena.players import ratio
from arena.summaries import Scores
from arena.wording import ratio_text
from experiments.results import Results

#: Experiments, with what each algorithm is held against on the same problems: the settings, and their name.
AGAINST = {
    "linear_told": ({"told": "graph"}, "told the graph"),
    "linear_maximum": ({"maximum": "forward"}, "the forward pass"),
}


def linear_told(results: Results) -> pd.DataFrame:
    """Tabulate final regret by what the learner is told and how it plays.

    It is a mean over random problems. A few problems with large regret can make it; so its 95 % interval is of
    percentiles of a bootstrap over problems, and the median stands beside it. The last columns compare with another
    algorithm on the same problems.
    """
    rows = []
    for experiment, (reference, against) in AGAINST.items():
        if not results.policies(experiment, **reference):
            continue
        other = results.final(experiment, by="draw", **reference)
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            final = results.final(experiment, by="draw", policy=policy)
            name = "LinSEM-TS" if settings["algorithm"] == "linsem_ts" else f"LinSEM-UCB, {settings['maximum']}"
            scores = Scores((final.to_numpy()[np.newaxis, np.newaxis],))
            mean, low, high = (float(values[0]) for values in scores.means(scores.values))
            itself = reference.items() <= settings.items()
            rows.append(
                {
                    "algorithm": name,
                    "told": settings["told"],
                    "rounds": results.horizon(experiment),
                    "regret": f"{mean:.1f}",
                    "95 %": f"{low:.1f} to {high:.1f}",
                    "median": f"{final.median():.1f}",
                    "against": "" if itself else against,
                    "over that": "" if itself else ratio_text(*ratio(final, other)),
                    "smaller, share of problems": "" if itself else f"{(final < other).mean():.3f}",
                    "problems": len(final),
                }
            )
    return pd.DataFrame(rows)
