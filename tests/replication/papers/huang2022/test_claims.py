"""The judging of huang2022's claims, as they stand in its table, on made-up results whose verdicts are known."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_huang2022 import CLAIMS, judged, made
from told import counted, numbers, under

from causal_bandits.play import unfairness
from causal_bandits.problems.construction.huang2022.constructed import unconstrained
from causal_bandits.problems.huang2022 import email
from replication.judging.judges import Basis, Because, Outcome
from replication.papers.huang2022 import claims, theorem_claims, unfair_claims
from replication.papers.huang2022.data import joint_counts
from replication.papers.huang2022.labels import DEFINITIONS, PICKED, UNTRIED
from replication.papers.huang2022.theory import RegretBound

WITHOUT_F_UCB = {"ucb": 500.0, "c_ucb": 400.0, "d_ucb": 300.0, "fair_lin_ucb": 250.0}
EMAIL = {0.1: 392.12, 0.2: 363.55, 0.3: 355.21, 0.4: 317.80, 0.5: 313.89}
ADULT = {0.1: 361.43, 0.2: 332.10, 0.3: 323.12, 0.4: 303.32, 0.5: 296.19}


def as_published(experiment, settings):
    """Every regret as the paper has it, by every reading."""
    if settings["algorithm"] != "f_ucb":
        return WITHOUT_F_UCB[settings["algorithm"]]
    return (EMAIL if experiment == "email" else ADULT)[settings["tau"]]


def of_model(experiment, settings, definition, tau):
    """Exact counts as the model has them (1,020 rounds at 0.1 with the edge), 2,000 by every other where it can be."""
    if definition == "answer":
        return 2000 * (tau < {"email": 0.24, "adult": 0.4, "adult_bounds": 0.6}[experiment])
    if definition != "exact":
        return 2000
    return 1020 if experiment == "adult_bounds" and tau == 0.1 else 0


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The shipped tables of counts."""
    folder = tmp_path_factory.mktemp("data")
    files = {f"data_{name}": str(folder / f"{name}.parquet") for name in ("adult", "youtube")}
    for name, path in zip(("adult", "youtube"), files.values(), strict=True):
        pq.write_table(
            joint_counts([], lambda seed: None, name, path=f"src/causal_bandits/datasets/counts/{name}.csv"), path
        )
    return files


@pytest.fixture(scope="module")
def published(data):
    return made(as_published, of_model, files=data)


def ids(*judges):
    return sorted(name for name, claim in CLAIMS.items() if claim.judge in judges)


# ------------------------------------------------------------------ regret


@pytest.mark.parametrize("claim_id", ids("mean", "regret_of_column", "above", "slightly_above", "above_at"))
def test_every_regret_holds_where_every_run_is_as_published(published, claim_id):
    found = judged(claim_id, published)
    fitted = "fair_lin_ucb" in (CLAIMS[claim_id].policy["algorithm"], CLAIMS[claim_id].against.get("algorithm"))
    expected = (Outcome.FITTED, Basis.FITTED) if fitted else (Outcome.HOLDS, Basis.SIMULATED)
    assert (found.outcome, found.basis) == expected


READINGS = {
    "fallback": {"fallback": "safest"},
    "scale": {"alpha_r": "theorem_3"},
    "radius": {"alpha_c": 0.5},
    "graph": {"income_descends_from_sex": True},
}


@cache
def worlds(reading):
    """By one reading F-UCB has nearly no regret, or far too much, and hardly any difference between thresholds."""

    def off(by):
        def regret(experiment, settings):
            value = as_published(experiment, settings)
            changed = settings["algorithm"] == "f_ucb" and READINGS[reading].items() <= settings.items()
            return by + value / 100 if changed else value

        return made(regret)

    return off(0), off(1000)


@pytest.mark.parametrize("claim_id", ids("mean", "regret_of_column", "above", "slightly_above", "above_at"))
@pytest.mark.parametrize("reading", READINGS)
def test_a_claim_rests_on_every_reading_of_what_it_is_about(claim_id, reading):
    """Where F-UCB is off by some readings, what is said of it holds in direction only; all else as ever."""
    claim, found = CLAIMS[claim_id], [judged(claim_id, world) for world in worlds(reading)]
    about = "f_ucb" in (claim.policy["algorithm"], claim.against.get("algorithm"))
    if claim.basis == Basis.FITTED:
        assert [each.outcome for each in found] == [Outcome.FITTED] * 2
    elif about and (reading != "graph" or claim.experiment == "adult_bounds"):
        assert Outcome.DEPENDS in [each.outcome for each in found]
        assert all({"L48", "L49"} <= set(each.ledger.split()) for each in found)
    else:
        assert [each.outcome for each in found] == [Outcome.HOLDS] * 2


def test_claims_on_adult_video_are_judged_with_the_edge_and_without():
    def regret(experiment, settings):
        return as_published(experiment, settings) * (2 if experiment == "adult" else 1)

    found = judged("huang2022.order.adult.f_ucb_01.f_ucb_02", made(lambda e, s: regret(e, s) if e == "adult" else 1.0))
    assert found.outcome == Outcome.DEPENDS
    assert sum(name.startswith("edge from sex to income, ") for name, _ in found.readings) == 4
    assert sum(name.startswith("no edge, ") for name, _ in found.readings) == 8


def test_what_ucb_has_means_of_is_a_reading_of_every_claim_about_it():
    def regret(experiment, settings):
        return as_published(experiment, settings) - 250 * settings.get("context_free", False)

    world = made(regret)
    for name in ("order.email.ucb.c_ucb", "order.email.ucb.d_ucb", "order.email.ucb.f_ucb_03"):
        found = judged(f"huang2022.{name}", world)
        assert found.outcome == Outcome.DEPENDS
        assert "L80" in found.ledger
        assert any("a mean per arm" in name for name, _ in found.readings)
    assert judged("huang2022.order.email.c_ucb.d_ucb", world).outcome == Outcome.HOLDS


def test_the_early_ordering_is_that_at_2000_rounds():
    """Curves stand there in the made-up results, F-UCB's 60 below the final regret."""

    for final, verdict in ((50, Outcome.HOLDS), (70, Outcome.FAILS)):

        def regret(experiment, settings, final=final):
            return 300.0 + (final if settings["algorithm"] == "f_ucb" else 0)

        assert judged("huang2022.early.email.d_ucb.f_ucb_03", made(regret)).outcome == verdict


@pytest.mark.parametrize(
    ("excess", "verdict"),
    [(82.1, Outcome.HOLDS), (160, Outcome.HOLDS), (170, Outcome.FAILS), (5, Outcome.FAILS), (-50, Outcome.FAILS)],
)
def test_slightly_better_is_at_most_twice_the_published_difference(excess, verdict):
    """At tau = 0.2 it is 332.10 - 250."""

    def regret(experiment, settings):
        return 250.0 + (excess if settings["algorithm"] == "f_ucb" else 0)

    claim, results = CLAIMS["huang2022.order.adult.f_ucb_02.fair_lin_ucb"], made(regret)
    assert claims.slightly_above(claim, results, **claim.arguments).outcome == verdict


@pytest.mark.parametrize("claim_id", ids("above", "slightly_above"))
def test_claimed_differences_are_those_of_the_published_numbers(published, claim_id):
    claim = CLAIMS[claim_id]
    printed = {
        tuple(other.policy.items()): other.number
        for other in CLAIMS.values()
        if other.judge in ("mean", "regret_of_column") and other.experiment == claim.experiment
    }
    pair = [printed.get(tuple(side.items())) for side in (claim.policy, claim.against)]
    expected = pytest.approx(pair[0] - pair[1], abs=1e-9) if None not in pair else None
    assert claim.arguments.get("claimed") == expected


def test_extras_that_are_left_out_leave_the_other_readings():
    found = judged("huang2022.order.email.ucb.f_ucb_03", made(as_published, extras=False))
    assert (found.outcome, found.because) == (Outcome.OPEN, Because.NOT_RUN)
    # Beside the safest arm, at this threshold the best one is there too; each with two readings of UCB.
    assert (counted(found, Outcome.HOLDS), sum(j.because == "not run" for _, j in found.readings)) == (4, 12)


def test_a_shorter_run_is_not_judged(published):
    shorter = {name: replace(plan, horizon=100) for name, plan in published.plans.items()}
    regrets = ("mean", "regret_of_column", "above", "above_at", "slightly_above")
    for name in ids(*regrets, "unfair_decisions", "unfair_share", "more_unfair"):
        found = judged(name, replace(published, plans=shorter))
        assert found.outcome == Outcome.OPEN
        assert found.because == Because.NOT_RUN


@pytest.mark.parametrize(("spread", "outcome"), [(30.0, Outcome.FAILS), (2_000.0, Outcome.OPEN)])
def test_a_column_refutes_what_one_cell_cannot(spread, outcome):
    """Ledger L87: five trials of one threshold could be as far off, five of each of five thresholds not."""

    def regret(experiment, settings):
        return 450.0 if settings["algorithm"] == "f_ucb" else 0.0

    results = made(regret)
    frame, rng = results.finals["email"], np.random.default_rng(3)
    frame["cumulative_regret"] += rng.exponential(spread, len(frame)) - spread + rng.normal(0, 60, len(frame))
    name = "huang2022.table1.regret.f_ucb.01"
    found = under(judged(name, results), "safest arm, scale 1")
    assert found.outcome == outcome
    as_published = under(judged(name, made(lambda e, s: EMAIL.get(s.get("tau"), 0.0))), "safest arm, scale 1")
    assert as_published.outcome == Outcome.HOLDS


# ------------------------------------------------------------------ unfair decisions


def about_unfair_decisions(experiment):
    rows = ids("unfair_decisions", "more_unfair", "unfair_share")
    return [name for name in rows if CLAIMS[name].experiment == experiment]


def test_unfair_decisions_are_judged_by_every_definition(published):
    """Each is told; two were picked with the counts in view, and tell nothing."""
    for name in ("table1.unfair.ucb.01", "contrast.email.d_ucb.c_ucb.03", "falls.email.c_ucb.01.02"):
        found = judged(f"huang2022.{name}", published)
        assert CLAIMS[f"huang2022.{name}"].fact == "what counts as an unfair decision of the email campaign"
        assert {"L50", "L81", "L82", "E11"} <= set(found.ledger.split())
        assert all(under(found, title) for title in DEFINITIONS.values())
        assert all(under(found, DEFINITIONS[picked]).outcome == Outcome.FITTED for picked in PICKED)


def test_no_definition_gives_counts_of_the_email_campaign_where_runs_have_2000(published):
    names = [f"huang2022.table1.unfair.{policy}.{tau}" for policy in ("ucb", "d_ucb") for tau in ("01", "03")]
    found = {name: judged(name, published) for name in names}
    # One definition is not tried, so that what fails under all others stays open.
    assert {(f.outcome, f.because) for f in found.values()} == {(Outcome.OPEN, Because.OMITTED)}
    tried = [j for f in found.values() for title, j in f.readings if not title.endswith(UNTRIED)]
    assert Outcome.OPEN not in {j.outcome for j in tried}
    assert {under(f, DEFINITIONS["exact"]).outcome for f in found.values()} == {Outcome.WRONG}
    # A zero is a statement of its own.
    zero = judged("huang2022.table1.unfair.f_ucb.01", published)
    assert under(zero, DEFINITIONS["exact"]).basis is Basis.IDENTITY


def printed_count(settings, tau):
    """What Table 1 prints, by the settings of a policy; any count of what it does not print."""
    for claim in CLAIMS.values():
        same = claim.policy.get("algorithm") == settings["algorithm"] and claim.arguments.get("tau") == tau
        if claim.item == "Table 1" and claim.judge == "unfair_decisions" and same:
            return claim.number
    return 7


def test_a_count_depends_where_a_definition_gives_its_whole_table(data):
    def counts(experiment, settings, definition, tau):
        drawn = definition == "drawn"
        return printed_count(settings, tau) if drawn else of_model(experiment, settings, definition, tau)

    found = judged("huang2022.table1.unfair.ucb.01", made(as_published, counts, files=data))
    assert (found.outcome, found.basis) == (Outcome.DEPENDS, Basis.SIMULATED)
    assert under(found, DEFINITIONS["drawn"]).outcome == Outcome.HOLDS
    assert under(found, DEFINITIONS["answer"]).outcome == Outcome.FAILS


@pytest.mark.parametrize(("policies", "refuted"), [(("c_ucb",), False), (("ucb", "c_ucb", "d_ucb"), True)])
def test_counts_of_several_policies_refute_the_whole_table_of_a_definition(data, policies, refuted):
    """Each count alone is as printed, but for one of each of these; no count above 0 can then be of the definition."""

    def counts(experiment, settings, definition, tau):
        off = 500 * (settings["algorithm"] in policies and tau == 0.2)
        drawn = definition == "drawn"
        return printed_count(settings, tau) + off if drawn else of_model(experiment, settings, definition, tau)

    results = made(as_published, counts, files=data)
    for policy in ("ucb", "c_ucb", "d_ucb", "f_ucb"):
        found = under(judged(f"huang2022.table1.unfair.{policy}.01", results), DEFINITIONS["drawn"])
        assert found.outcome == (Outcome.FAILS if refuted and policy != "f_ucb" else Outcome.HOLDS)
        assert found.basis == Basis.SIMULATED
        if policy != "f_ucb":
            assert numbers(found.reason)[:3] == ["15", str(len(policies)), "3"]


def test_no_reading_of_another_policy_refutes_a_count(data):
    """Two policies are off, the third under one of its readings alone: only that reading refutes the table."""

    def counts(experiment, settings, definition, tau):
        if definition != "drawn":
            return of_model(experiment, settings, definition, tau)
        off = settings["algorithm"] in ("c_ucb", "d_ucb") or settings.get("context_free")
        return printed_count(settings, tau) + 500 * (bool(off) and tau == 0.2)

    results = made(as_published, counts, files=data)
    assert under(judged("huang2022.table1.unfair.d_ucb.01", results), DEFINITIONS["drawn"]).outcome == Outcome.HOLDS
    title = DEFINITIONS["drawn"]
    ucb = [j.outcome for name, j in judged("huang2022.table1.unfair.ucb.01", results).readings if name.endswith(title)]
    assert sorted(ucb) == [Outcome.FAILS, Outcome.HOLDS]


@pytest.mark.parametrize("definition", PICKED)
def test_a_definition_that_was_picked_with_the_counts_in_view_lifts_no_verdict(data, definition):
    def counts(experiment, settings, which, tau):
        return 3030 if which == definition else of_model(experiment, settings, which, tau)

    found = judged("huang2022.table1.unfair.ucb.01", made(as_published, counts, files=data))
    assert (found.outcome, found.because) == (Outcome.OPEN, Because.OMITTED)
    assert counted(found, Outcome.HOLDS) == 0
    assert under(found, DEFINITIONS[definition]).outcome == Outcome.FITTED


def test_of_a_policy_that_is_not_described_only_what_holds_for_all_is_told(published):
    """Fair-LinUCB is only cited: what is played matters under every definition but the exact one."""
    rows = about_unfair_decisions("adult_bounds")
    undescribed = [name for name in rows if CLAIMS[name].policy["algorithm"] == "fair_lin_ucb"]
    assert len(undescribed) == 5 + 5 + 4 + 1
    assert not any(CLAIMS[name].arguments["described"] for name in undescribed)
    found = {name: judged(name, published) for name in undescribed if ".0" not in name or name.endswith((".01", ".02"))}
    for name, f in found.items():
        told = [title for title in DEFINITIONS.values() if under(f, title).because != Because.OMITTED]
        assert told == [DEFINITIONS["exact"], *(DEFINITIONS[picked] for picked in PICKED)]
        assert f.outcome == Outcome.OPEN, name
    contrast = found["huang2022.contrast.adult.fair_lin_ucb.f_ucb.01"]
    assert contrast.basis == Basis.EXACT  # that of the one definition that tells something


@pytest.mark.parametrize(
    ("value", "count", "verdict"),
    [("2053", 2053, Outcome.HOLDS), ("2053", 1020, Outcome.FAILS), ("0", 0, Outcome.HOLDS), ("0", 3, Outcome.FAILS)],
)
def test_a_count_that_the_model_allows_is_judged_by_the_runs(data, value, count, verdict, monkeypatch):
    """With the edge from sex to income a discrepancy may exceed 0.1."""
    monkeypatch.setattr(unfair_claims, "DEFINITIONS", {"exact": "exact"})
    monkeypatch.setattr(unfair_claims, "UNTRIED", ())
    rng = np.random.default_rng(1)
    results = made(as_published, of_model, files=data)
    frame = results.finals["adult_bounds"]
    noise = rng.normal(0, 20, len(frame)) if value != "0" else rng.integers(0, 2, len(frame))
    frame["unfair_exact_0.1"] = count + (noise if count else 0)
    claim = replace(CLAIMS["huang2022.table2.unfair.fair_lin_ucb.01"], value=value)
    results = replace(results, published=results.published.loc[[claim.claim_id]])  # a table of one count
    found = unfair_claims.unfair_decisions(claim, results, tau=0.1, trials=5)
    assert (found.outcome, found.basis) == (verdict, Basis.SIMULATED)
    share = unfair_claims.unfair_share(claim, results, percent=float(value) / 50, tau=0.1, trials=5)
    assert share.outcome == verdict
    assert float(share.replicated) == pytest.approx(float(found.replicated) / 50, abs=0.02)


@pytest.mark.parametrize("definition", ["exact", "answer"])
def test_counts_that_the_model_rules_out_are_an_error(data, definition):
    found = made(as_published, lambda e, s, which, tau: 5 * (which == definition), files=data)
    largest = {"exact": r"0\.0073", "answer": r"0\.2399"}[definition]
    with pytest.raises(ValueError, match=rf"exceeds {largest}, and yet rounds are counted as beyond 0.3"):
        judged("huang2022.table1.unfair.ucb.03", found)


def test_the_largest_difference_between_answers_is_that_over_all_pairs_of_arms():
    problem = email()
    pairs = [
        abs(problem.means[x, a] - problem.means[other, b])
        for x in range(8)
        for other in problem.others[x]
        for a in range(36)
        for b in range(36)
    ]
    assert unfair_claims.largest_between_answers(problem) == pytest.approx(max(pairs))


@pytest.mark.parametrize(("more", "verdict"), [(10, Outcome.HOLDS), (-10, Outcome.FAILS)])
def test_who_is_more_unfair_is_judged_by_the_runs_where_the_arm_matters(published, monkeypatch, more, verdict):
    monkeypatch.setattr(unfair_claims, "DEFINITIONS", {"exact": "exact"})
    monkeypatch.setattr(unfair_claims, "UNTRIED", ())
    results = replace(published, finals={"email": published.finals["email"].copy()})
    frame = results.finals["email"]
    base = np.random.default_rng(2).normal(100, 1, len(frame))
    frame["unfair_exact_0.1"] = base + more * (frame["policy"] == "c_ucb")
    frame["unfair_exact_0.2"] = base - more
    claim = CLAIMS["huang2022.contrast.email.c_ucb.ucb.01"]
    falls = replace(claim, policy=claim.against)
    by_arm = SimpleNamespace(discrepancies=np.array([[0.05, -0.25], [0.1, 0.1]]), descendants=())
    monkeypatch.setattr(unfair_claims, "bandit_of", lambda *of: by_arm)
    assert unfair_claims.more_unfair(claim, results, tau=0.1).outcome == verdict
    assert unfair_claims.more_unfair(falls, results, tau=0.1, other_tau=0.2).outcome == verdict
    assert unfair_claims.more_unfair(claim, results, tau=0.25).outcome == Outcome.WRONG
    by_user = SimpleNamespace(discrepancies=np.array([[0.25, 0.25], [0.1, 0.1]]), descendants=())
    monkeypatch.setattr(unfair_claims, "bandit_of", lambda *of: by_user)
    assert unfair_claims.more_unfair(claim, results, tau=0.1).outcome == Outcome.WRONG
    assert unfair_claims.more_unfair(falls, results, tau=0.1, other_tau=0.2).outcome == verdict


def test_every_definition_has_a_title():
    assert tuple(DEFINITIONS) == unfairness.DEFINITIONS
    assert set(PICKED) < set(DEFINITIONS)


# ------------------------------------------------------------------ graphs, records, equations


def graphs(folder, learner, parents):
    """A table of learnt graphs, one seed for each set of the reward's parents."""
    rows = [
        {"learner": learner, "seed": seed, "source": v, "target": "reward", "kind": "directed"}
        for seed, found in enumerate(parents)
        for v in found
    ]
    path = folder / f"{learner}.parquet"
    pd.DataFrame(rows).to_parquet(path)
    return str(path)


STATED = ("age", "income", "ratings", "views")
OTHER = ("age", "income", "ratings")


@pytest.mark.parametrize(
    ("pc", "ges", "verdict"),
    [
        ([STATED] * 10, [STATED] * 10, Outcome.HOLDS),
        ([STATED] * 9 + [OTHER], [STATED] * 10, Outcome.HOLDS),
        ([STATED] * 10, [OTHER] * 10, Outcome.DEPENDS),
        ([STATED] * 10, None, Outcome.OPEN),
        ([STATED] * 6 + [OTHER] * 4, [STATED] * 10, Outcome.OPEN),
        ([STATED], [STATED], Outcome.OPEN),
        ([OTHER] * 10, [OTHER] * 10, Outcome.FAILS),
        (None, None, Outcome.OPEN),
    ],
)
@pytest.mark.parametrize("claim_id", ["huang2022.parents.adult", "huang2022.separator.adult"])
def test_learnt_sets_must_be_those_of_most_seeds_by_both_learners(tmp_path, claim_id, pc, ges, verdict):
    files = {
        f"discovery_{learner}": graphs(tmp_path, learner, parents)
        for learner, parents in (("pc", pc), ("ges", ges))
        if parents
    }
    found = judged(claim_id, made(as_published, files=files, seeds=2))
    assert found.outcome == verdict
    if pc:
        assert found.replicated == f"{pc.count(STATED)} of {len(pc)}"
    untold = found.because == Because.NOT_RUN
    assert found.basis == (Basis.IDENTITY if untold or verdict in (Outcome.HOLDS, Outcome.DEPENDS) else Basis.SIMULATED)


def test_the_separator_of_the_email_campaign_is_computed(published):
    found = judged("huang2022.separator.email", published)
    assert (found.outcome, found.basis, found.replicated) == (Outcome.HOLDS, Basis.EXACT, "{A3,I1,I2}")


def test_that_counts_fall_with_the_threshold_could_not_come_out_otherwise(data):
    def counts(experiment, settings, definition, tau):
        return of_model(experiment, settings, definition, tau) * (1 - tau)

    found = judged("huang2022.falls.email.c_ucb.01.02", made(as_published, counts, files=data))
    drawn = under(found, DEFINITIONS["drawn"])
    assert (drawn.outcome, drawn.basis) == (Outcome.HOLDS, Basis.IDENTITY)
    contrast = judged("huang2022.contrast.email.ucb.f_ucb.01", made(as_published, counts, files=data))
    assert all(judgement.basis != Basis.IDENTITY for _, judgement in contrast.readings)


def test_the_features_of_a_video_must_hold_what_the_reward_needs(published):
    found = judged("huang2022.features.youtube", published)
    assert (found.outcome, found.replicated) == (Outcome.WRONG, "{comments,length,ratings,views}")
    assert "views" in found.reason  # what is missing
    of_main_text = judged("huang2022.features.youtube", published, value="{comments,length,ratings,views}")
    assert of_main_text.outcome == Outcome.HOLDS


def test_records_are_counted(published):
    found = {name: judged(name, published) for name in ids("records", "video_types", "states")}
    assert {name: (f.outcome, f.replicated) for name, f in found.items()} == {
        "huang2022.count.adult.rows": (Outcome.WRONG, "32561"),
        "huang2022.count.adult.male": (Outcome.HOLDS, "21790"),
        "huang2022.count.adult.female": (Outcome.HOLDS, "10771"),
        "huang2022.count.youtube.rows": (Outcome.OPEN, "1604"),  # the crawl is not named
        "huang2022.count.youtube.arms": (Outcome.HOLDS, "16"),
        "huang2022.domain.email.i3": (Outcome.WRONG, "2"),
        "huang2022.domain.email.i4": (Outcome.WRONG, "4"),
    }
    assert {f.basis for f in found.values()} == {Basis.EXACT}


def test_a_total_is_contradicted_only_by_parts_that_sum_to_what_is_counted(published):
    other = published.published.copy()
    other.loc["huang2022.count.adult.male", "value"] = "21791"
    found = judged("huang2022.count.adult.rows", replace(published, published=other))
    assert (found.outcome, found.replicated) == (Outcome.FAILS, "32561")


def test_types_of_videos_with_something_missing_do_not_count(tmp_path):
    rows = [(0, 0, 0, 0, 5), (1, 0, 0, 0, 1), (1, 1, 0, 0, 0), (0, 0, 2, 0, 9)]
    path = tmp_path / "youtube.parquet"
    pd.DataFrame(rows, columns=["length", "ratings", "views", "comments", "count"]).to_parquet(path)
    found = judged("huang2022.count.youtube.arms", made(as_published, files={"data_youtube": str(path)}, seeds=2))
    assert (found.outcome, found.replicated) == (Outcome.FAILS, "2")


# ------------------------------------------------------------------ theorems


@pytest.mark.parametrize(
    ("claim_id", "regret"),
    [("huang2022.theorem1.email.d_ucb", 300.0), ("huang2022.theorem3.email.f_ucb_03", 355.21)],
)
def test_a_theorem_bounds_the_regret_with_its_probability(published, monkeypatch, claim_id, regret):
    found = judged(claim_id, published)
    assert found.outcome == Outcome.OPEN
    assert found.because == Because.UNTESTABLE
    for bound, probability, verdict in (
        (regret + 20, 0.9, Outcome.HOLDS),
        (regret - 20, 0.9, Outcome.FAILS),
        (regret, 0.2, Outcome.HOLDS),
        (regret, 0.9, Outcome.FAILS),
        (regret + 20, 0.0, Outcome.OPEN),
    ):
        for name in ("theorem_1", "theorem_3"):
            stated = RegretBound(bound, probability)
            monkeypatch.setattr(theorem_claims, name, lambda *of, stated=stated: stated)
        assert judged(claim_id, published).outcome == verdict


def test_theorem_3_is_about_the_policys_tau_and_its_scale(published, monkeypatch):
    asked = []
    monkeypatch.setattr(
        theorem_claims, "theorem_3", lambda problem, rounds, tau: asked.append((rounds, tau)) or RegretBound(1, 1)
    )
    judged("huang2022.theorem3.email.f_ucb_03", published)
    assert asked == [(5000, 0.3)] * 4  # two fallbacks, two radii
    assert CLAIMS["huang2022.theorem3.email.f_ucb_03"].readings == "theorem_3"


def test_theorem_3_fails_where_the_best_arm_is_unfair():
    def regret(level):
        return made(lambda *_: level, seeds=2, experiments=("unconstrained",))

    name = "huang2022.theorem3.unfair_optimum"
    bound = theorem_claims.theorem_3(unconstrained(), 1_000_000, 0.9).regret
    assert judged(name, regret(1.1 * bound)).outcome == Outcome.FAILS
    assert judged(name, regret(0.9 * bound)).outcome == Outcome.OPEN  # two seeds tell no probability near 1


def test_the_constants_of_proofs_are_computed(published):
    found = {name: judged(f"huang2022.{name}", published) for name in ("theorem1.constant", "theorem3.scales")}
    assert {name: (f.outcome, f.basis, f.replicated) for name, f in found.items()} == {
        "theorem1.constant": (Outcome.WRONG, Basis.EXACT, "64"),
        "theorem3.scales": (Outcome.WRONG, Basis.EXACT, "0"),
    }
    larger = judged("huang2022.theorem3.larger", published)
    assert (larger.outcome, larger.replicated) == (Outcome.HOLDS, "5")


def test_theorem_2_is_refuted_where_an_intermediate_variable_descends_from_s(tmp_path):
    models = pd.DataFrame({"descends": [True] * 3 + [False] * 2, "printed": [0.2, -0.1, 0.3, -0.2, 0.0]})
    models.to_parquet(tmp_path / "models.parquet")
    results = made(as_published, files={"bounds_theorem_2": str(tmp_path / "models.parquet")}, seeds=2)
    found = judged("huang2022.theorem2.contains", results)
    assert found.outcome == Outcome.DEPENDS
    descends, none = under(found, "descends from S"), under(found, "none does")
    assert (descends.outcome, descends.basis, descends.replicated) == (Outcome.WRONG, Basis.EXACT, "2")
    assert (none.outcome, none.replicated) == (Outcome.HOLDS, "0")


def test_eq_12_may_miss_some_rounds_but_not_hundreds():
    def missed(rounds):
        results = made(lambda *_: 0.0, experiments=("rare",))
        results.finals["rare"]["missed_eq_12"] = rounds + np.random.default_rng(4).normal(0, 0.5, 200)
        return judged("huang2022.eq12.upper", results)

    assert missed(3.0).outcome == Outcome.HOLDS
    assert missed(300.0).outcome == Outcome.FAILS
