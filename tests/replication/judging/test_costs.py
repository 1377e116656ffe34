"""What deciding an open claim costs: the seeds that it needs, of all its policies."""

import pytest
from made_claims import claim_of, judged, made_results

from replication.judging import costs, generic, verdicts
from replication.judging.judges import Basis, Because, Judgement, Needs, Outcome

MEASURED = """series,jobs,seeds,seconds,peak_mb
aggregate/made2000/frontdoor,1,0,2.9,793
simulate/made2000/frontdoor/ts_bf,2,100,30,314
simulate/made2000/frontdoor/ts_pomis_plus,1,10,9,314
"simulate/made2000/sizes/n=10,x=1",1,10,9,314
"""


@pytest.fixture
def measured(tmp_path):
    (tmp_path / "jobs.csv").write_text(MEASURED)
    return costs.read_costs(tmp_path / "jobs.csv")


def test_costs_are_per_seed(measured):
    assert measured == {
        ("made2000", "frontdoor", "ts_bf"): pytest.approx(0.3),
        ("made2000", "frontdoor", "ts_pomis_plus"): pytest.approx(0.9),
        ("made2000", "sizes", "n=10,x=1"): pytest.approx(0.9),
    }


def wanting(count, unit, n=0, **needs):
    """A judgement of n values that so many would decide."""
    missing = {"because": Because.SEEDS, "needs": Needs(count, unit, **needs)}
    return Judgement(Outcome.OPEN, "too few", Basis.SIMULATED, n=n, **missing)


def test_both_policies_are_played_and_a_draw_has_several_seeds(measured):
    claim, results = claim_of("order", readings=""), made_results()
    for unit, each in (("seed", 1), ("draw", 4)):
        found = costs.seconds("made2000", claim, wanting(50, unit), results, measured)
        assert found == pytest.approx(
            {("frontdoor", "ts_bf"): each * 50 * 0.3, ("frontdoor", "ts_pomis_plus"): each * 50 * 0.9}
        )
    assert costs.seconds("made2000", claim, wanting(50, "sample"), results, measured) is None
    assert costs.seconds("other2000", claim, wanting(50, "seed"), results, measured) is None


def test_where_experiments_are_pooled_each_policy_plays_as_many_times_as_many_seeds(measured):
    claim, results = claim_of("order", readings=""), made_results()
    key = ("frontdoor", "ts_bf")
    seeds = (results.finals["frontdoor"]["policy"] == "ts_bf").sum()
    judged = wanting(70, "seed", n=20, pooled=(key,))
    assert costs.seconds("made2000", claim, judged, results, measured) == pytest.approx({key: 3.5 * seeds * 0.3})


def test_a_claim_that_is_open_for_want_of_seeds_says_what_they_cost(measured):
    results = made_results()
    row = {"readings": "", "arguments": "{trials: 100000}", "value": "29.0", "judge": "mean", "against": ""}
    claim = claim_of("plus", **row)
    found = verdicts.judge_claim(claim, generic.JUDGES["mean"], (), results, paper="made2000", costs=measured)
    assert found.because is Because.SEEDS
    assert found.needs.seconds == pytest.approx({("frontdoor", "ts_pomis_plus"): found.needs.count * 0.9})
    assert found.needs.cost in found.reason
    assert judged(results, "plus", **row).needs.seconds is None
