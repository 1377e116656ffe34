"""Grids become policies, and what is wrong with one is named."""

import pytest

from experiments.config import laid_out, scaled
from experiments.settings import ConfigError


def laid(policies, **experiment):
    rounds = {} if "horizon" in experiment.get("grid", {}) else {"horizon": 10}
    experiment = {"problem": "email", "policies": policies} | rounds | experiment
    return laid_out(experiment, "x.yaml: experiments.e")["policies"]


def test_a_policy_without_a_grid_keeps_its_key():
    assert laid({"ucb": {"algorithm": "ucb", "parameters": {"context_free": True}, "when": "whole"}}) == {
        "ucb": {
            "entry": "ucb",
            "algorithm": "ucb",
            "arms": None,
            "parameters": {"context_free": True},
            "grid": (),
            "options": {},
            "horizon": None,
            "when": "whole",
        }
    }


def test_a_grid_is_one_policy_per_combination_in_the_order_written():
    entry = {
        "algorithm": "f_ucb",
        "parameters": {"alpha_c": 2},
        "grid": {"tau": [0.1, 1], "fallback": ["safest", "best"]},
    }
    policies = laid({"f": entry})
    assert {label: policy["parameters"] for label, policy in policies.items()} == {
        "f,tau=0.1,fallback=safest": {"alpha_c": 2, "tau": 0.1, "fallback": "safest"},
        "f,tau=0.1,fallback=best": {"alpha_c": 2, "tau": 0.1, "fallback": "best"},
        "f,tau=1,fallback=safest": {"alpha_c": 2, "tau": 1, "fallback": "safest"},
        "f,tau=1,fallback=best": {"alpha_c": 2, "tau": 1, "fallback": "best"},
    }
    assert {policy["entry"] for policy in policies.values()} == {"f"}


def test_labels_are_compact_yaml():
    grid = {"a": [True, None, 1e-07, -2, "theorem_3"]}
    assert list(laid({"p": {"algorithm": "x", "grid": grid}})) == [
        f"p,a={text}" for text in ("true", "null", "1.0e-07", "-2", "theorem_3")
    ]


def test_an_experiments_grid_gives_every_policy_every_cell():
    policies = laid(
        {"ucb": {"algorithm": "ucb"}, "f": {"algorithm": "f_ucb", "grid": {"tau": [0.1, 0.2]}}},
        options={"family": "tree"},
        grid={"size": [10, 100]},
    )
    assert {label: policy["options"] for label, policy in policies.items()} == {
        "ucb,size=10": {"size": 10},
        "ucb,size=100": {"size": 100},
        "f,tau=0.1,size=10": {"size": 10},
        "f,tau=0.1,size=100": {"size": 100},
        "f,tau=0.2,size=10": {"size": 10},
        "f,tau=0.2,size=100": {"size": 100},
    }


def test_the_grid_may_have_several_horizons_and_the_experiments_is_the_largest():
    experiment = {
        "problem": "email",
        "policies": {"ucb": {"algorithm": "ucb"}},
        "grid": {"horizon": [10, 30], "size": [5]},
    }
    made = laid_out(experiment, "x.yaml: experiments.e")
    assert made["horizon"] == 30
    assert {label: (policy["horizon"], policy["options"]) for label, policy in made["policies"].items()} == {
        "ucb,horizon=10,size=5": (10, {"size": 5}),
        "ucb,horizon=30,size=5": (30, {"size": 5}),
    }


@pytest.mark.parametrize(
    ("experiment", "said"),
    [
        ({"grid": {"size": [1]}, "horizon": None}, "no 'horizon'; expected a number of rounds, or several in the grid"),
        ({"grid": {"horizon": [10]}, "horizon": 10}, "also has a key 'horizon'; expected only one of them"),
        ({"grid": {"horizon": [10, 0]}}, "grid.horizon: 0; expected numbers of rounds, each at least 1"),
        ({"grid": {"horizon": [True]}}, "grid.horizon: True; expected numbers of rounds"),
        ({"grid": {"horizon": [10]}, "milestones": [5]}, "milestones: the grid has several horizons"),
    ],
)
def test_what_is_wrong_with_a_horizon_is_named(experiment, said):
    experiment = {key: value for key, value in experiment.items() if value is not None}
    with pytest.raises(ConfigError, match=said):
        laid_out({"problem": "email", "policies": {"ucb": {"algorithm": "ucb"}}, **experiment}, "x.yaml: e")


def test_exceptions_leave_out_what_fits_them():
    grid = {"tau": [0.1, 0.2], "alpha_r": [1.0, "theorem_3"], "fallback": ["safest", "best"]}
    left_out = [{"tau": 0.1, "alpha_r": "theorem_3"}, {"alpha_r": 1.0, "fallback": "safest"}]
    assert list(laid({"f": {"algorithm": "f_ucb", "grid": grid, "except": left_out}})) == [
        "f,tau=0.1,alpha_r=1.0,fallback=best",
        "f,tau=0.2,alpha_r=1.0,fallback=best",
        "f,tau=0.2,alpha_r=theorem_3,fallback=safest",
        "f,tau=0.2,alpha_r=theorem_3,fallback=best",
    ]


GRID = {"tau": [0.1, 0.2]}
KEY = r"^x.yaml: experiments.e.policies.f"
ERRORS = {
    "twice": ({"grid": {"tau": [0.1, 0.2, 0.1]}}, rf"{KEY}.grid.tau: 0.1 is listed twice; expected distinct values$"),
    "equal numbers": ({"grid": {"c": [1, 1.0]}}, rf"{KEY}.grid.c: 1.0 is listed twice; expected distinct values$"),
    "beside": (
        {"grid": GRID, "parameters": {"tau": 0.3}},
        rf"{KEY}.grid.tau: 'tau' is also in parameters; expected it in only one of them$",
    ),
    "not for a path": (
        {"grid": {"rule": ["a/b"]}},
        rf"{KEY}.grid.rule: 'a/b' cannot be part of a label; expected letters, digits, _ . \+ -$",
    ),
    "a number as text": ({"grid": {"tau": ["0.1"]}}, rf"{KEY}.grid.tau: '0.1' cannot be part of a label"),
    "unknown exception": (
        {"grid": GRID, "except": [{"tau": 0.3}]},
        rf"{KEY}.except.0.tau: 0.3 is not in the grid; expected one of: tau: 0.1, 0.2$",
    ),
    "exception of another name": (
        {"grid": GRID, "except": [{"tua": 0.1}]},
        rf"{KEY}.except.0.tua: 0.1 is not in the grid; expected one of: tau: 0.1, 0.2$",
    ),
    "an exception twice": (
        {"grid": GRID, "except": [{"tau": 0.1}, {"tau": 0.1}]},
        rf"{KEY}.except.1: {{'tau': 0.1}} leaves out no combination that was still in the grid$",
    ),
    "nothing left": (
        {"grid": GRID, "except": [{"tau": 0.1}, {"tau": 0.2}]},
        rf"{KEY}.except: leaves out the whole grid; expected it to keep at least one combination$",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_wrong_grid_is_refused(case):
    entry, message = ERRORS[case]
    with pytest.raises(ConfigError, match=message):
        laid({"f": {"algorithm": "f_ucb", **entry}})


def test_an_option_stands_in_one_place():
    message = "^x.yaml: experiments.e.grid.size: 'size' is also in options; expected it in only one of them$"
    with pytest.raises(ConfigError, match=message):
        laid({"ucb": {"algorithm": "ucb"}}, options={"size": 3}, grid={"size": [10]})


def test_a_label_stands_once():
    grid = {"algorithm": "x", "grid": {"a": [1]}}
    message = r"^x.yaml: experiments.e.policies.p,a=1: two policies are labelled 'p,a=1'; expected distinct labels$"
    with pytest.raises(ConfigError, match=message):
        laid({"p": grid, "p,a=1": {"algorithm": "x"}})


def test_a_smaller_scale_leaves_out_longer_horizons_and_what_reads_only_them():
    e, f = (
        laid_out({"problem": "email", "policies": {"ucb": {"algorithm": "ucb"}}, "grid": {"horizon": rounds}}, "x")
        for rounds in ([10, 30], [40])
    )
    figures = {"one": {"experiments": ["e"]}, "two": {"experiments": ["e", "f"]}}
    kept = scaled({"experiments": {"e": e, "f": f}, "figures": figures}, {"horizon": 20, "when": "whole"})
    assert {name: list(each["policies"]) for name, each in kept["experiments"].items()} == {"e": ["ucb,horizon=10"]}
    assert list(kept["figures"]) == ["one"]
