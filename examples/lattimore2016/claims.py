"""How the claims of Lattimore, Lattimore & Reid (2016) are tested."""

from __future__ import annotations

from functools import partial

from replication.judging.checks import above, trend
from replication.judging.claims import Policy, along, claim, final

regret = partial(final, metric="simple_regret")
CAUSAL, REJECTS = (Policy(f"lattimore2016.policies:{name}") for name in ("ParallelCausal", "Rejects"))

CLAIMS = {
    "lattimore2016.m": claim(trend(along(regret("by_m", CAUSAL), m=[2, 10, 18, 26]), "rises")),
    "lattimore2016.many": claim(above(regret("by_m", CAUSAL(m=48)), regret("by_m", REJECTS(m=48)))),
    "lattimore2016.decay": claim(
        above(regret("by_horizon", REJECTS(horizon=310)), regret("by_horizon", CAUSAL(horizon=310)))
    ),
}
