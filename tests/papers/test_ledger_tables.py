"""The table behind the ledger on Theorem 4 (E01)."""

import pandas as pd

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.huang2024 import theorem4

NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


def test_theorem_4_fails_where_the_exchange_condition_does(monkeypatch):
    monkeypatch.setattr(theorem4, "MODELS", 60)
    table = theorem4.theorem_4(NOTHING).to_dict("records")
    assert [row["{W} is a substitute as printed"] for row in table] == ["yes"] * 3
    assert [row["with the exchange condition"] for row in table] == ["no", "yes", "yes"]
    outside = [float(row["P_x(y) outside for some x, %"]) for row in table]
    assert outside[0] > 10
    assert outside[1:] == [0, 0]
