"""Policies are selected by their settings."""

import json
import math

import pandas as pd
import pytest

from experiments import files, key
from experiments.aggregate import averages, joined, with_settings
from experiments.results import NotRunError, Results
from experiments.study import ReaderJob


def f_ucb(tau, fallback, **more):
    return {"algorithm": "f_ucb", "tau": tau, "fallback": fallback, "alpha_r": 1.0, "problem": "email"} | more


SETTINGS = {
    "ucb": {"algorithm": "ucb", "confidence": "anytime", "problem": "email"},
    "f,tau=0.3": f_ucb(0.3, "safest"),
    "f,tau=0.1": f_ucb(0.1, "safest"),
    "g,tau=0.1": f_ucb(0.1, "best"),
    "h": f_ucb(0.1, "best", alpha_r="theorem_3"),
}
LEFT_OUT = {"f,tau=0.2": f_ucb(0.2, "safest"), "g,tau=0.2": f_ucb(0.2, "best", alpha_r=2.0)}
PUBLISHED = ["a,Table 1,1", "b,Table 1,2", "c,Table 2,3"]
DEFAULTS = {"f_ucb": {"tau": 0.3, "fallback": "safest", "alpha_r": 1.0}, "ucb": {"confidence": "anytime"}}


@pytest.fixture
def results(tmp_path):
    """Two experiments as `aggregate` writes them; the regret of seed s of policy p is 10 p + s."""
    for experiment, size in (("small", 10), ("large", 20)):
        rows = [
            {"experiment": f"x/{experiment}", "policy": label, "seed": s, "t": t, "cumulative_regret": 10.0 * p + s}
            | {"draw": s // 2}
            for p, label in enumerate(SETTINGS)
            for s in range(4)
            for t in (5, 10)
            if (experiment, label) != ("large", "h")  # in the configuration, but without rows
        ]
        frame = pd.DataFrame(rows).astype({"seed": "int32", "t": "int32"})
        settings = {label: {**s, "size": size} for label, s in SETTINGS.items()}
        left_out = {label: {**s, "size": size} for label, s in LEFT_OUT.items()}
        plan = {"horizon": 100, "settings": settings, "left_out": left_out, "defaults": DEFAULTS}
        metadata = {name: json.dumps(value) for name, value in plan.items()} | key.metadata("0" * 16)
        curves = []
        for label, rows in frame.drop(columns="experiment").groupby("policy"):
            curve = averages(files.pa.Table.from_pandas(rows.drop(columns="policy"), preserve_index=False))
            curves.append(curve.append_column("policy", files.pa.repeat(label, len(curve))))
        finals = files.pa.Table.from_pandas(frame[frame["t"] == 10], preserve_index=False)
        for name, table in (("curves", joined(curves)), ("finals", finals)):
            made = with_settings(table, settings, finals.schema.names).replace_schema_metadata(metadata)
            files.write(made, tmp_path / experiment / name)
    (tmp_path / "published.csv").write_text("id,place,value\n" + "\n".join(PUBLISHED))
    names = ["small", "large"]
    inputs = {kind: [str(tmp_path / name / kind) for name in names] for kind in ("curves", "finals")}
    job = ReaderJob(experiments=tuple(names), tidy=dict.fromkeys(names, "0" * 16))
    return Results.load(job, inputs | {"published": str(tmp_path / "published.csv")})


def chosen(results, **settings):
    """Which policy a selection means, read off its regret."""
    return list(SETTINGS)[int(results.final("small", **settings).iloc[0]) // 10]


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"policy": "h"}, "h"),
        ({"algorithm": "ucb"}, "ucb"),
        ({"tau": 0.1, "fallback": "safest"}, "f,tau=0.1"),
        ({"alpha_r": "theorem_3"}, "h"),
        ({"tau": 0.1, "fallback": "best", "alpha_r": 1}, "g,tau=0.1"),
    ],
)
def test_settings_select_one_policy(results, settings, label):
    assert chosen(results, **settings) == label


def test_several_policies_are_an_error_that_tells_them_apart(results):
    """Those that are left out count too."""
    with pytest.raises(
        ValueError, match=r"tau=0.2 matches 2 policies \(f,tau=0.2; g,tau=0.2\), which differ in: fallback"
    ):
        results.final("small", tau=0.2)
    with pytest.raises(
        ValueError, match=r"matches 3 policies \(g,tau=0.1; h; g,tau=0.2\), which differ in: tau, alpha_r$"
    ):
        results.final("small", fallback="best")


def test_a_selection_means_the_same_policy_when_some_are_left_out(results):
    """tau = 0.2 is declared with both fallbacks, and neither is played: the default is asked for and not there."""
    with pytest.raises(NotRunError, match=r"tau=0.2.* in small; available: algorithm=ucb, f_ucb; tau=0.3, 0.1; fall"):
        results.final("small", algorithm="f_ucb", tau=0.2, fallback="safest")
    with pytest.raises(NotRunError):
        results.final("small", tau=0.2, alpha_r=2.0)


def test_what_the_configuration_lacks_is_not_run(results):
    with pytest.raises(NotRunError, match=r"algorithm=lin_ucb in small; available: algorithm=ucb, f_ucb$"):
        results.final("small", algorithm="lin_ucb")
    for call in (results.final, results.policies, results.horizon, results.curve):
        with pytest.raises(NotRunError, match="not in this configuration: experiment medium"):
            call("medium")
    with pytest.raises(NotRunError, match="policy=z in small"):
        results.settings("small", "z")


def test_missing_data_is_another_error(results):
    for call in (results.final, results.curve):
        with pytest.raises(ValueError, match="large: the policy 'h' is in the configuration but has no rows"):
            call("large", policy="h")
        with pytest.raises(ValueError, match=r"metric 'reward' is unknown; expected one of: .*cumulative_regret"):
            call("small", "reward", policy="ucb")


def test_a_draw_of_which_one_value_is_missing_has_none(results):
    """The other seed's value alone is no mean over the seeds of its problem."""
    table = results.finals["small"]
    table.loc[(table["policy"] == "ucb") & (table["seed"] == 3), "cumulative_regret"] = math.nan
    found = results.final("small", by="draw", policy="ucb")
    assert found[0] == 0.5
    assert math.isnan(found[1])


def test_draws_are_averaged(results):
    assert results.final("small", by="draw", policy="ucb").to_dict() == {0: 0.5, 1: 2.5}
    assert results.final("small", policy="ucb").to_dict() == {0: 0, 1: 1, 2: 2, 3: 3}


def test_policies_stand_in_the_order_of_the_configuration(results):
    assert results.policies("small") == list(SETTINGS)
    assert results.policies("small", algorithm="f_ucb", tau=0.1) == ["f,tau=0.1", "g,tau=0.1", "h"]
    assert results.policies("small", tau=0.2) == []
    assert results.settings("small", "h") == {**SETTINGS["h"], "size": 10}


def test_experiments_by_options(results):
    assert results.experiments() == ["small", "large"]
    assert results.experiments(problem="email", size=20) == ["large"]
    assert results.experiments(problem="frontdoor") == []


def test_the_horizon_is_the_configured_one(results):
    assert results.horizon("small") == 100
    assert list(results.curve("small", algorithm="ucb")["t"]) == [5, 10]


def test_published_rows_are_found_by_what_stands_in_their_columns(results):
    assert list(results.published_where().index) == ["a", "b", "c"]
    assert list(results.published_where(place="Table 1").index) == ["a", "b"]
    assert list(results.published_where(place="Table 1", value="2").index) == ["b"]
    with pytest.raises(ValueError, match="column 'judge' is unknown; expected one of: place, value"):
        results.published_where(judge="mean")
