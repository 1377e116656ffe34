"""What lee2019 states without a number (L195): data efficiency, arms of low reward, Theorems 4 and 5."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from lee2019_results import PUBLISHED, made_up, scale, study

from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import reward_expressions
from causal_bandits.identification.expression import Product
from causal_bandits.models.families import FAMILIES
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS
from causal_bandits.problems.lee2019 import build
from replication.judging import claims, generic, verdicts
from replication.judging.judges import Outcome
from replication.papers.lee2019 import claims as own
from replication.papers.lee2019 import gains, theorem_claims

CLAIMS = {claim.claim_id: claim for claim in claims.read(PUBLISHED, "lee2019.csv")}
JUDGES = generic.judges_of("lee2019")
READINGS = study().papers["lee2019"]["readings"]


def judged(results, claim):
    return verdicts.judge_claim(
        claim, JUDGES[claim.judge], READINGS.get(claim.readings, ()), results and replace(results)
    )


def curve(t, mean, half=0.0):
    t, mean = np.asarray(t, dtype=float), np.asarray(mean, dtype=float)
    return pd.DataFrame({"t": t, "mean": mean, "ci_low": mean - half, "ci_high": mean + half, "n": 10})


# ------------------------------------------------------------------ data efficiency


def test_rounds_are_counted_to_the_regret_per_round_that_the_slow_one_ends_with():
    """By hand: 100 / 1000 per round is what 20 after 200 rounds are; the checkpoint before is 100."""
    slow = curve([100, 1000], [50, 100])
    fast = curve([100, 200, 400, 1000], [15, 20, 25, 30])
    assert own.fewer_rounds(slow, fast) == (5.0, 5.0, 10.0)


def test_what_rises_again_is_not_there_yet():
    slow = curve([100, 1000], [50, 100])
    fast = curve([100, 200, 400, 1000], [5, 30, 35, 40])
    assert own.fewer_rounds(slow, fast).value == 1000 / 400


def test_the_interval_takes_the_ends_of_both_curves():
    slow, fast = curve([1000], [100], half=50), curve([100, 200, 400, 1000], [18, 24, 30, 35], half=6)
    found = own.fewer_rounds(slow, fast)
    assert found == (1000 / 400, 1000 / 1000, math.inf)  # 24/100 > 0.05 until 1000; 12/100 <= 0.15 at once


def test_one_that_never_gets_there_is_no_more_efficient():
    assert own.fewer_rounds(curve([1000], [10]), curve([100, 1000], [10, 20])) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("solver", ["ts", "kl_ucb"])
def test_tables_regrets_are_no_order_of_magnitude_and_a_tenth_is(solver):
    claim = CLAIMS["lee2019.efficiency"]
    experiments = ["sixvar", "fourvar", "frontdoor"]
    arguments = {**claim.arguments, "solver": {"ts": "TS", "kl_ucb": "KL-UCB"}[solver], "counts": "regret"}
    assert len(READINGS[claim.readings]) == 4
    for experiment in experiments:
        results = made_up(experiments=[experiment])
        one = replace(claim, readings="", arguments={**arguments, "instances": experiment})
        assert judged(results, one).outcome == Outcome.FAILS
        scale(results, 0.05, [experiment], algorithm=f"z2_{solver if solver == 'kl_ucb' else 'thompson'}")
        assert judged(results, one).outcome == Outcome.HOLDS
    assert judged(made_up(experiments=["sixvar"], horizon=5000), claim).outcome == Outcome.OPEN


# ------------------------------------------------------------------ arms of low reward


def test_arms_are_low_by_lai_and_robbins():
    """ln(10,000) / kl(p, 0.5) = 100 at kl = 0.0921, which lies between p = 0.28 and 0.3."""
    assert gains.low_arms(np.array([0.5, 0.28, 0.3, 0.5])) == 1
    assert gains.low_arms(np.array([0.5, 0.5])) == 0


def test_gains_are_compared_by_the_number_of_low_arms():
    claim = CLAIMS["lee2019.low_arms.kl_ucb"]
    of_family = {**claim.arguments, "family": "noisy_gates"}
    claim = replace(claim, readings="", arguments=of_family)
    experiments = [f"noisy_gates_{task}" for task in GRAPHS]
    results = made_up(experiments=experiments)
    assert judged(results, claim).outcome != Outcome.HOLDS
    for task, name in zip(GRAPHS, experiments, strict=True):
        table = results.finals[name]
        draws = sorted(table["draw"].unique())
        low = pd.Series([gains.low_arms(m) for m in gains.means_of(task, "noisy_gates", draws)], index=draws)
        few = low.index[low < low.mean()]
        plus = table["policy"] == results.policies(name, algorithm="z2_kl_ucb")[0]
        table.loc[plus & table["draw"].isin(few), "cumulative_regret"] /= 2
    assert judged(results, claim).outcome == Outcome.HOLDS
    del results.plans[experiments[0]]
    assert judged(results, claim).outcome == Outcome.OPEN


# ------------------------------------------------------------------ theorems


def test_theorem_4_fails_where_sets_are_dropped_instead_of_projected(monkeypatch):
    """Without Z, do(X) can be the best in the front-door graph; the POMISs of the graph itself have no set with X."""

    def dropped(graph, fixed):
        return frozenset(s for s in possibly_optimal_intervention_sets(graph, "Y") if not s & set(fixed))

    claim = replace(CLAIMS["lee2019.theorem4"], arguments={"draws": 1})
    monkeypatch.setattr(theorem_claims, "projected_pomis", dropped)
    found = judged(None, claim)
    assert found.outcome == Outcome.FAILS
    assert int(found.replicated) > 0


def test_theorem_5_finds_an_expression_that_is_wrong():
    """Squares and those of other arms are no effects."""
    graph = GRAPHS["fourvar"]
    found = reward_expressions(graph, "Y", {"A"})
    scm = build("fourvar", family=next(iter(FAMILIES)), draw=0).scm
    tables = theorem_claims._tables(scm, found)
    for chosen, (trivial, *others) in found.items():
        assert not any(theorem_claims.misses(e, scm, tables, chosen) for e in (trivial, *others))
        for expression in others:
            assert theorem_claims.misses(Product((expression, trivial)), scm, tables, chosen)


def test_tables_are_the_exact_joint_distributions():
    graph = GRAPHS["frontdoor"]
    scm = build("frontdoor", family=next(iter(FAMILIES)), draw=1).scm
    tables = theorem_claims._tables(scm, [frozenset(), frozenset("X")])
    for chosen, table in tables.items():
        for states in product(range(2), repeat=3):
            at = dict(zip(graph.nodes, states, strict=True))
            rest = [v for v in graph.nodes if v not in chosen]
            exact = scm.distribution(rest, {v: at[v] for v in chosen})[tuple(at[v] for v in rest)]
            assert np.asarray(table.probabilities)[states] == pytest.approx(exact)
