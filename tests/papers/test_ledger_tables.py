"""Tables behind the ledger: Theorem 4 (E01), when expressions count (L01, L10, L13)."""

import numpy as np
import pandas as pd

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.huang2024 import theorem4
from causal_bandits.papers.lee2019.borrowing import borrowing

NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


def test_theorem_4_fails_where_the_exchange_condition_does(monkeypatch):
    monkeypatch.setattr(theorem4, "MODELS", 60)
    table = theorem4.theorem_4(NOTHING).to_dict("records")
    assert [row["{W} is a substitute as printed"] for row in table] == ["yes"] * 3
    assert [row["with the exchange condition"] for row in table] == ["no", "yes", "yes"]
    outside = [float(row["P_x(y) outside for some x, %"]) for row in table]
    assert outside[0] > 10
    assert outside[1:] == [0, 0]


def test_expressions_that_count_are_counted_by_hand():
    runs = pd.DataFrame(
        {
            "policy": ["ts_bf", "z2", "z2", "z2", "z2"],
            "seed": [0, 0, 1, 2, 3],
            "t": 200,
            "clipped": [np.nan, 0, 3, 0, 1],
            "borrowed": [np.nan, 0.0, 10.0, 30.0, 0.0],
        }
    )
    never = runs[runs["borrowed"] != 10.0].replace({30.0: 0.0})
    finals = {task: runs for task in ("frontdoor", "fourvar", "sixvar")}
    finals |= {f"{family}_{task}": never for family in ("uniform_cpt", "noisy_xor") for task in finals}
    table = borrowing(Results({}, finals, pd.DataFrame(), {})).to_dict("records")
    assert [row["instance"] for row in table[:3]] == ["committed", "uniform_cpt", "noisy_xor"]
    assert [row["pairs of round and arm"] for row in table[::3]] == [200 * arms * 4 for arms in (3, 5, 15)]
    for row in table[::3]:
        assert row["policy"] == "z2"
        assert row["runs in which an expression counts, %"] == "50.0"
        assert row["weight of expressions, %"] == "5.0"
        assert (row["averages that no Beta distribution matches"], row["seeds"]) == (4, 4)
    for row in table[1::3] + table[2::3]:
        assert row["runs in which an expression counts, %"] == "0.0"
        assert row["weight of expressions, %"] == "0.0"
        assert (row["averages that no Beta distribution matches"], row["seeds"]) == (1, 3)
