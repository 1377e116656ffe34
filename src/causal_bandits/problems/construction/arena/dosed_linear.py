"""Random linear models whose learners believe in a diagram with wrong edges (`doses`)."""

from __future__ import annotations

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.problems.construction.arena.beliefs import generator
from causal_bandits.problems.construction.arena.diagrams import REWARD
from causal_bandits.problems.construction.arena.doses import MIXED, believed
from causal_bandits.problems.construction.arena.linear_models import linear

#: The learner that is told the causal order alone, and takes all variables before a variable for its parents.
CAUTIOUS = "cautious"
#: Kinds of errors where no cause is hidden (`doses.KINDS`).
DIRECTED = ("turned", "missing", "cause_lost", "extra", "cause_invented")


def dosed_linear(nodes: int, width: int = 2, kind: str = MIXED, wrong: int = 0, draw: int = 0) -> LinearSEMBandit:
    """Draw the problem of `linear_models.linear`, whose learner believes in a diagram with wrong edges.

    Parameters
    ----------
    nodes : int
        >= 1: variables beside the reward, a multiple of ``width``.
    width : int
        >= 1: variables per layer.
    kind : str
        `CAUTIOUS`, for a learner that is told the causal order alone; or `MIXED`: each error is of a kind drawn
        uniformly among those of `DIRECTED` that the belief so far admits.
    wrong : int
        How many edges are wrong (`doses.believed`); 0 with `CAUTIOUS`.
    draw : int

    Raises
    ------
    ValueError
        If the sizes do not fit, the kind is none of these, or a learner that is told the order has wrong edges.
    """
    if width < 1 or nodes < 1 or nodes % width:
        raise ValueError(f"nodes={nodes}, width={width}: expected a positive multiple of a positive width")
    if kind not in (CAUTIOUS, MIXED) or (kind == CAUTIOUS and wrong):
        raise ValueError(f"kind={kind!r}, wrong={wrong}: expected {MIXED}, or {CAUTIOUS} with 0 wrong edges")
    if kind == CAUTIOUS:
        return linear(width, nodes // width, "cautious", draw=draw)
    true = linear(width, nodes // width, draw=draw)
    belief, _ = linear_belief(true.sem.graph, nodes, width, wrong, draw)
    return LinearSEMBandit(true.sem, REWARD, believed={v: belief.parents(v) for v in belief.nodes})


def linear_belief(graph: ADMG, nodes: int, width: int, wrong: int, draw: int) -> tuple[ADMG, int]:
    """Return what the learner of `dosed_linear` believes, and count the errors in it.

    As in `dosed.belief_of`, errors with a larger number are those with a smaller one, and more.
    """
    return believed(graph, MIXED, wrong, generator("dose of linear models", draw, nodes, width), DIRECTED)
