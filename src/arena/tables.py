"""The arena's tables by name, one per question; numbers are not formatted, because the page is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from arena.comparing import (
    FEW,
    FEW_ALGORITHM,
    GUESS,
    GUESS_ALGORITHM,
    SOLVERS,
    Estimate,
    Learner,
    Wrong,
    chosen,
    estimate,
    mean,
    median,
    ratio,
    regrets,
    reported,
    solvers,
    with_diagram,
    without_diagram,
)
from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.lai_robbins import lai_robbins
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena.networks import TASKS
from causal_bandits.problems.construction.arena.wrong_edges import KINDS, MIXED
from experiments.results import NotRunError, Results

#: The endings of the names of experiments, by number of rounds.
ROUNDS = {1000: "_short", 10_000: ""}


def _said(**estimates: Estimate) -> dict[str, float]:
    """Put each estimate and the ends of its interval in separate columns."""
    found: dict[str, float] = {}
    for name, (value, low, high) in estimates.items():
        found |= {name: value, f"{name}, low": low, f"{name}, high": high}
    return found


def _numbers(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Round to four significant digits, so that a table can be read."""
    frame = pd.DataFrame(rows)
    for name in frame.select_dtypes("float"):
        frame[name] = [float(f"{value:.4g}") for value in frame[name]]
    return frame


# ---------------------------------------------------------------------- what the diagram is worth


def _cells(results: Results, experiment: str) -> Iterator[dict[str, Any]]:
    """Yield the sizes that an experiment with random diagrams plays, in order."""
    found = [results.settings(experiment, label) for label in results.policies(experiment)]
    cells = sorted({(int(str(s["confounders"])), int(str(s["nodes"]))) for s in found})
    yield from ({"nodes": nodes, "confounders": confounders} for confounders, nodes in cells)


def _compared(named: dict[str, Any], own: pd.DataFrame, alone: pd.DataFrame, name: str, rival: str) -> dict[str, Any]:
    """Compare two learners; ``own`` and ``alone`` have the problems that are reported."""
    mine, other = own[name], alone[rival]
    return {
        **named,
        "with": name,
        "without": rival,
        "regret with": mine.mean(),
        "regret without": other.mean(),
        **_said(ratio=ratio(mine, other)),
        "less regret": float((mine < other).mean()),
        "problems": len(mine),
    }


#: The learner with the diagram that the page recommends, chosen after the results were seen (ledger L272).
ADVISED = "UCB"
#: The comparison of the best learners on problems of one kind of model; both were chosen on problems of either kind.
MODELS = {"uniform_cpt": "best, uniform tables", "noisy_gates": "best, exclusive ors"}


def worth(results: Results) -> pd.DataFrame:
    """Tabulate the ratios of regret with the diagram to regret without: best learners, UCB, C-TS, TS and others' own.

    The best learners are also compared by kind of model.
    """
    rows = []
    for rounds, end in ROUNDS.items():
        for cell in _cells(results, f"worth{end}"):
            named = {"rounds": rounds, "pairs": cell["confounders"], "variables": cell["nodes"]}
            own = regrets(results, with_diagram(results, "worth", end), **cell)
            alone = regrets(results, without_diagram(results, "worth", end), **cell)
            name, best = chosen(own), chosen(alone)
            own, alone = reported(own), reported(alone)
            rows.append(_compared({"comparison": "best", **named}, own, alone, name, best))
            for tables, comparison in MODELS.items():
                of_them = [problems.tables_of(int(draw)) == tables for draw in own.index]
                named_so = {"comparison": comparison, **named}
                rows.append(_compared(named_so, own[of_them], alone[of_them], name, best))
            rows.append(_compared({"comparison": ADVISED, **named}, own, alone, ADVISED, best))
            if not end:
                with suppress(NotRunError):
                    more = results.final("worth_cells", by="draw", **cell)
                    told_more = pd.DataFrame({"C-TS": more}).loc[own.index]
                    rows.append(_compared({"comparison": "C-TS", **named}, told_more, alone, "C-TS", best))
                rows.append(_compared({"comparison": "TS", **named}, own, alone, "TS", "TS, all interventions"))
                for theirs in own.columns.difference([*SOLVERS, FEW]):  # of others
                    rows.append(_compared({"comparison": theirs, **named}, own, alone, theirs, best))
    order = ["best", *MODELS.values()]
    return _numbers(sorted(rows, key=lambda row: [*order, row["comparison"]].index(row["comparison"])))


def networks(results: Results) -> pd.DataFrame:
    """Tabulate the comparisons of `worth` for tasks on networks.

    Learners are chosen on models with redrawn probabilities, even for the rows with the network's own probabilities.
    """
    rows = []
    learners, rivals = with_diagram(results, "networks"), without_diagram(results, "networks")
    for task in TASKS:
        name = chosen(regrets(results, learners, task=task, redrawn=True))
        best = chosen(regrets(results, rivals, task=task, redrawn=True))
        for redrawn in (True, False):
            cell: dict[str, Any] = {"task": task, "redrawn": redrawn}
            own = reported(regrets(results, learners, **cell))
            alone = reported(regrets(results, rivals, **cell))
            rows.append(_compared({"comparison": "best", **cell}, own, alone, name, best))
            rows.append(_compared({"comparison": ADVISED, **cell}, own, alone, ADVISED, best))
            with suppress(NotRunError):
                more = results.final("networks_cells", by="draw", **cell)
                told_more = pd.DataFrame({"C-TS": more}).loc[own.index]
                rows.append(_compared({"comparison": "C-TS", **cell}, told_more, alone, "C-TS", best))
            for theirs in own.columns.difference([*SOLVERS, FEW]):  # of others
                rows.append(_compared({"comparison": theirs, **cell}, own, alone, theirs, best))
    return _numbers(sorted(rows, key=lambda row: row["comparison"] != "best"))


# ---------------------------------------------------------------------- how wrong it may be


def wrong(results: Results) -> pd.DataFrame:
    """Tabulate regret with wrong diagrams, by the number of wrong edges and by their kind."""
    rows = []
    for rounds, end in ROUNDS.items():
        played = [results.settings(f"wrong{end}", label) for label in results.policies(f"wrong{end}")]
        numbers = sorted({int(str(s["wrong"])) for s in played})
        for nodes in sorted({int(str(s["nodes"])) for s in played}):
            asked = [(f"wrong{end}", "losses", {"nodes": nodes, "wrong": number}) for number in numbers]
            found, name, rival = _wrong(results, nodes, rounds, asked)
            even = _said(**{"pays up to": found.break_even([0, *numbers])})
            for column, number in enumerate([0, *numbers]):
                named = {"variables": nodes, "rounds": rounds, "kind": MIXED, "wrong edges": number}
                rows.append(named | _wrong_row(found, column, name, rival) | (even if number == 0 else {}))
    for kind in KINDS:
        nodes, cell = 5, {"nodes": 5, "kind": kind, "wrong": 1}
        found, name, rival = _wrong(results, nodes, 10_000, [("wrong_kinds", "losses_kinds", cell)])
        named = {"variables": nodes, "rounds": 10_000, "kind": kind, "wrong edges": 1}
        rows.append(named | _wrong_row(found, 1, name, rival) | _said(**{"pays up to a chance of": found.chance(1)}))
    return _numbers(rows)


def _wrong(
    results: Results, nodes: int, rounds: int, asked: list[tuple[str, str, dict[str, Any]]]
) -> tuple[Wrong, str, str]:
    """Return the regrets with the right diagram and wrong ones, and the learners with and without one.

    Each entry of ``asked`` has the experiment that plays a wrong diagram, the one with exact losses on more problems,
    and the settings that select the diagram.
    """
    end, cell = ROUNDS[rounds], {"nodes": nodes, "confounders": 2}
    learners, rivals = with_diagram(results, "worth", end), without_diagram(results, "worth", end)
    own = regrets(results, learners, **cell)
    name, rival = chosen(own), chosen(regrets(results, rivals, **cell))
    first, reads = reported(own[name]), {"algorithm": learners[name].settings["algorithm"]}
    alone = rivals[rival]
    played = [(Learner(experiment, reads | settings), exact, settings) for experiment, exact, settings in asked]
    played.append((Learner(alone.experiment, alone.settings | cell), "losses_alone", {"told": alone.settings["told"]}))
    learning, lost = [first], []
    for learner, exact, settings in played:
        regret = results.final(learner.experiment, by="draw", **learner.settings)
        gone = results.final(learner.experiment, "lost_for_good", by="draw", **learner.settings)  # over the rounds
        learning.append((regret - gone).loc[first.index])
        every = results.final(exact, "lost_for_good", by="draw", **{"nodes": nodes, **settings})
        lost.append(results.horizon(learner.experiment) / results.horizon(exact) * every[every.index >= first.index[0]])
    return Wrong(np.column_stack([0 * lost[0], *lost]), np.column_stack(learning)), name, rival


def _wrong_row(found: Wrong, column: int, name: str, rival: str) -> dict[str, Any]:
    lost, alone = found.lost[:, column], found.lost[:, -1]
    return {
        "with": name,
        "without": rival,
        "best intervention lost": float((lost > 0).mean()),
        "regret lost for good": lost.mean(),
        "regret while learning": found.learning[:, column].mean(),
        "regret without": alone.mean() + found.learning[:, -1].mean(),
        "of it lost for good": alone.mean(),
        **_said(ratio=found.ratio(column)),
        "problems": len(lost),
        "played": len(found.learning),
    }


# ---------------------------------------------------------------------- which arm is best

#: Algorithms that play until they are sure.
UNTIL_SURE = {"CCPE-General": "ccpe_general", "1,000 observing, then LUCB": "observe_then_lucb"}
REJECTS = "Successive Rejects"
OBSERVING = f"{REJECTS}, half observing"


#: The diagrams that observing learners believe in: how their experiments' names end, and what selects them.
BELIEFS: dict[str, tuple[str, dict[str, Any]]] = {
    "right": ("", {"wrong": 0}),
    "eight wrong edges": ("", {"wrong": 8}),
    "no edges": ("_belief", {"belief": "empty"}),
    "another problem's": ("_belief", {"belief": "other"}),
}


def best_arm(results: Results) -> pd.DataFrame:
    """Tabulate rounds until an algorithm is sure, and how often the best arm is found in a fixed number of rounds."""
    rows: list[dict[str, Any]] = []
    sizes = sorted({int(str(results.settings("sure", label)["nodes"])) for label in results.policies("sure")})
    for nodes in sizes:
        alone = _answers(results, "sure_alone", nodes=nodes)
        rows.append({"variables": nodes, "plays": "LUCB", "diagram": "none", **_sure_row(alone, alone)})
        for name, algorithm in UNTIL_SURE.items():
            for diagram, (end, cell) in BELIEFS.items():
                own = _answers(results, f"sure{end}", nodes=nodes, algorithm=algorithm, **cell)
                rows.append({"variables": nodes, "plays": name, "diagram": diagram, **_sure_row(own, alone)})
    for nodes in sizes:
        for budget in (500, 2000):
            named = {"variables": nodes, "budget": budget}
            alone = _answers(results, "in_time_alone", nodes=nodes, budget=budget)
            rows.append({**named, "plays": REJECTS, "diagram": "none", **_in_time_row(alone, alone)})
            for diagram, (end, cell) in BELIEFS.items():
                own = _answers(results, f"in_time{end}", nodes=nodes, budget=budget, **cell)
                rows.append({**named, "plays": OBSERVING, "diagram": diagram, **_in_time_row(own, alone)})
    return _numbers(rows)


def _answers(results: Results, experiment: str, **cell: object) -> pd.DataFrame:
    """Return the rounds until the answer (all that may be played if there is none), and whether the answer is right."""
    rounds = results.final(experiment, "sample_complexity", by="draw", **cell)
    right = results.final(experiment, "correct", by="draw", **cell)
    return pd.DataFrame({"rounds": rounds.fillna(results.horizon(experiment)), "right": (right == 1).astype(float)})


def _sure_row(own: pd.DataFrame, alone: pd.DataFrame) -> dict[str, Any]:
    return {
        "rounds": own["rounds"].mean(),
        **_said(ratio=ratio(own["rounds"], alone["rounds"])),
        **_said(right=estimate(lambda means: means[:, 0], own[["right"]].to_numpy())),
        "problems": len(own),
    }


def _in_time_row(own: pd.DataFrame, alone: pd.DataFrame) -> dict[str, Any]:
    both = np.column_stack([own["right"], alone["right"]])
    return {
        **_said(right=estimate(lambda means: means[:, 0], both)),
        **_said(more=estimate(lambda means: means[:, 0] - means[:, 1], both)),
        "problems": len(own),
    }


# ---------------------------------------------------------------------- how far from the limit

#: Algorithms that are told the diagram.
TOLD = {**SOLVERS, "C-UCB": "c_ucb_arms", "HAC-UCB": "hac_ucb", "z2-TS": "z2_thompson", "z2-kl-UCB": "z2_kl_ucb"}


def constant(draw: int) -> float:
    """Compute C in C log T, the least possible long-run regret, for a problem of the experiment `limit`.

    Nothing is hidden and all causes of the reward can be set. So it is Lai and Robbins' constant for the possibly
    optimal arms: the other variables seen in a round cannot make it smaller (L245).
    """
    return lai_robbins(problems.diagram(3, 0, "diagram", draw=draw).means)


def limit(results: Results) -> pd.DataFrame:
    """Tabulate regret divided by C log T."""
    told = TOLD | {name: key for name, key in solvers(results, "limit").items() if key not in TOLD.values()}
    learners = [(name, "limit", key) for name, key in told.items()]
    learners += [
        (f"{name}, all interventions", "limit_alone", key) for name, key in solvers(results, "limit_alone").items()
    ]
    learners += [(FEW, "limit_phases", FEW_ALGORITHM), (GUESS, "limit_phases", GUESS_ALGORITHM)]
    rows, rounds = [], results.horizon("limit")
    for name, experiment, key in learners:
        regret = results.final(experiment, by="draw", algorithm=key)
        least = np.array([constant(int(draw)) for draw in regret.index])
        named = {"plays": name, "diagram": experiment == "limit", "rounds": rounds}
        rows.append({**named, **_limit_row(regret.to_numpy(), least, rounds)})
    return _numbers(rows)


def _limit_row(regret: FloatArray, least: FloatArray, rounds: int) -> dict[str, Any]:
    some = least > 0  # else one arm is left, or all are equally good
    over = regret[some] / (least[some] * np.log(rounds))
    low, high = np.quantile(over, [0.25, 0.75])
    quartiles = {"first quartile": low, "third quartile": high}
    return {**_said(over=median(over)), **quartiles, **_said(mean=mean(over)), "problems": int(some.sum())}


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "worth": worth,
    "wrong": wrong,
    "networks": networks,
    "best_arm": best_arm,
    "limit": limit,
}
