"""How far algorithms are from the least regret that is possible: small models whose constant is known.

The constant is that of Graves and Lai for the model's diagram, with all variables shown in every round
(`causal_bandits.estimation.graves_lai`). Regret over the constant times log T tends to at least one for every learner
whose regret grows more slowly than any power of T on all models of the diagram. It may be less at a finite T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from arena.style import plain_ticks
from arena.wording import in_columns
from causal_bandits.estimation.graves_lai import AsymptoticBound, graves_lai, lai_robbins
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.families import uniform_cpt
from causal_bandits.models.wide_bandit import WideSCMBandit, arms_on
from causal_bandits.problems.construction.arena.beliefs import generator
from causal_bandits.problems.construction.arena.diagrams import REWARD, one_at_most, random_diagram
from causal_bandits.problems.construction.arena.limit_models import MODELS, limit
from experiments.drawing.plotting import COLOURS
from experiments.results import Results

#: The experiments: Thompson sampling, told nothing or the diagram; other algorithms, told the diagram.
EXPERIMENT, OTHERS = "limit", "limit_solvers"


@dataclass(frozen=True)
class Constants:
    """What a learner's regret over log T is compared with.

    Attributes
    ----------
    full : AsymptoticBound
        The diagram is known, and every round shows all variables.
    possibly_optimal, every : float
        Lai and Robbins' constants: only rewards are used, of the arms on possibly optimal sets, or of all arms.
    """

    full: AsymptoticBound
    possibly_optimal: float
    every: float


@cache
def constants(model: str) -> Constants:
    """Compute the constants of a key of `MODELS`."""
    return constants_of(limit(model, "nothing"))


def constants_of(bandit: WideSCMBandit) -> Constants:
    """Compute the constants of a bandit without hidden causes.

    All its possibly optimal arms must be among its arms.
    """
    sets = possibly_optimal_intervention_sets(bandit.scm.graph, bandit.reward, bandit.non_manipulable)
    arms = list(bandit.arms)
    rivals = [number for number, arm in enumerate(arms) if frozenset(arm) in sets]
    full = graves_lai(bandit.scm, bandit.reward, arms, rivals, tolerance=1e-3)
    return Constants(full, lai_robbins(bandit.means[rivals]), lai_robbins(bandit.means))


@dataclass(frozen=True)
class Learner:
    """Who plays.

    Parameters
    ----------
    name : str
        What is told, and the algorithm.
    experiment : str
    settings : mapping
        What selects it there.
    colour : str
    """

    name: str
    experiment: str
    settings: Mapping[str, Any]
    colour: str


LEARNERS = (
    Learner("all arms, TS", EXPERIMENT, {"algorithm": "thompson", "told": "nothing"}, "0.45"),
    Learner("the diagram, TS", EXPERIMENT, {"algorithm": "thompson", "told": "diagram"}, COLOURS["blue"]),
    Learner("the diagram, kl-UCB", OTHERS, {"algorithm": "kl_ucb"}, COLOURS["green"]),
    Learner("the diagram, z2-TS", OTHERS, {"algorithm": "z2_thompson"}, COLOURS["red"]),
    Learner("the diagram, z2-kl-UCB", OTHERS, {"algorithm": "z2_kl_ucb"}, COLOURS["orange"]),
)


def _played(results: Results) -> list[str]:
    return [model for model in MODELS if results.policies(EXPERIMENT, model=model)]


def limit_table(results: Results) -> pd.DataFrame:
    """Final regret of every player, over its constant times log T."""
    rows, rounds = [], results.horizon(EXPERIMENT)
    for model in _played(results):
        known = constants(model)
        for learner in LEARNERS:
            if not results.policies(learner.experiment, model=model, **learner.settings):
                continue
            regret = results.final(learner.experiment, model=model, **learner.settings)
            own = known.every if learner.settings.get("told") == "nothing" else known.possibly_optimal
            rows.append(
                {
                    "model": MODELS[model][0],
                    "knows, and plays": learner.name,
                    "rounds": rounds,
                    **in_columns(regret),
                    "over the least possible": _over(regret.mean(), known.full.upper, rounds),
                    "over the least with its arms' rewards alone": _over(regret.mean(), own, rounds),
                    "runs": len(regret),
                }
            )
    return pd.DataFrame(rows)


def _over(regret: float, constant: float, rounds: int) -> str:
    return f"{regret / (constant * np.log(rounds)):.2f}" if constant > 0 else ""


#: The random problems of the table of constants: how many variables they have beside the reward.
NODES = 3
#: In words, how many causes of the reward no arm sets, and how many problems: the second kind takes long.
RANDOM = (("random, all variables can be set", 0, 20), ("random, one cause of Y cannot be set", 1, 4))


def constants_table(results: Results) -> pd.DataFrame:
    """Constants of the small models, and of random ones, which say where borrowing between arms can pay."""
    rows = [_constants_row(text, [constants(model)]) for model, (text, _, _) in MODELS.items()]
    for text, fixed, draws in RANDOM:
        found = [constants_of(random_problem(draw, fixed)) for draw in range(draws)]
        rows.append(_constants_row(f"{text}: {NODES} variables, {draws} models", found))
    return pd.DataFrame(rows)


def random_problem(draw: int, fixed: int) -> WideSCMBandit:
    """Draw a problem without confounders of the arena's own kind.

    Its arms set one variable, none, or a POMIS.

    Parameters
    ----------
    draw : int
    fixed : int
        How many causes of the reward no arm sets: 0 or 1.
    """
    rng = generator("limit", draw)
    graph = random_diagram(NODES, 0, rng)
    scm = uniform_cpt(graph, rng)
    never = frozenset(sorted(graph.parents(REWARD))[:fixed])
    free = [v for v in graph.nodes if v != REWARD and v not in never]
    sets = {*one_at_most(free), *possibly_optimal_intervention_sets(graph, REWARD, never)}
    return WideSCMBandit(scm, REWARD, never, arms_on(scm, sets))


def _constants_row(model: str, found: Sequence[Constants]) -> dict[str, str]:
    def said(values: Sequence[float], digits: int) -> str:
        low, high = min(values), max(values)
        return f"{low:.{digits}f}" if len(values) == 1 else f"{low:.{digits}f} to {high:.{digits}f}"

    shares = [c.full.upper / c.possibly_optimal for c in found if c.possibly_optimal > 0]
    return {
        "model": model,
        "least possible": said([c.full.upper for c in found], 4),
        "with the rewards of possibly optimal arms": said([c.possibly_optimal for c in found], 4),
        "with the rewards of all arms": said([c.every for c in found], 4),
        "the first over the second": said(shares, 3),
        "searches proven": f"{sum(c.full.proven for c in found)} of {len(found)}",
    }


def limit_figure(results: Results) -> Figure:
    """Regret over the least possible, by the number of rounds, with 95 % bands: one panel per model."""
    models = _played(results)
    figure, panels = plt.subplots(1, len(models), figsize=(4.6 * len(models), 4.4), squeeze=False, layout="constrained")
    for axes, model in zip(panels[0], models, strict=True):
        known = constants(model)
        for learner in LEARNERS:
            if results.policies(learner.experiment, model=model, **learner.settings):
                curve = results.curve(learner.experiment, model=model, **learner.settings)
                curve = curve[curve["t"] >= max(2, results.horizon(learner.experiment) / 10_000)]
                least = known.full.upper * np.log(curve["t"])
                axes.plot(curve["t"], curve["mean"] / least, color=learner.colour, label=learner.name)
                low, high = (curve[end] / least for end in ("ci_low", "ci_high"))
                low = low.clip(lower=0.01)  # a logarithmic axis has no place for zero
                axes.fill_between(curve["t"], low, high, color=learner.colour, alpha=0.15, linewidth=0)
        for value, style, name in (
            (1.0, "-", "least possible (Graves and Lai)"),
            (known.possibly_optimal / known.full.upper, "--", "least with possibly optimal arms' rewards"),
            (known.every / known.full.upper, ":", "least with all arms' rewards"),
        ):
            axes.axhline(value, color="0.2", linestyle=style, linewidth=0.9, label=name)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.4)
        plain_ticks(axes.yaxis)
        axes.set_xlabel("rounds T")
        axes.set_title(MODELS[model][0], loc="left", fontsize=9)
    panels[0][0].set_ylabel("regret over C log T, the least possible")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    return figure
