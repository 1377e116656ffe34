"""How the toy's claims are tested."""

from replication.papers.toy.problems import GRAPH

from replication.judging.checks import above, mean
from replication.judging.claims import Policy, check, claim, final
from replication.judging.judges import judge_exact

TS, KL_UCB = Policy("thompson"), Policy("kl_ucb")


@check
def arms(printed, results):
    """Count the arms: nothing, and each value of X."""
    return judge_exact(printed.value, str(1 + 2 * (len(GRAPH.nodes) - 1)))


CLAIMS = {
    "toy.arms": claim(arms()),
    "toy.ts": claim(mean(final("given", TS), trials=100)),
    "toy.order": claim(above(final("given", KL_UCB(c=3.0)), final("given", KL_UCB(c=0.0)))),
    "toy.extra": claim(above(final("learnt", TS(prior_ones=2.0)), final("learnt", TS(prior_ones=1.0)))),
}
