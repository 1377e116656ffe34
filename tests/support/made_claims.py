"""A made-up paper's claims and results, for tests of checks, binding, judging and verdicts."""

import csv

import numpy as np
import pandas as pd

from experiments.results import Plan, Results
from replication.judging import judges, verdicts
from replication.judging.binding import Declared
from replication.judging.checks import above, growth, mean, percentage
from replication.judging.claims import COLUMNS, Policy, Printed, along, check, claim, final, pair, under
from replication.judging.gaps import Gap

SETTINGS = {
    "ts_bf": {"algorithm": "thompson", "problem": "frontdoor", "arms": "brute_force"},
    "ts_mis": {"algorithm": "thompson", "problem": "frontdoor", "arms": "minimal"},
    "ts_pomis": {"algorithm": "thompson", "problem": "frontdoor", "arms": "possibly_optimal"},
    "ts_pomis_plus": {"algorithm": "z2_thompson", "problem": "frontdoor", "averaging": "minimum_variance"},
}
LEFT_OUT = {"ts_pomis_plus_delta": SETTINGS["ts_pomis_plus"] | {"averaging": "delta"}}
SIZES = {f"n={n}": {"algorithm": "kl_ucb", "problem": "tree", "n": n} for n in (10, 100, 1000)}
PLANS = {
    "frontdoor": Plan(10000, SETTINGS | LEFT_OUT),
    "random_frontdoor": Plan(10000, SETTINGS),
    "sizes": Plan(1000, SIZES),
}
METRICS = frozenset({"cumulative_regret", "drawn_regret", "correct", "sample_complexity"})
DECLARED = {
    name: Declared(
        plan,
        dict.fromkeys(plan.settings, frozenset(range(plan.horizon // 100, plan.horizon + 1, plan.horizon // 100))),
        draws=name != "sizes",
        metrics=dict.fromkeys(plan.settings, METRICS if name == "sizes" else METRICS - {"sample_complexity"}),
        milestones=(5000,) if name == "frontdoor" else (),
    )
    for name, plan in PLANS.items()
}
PLAYED = PLANS | {"frontdoor": Plan(10000, SETTINGS, LEFT_OUT)}

TS = Policy("thompson")
BF, MIS, POMIS = (final("frontdoor", TS(arms=arms)) for arms in ("brute_force", "minimal", "possibly_optimal"))
PLUS = final("frontdoor", Policy("z2_thompson", {"averaging": "minimum_variance"}))
SIZE = final("sizes", Policy("kl_ucb"))
AVERAGING = Gap("L18", "how estimates are averaged", {"minimum variance": "minimum_variance", "delta": "delta"})
INSTANCES = Gap("L01", "the instance", {"calibrated": "frontdoor", "random": "random_frontdoor"})


@check
def sets(printed, results, strategy):
    """A peculiar judge, as a paper has them."""
    return judges.judge_exact(printed.value, "{} {X}" if strategy == "minimal" else "{}")


@check
def same(printed, results, one, other):
    """The same results on every seed."""
    return judges.judge_same(*pair(one, other, results), constructed=True)


#: What is printed (kind, value and further cells) and how it is tested.
PRINTED = {
    "baseline": {"kind": "mean", "value": "44.40"},
    "plus": {"kind": "mean", "value": "29.08"},
    "reduction": {"kind": "percentage", "value": "34.5"},
    "order": {"kind": "ordering", "value": ">", "statement": "BF regrets more.", "column": "BF > POMIS+"},
    "same": {"kind": "ordering", "value": "="},
    "sets": {"kind": "set", "value": "{} {X}"},
    "growth": {"kind": "order of growth", "value": "sqrt"},
}
CLAIMS = {
    "baseline": claim(mean(POMIS, trials=1000), "L01", evidence="fitted"),
    "plus": claim(under(AVERAGING, lambda averaging: mean(PLUS(averaging=averaging), trials=1000))),
    "reduction": claim(percentage(PLUS, POMIS, trials=1000)),
    "order": claim(
        under(INSTANCES, lambda name: above(final(name, BF.policy), final(name, PLUS.policy), by="draw")),
        "L10 L01",
        headline=True,
        shown="BF > POMIS+",
    ),
    "same": claim(same(BF, MIS), evidence="by construction"),
    "sets": claim(sets("minimal"), "L06", fault=judges.Why.SLIP),
    "growth": claim(growth(along(SIZE, n=[10, 100, 1000]), "sqrt")),
}


def printed(id_="baseline", **cells):
    """A row of what is printed."""
    known = dict.fromkeys(COLUMNS, "") | {"id": id_} | PRINTED.get(id_, {})
    return Printed(**(known | cells))


def publish(path, rows=PRINTED, header=COLUMNS):
    """Write what is printed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([{"id": name, **row}.get(column, "") for column in header] for name, row in rows.items())
    return path


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


def judged(results, test, value="", **about):
    """The verdict of a test of a printed value."""
    return verdicts.judge_claim(printed(value=value), claim(test, **about), results)
