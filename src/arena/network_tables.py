"""The arena's table of networks that people know and of random diagrams of two families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from arena.players import ratio
from arena.wording import in_one_cell, mean_interval, ratio_text
from experiments.results import Results

#: The options that tell problems apart, by what the experiments' names begin with.
_APART = {"network": ("task",), "erdos_renyi": ("nodes", "confounders"), "scale_free": ("nodes", "confounders")}

#: Algorithms by the names that the table gives them, in its order.
ALGORITHMS = {
    "thompson": "TS",
    "kl_ucb": "kl-UCB",
    "c_ts": "C-TS",
    "c_ucb_arms": "C-UCB",
    "hac_ucb": "HAC-UCB",
    "ucb_plus": "UCB+, number of parents told",
    "ucb_plus_unknown": "UCB+, number of parents not told",
}

#: What arms set, by the option ``told`` of the problems (`arms_told.TOLD`), in the table's order.
ARMS = {
    "single": "one variable at most",
    "diagram": "possibly optimal",
    "nothing": "all interventions",
    "all_set": "all variables set",
}


def network_regrets(results: Results) -> pd.DataFrame:
    """Return one row for each problem, algorithm and kind of arms that is played, in the table's order.

    A network is one problem, and its interval is over runs. Random diagrams differ between runs, and the interval is
    over problems.

    Returns
    -------
    DataFrame
        ``experiment, policy``, where it is played; ``problem``, its name; ``algorithm``, a value of `ALGORITHMS`;
        ``told``, a key of `ARMS`; ``rounds``; ``mean, low, high`` of the final regret with its 95 % interval; ``n``,
        and ``over``, what the interval is over: runs or problems; ``final``, the regrets as a Series by run or problem.
    """
    algorithms, arms = list(ALGORITHMS), list(ARMS)
    problems: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    for experiment in results.plans:
        family = next((start for start in _APART if experiment.startswith(start)), None)
        for policy in results.policies(experiment) if family else []:
            settings = {name: str(value) for name, value in results.settings(experiment, policy).items()}
            problem = _named(str(family), settings)
            over = "seed" if family == "network" else "draw"
            final = results.final(experiment, by=over, policy=policy)
            place = problems.setdefault(problem, len(problems))
            rows.append(
                {
                    "place": (place, algorithms.index(settings["algorithm"]), arms.index(settings["told"])),
                    "experiment": experiment,
                    "policy": policy,
                    "problem": problem,
                    "algorithm": ALGORITHMS[settings["algorithm"]],
                    "told": settings["told"],
                    "rounds": results.horizon(experiment),
                    **dict(zip(("mean", "low", "high"), mean_interval(final), strict=True)),
                    "n": len(final),
                    "over": "runs" if over == "seed" else "problems",
                    "final": final,
                }
            )
    return pd.DataFrame(rows).sort_values("place", ignore_index=True).drop(columns="place")


def _named(family: str, settings: Mapping[str, str]) -> str:
    """Name a problem: a network's task, or a random family with its options."""
    if family == "network":
        return settings["task"]
    return f"{family}: {', '.join(f'{name} {settings[name]}' for name in _APART[family])}"


def networks_table(results: Results) -> pd.DataFrame:
    """Tabulate regret by what arms set, and the ratio of possibly optimal sets to single variables.

    Networks and random diagrams are never averaged.
    """
    rows = []
    for (problem, algorithm), group in network_regrets(results).groupby(["problem", "algorithm"], sort=False):
        finals = dict(zip(group["told"], group["final"], strict=True))
        both = {"single", "diagram"} <= finals.keys()
        rows.append(
            {"problem": problem, "algorithm": algorithm, "rounds": group["rounds"].iloc[0]}
            | {said: in_one_cell(finals[told]) if told in finals else "" for told, said in ARMS.items()}
            | {"second over first": ratio_text(*ratio(finals["diagram"], finals["single"])) if both else ""}
            | {"intervals over": f"{group['n'].iloc[0]} {group['over'].iloc[0]}"}
        )
    return pd.DataFrame(rows)
