"""The arena's random problems: one family for each form that knowledge of the graph takes in the papers.

Draw d of a family is one problem, the same for every policy and for everything that a learner is told of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causal_bandits.estimation.biased import conditional_probability
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.arms import Arms, Assignment
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.families import FAMILIES
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.seeding import stable_hash
from replication.papers.arena.diagrams import BELIEFS, REWARD, random_diagram
from replication.papers.arena.linear_models import combinatorial, linear, unknown_linear
from replication.papers.lu2021 import problems as lu2021

FloatArray = NDArray[np.float64]

#: Families of parameters, taken in turn by the draws.
PARAMETERS = ("uniform_cpt", "noisy_gates")
#: Who plays without a diagram: every intervention, or those on one variable at most.
EVERYTHING, SINGLE = "nothing", "single"


def generator(kind: str, draw: int, *options: object) -> np.random.Generator:
    """The random numbers of draw ``draw`` of a kind of problem with its options."""
    return np.random.default_rng([stable_hash("/".join(map(str, ("arena", kind, *options)))), draw])


# ---------------------------------------------------------------------- which interventions are worth playing


class ToldBandit(SCMBandit):
    """An SCM bandit whose arms follow from what the learner was told, held against the best of all interventions."""

    @cached_property
    def optimal_mean(self) -> float:
        """Largest expected reward of all interventions: one of the true diagram's POMIS attains it."""
        sets = possibly_optimal_intervention_sets(self.scm.graph, self.reward, self.non_manipulable)
        arms = Arms(self.scm.variables, assignments(sets, self.scm))
        return float(SCMBandit(self.scm, self.reward, self.non_manipulable, arms).means.max())


def assignments(sets: Iterable[frozenset[str]], scm: DiscreteSCM) -> list[Assignment]:
    """All values of all sets, smaller sets first, by name."""
    ordered = sorted((tuple(sorted(chosen)) for chosen in sets), key=lambda names: (len(names), names))
    return [
        dict(zip(chosen, values, strict=True))
        for chosen in ordered
        for values in product(*(range(scm.cardinality(v)) for v in chosen))
    ]


def diagram(nodes: int, confounders: int, told: str = "diagram", draw: int = 0) -> ToldBandit:
    """A random binary SCM on a random diagram; arms set any of its variables but the reward.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`.
    told : str
        ``nothing``: arms are all interventions; ``single``: those on one variable at most; else a key of
        `diagrams.BELIEFS`: those on the possibly optimal sets of the diagram that the learner believes in.
    draw : int

    Raises
    ------
    ValueError
        If ``told`` is none of these.
    """
    rng = generator("diagram", draw, nodes, confounders)
    graph = random_diagram(nodes, confounders, rng)
    scm = FAMILIES[PARAMETERS[draw % len(PARAMETERS)]](graph, rng)
    if told == EVERYTHING:
        return ToldBandit(scm, REWARD)
    if told == SINGLE:
        sets = frozenset(map(frozenset, [(), *((v,) for v in graph.nodes if v != REWARD)]))
    elif told in BELIEFS:
        belief = BELIEFS[told](graph, generator("belief", draw, nodes, confounders, told))
        sets = possibly_optimal_intervention_sets(belief, REWARD)
    else:
        raise ValueError(f"told {told!r}: expected {EVERYTHING}, {SINGLE} or one of {', '.join(BELIEFS)}")
    return ToldBandit(scm, REWARD, arm_strategy=Arms(scm.variables, assignments(sets, scm)))


# ---------------------------------------------------------------------- where the reward comes from


def tree(nodes: int, draw: int = 0, **model: Any) -> SingleNodeBandit:
    """A random causal tree on which lu2021's assumptions hold (`lu2021.problems.tree`); arms set one variable."""
    return lu2021.tree(nodes, draw=draw, sd=1.0, **model)


# ---------------------------------------------------------------------- what offline data say

#: A context C, the arm's X, a mediator M, the reward Y; only units with S=1 entered the data. M and Y share a cause.
OFFLINE_GRAPH = ADMG([("C", "X"), ("C", REWARD), ("X", "M"), ("X", REWARD), ("M", REWARD), ("M", "S")], [("M", REWARD)])
OFFLINE = ("C", "X", "M", REWARD)


def offline(bias: float, samples: int, arms: int = 6, draw: int = 0) -> ContextualBandit:
    """A random contextual bandit, with offline data that are confounded and selected.

    With probability 1/2 the hidden cause u is 1, else 0. P(M=1 | x, u) = m_x + bias (u - 1/2) / 2 and
    P(Y=1 | c, x, m, u) = b_cx + w m + s_x bias (u - 1/2) / 2, with random m_x, b_cx, w and signs s_x, half of them
    negative; P(S=1 | m) = 1/2 + 0.45 bias (2 m - 1). So what is selected makes half of the arms look better than they
    are, and the others worse. An arm's means, and the best one, are the same at every bias.

    Parameters
    ----------
    bias : float
        In [0, 1]; 0: all units are taken, and there is no hidden cause.
    samples : int
        Offline units before selection.
    arms : int
        >= 2, the states of X.
    draw : int

    Raises
    ------
    ValueError
        If the bias is not in [0, 1].
    """
    if not 0 <= bias <= 1:
        raise ValueError(f"bias={bias}: expected 0 to 1")
    rng = generator("offline", draw, arms)
    chosen, mediated = rng.dirichlet(np.ones(arms), size=2), rng.uniform(0.3, 0.7, size=arms)
    base, weight = rng.uniform(0.26, 0.64, size=(2, arms)), rng.uniform(0.02, 0.1)
    signs = rng.permutation(np.resize([-1, 1], arms))
    u, m = 0.5 * bias * np.array([-0.5, 0.5]), np.arange(2)
    rewarded = base[:, :, None, None] + weight * m[:, None] + signs[:, None, None] * u

    def binary(p: ArrayLike) -> FloatArray:
        return np.stack([1 - np.asarray(p), np.asarray(p)], axis=-1)

    scm = DiscreteSCM(
        OFFLINE_GRAPH,
        {
            "U": CPT((), binary(0.5)),
            "C": CPT((), binary(rng.uniform(0.3, 0.7))),
            "X": CPT(("C",), chosen),
            "M": CPT(("X", "U"), binary(mediated[:, None] + u)),
            REWARD: CPT(("C", "X", "M", "U"), binary(rewarded)),
            "S": CPT(("M",), binary(0.5 + 0.45 * bias * (2 * m - 1))),
        },
    )
    problem = ContextualBandit(scm, ("C",), ("X",), {REWARD: 1.0})
    sampled = generator("offline sample", draw, arms, bias, samples)
    joint = scm.distribution(OFFLINE, given={"S": 1})
    counts = sampled.multinomial(sampled.binomial(samples, scm.expectation("S")), joint.ravel()).reshape(joint.shape)
    bce = _offline_bounds()
    bounds = dict(zip(("lower", "upper"), bce.bounds(counts, OFFLINE), strict=True))
    bounds |= zip(("safe_lower", "safe_upper"), confident_bounds(bce, counts, OFFLINE), strict=True)
    naive = conditional_probability(counts, OFFLINE, ("X",), ("C",), REWARD)
    return problem.with_prior({**bounds, "naive": naive, "count": counts.sum(axis=(2, 3)).astype(np.float64)})


@cache  # what follows from the diagram is found once
def _offline_bounds() -> BCE:
    return BCE(OFFLINE_GRAPH, ("X",), ("C",), REWARD)


# ---------------------------------------------------------------------- which arm is best


def exploration(nodes: int, confounders: int, draw: int = 0) -> GLMBandit:
    """A random logistic model on a random diagram; actions set one variable, or none.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`; every hidden cause has weights of its own.
    draw : int
    """
    rng = generator("exploration", draw, nodes, confounders)
    graph = random_diagram(nodes, confounders, rng)
    hidden = {f"U{i}": pair for i, pair in enumerate(sorted(graph.bidirected))}
    weights: dict[str, dict[str, float]] = {v: {} for v in graph.nodes}
    for cause, effect in [*sorted(graph.directed), *((u, v) for u, pair in hidden.items() for v in pair)]:
        weights[effect][cause] = float(rng.choice((-1, 1)) * rng.uniform(0.5, 2.0))
    base = dict.fromkeys(hidden, 0.5)
    for v in graph.nodes:  # between rare and common, whatever the parents' weights
        base[v] = float(rng.uniform(-1.5, 0.5) - sum(weights[v].values()) / 2)
    model = BinaryGLM(base, weights, dict.fromkeys(graph.nodes, "logistic"), hidden)
    return GLMBandit(model, [{}, *({v: s} for v in graph.nodes if v != REWARD for s in (0, 1))], REWARD)


#: Names that config files use, with the function that builds the problem from ``options``.
PROBLEMS: dict[str, Callable[..., Any]] = {
    "diagram": diagram,
    "tree": tree,
    "offline": offline,
    "exploration": exploration,
    "linear": linear,
    "unknown_linear": unknown_linear,
    "combinatorial": combinatorial,
}

MEASURES: tuple[type[Measure], ...] = (RuledOut,)
