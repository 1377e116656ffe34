"""How figures and tables of lu2021 call policies and stages."""

from __future__ import annotations

from typing import Any

from experiments.drawing.plotting import COLOURS

#: What a policy is called, and the settings that select it.
POLICIES: dict[str, dict[str, Any]] = {
    "CN-UCB": {"algorithm": "cn_ucb", "exponent": 2.0},
    "UCB": {"algorithm": "gaussian_ucb", "arms": "all", "exponent": 2.0},
    "UCB, $\\delta = 1/T$": {"algorithm": "gaussian_ucb", "arms": "all", "exponent": 1.0},
    "TS": {"algorithm": "gaussian_thompson"},
    "RAPS": {"algorithm": "raps"},
    "UCB on $X_R$": {"algorithm": "gaussian_ucb", "arms": "reward"},
}

POLICY_COLOURS = {
    "CN-UCB": COLOURS["red"],
    "UCB": COLOURS["blue"],
    "UCB, $\\delta = 1/T$": COLOURS["purple"],
    "TS": COLOURS["sky"],
    "RAPS": COLOURS["orange"],
    "UCB on $X_R$": COLOURS["green"],
}

#: What a run's rounds are counted in, by the metric.
STAGES = {
    "rounds_observing": "do()",
    "rounds_stage_1": "stage 1",
    "rounds_stage_2": "stage 2",
}

STAGE_COLOURS = {
    "rounds_observing": COLOURS["black"],
    "rounds_stage_1": COLOURS["orange"],
    "rounds_stage_2": COLOURS["purple"],
}

#: What an experiment plays on, and what it varies; one that is not here is called by its name.
GRAPHS = {
    "lemma1": ("random trees, Lemma 1", ""),
    "theorem1": ("random trees, Theorem 1", ""),
    "theorem2": ("forests, Theorem 2", ""),
    "theorem3": ("chordal graphs, Theorem 3", ""),
    "chordal": ("several chain components", ""),
    "nodes": ("trees", "by nodes"),
    "states": ("trees", "by states"),
    "degrees": ("trees", "by degree"),
    "gaps": ("trees", "by gap"),
    "effects": ("trees", "by effect"),
    "shapes": ("trees", "by shape"),
    "forests": ("forests", "by trees"),
    "forests_nodes": ("forests", "by nodes"),
    "cliques_nodes": ("cliques", "by nodes"),
    "cliques_width": ("cliques", "by width"),
    "several": ("trees, two reward variables", ""),
}

#: Graphs of an experiment that are not what it is named after: by experiment and what tells them from its others.
OTHERS = {("theorem3", "nested"): "nested cliques, not covered"}

#: How `told_apart` says a setting.
SETTINGS = {
    "nodes": "{} nodes",
    "states": "{} states",
    "degree": "degree {}",
    "shape": "{}",
    "kind": "{}",
    "components": "{} trees",
    "size": "{} nodes",
    "clique": "width {}",
    "reward_gap": "gap {}",
    "epsilon": "effect {}",
}


def graphs(experiment: str, apart: str = "") -> str:
    """Name the graphs of an experiment, or of one of its policies, which ``apart`` tells from the others."""
    if (experiment, apart) in OTHERS:
        return OTHERS[experiment, apart]
    graph, varied = GRAPHS.get(experiment, (experiment, ""))
    return f"{graph}: {apart.replace('_', ' ')}" if apart else ", ".join(filter(None, (graph, varied)))
