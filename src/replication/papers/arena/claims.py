"""Judges of what other authors publish of the algorithms that the arena plays."""

from __future__ import annotations

from experiments.results import NotRunError, Results
from replication.judging import judges
from replication.judging.claims import Claim, Judge
from replication.judging.judges.arguments import Checkpoint
from replication.judging.judges.judgement import Judgement


def regret_at(claim: Claim, results: Results, *, at: Checkpoint) -> Judgement:
    """The cumulative regret up to round ``at`` is the published one to the printed digits.

    For rounds in which every run plays the same arms.

    Raises
    ------
    NotRunError
        If the round is no checkpoint.
    ValueError
        If the runs differ up to that round.
    """
    curve = results.curve(claim.experiment, claim.metric, **claim.policy)
    point = curve[curve["t"] == at]
    if point.empty:
        raise NotRunError(f"a checkpoint of {claim.experiment} at t = {at}")
    row = point.iloc[0]
    if row["std"] > 1e-9 * abs(row["mean"]):
        raise ValueError(f"t = {at}: the runs differ (standard deviation {row['std']:.3g}); expected the same in each")
    return judges.judge_rounded(claim.value, float(row["mean"]))


JUDGES: dict[str, Judge] = {"regret_at": Judge(regret_at, needs=("number", "policy"))}
