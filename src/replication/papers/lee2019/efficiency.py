"""How much less data POMIS+ needs than brute force (ledger L195)."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from experiments.results import NotRunError, Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Basis, Because, Judgement, Outcome, reason
from replication.judging.judges.intervals import ratio_interval
from replication.papers.lee2019.strategies import HORIZON, played_as

#: "Orders of magnitude": one of them at least, which is the least that the plural can mean and less than it says.
ORDER = 10.0


class Factor(NamedTuple):
    """How many times as efficient, and its 95 % interval."""

    value: float
    low: float
    high: float


def efficiency(
    claim: Claim,
    results: Results,
    *,
    solver: Literal["TS", "KL-UCB"],
    instances: str,
    counts: Literal["rounds", "regret"],
) -> Judgement:
    """Judge whether POMIS+ is ten times as data-efficient as brute force.

    It is judged on average over an experiment's seeds. ``rounds``: how many times the rounds of POMIS+ brute force
    needs to the same regret per round, that which brute force has at the horizon. ``regret``: how many times the regret
    of POMIS+ at the horizon brute force has. ``instances`` names the experiment.
    """
    if results.horizon(instances) != HORIZON:
        raise NotRunError(f"{HORIZON} rounds of {instances}")
    labels = [played_as(results, instances, solver, strategy) for strategy in ("BF", "POMIS+")]
    if counts == "rounds":
        slow, fast = (results.curve(instances, policy=label) for label in labels)
        found, n = fewer_rounds(slow, fast), int(slow["n"].min())
    else:
        all_arms, shared = (results.final(instances, policy=label).to_numpy() for label in labels)
        ratio = ratio_interval(all_arms, shared)
        found, n = Factor(ratio.value, ratio.low, ratio.high), ratio.n
    outcome = Outcome.HOLDS if found.low >= ORDER else Outcome.FAILS if found.high < ORDER else Outcome.OPEN
    what = "rounds to one regret per round" if counts == "rounds" else f"regret after {HORIZON:,} rounds"
    why = reason(f"BF has {found.value:.1f} times the {what}", f"one order of magnitude is {ORDER:g} times")
    because = Because.SEEDS if outcome is Outcome.OPEN else None
    return Judgement(outcome, why, Basis.SIMULATED, f"{found.value:.1f}", found.low, found.high, n, because=because)


def fewer_rounds(slow: pd.DataFrame, fast: pd.DataFrame) -> Factor:
    """Compute how many times the rounds of ``fast`` the other takes to do as well.

    To do as well is to reach the regret per round that ``slow`` ends with.

    Parameters
    ----------
    slow, fast : table
        Curves with columns ``t``, ``mean``, ``ci_low`` and ``ci_high``.

    Returns
    -------
    Factor
        From the first checkpoint from which on ``fast`` stays as low. The interval takes the ends of both curves'
        intervals, and the checkpoint before; it has no end if that is the first one.
    """
    slow, fast = slow.sort_values("t"), fast.sort_values("t")
    last = slow.iloc[-1]
    rounds, t = float(last["t"]), fast["t"].to_numpy()

    def reached(curve: str, goal: str) -> int | None:
        above = np.flatnonzero(fast[curve].to_numpy() / t > last[goal] / rounds)
        after = int(above[-1]) + 1 if len(above) else 0
        return after if after < len(t) else None

    middle, late, early = reached("mean", "mean"), reached("ci_high", "ci_low"), reached("ci_low", "ci_high")
    value = rounds / t[middle] if middle is not None else 1.0
    low = rounds / t[late] if late is not None else 0.0
    high = math.inf if early == 0 else rounds / t[early - 1] if early is not None else 1.0
    return Factor(float(value), float(low), float(high))


EFFICIENCY_JUDGES: dict[str, Judge] = {"efficiency": Judge(efficiency, reads=lambda a: (a["instances"],))}
