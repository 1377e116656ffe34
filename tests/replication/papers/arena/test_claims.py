"""The arena's own judge: a regret that is the same in every run."""

from types import SimpleNamespace

import pandas as pd
import pytest

from experiments.results import NotRunError
from replication.judging.claims import Claim
from replication.judging.judges import Outcome
from replication.papers.arena.claims import regret_at


def judged(published, mean=19500.0, std=0.0, at=4000):
    curve = pd.DataFrame({"t": [1000, 4000], "mean": [4875.0, mean], "std": [0.0, std]})
    results = SimpleNamespace(curve=lambda experiment, metric, **policy: curve)
    return regret_at(Claim("p.a", "", "", "", published, "regret_at", experiment="e"), results, at=at)


def test_the_printed_digits_decide():
    assert judged("19500.0").outcome is Outcome.HOLDS
    assert judged("4875.0", at=1000).outcome is Outcome.HOLDS
    assert judged("19500.2").outcome is Outcome.FAILS


def test_runs_that_differ_and_rounds_that_are_no_checkpoint_are_refused():
    with pytest.raises(ValueError, match="t = 4000: the runs differ"):
        judged("19500.0", std=3.0)
    with pytest.raises(NotRunError, match="t = 2000"):
        judged("19500.0", at=2000)
