"""Judge the counts of unfair decisions of a table together, under one definition (ledger L50)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from causal_bandits.play.unfairness import unfair
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Claim
from replication.judging.judges import Basis, Judgement, Outcome, reason
from replication.papers.huang2022.labels import NAMES
from replication.papers.huang2022.published import named
from replication.papers.huang2022.resampling import FEWEST, Cell, Together, together

#: The counts above 0 that a table prints, beside the study's by one definition: by policy and threshold.
Table = Mapping[str, Mapping[float, Cell]]


def in_table(own: Judgement, table: Table, largest: float, trials: int) -> Judgement:
    """Judge a count by the test of its whole table.

    A count that the model rules out keeps its own judgement. The others fail if the model rules out any count of the
    table, or if `together` refutes it. Otherwise they keep their own judgement too.

    Parameters
    ----------
    own : Judgement
        Of the count for itself.
    table : mapping from policy and threshold to Cell
    largest : float
        No discrepancy of the model exceeds it.
    trials : int
        The number that the paper averages.
    """
    if own.outcome is Outcome.WRONG:
        return own
    ruled_out = sum(tau >= largest for counts in table.values() for tau in counts)
    if ruled_out:
        told = f"the model rules out {ruled_out} of the table's {sum(map(len, table.values()))} counts"
        return _refuted(own, told, Basis.EXACT)
    if min(len(cell.values) for counts in table.values() for cell in counts.values()) < FEWEST:
        return own
    tested = together({policy: list(counts.values()) for policy, counts in table.items()}, trials)
    told = _told(tested, table)
    return _refuted(own, told, Basis.SIMULATED) if tested.refuted else replace(own, reason=reason(told, own.reason))


def _refuted(own: Judgement, told: str, basis: Basis) -> Judgement:
    why = reason(told, own.reason)
    return replace(own, outcome=Outcome.FAILS, basis=basis, because=None, needs=None, reason=why)


def _told(tested: Together, table: Table) -> str:
    """Say of how many policies the table's counts are off, and how far the furthest is."""
    policy, number = tested.worst
    far = "on no seed" if math.isinf(tested.errors) else f"{tested.errors:.3g} standard errors off"
    head = f"the table's {tested.counts} counts are off for {tested.off} of {tested.policies} policies"
    return f"{head}, {NAMES[policy]}'s at tau = {list(table[policy])[number]:g} is {far}"


def printed_cells(claim: Claim, results: Results, definition: str, tau: float, trials: int, *, whoever: bool) -> Table:
    """Collect the counts above 0 that the claim's table prints, beside the study's by a definition.

    The claim's own policy has the claim's reading at every threshold. Each other policy is taken under that one of the
    readings that the study plays which comes nearest to its printed counts, so that no reading of another policy
    refutes this one. What is not played is left out.

    Parameters
    ----------
    claim : Claim
    results : Results
    definition : str
    tau : float
        The threshold of the claim's own count.
    trials : int
    whoever : bool
        Whether the definition tells of whatever policy is played; otherwise those that the paper does not describe
        are left out (ledger L51).
    """
    printed: dict[str, dict[float, float]] = {}
    for row in results.published_where(judge="unfair_decisions", item=claim.item).to_dict("records"):
        of_row = named(row["arguments"], row["policy"])
        algorithm = str(of_row["algorithm"])
        told = whoever or of_row.get("described", True) or algorithm == claim.policy["algorithm"]
        if told and float(row["value"]):
            printed.setdefault(algorithm, {})[float(str(of_row["tau"]))] = float(row["value"])
    own = str(claim.policy["algorithm"])
    printed.setdefault(own, {})[tau] = claim.number
    found = {}
    for algorithm, counts in printed.items():
        labels = results.policies(claim.experiment, algorithm=algorithm)
        readings = [claim.policy] if algorithm == own else [{"policy": label} for label in labels]
        columns = [_column(claim, results, definition, reading, counts) for reading in readings]
        played = [column for column in columns if column]
        if played:
            found[algorithm] = min(played, key=lambda column: _distance(column, trials))
    return found


def _column(
    claim: Claim, results: Results, definition: str, reading: Mapping[str, Setting], counts: Mapping[float, float]
) -> dict[float, Cell]:
    """Pair the printed counts of a policy with the study's under a reading, by threshold."""
    found = {}
    for tau, published in counts.items():
        try:
            counted = replace(claim, metric=unfair(definition, tau), policy=reading).values(results)
        except NotRunError:  # this reading is not played at this threshold
            continue
        found[tau] = Cell(published, counted.to_numpy(dtype=float))
    return found


def _distance(column: Mapping[float, Cell], trials: int) -> tuple[float, float]:
    """Compute how far the furthest count of a policy lies off, and all of them together."""
    misses = [abs(cell.published - float(cell.values.mean())) for cell in column.values()]
    return max(cell.off(trials) for cell in column.values()), sum(misses)
