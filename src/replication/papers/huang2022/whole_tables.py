"""Judge all counts of unfair decisions that a table prints together, under one definition (ledger L50)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.play.unfairness import unfair
from replication.judging.claims import Claim
from replication.judging.judges import Basis, Because, Judgement, Outcome, reason
from replication.papers.huang2022.labels import NAMES
from replication.papers.huang2022.published import named
from replication.papers.huang2022.resampling import FEWEST, Cell, Together, as_far, together
from replication.pipeline.results import NotRunError, Results
from replication.pipeline.settings import Setting


@dataclass(frozen=True)
class Printed:
    """A count that a table prints for a policy at a threshold, and the study's by one definition.

    Attributes
    ----------
    algorithm : str
    tau : float
    cell : Cell
    """

    algorithm: str
    tau: float
    cell: Cell


def in_table(own: Judgement, published: float, table: list[Printed], largest: float, trials: int) -> Judgement:
    """Judge a count by the test of its whole table.

    The table is refuted where the model rules out one of its counts, or where `together` refutes it: then each of its
    counts fails, whatever it is for itself; it is wrong in the paper where the model rules out itself. A printed 0 that
    is not refuted for itself stays open: it says that a policy is never unfair, and under a definition that is not the
    paper's neither a match nor a miss of the other counts tells that. Otherwise each is what it is for itself, but
    fails for no deviation of its own, as the table's test is the declared one.

    Parameters
    ----------
    own : Judgement
        Of the count for itself.
    published : float
    table : list of Printed
    largest : float
        No discrepancy of the model exceeds it.
    trials : int
        The number that the paper averages.
    """
    itself = (f"this cell: {own.replicated}, printed {published:g}", own.reason)
    ruled_out = sum(each.tau >= largest and each.cell.published > 0 for each in table)
    if ruled_out:
        told = f"of {len(table)} cells together: the model rules out {ruled_out}"
        return _refuted(own, published, reason(told, *itself), Basis.EXACT)
    if min(len(each.cell.values) for each in table) < FEWEST:
        return own
    tested = together([each.cell for each in table], trials)
    why = reason(_told(tested, table), *itself)
    if tested.refuted:
        return _refuted(own, published, why, Basis.SIMULATED)
    if own.outcome is Outcome.FAILS:
        return replace(own, outcome=Outcome.OPEN, because=Because.TRIALS, reason=why)
    return replace(own, reason=why)


def _refuted(own: Judgement, published: float, why: str, basis: Basis) -> Judgement:
    if published == 0 and own.outcome is not Outcome.FAILS:
        if own.basis is Basis.IDENTITY:
            return own
        return replace(own, outcome=Outcome.OPEN, because=Because.OMITTED, needs=None, reason=why)
    outcome = Outcome.WRONG if own.outcome is Outcome.WRONG else Outcome.FAILS
    return replace(own, outcome=outcome, basis=basis, because=None, needs=None, reason=why)


def _told(tested: Together, table: list[Printed]) -> str:
    """Say how far the cell that is furthest off is, and how often resampled tables are as far off."""
    worst = table[tested.worst]
    head, where = f"of {tested.cells} cells together", f"{NAMES[worst.algorithm]} at tau = {worst.tau:g}"
    if np.isinf(tested.off):
        return f"{head}: {where} has one count on all seeds, and another is printed"
    return f"{head}: {where} is {tested.off:.3g} standard errors off, {as_far(tested.share, 'tables')}"


def printed_cells(
    claim: Claim, results: Results, definition: str, tau: float, trials: int, *, whoever: bool
) -> list[Printed]:
    """Collect the counts that the claim's table prints, beside the study's by a definition.

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
        if whoever or of_row.get("described", True) or algorithm == claim.policy["algorithm"]:
            printed.setdefault(algorithm, {})[float(str(of_row["tau"]))] = float(row["value"])
    own = str(claim.policy["algorithm"])
    printed.setdefault(own, {})[tau] = claim.number
    found = []
    for algorithm, counts in printed.items():
        readings = [claim.policy] if algorithm == own else list(_readings(results, claim.experiment, algorithm))
        columns = [_column(claim, results, definition, reading, counts) for reading in readings]
        nearest = min(filter(None, columns), key=lambda column: _distance(column, trials), default={})
        found += [Printed(algorithm, at, cell) for at, cell in nearest.items()]
    return found


def _readings(results: Results, experiment: str, algorithm: str) -> Iterator[Mapping[str, Setting]]:
    """List the settings of a policy's readings that are played, each once; thresholds are not among them."""
    seen: list[Mapping[str, Setting]] = []
    for label in results.policies(experiment, algorithm=algorithm):
        settings = {name: value for name, value in results.settings(experiment, label).items() if name != "tau"}
        if settings not in seen:
            seen.append(settings)
            yield settings


def _column(
    claim: Claim, results: Results, definition: str, reading: Mapping[str, Setting], counts: Mapping[float, float]
) -> dict[float, Cell]:
    """Pair the printed counts of a policy with the study's under a reading, by threshold."""
    found = {}
    for tau, published in counts.items():
        at = {**reading, "tau": tau} if reading["algorithm"] == "f_ucb" else reading
        try:
            values: FloatArray = (
                replace(claim, metric=unfair(definition, tau), policy=at).values(results).to_numpy(dtype=np.float64)
            )
        except NotRunError:  # this reading is not played at this threshold
            continue
        found[tau] = Cell(published, values)
    return found


def _distance(column: Mapping[float, Cell], trials: int) -> tuple[float, float]:
    """Compute how far the furthest count of a policy lies off, and all of them together."""
    misses = [abs(cell.published - float(cell.values.mean())) for cell in column.values()]
    return max(cell.off(trials) for cell in column.values()), sum(misses)
