"""The judges of what is computed without sampling."""

import pytest

from replication.judging import judges
from replication.judging.judges import Outcome


def test_what_is_computed_is_exact():
    assert judges.judge_exact("{A}, {B}", "{A}, {B}").outcome == Outcome.HOLDS
    assert judges.judge_exact("4", "5").outcome == Outcome.FAILS
    found = judges.judge_exact("4", "5", implied_by="Table 2")
    assert (found.outcome, found.n, found.replicated) == (Outcome.FAILS, 0, "5")
    assert "Table 2" in found.reason  # where the other value follows from
    assert judges.judge_exact("4", "4", implied_by="Table 2").outcome == Outcome.HOLDS
    assert judges.judge_member("b", ["a", "b"]).outcome == Outcome.HOLDS
    assert judges.judge_member("c", ["b", "a"]).replicated == "a | b"


@pytest.mark.parametrize(
    ("published", "computed", "verdict"),
    [
        ("0.512", 0.5124, Outcome.HOLDS),
        ("0.512", 0.5126, Outcome.FAILS),
        ("3", 3.4, Outcome.HOLDS),
        ("3.0", 3.06, Outcome.FAILS),
    ],
)
def test_a_printed_number_is_known_to_its_digits(published, computed, verdict):
    found = judges.judge_rounded(published, computed)
    assert found.outcome == verdict
