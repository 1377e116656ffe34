"""A made-up paper's claims, settings and results, for tests of binding, judging and verdicts."""

import csv
from typing import Literal

import numpy as np
import pandas as pd

from experiments.results import Plan, Results
from replication.judging import binding, claims, generic, judges, verdicts
from replication.judging.binding import Declared
from replication.judging.claims import COLUMNS, Judge
from replication.judging.judges.arguments import Claims, Count, NotNegative, Positive
from replication.judging.readings import or_direction

THOMPSON = {"algorithm": "thompson", "problem": "frontdoor"}
Z2 = {"algorithm": "z2_thompson", "arms": "possibly_optimal", "averaging": "minimum_variance", "problem": "frontdoor"}
SETTINGS = {
    "ts_bf": THOMPSON | {"arms": "brute_force"},
    "ts_mis": THOMPSON | {"arms": "minimal"},
    "ts_pomis": THOMPSON | {"arms": "possibly_optimal"},
    "ts_pomis_plus": Z2,
}
LEFT_OUT = {"ts_pomis_plus_delta": Z2 | {"averaging": "delta"}}
DEFAULTS = {"thompson": {}, "z2_thompson": {"averaging": "minimum_variance"}}
SIZES = {f"n={n}": {"algorithm": "kl_ucb", "problem": "tree", "n": n} for n in (10, 100, 1000)}
PLANS = {
    "frontdoor": Plan(10000, SETTINGS | LEFT_OUT, {}, DEFAULTS),
    "random_frontdoor": Plan(10000, SETTINGS, {}, DEFAULTS),
    "sizes": Plan(1000, SIZES, {}, {"kl_ucb": {}}),
}
METRICS = frozenset({"cumulative_regret", "unfair_plugin", "correct", "sample_complexity"})
DECLARED = {
    name: Declared(
        plan,
        frozenset(range(plan.horizon // 100, plan.horizon + 1, plan.horizon // 100)),
        draws=name != "sizes",
        metrics=dict.fromkeys(plan.settings, METRICS if name == "sizes" else METRICS - {"sample_complexity"}),
    )
    for name, plan in PLANS.items()
}
PLAYED = PLANS | {"frontdoor": Plan(10000, SETTINGS, LEFT_OUT, DEFAULTS)}
READINGS = {
    "averaging": [{"name": "minimum variance"}, {"name": "delta", "ledger": "L18", "settings": {"averaging": "delta"}}],
    "instances": [{"name": "calibrated"}, {"name": "random", "ledger": "L01", "experiment": "random_frontdoor"}],
    "one": [{"name": "random", "experiment": "random_frontdoor"}],
    "arms": [
        {"name": "all"},
        {"name": "few", "to": "policy", "settings": {"arms": "minimal"}, "instead_of": {"arms": "brute_force"}},
    ],
    "pairs": [{"name": "seeds"}, {"name": "draws", "arguments": {"by": "draw"}}],
    "wrong": [{"name": "seeds"}, {"name": "draws", "arguments": {"per": "draw"}}],
}
#: A row of every kind that lee2019 has.
ROWS = {
    "baseline": {
        "kind": "mean",
        "value": "44.40",
        "judge": "mean",
        "experiment": "frontdoor",
        "policy": "thompson arms=possibly_optimal",
        "arguments": "{trials: 1000, rounds: 10000}",
        "evidence": "fitted",
        "ledger": "L01",
    },
    "plus": {
        "kind": "mean",
        "value": "29.08",
        "judge": "mean_and_order",
        "experiment": "frontdoor",
        "policy": "z2_thompson",
        "against": "thompson arms=possibly_optimal",
        "readings": "averaging",
        "arguments": "{trials: 1000, margin: 0.1, direction: below}",
    },
    "reduction": {
        "kind": "percentage",
        "value": "34.5",
        "judge": "percentage",
        "experiment": "frontdoor",
        "policy": "z2_thompson",
        "against": "thompson arms=possibly_optimal",
        "arguments": "{trials: 1000}",
    },
    "order": {
        "kind": "ordering",
        "value": ">",
        "judge": "above",
        "experiment": "frontdoor",
        "policy": "thompson arms=brute_force",
        "against": "z2_thompson",
        "readings": "instances",
        "arguments": "{by: draw}",
        "ledger": "L10 L01",
    },
    "same": {
        "kind": "identity",
        "value": "=",
        "judge": "same",
        "experiment": "frontdoor",
        "policy": "thompson arms=brute_force",
        "against": "thompson arms=minimal",
        "evidence": "by construction",
        "fact": "MIS and POMIS are all sets of the front-door graph",
    },
    "sets": {
        "kind": "sets",
        "value": "{} {X}",
        "judge": "sets",
        "arguments": "{task: frontdoor, strategy: minimal}",
        "ledger": "L06",
    },
    "growth": {
        "kind": "growth",
        "value": "sqrt",
        "judge": "growth",
        "experiment": "sizes",
        "policy": "kl_ucb",
        "arguments": "{over: {n: [10, 100, 1000]}, model: sqrt}",
    },
    "parts": {"kind": "count", "value": "73.48", "judge": "parts", "arguments": "{among: [baseline, plus]}"},
}


def sets(claim, results, *, task: str, strategy: str) -> judges.Judgement:
    """A peculiar judge, as a paper has them."""
    assert task == "frontdoor"
    return judges.judge_exact(claim.value, "{} {X}" if strategy == "minimal" else "{}")


def parts(claim, results, *, among: Claims, least: Count = 1) -> judges.Judgement:
    """Another, about other claims."""
    return judges.judge_exact(claim.value, str(sum(map(results.value, among))))


def mean_and_order(
    claim,
    results,
    *,
    direction: Literal["above", "below"],
    trials: Count,
    precision: Positive = 0.1,
    margin: NotNegative = 0.0,
    claimed: Positive | None = None,
) -> judges.Judgement:
    """A number, and where it fails the side of the other on which the policy lies."""
    values = claim.values(results).to_numpy()
    number = judges.judge_mean(claim.number, values, trials, precision=precision, margin=margin)
    values, others = claim.pair(results)
    pair = (values, others) if direction == "above" else (others, values)
    return or_direction(number, judges.judge_above(*pair, claimed=claimed))


def same(claim, results) -> judges.Judgement:
    """The same results on every seed."""
    return judges.judge_same(*claim.pair(results), by_construction=claim.basis is judges.Basis.IDENTITY)


JUDGES = {
    **generic.JUDGES,
    "mean_and_order": Judge(mean_and_order, needs=("number", "policy", "against")),
    "same": Judge(same, needs=("policy", "against")),
    "sets": Judge(sets),
    "parts": Judge(parts, needs=("number",)),
}


def write(root, rows, header=COLUMNS):
    path = root / "data/published/made2000.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    ledger = root / "docs/ledger/made2000.md"
    ledger.parent.mkdir(parents=True, exist_ok=True)
    ledger.write_text("".join(f"## {entry}\n\n" for entry in ("L01", "L06", "L10", "L18", "E03")))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[{"claim_id": name, **row}.get(column, "") for column in header] for name, row in rows])
    return path


def bound(root, rows):
    write(root, rows)
    return binding.bind("made2000", DECLARED, READINGS, root)


N = 400
RNG = np.random.default_rng(5)
SHARED = RNG.normal(0, 8, N)
REGRET = {
    "ts_bf": 60 + SHARED,
    "ts_mis": 60 + SHARED,
    "ts_pomis": 44 + SHARED + RNG.normal(0, 1, N),
    "ts_pomis_plus": 29 + SHARED / 4 + RNG.normal(0, 1, N),
}


def finals(regret, **more):
    tables = [
        pd.DataFrame({"policy": label, "seed": np.arange(len(v)), "cumulative_regret": v, **more})
        for label, v in regret.items()
    ]
    return pd.concat(tables, ignore_index=True)


def made_results():
    """The front door as above, on random instances 10 more for the last policy; delta is not run."""
    draw, rng = {"draw": np.arange(N) // 4}, np.random.default_rng(6)
    tables = {
        "frontdoor": finals(REGRET, **draw),
        "random_frontdoor": finals(REGRET | {"ts_pomis_plus": REGRET["ts_pomis_plus"] + 10}, **draw),
        "sizes": finals({label: 5 * np.sqrt(s["n"]) + rng.normal(0, 1, N) for label, s in SIZES.items()}),
    }
    at = [
        {"policy": "ts_bf", "t": 2000, "metric": "cumulative_regret", "n": 400, "mean": 30.0, "std": 8.0},
        {"policy": "ts_pomis", "t": 2000, "metric": "cumulative_regret", "n": 400, "mean": 22.0, "std": 6.0},
    ]
    return Results({"frontdoor": pd.DataFrame(at)}, tables, pd.DataFrame(), {}, PLAYED)


def claim_of(name, **changed):
    cells = dict.fromkeys(COLUMNS, "") | {"claim_id": name, **ROWS.get(name, {}), **changed}
    return claims._claim(list(cells.values()), 2, "made2000.csv")


def judged(results, name, readings=None, **changed):
    claim = claim_of(name, **changed)
    judge = JUDGES[claim.judge]
    chosen = READINGS.get(claim.readings, ()) if readings is None else readings
    return verdicts.judge_claim(claim, judge, chosen, results)
