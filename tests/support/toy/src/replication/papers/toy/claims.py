"""How the toy's claims are tested."""

from replication.papers.toy.problems import GRAPH

from experiments import files
from replication.judging.checks import above, mean
from replication.judging.claims import Policy, check, claim, final, under
from replication.judging.gaps import Gap, reading
from replication.judging.judges import judge_exact, judge_mean

CCPE, TS, KL_UCB = Policy("ccpe_general"), Policy("thompson"), Policy("kl_ucb")
OF = Gap(f"L{17}", "of which variable the values are counted", {"of X": "x", "of Y where X = 1": "y_1"})
WHAT = Gap(f"L{19}", "which values are counted", {"ones": False, "others": True})
SHARES = tuple(
    reading((column, others), OF[name], WHAT[which])
    for name, column in OF.options.items()
    for which, others in WHAT.options.items()
)


@check
def arms(printed, results):
    """Count the arms: nothing, and each value of X."""
    return judge_exact(printed.value, str(1 + 2 * (len(GRAPH.nodes) - 1)))


@check
def share(printed, results, column, others):
    """Judge the mean of a column of the stage's table, or of what is left of one."""
    values = files.read(results.file("bounds_shares"))[column].to_numpy()
    return judge_mean(printed.number, 1 - values if others else values, 40)


CLAIMS = {
    "toy.arms": claim(arms()),
    "toy.ts": claim(mean(final("given", TS), trials=100)),
    "toy.order": claim(above(final("given", KL_UCB(c=3.0)), final("given", KL_UCB(c=0.0)))),
    "toy.extra": claim(above(final("learnt", TS(prior_ones=2.0)), final("learnt", TS(prior_ones=1.0)))),
    "toy.rounds": claim(mean(final("answered", CCPE, "sample_complexity"), trials=100), evidence="fitted"),
    "toy.shares": claim(under(SHARES, lambda counted: share(*counted))),
}
