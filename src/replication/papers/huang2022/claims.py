"""Judge claims of huang2022: separators, records, the theorems' bounds, and `unfair_claims`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.problems.construction.huang2022.constants import USER, VIDEO, WEIGHTS
from experiments import files
from experiments.results import NotRunError, Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Because,
    Judgement,
    Outcome,
    judge_above,
    judge_exact,
    judge_mean_bound,
    judge_rate,
    not_run,
    reason,
)
from replication.judging.judges.arguments import Claims, Positive
from replication.judging.readings import or_direction, over_readings
from replication.papers.huang2022.bandits import campaign
from replication.papers.huang2022.discovery import learned_graphs, learned_separator
from replication.papers.huang2022.labels import LEARNERS
from replication.papers.huang2022.regret_claims import REGRET_JUDGES
from replication.papers.huang2022.theorem_claims import THEOREM_JUDGES
from replication.papers.huang2022.unfair_claims import UNFAIR_JUDGES


def separator(claim: Claim, results: Results) -> Judgement:
    """Judge the minimal d-separation set of the email campaign."""
    return judge_exact(claim.value, _shown(minimal_separator(campaign())))


def learnt_separator(claim: Claim, results: Results) -> Judgement:
    """Judge the minimal d-separation set of Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, learned_separator)


def learnt_parents(claim: Claim, results: Results) -> Judgement:
    """Judge the parents of the reward in Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, lambda graph: graph.parents("reward"))


def _learnt(
    published: str, results: Results, found_in: Callable[[PartiallyDirectedGraph], frozenset[str]]
) -> Judgement:
    """Judge whether PC and GES find exactly the published set on at least half of the seeds (L40)."""
    judged = {}
    for learner, file in LEARNERS.items():
        try:
            found = [_shown(found_in(graph)) for graph in learned_graphs(results.file(file))]
        except NotRunError as error:
            judged[learner] = not_run(error.what)
            continue
        told = judge_rate(np.array([each == published for each in found]), 0.5)
        most = max(sorted(set(found)), key=found.count)
        judged[learner] = replace(told, reason=reason(f"{learner} finds {most} most often", told.reason))
    return over_readings(judged)


def _shown(variables: Iterable[str]) -> str:
    return "{" + ",".join(sorted(variables)) + "}"


def records(
    claim: Claim,
    results: Results,
    *,
    data: str,
    where: Mapping[str, int] | None = None,
    parts: Claims | None = None,
    named: bool = True,
) -> Judgement:
    """Judge a number of records: those of the table ``data`` whose variables have the states ``where``.

    ``parts`` are claims that count the parts of the same records: a number that is not their sum contradicts them.
    ``named``: whether the paper names the records; another number of unnamed ones tells nothing (ledger L33).
    """
    table = files.read(results.file(data)).to_pandas()
    for variable, state in (where or {}).items():
        table = table[table[variable] == state]
    counted = int(table["count"].sum())
    place = ""
    if parts and sum(results.value(part) for part in parts) == counted:
        place = f"the sum of {' and '.join(parts)}"
    judged = judge_exact(claim.value, str(counted), implied_by=place)
    if named or judged.outcome is Outcome.HOLDS:
        return judged
    why = "the paper does not say which crawl its records are from"
    return replace(judged, outcome=Outcome.OPEN, because=Because.OMITTED, reason=reason(why, judged.reason))


def video_types(claim: Claim, results: Results) -> Judgement:
    """Judge how many of the 16 types of videos occur."""
    table = files.read(results.file("data_youtube")).to_pandas()
    known = table[(table[list(VIDEO)] < 2).all(axis=1) & (table["count"] > 0)]
    return judge_exact(claim.value, str(len(known[list(VIDEO)].drop_duplicates())))


def states(claim: Claim, results: Results, *, variable: str, implied_by: str) -> Judgement:
    """Judge how many values a variable of the email campaign has by its equations."""
    return judge_exact(claim.value, str(campaign().scm.cardinality(variable)), implied_by=implied_by)


def slightly_above(claim: Claim, results: Results, *, claimed: Positive, times: Positive) -> Judgement:
    """Judge whether the policy lies above the other by at most ``times`` the ``claimed`` difference.

    If it lies further above, the direction alone holds.
    """
    values, others = claim.pair(results)
    ordering = judge_above(values, others, claimed=claimed)
    if ordering.outcome is not Outcome.HOLDS:
        return ordering
    return or_direction(judge_mean_bound(times * claimed, values - others, math.inf), ordering)


def video_features(claim: Claim, results: Results) -> Judgement:
    """Judge the four features of a video: all that the printed reward needs must be among them (E07)."""
    needed = set(WEIGHTS) - set(USER)
    named = set(claim.value.strip("{}").split(","))
    if needed <= named:
        return judge_exact(claim.value, claim.value)
    return judge_exact(
        claim.value, _shown(VIDEO), implied_by=f"the reward, which needs {' and '.join(sorted(needed - named))}"
    )


JUDGES: dict[str, Judge] = {
    "separator": Judge(separator),
    "learnt_separator": Judge(learnt_separator),
    "learnt_parents": Judge(learnt_parents),
    "records": Judge(records, needs=("number",)),
    "video_types": Judge(video_types, needs=("number",)),
    "states": Judge(states, needs=("number",)),
    "slightly_above": Judge(slightly_above, needs=("policy", "against")),
    "video_features": Judge(video_features),
    **REGRET_JUDGES,
    **THEOREM_JUDGES,
    **UNFAIR_JUDGES,
}
