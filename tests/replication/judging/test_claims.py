"""A claim is judged under every open reading that is run."""

from dataclasses import replace

import pandas as pd
import pytest
from made_claims import JUDGES, PLANS, READINGS, REGRET, ROWS, bound, judged, made_results

from experiments.results import NotRunError, Results
from replication.judging import binding, claims, judges
from replication.judging.claims import Claim


@pytest.fixture(autouse=True)
def paper(monkeypatch):
    """A paper with two peculiar judges."""
    monkeypatch.setattr(binding, "judges_of", lambda paper: JUDGES)


@pytest.fixture
def results():
    """Of the made-up paper."""
    return made_results()


def test_readings_change_what_they_name(tmp_path):
    found = {claim.claim_id: claim for claim in bound(tmp_path, ROWS.items())}
    _, delta = claims.at_readings(found["plus"], READINGS["averaging"], PLANS)
    assert delta[0]["name"] == "delta"
    assert delta[1].policy == {"algorithm": "z2_thompson", "averaging": "delta"}
    assert delta[1].against == found["plus"].against  # Thompson sampling averages nothing
    _, random = claims.at_readings(found["order"], READINGS["instances"], PLANS)
    assert random[1] == replace(found["order"], experiment="random_frontdoor")
    whole = replace(found["order"], arguments={"precision": 0.5, "by": "seed"})
    _, draws = claims.at_readings(whole, READINGS["pairs"], PLANS)
    assert draws[1] == replace(whole, arguments={"precision": 0.5, "by": "draw"})
    assert [r["name"] for r, _ in claims.at_readings(found["baseline"], READINGS["averaging"], PLANS)] == [
        "minimum variance"
    ]


@pytest.mark.parametrize(
    ("to", "sides"), [("policy", ("delta", None)), ("against", (None, "delta")), ("both", ("delta", "delta"))]
)
def test_a_reading_changes_the_side_that_it_names(to, sides):
    claim = Claim("a", "", "", "", ">", "above", experiment="frontdoor", policy={"algorithm": "z2_thompson"})
    claim = replace(claim, against={"algorithm": "z2_thompson", "arms": "possibly_optimal"})
    reading = {"name": "delta", "settings": {"averaging": "delta"}, "to": to}
    ((_, changed),) = claims.at_readings(claim, [reading], PLANS)
    assert (changed.policy.get("averaging"), changed.against.get("averaging")) == sides


def test_a_claim_is_judged_under_every_reading(results):
    found = judged(results, "order")
    assert (found.outcome, found.ledger) == (judges.Outcome.HOLDS, "L10 L01")
    assert [(name, under.replicated[:14]) for name, under in found.readings] == [
        ("calibrated", "difference 30."),
        ("random", "difference 20."),
    ]
    number = {"judge": "mean", "policy": "z2_thompson", "against": "", "arguments": "{trials: 100}", "value": "29.0"}
    some = judged(results, "order", **number)
    assert some.outcome == judges.Outcome.DEPENDS
    assert [under.outcome for _, under in some.readings] == [judges.Outcome.HOLDS, judges.Outcome.FAILS]


def test_a_reading_may_replace_what_the_claim_names_if_it_says_so(tmp_path, results):
    """One side only: the other names the same setting."""
    row = {"against": "thompson arms=possibly_optimal", "arguments": ""}
    bound(tmp_path, [("order", ROWS["order"] | row | {"readings": "arms"})])
    found = judged(results, "order", READINGS["arms"], **row)
    means = REGRET["ts_bf"].mean(), REGRET["ts_mis"].mean(), REGRET["ts_pomis"].mean()
    shown = [(name, under.replicated) for name, under in found.readings]
    differences = (means[0] - means[2], means[1] - means[2])
    both = (f"({means[0]:.2f} against {means[2]:.2f})", f"({means[1]:.2f} against {means[2]:.2f})")
    expected = [f"difference {d:.2f} {shown_of}" for d, shown_of in zip(differences, both, strict=True)]
    assert shown == list(zip(("all", "few"), expected, strict=True))


def test_a_reading_that_is_not_run_leaves_the_others(results):
    found = judged(results, "plus", value="29.0")
    assert (found.outcome, found.because) == (judges.Outcome.OPEN, judges.Because.NOT_RUN)
    assert dict(found.readings)["delta"].because == judges.Because.NOT_RUN
    assert float(found.replicated) == pytest.approx(29, abs=0.5)


def test_what_is_not_run_at_all_says_so(results):
    found = judged(results, "reduction", policy="z2_thompson averaging=delta")
    assert found.outcome == judges.Outcome.OPEN
    assert found.because == judges.Because.NOT_RUN
    assert all(name in found.reason for name in ("z2_thompson", "averaging=delta", "frontdoor"))
    found = judged(results, "baseline", arguments="{trials: 5, rounds: 5000}")
    assert found.because == judges.Because.NOT_RUN
    assert (found.outcome, found.basis) == (judges.Outcome.OPEN, judges.Basis.FITTED)
    other = Results({}, {}, pd.DataFrame(), {}, {})
    assert judged(other, "order").because == judges.Because.NOT_RUN


def test_files_that_are_not_there_are_not_run(results):
    with pytest.raises(NotRunError, match="not in this configuration: bounds_contextual"):
        results.file("bounds_contextual")
    assert replace(results, files={"data_adult": "there"}).file("data_adult") == "there"


def test_a_calibrated_number_is_no_evidence(results):
    found = judged(results, "baseline")
    assert (found.outcome, found.basis, found.ledger) == (judges.Outcome.OPEN, judges.Basis.FITTED, "L01")
    assert float(found.replicated) == pytest.approx(REGRET["ts_pomis"].mean(), abs=0.01)
