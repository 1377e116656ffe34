"""Policies of lee2019 (solvers with strategies) by the paper's names, and the settings that select them.

Their values in Table 1 are read here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.drawing.looks import COLOURS, Line, Look
from experiments.results import Results
from experiments.settings import Setting

#: The paper's number of rounds, after which Table 1 gives the regret.
HORIZON = 10_000


class Solver(NamedTuple):
    """A base solver: the algorithm that plays a strategy's arms, alone or with shared samples.

    ``alone`` only plays them; ``sharing`` also shares their samples by z2ID.
    """

    alone: str
    sharing: str


class Strategy(NamedTuple):
    """The arms that are played, and whether their samples are shared."""

    arms: str
    shares: bool = False


SOLVERS = {"TS": Solver("thompson", "z2_thompson"), "KL-UCB": Solver("kl_ucb", "z2_kl_ucb")}

#: The solvers' names in Table 1.
PRINTED_SOLVERS = {"TS": "TS", "KL-UCB": "UCB"}

#: In the order of Table 1.
STRATEGIES = {
    "POMIS+": Strategy("possibly_optimal", shares=True),
    "POMIS": Strategy("possibly_optimal"),
    "MIS": Strategy("minimal"),
    "BF": Strategy("brute_force"),
}


def played(solver: str, strategy: str) -> dict[str, str]:
    """Return the settings that select a policy, given keys of `SOLVERS` and `STRATEGIES`.

    Line 6 of z2ID tries smaller experiments first (ledger L08).
    """
    arms, shares = STRATEGIES[strategy]
    if shares:
        return {"algorithm": SOLVERS[solver].sharing, "arms": arms, "tried": "maximal"}
    return {"algorithm": SOLVERS[solver].alone, "arms": arms}


STRATEGY_COLOURS = {
    "POMIS+": COLOURS["red"],
    "POMIS": COLOURS["blue"],
    "MIS": COLOURS["green"],
    "BF": COLOURS["orange"],
}
SOLVER_LINES: dict[str, Line] = {"TS": "-", "KL-UCB": (0, (4, 2))}
#: How figures draw a policy, by its name.
POLICIES = {
    f"{solver} {strategy}": Look(played(solver, strategy), colour, line)
    for solver, line in SOLVER_LINES.items()
    for strategy, colour in STRATEGY_COLOURS.items()
}


def by_order(results: Results, experiment: str, solver: str, strategy: str) -> dict[str, dict[str, str]]:
    """Return the settings that select the policies that play a strategy, by their names in tables.

    The paper leaves open in which order line 6 of z2ID tries experiments (ledger L08). A strategy's own name means that
    smaller ones come first. The other order is included only if the experiment plays it.
    """
    usual = played(solver, strategy)
    other = {**usual, "tried": "largest"}
    there = {strategy: usual}
    if results.policies(experiment, **other):
        there[f"{strategy}, larger experiments first"] = other
    return there


def called(settings: Mapping[str, Setting]) -> tuple[str, str]:
    """Return the paper's names for the solver and strategy of a policy, given its settings, whatever is tried first.

    Raises
    ------
    LookupError
        If the paper has no such policy.
    """
    for solver in SOLVERS:
        for strategy in STRATEGIES:
            if played(solver, strategy).items() - {("tried", "maximal")} <= settings.items():
                return solver, strategy
    raise LookupError(f"{dict(settings)}: matches none of the paper's solvers and strategies")


def intervention_sets(task: str, arms: str, fixed: Iterable[str] | None = None) -> frozenset[frozenset[str]]:
    """Return the intervention sets that a strategy for choosing arms uses in a task.

    Parameters
    ----------
    task : str
        A key of `GRAPHS`.
    arms : str
        A key of `ARM_STRATEGIES`.
    fixed : iterable of str, optional
        Variables that cannot be manipulated; by default, as in the paper's experiments.
    """
    from causal_bandits.models.bandit import ARM_STRATEGIES  # loads Numba, which the names of policies do not need

    non_manipulable = NON_MANIPULABLE[task] if fixed is None else frozenset(fixed)
    return ARM_STRATEGIES[arms](GRAPHS[task], outcome="Y", non_manipulable=non_manipulable)


def arm_count(sets: Iterable[Iterable[str]]) -> int:
    """Count the arms of some intervention sets, whose variables are all binary."""
    return sum(2 ** len(list(chosen)) for chosen in sets)


#: Strategies that play the same arms in a task, as a test computes; none are alike in the six-variable task.
SAME_ARMS = {"frontdoor": ["POMIS", "MIS", "BF"], "fourvar": ["POMIS", "MIS"], "sixvar": list[str]()}


def alike(task: str, strategy: str) -> list[str]:
    """List the strategies whose play in a task is identical to that of ``strategy``, including ``strategy`` itself.

    Their results are the same (footnote 4), and Table 1 prints one merged cell for them (ledger L18).
    """
    same = SAME_ARMS[task]
    return list(same) if strategy in same else [strategy]


def regret(results: Results, experiment: str, solver: str, strategy: str, by: str = "seed") -> pd.Series:
    """Return the final regret of a strategy, or of another with the same arms if the experiment plays only that one.

    Raises
    ------
    NotRunError
        If the configuration plays none of them.
    """
    return results.final(experiment, by=by, policy=played_as(results, experiment, solver, strategy))


def played_as(results: Results, experiment: str, solver: str, strategy: str) -> str:
    """Return the name of the policy that plays a strategy.

    If the experiment plays only a policy with the same arms, return the name of that policy.

    Raises
    ------
    NotRunError
        If the configuration plays none of them.
    """
    same = alike(task_of(results, experiment), strategy)
    there = [other for other in (strategy, *same) if results.policies(experiment, **played(solver, other))]
    return results.label(experiment, played(solver, (there or [strategy])[0]))


def printed(results: Results, task: str, solver: str, strategy: str) -> float:
    """Return the number in a cell of Table 1, which may be a merged one.

    Raises
    ------
    LookupError
        If the published table has no row for it.
    """
    for row in results.published_where(place="Table 1", column=TASKS[task]).to_dict("records"):
        name, _, merged = row["row"].partition(" ")
        if name == PRINTED_SOLVERS[solver] and set(merged.split(" = ")) & set(alike(task, strategy)):
            return float(row["value"])
    raise LookupError(f"Table 1 has no cell for {solver} {strategy} in {task}")


def task_of(results: Results, experiment: str) -> str:
    """Return the problem that an experiment plays."""
    return str(results.settings(experiment, results.policies(experiment)[0])["problem"])


# The paper's names for problems, and its notation for sets and expressions.

#: Problems, in the order of the panels of Fig. 5.
TASKS = {"frontdoor": "Fig. 5a", "fourvar": "Fig. 5b", "sixvar": "Fig. 5c"}

#: The families of random models in words, in the order in which they are shown.
FAMILIES = {
    "hundredths_xor": "exclusive or",
    "noisy_gates": "random gates",
    "uniform_cpt": "any probabilities",
}


def written(sets: Iterable[Iterable[str]]) -> str:
    """Format sets as the table of claims does: smaller ones first, ``{} {A} {A,C}``."""
    ordered = sorted((sorted(chosen) for chosen in sets), key=lambda names: (len(names), names))
    return " ".join("{" + ",".join(names) + "}" for names in ordered)


def unspaced(expression: str) -> str:
    """Strip spaces and braces from an expression, so that printed and found ones can be compared."""
    return expression.translate(str.maketrans("", "", " {}"))
