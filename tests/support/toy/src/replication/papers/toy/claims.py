"""How the toy's claims are tested."""

from dataclasses import replace

from replication.papers.toy.problems import GRAPH

from experiments import files
from replication.judging.checks import above, mean
from replication.judging.claims import Policy, Reading, check, claim, final, under
from replication.judging.judges import judge_exact, judge_mean
from replication.judging.readings import over_readings

CCPE, TS, KL_UCB = Policy("ccpe_general"), Policy("thompson"), Policy("kl_ucb")
#: Of which variable the ones are counted.
ONES = (Reading("of X", f"L{17}", "x"), Reading("of Y where X = 1", f"L{19}", "y_1"))


@check
def arms(printed, results):
    """Count the arms: nothing, and each value of X."""
    return judge_exact(printed.value, str(1 + 2 * (len(GRAPH.nodes) - 1)))


@check
def share(printed, results, variable):
    """Judge the mean of a column of the stage's table as it is, and of what is left of one."""
    values = files.read(results.file("bounds_shares"))[variable].to_numpy()
    judged = {name: judge_mean(printed.number, of, 40) for name, of in (("ones", values), ("others", 1 - values))}
    return over_readings({name: replace(each, ledger=f"L{46}") for name, each in judged.items()}, printed.number)


CLAIMS = {
    "toy.arms": claim(arms()),
    "toy.ts": claim(mean(final("given", TS), trials=100)),
    "toy.order": claim(above(final("given", KL_UCB(c=3.0)), final("given", KL_UCB(c=0.0)))),
    "toy.extra": claim(above(final("learnt", TS(prior_ones=2.0)), final("learnt", TS(prior_ones=1.0)))),
    "toy.rounds": claim(mean(final("answered", CCPE, "sample_complexity"), trials=100), evidence="fitted"),
    "toy.shares": claim(under(ONES, share)),
}
