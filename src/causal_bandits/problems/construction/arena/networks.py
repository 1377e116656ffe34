"""Bandits on well-known Bayesian networks: asia, sachs, child, insurance and alarm.

The networks do not say which states are a reward or what cannot be set: these are choices of this study (ledger L246).
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from causal_bandits.models.bif import read_bif
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.wide_bandit import WideSCMBandit, arms_on
from causal_bandits.problems.construction.arena.beliefs import generator, sets_of_arms


@dataclass(frozen=True)
class Task:
    """A bandit task on a network.

    Parameters
    ----------
    file : str
        The name of the network.
    reward : str
        The variable that is the reward.
    good : frozenset of str
        Its states that count as 1; the others count as 0.
    fixed : frozenset of str
        Variables that no arm sets. They are still observed.
    hidden : frozenset of str
        Variables without parents that nobody observes or sets.
    """

    file: str
    reward: str
    good: frozenset[str]
    fixed: frozenset[str]
    hidden: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSON = "Age SocioEcon RiskAversion DrivingSkill DrivQuality"
_PATIENT = "LVFAILURE PULMEMBOLUS ANAPHYLAXIS SHUNT ARTCO2 SAO2 PVSAT VENTALV VENTLUNG VENTTUBE"

#: The tasks by the option ``task``.
TASKS: dict[str, Task] = {
    "asia": Task("asia", "dysp", _words("no"), _words("either")),
    "asia_smoke": Task("asia", "dysp", _words("no"), _words("either"), _words("smoke")),
    "sachs": Task("sachs", "Akt", _words("HIGH"), _words("Erk Raf")),
    "child": Task("child", "LowerBodyO2", _words("12+"), _words("BirthAsphyxia Disease HypDistrib HypoxiaInO2")),
    "insurance_accident": Task("insurance", "Accident", _words("None"), _words(_PERSON)),
    "insurance_medical": Task("insurance", "MedCost", _words("Thousand"), _words(f"{_PERSON} Accident Cushioning")),
    "alarm_catecholamine": Task("alarm", "CATECHOL", _words("NORMAL"), _words(_PATIENT)),
    "alarm_pressure": Task("alarm", "BP", _words("NORMAL"), _words(f"{_PATIENT} CATECHOL HR CO STROKEVOLUME")),
}


def network(
    task: str, told: str = "diagram", redrawn: bool = False, draw: int = 0, **files: str | Path
) -> WideSCMBandit:
    """Build a bandit on a Bayesian network; arms set the variables that can be set, to any of their states.

    Parameters
    ----------
    task : str
        A key of `TASKS`.
    told : str
        What arms set (see `beliefs.sets_of_arms`).
    redrawn : bool
        Whether the probabilities are drawn anew, each row uniformly among all distributions. The diagram stays.
    draw : int
        Which of the redrawn models; without ``redrawn`` there is one model.
    **files : path
        The file of each network, by its name, in the Bayesian Interchange Format, compressed with gzip.

    Raises
    ------
    ValueError
        If the task or ``told`` is unknown, or if the network's file is missing or lacks the task's variables or states.
    """
    if task not in TASKS:
        raise ValueError(f"task {task!r}: expected one of {', '.join(TASKS)}")
    what = TASKS[task]
    if what.file not in files:
        raise ValueError(f"task {task!r}: no file for the network {what.file}; expected the argument {what.file}")
    scm = _model(gzip.decompress(Path(files[what.file]).read_bytes()).decode(), what)
    if redrawn:
        scm = with_random_tables(scm, generator("network", draw, task))
    fixed = what.fixed.intersection(scm.graph.nodes)
    return WideSCMBandit(scm, what.reward, fixed, arms_on(scm, sets_of_arms(told, scm.graph, what.reward, fixed)))


@cache
def _model(text: str, task: Task) -> DiscreteSCM:
    """Read a network for a task, once per process, because every policy and seed needs it."""
    return prepared(read_bif(text, keep_order=True), task)


def prepared(scm: DiscreteSCM, task: Task) -> DiscreteSCM:
    """Make the reward binary, leave out everything that does not cause it, and hide what nobody observes.

    Raises
    ------
    ValueError
        If the network does not have the task's variables or states, or a hidden variable has parents.
    """
    named = {task.reward, *task.fixed, *task.hidden}
    if unknown := named.difference(scm.variables):
        raise ValueError(f"{task.file}: no variable {', '.join(sorted(unknown))}")
    states = scm.states[task.reward]
    if not task.good < set(states):
        raise ValueError(f"{task.file}: states of {task.reward} are {', '.join(states)}; expected some of them as good")
    good = np.array([state in task.good for state in states])
    parents, table = scm.cpt(task.reward)
    one = np.asarray(table)[..., good].sum(axis=-1)
    kept = scm.graph.ancestors({task.reward})
    cpts: Mapping[str, CPT] = {v: scm.cpt(v) for v in kept} | {task.reward: CPT(parents, np.stack([1 - one, one], -1))}
    if task.hidden and not kept >= task.hidden:
        raise ValueError(f"{task.file}: {', '.join(sorted(task.hidden - kept))} does not cause {task.reward}")
    for v in task.hidden:
        if cpts[v].parents:
            raise ValueError(
                f"{task.file}: {v} has parents, {', '.join(cpts[v].parents)}; expected none, as it is hidden"
            )
    graph = scm.graph.subgraph(kept).latent_projection(kept - task.hidden)
    labels = {v: scm.states[v] for v in kept if v != task.reward}
    return DiscreteSCM(graph, cpts, task.hidden, labels | {task.reward: ("other", "+".join(sorted(task.good)))})


def with_random_tables(scm: DiscreteSCM, rng: np.random.Generator) -> DiscreteSCM:
    """Draw each row of each table uniformly among all distributions over the variable's states."""
    cpts = {}
    for v in scm.variables:
        parents, table = scm.cpt(v)
        *rows, states = np.shape(table)
        cpts[v] = CPT(parents, rng.dirichlet(np.ones(states), size=rows))
    return DiscreteSCM(scm.graph, cpts, scm.hidden, scm.states)
