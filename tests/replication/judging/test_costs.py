"""What deciding an open claim costs: the seeds that it needs, of all its policies."""

import pytest
from made_claims import claim_of, judged, made_results

from replication.judging import costs, generic, verdicts
from replication.judging.judges import Because, Needs

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


def test_both_policies_are_played_and_a_draw_has_several_seeds(measured):
    claim, results = claim_of("order", readings=""), made_results()
    found = [costs.minutes("made2000", claim, Needs(50, unit), results, measured) for unit in ("seed", "draw")]
    assert found == [pytest.approx(50 * 1.2 / 60), pytest.approx(4 * 50 * 1.2 / 60)]
    assert costs.minutes("made2000", claim, Needs(50, "sample"), results, measured) is None
    assert costs.minutes("other2000", claim, Needs(50, "seed"), results, measured) is None


@pytest.mark.parametrize(("minutes", "told"), [(None, ""), (0.3, "under a CPU minute"), (12.4, "about 12 CPU minutes")])
def test_needs_say_what_they_cost(minutes, told):
    assert Needs(5, "seed", minutes).cost == told


def test_a_claim_that_is_open_for_want_of_seeds_says_what_they_cost(measured):
    results = made_results()
    row = {"readings": "", "arguments": "{trials: 100000}", "value": "29.0", "judge": "mean", "against": ""}
    claim = claim_of("plus", **row)
    found = verdicts.judge_claim(claim, generic.JUDGES["mean"], (), results, paper="made2000", costs=measured)
    assert found.because is Because.SEEDS
    assert found.needs.minutes == pytest.approx(found.needs.count * 0.9 / 60)
    assert found.needs.cost in found.reason
    assert judged(results, "plus", **row).needs.minutes is None
