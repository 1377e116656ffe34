"""The judge of a count."""

from replication.papers.toy.problems import GRAPH

from replication.judging.claims import Judge
from replication.judging.judges import judge_exact


def arms(claim, results):
    """Count the arms: nothing, and each value of X."""
    return judge_exact(claim.value, str(1 + 2 * (len(GRAPH.nodes) - 1)))


JUDGES = {"arms": Judge(arms)}
