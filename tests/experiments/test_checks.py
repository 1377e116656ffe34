"""Everything that can be wrong with a paper's file is one line that names file, key, value and what was expected."""

import dataclasses
import re
import sys
import types

import pytest
from email_campaign import email, set_grid, set_policy

from causal_bandits import provenance
from causal_bandits.policies import registry
from experiments import ConfigError, checks
from experiments import settings as study_settings

KEY = "config/papers/huang2022.yaml: experiments.email"

ERRORS = {
    "empty list": (set_grid({"tau": []}), rf"{KEY}.policies.f.grid.tau: \[\] should be non-empty$"),
    "empty grid": (set_grid({}), rf"{KEY}.policies.f.grid: {{}} should be non-empty$"),
    "one value": (set_grid({"tau": 0.1}), rf"{KEY}.policies.f.grid.tau: 0.1 is not of type 'array'$"),
    "a list as value": (set_grid({"tau": [[0.1]]}), rf"{KEY}.policies.f.grid.tau.0: \[0.1\] is not of type "),
    "unknown key": (
        set_grid({"tua": [0.1]}),
        rf"{KEY}.policies.f.grid: 'tua' is unknown; expected one of: alpha_c, alpha_r, .*tau$",
    ),
    "wrong type": (
        set_grid({"tau": [0.1, "big"]}),
        rf"{KEY}.policies.f.grid.tau: 'big' is not a finite float$",
    ),
    "impossible value": (set_grid({"tau": [0.15, -1]}), rf"{KEY}.policies.f.grid: tau=-1"),
    "twice": (set_grid({"tau": [0.15, 0.15]}), rf"{KEY}.policies.f.grid.tau: 0.15 stands twice; expected every value"),
    "the same policy twice": (
        set_policy("again", algorithm="ucb", parameters={"context_free": False}),
        rf"{KEY}.policies: 'ucb' and 'again' have the same settings; expected each policy once$",
    ),
    "unknown option in a grid": (
        lambda s: email(s).update(grid={"size": [10, 20]}),
        rf"{KEY}: problem 'email': .*'size'",
    ),
    "option called like a hyper-parameter": (
        lambda s: s["experiments"]["adult"].update(options={"confidence": 0.5}),
        "experiments.adult: problem 'adult_video': .*'confidence'",
    ),
    "reading of no experiment": (
        lambda s: s.update(readings={"scale": [{"name": "one", "experiment": "emails"}]}),
        "readings.scale.0.experiment: 'emails' is unknown; expected one of: adult, .*email, ",
    ),
    "reading by an unknown setting": (
        lambda s: s.update(readings={"scale": [{"name": "one", "experiment": "email", "settings": {"tua": 1}}]}),
        "huang2022.yaml: readings.scale.0.settings: 'tua' is unknown; expected one of: .*tau, unplayed$",
    ),
    "reading with an unknown key": (
        lambda s: s.update(readings={"scale": [{"name": "one", "policy": "x"}]}),
        "huang2022.yaml: readings.scale.0: .*'policy' was unexpected.*known keys: arguments, experiment, instead_of, ",
    ),
    "a reading twice": (
        lambda s: s.update(readings={"scale": [{"name": "one"}, {"name": "one", "settings": {"alpha_r": 1.0}}]}),
        "huang2022.yaml: readings.scale.1.name: 'one' stands twice; expected every name once$",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_wrong_paper_file_is_refused(study, case):
    change, message = ERRORS[case]
    with pytest.raises(ConfigError) as error:
        study(change).check()
    assert re.search(message, str(error.value)), error.value


def test_extras_that_are_left_out_are_checked_too(study):
    change = set_policy("f", algorithm="f_ucb", parameters={"tua": 1}, extra=True)
    with pytest.raises(ConfigError, match=r"policies.f.parameters: 'tua' is unknown"):
        study(change, extras=False).check()


@pytest.mark.parametrize(
    ("checkpoints", "rounds", "expected"),
    [(3, 15, "10 or 20"), (3, 30, "20"), (3, 5, "10"), (1, 30, "no milestones with a single checkpoint")],
)
def test_a_milestone_is_a_checkpoint_before_the_last(checkpoints, rounds, expected):
    experiment = {"horizon": 30, "checkpoints": checkpoints, "milestones": [rounds]}
    with pytest.raises(
        ConfigError, match=f"^e.milestones: no values are kept after {rounds} rounds; expected {expected}$"
    ):
        checks._check_milestones(experiment, "e.milestones")
    checks._check_milestones({"horizon": 30, "checkpoints": 3, "milestones": [10, 20]}, "e.milestones")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "thresholds",
            "the option of the problem 'thresholds' is called like the hyper-parameter 'thresholds'; expected",
        ),
        (
            "seed",
            "the hyper-parameter 'seed' is called like the column 'seed' of the tidy tables; expected another name",
        ),
        ("problem", "the key 'problem' is called like the hyper-parameter 'problem'; expected another name"),
    ],
)
def test_settings_that_share_a_name_are_refused(study, monkeypatch, name, message):
    module = types.ModuleType("named_algorithm")
    module.Named = dataclasses.make_dataclass(
        "Named", [(name, object, 0)], namespace={"plays": object, "run": print}, frozen=True
    )
    monkeypatch.setitem(sys.modules, "named_algorithm", module)
    monkeypatch.setitem(registry.ALGORITHMS, "named", "named_algorithm:Named")
    study_settings.hyper_parameters.cache_clear()

    def change(settings):
        email(settings)["policies"] = {"named": {"algorithm": "named"}}
        email(settings)["options"] = {"thresholds": [0.1]}

    with pytest.raises(ConfigError) as error:
        study(change).check()
    assert str(error.value).startswith(f"{KEY}.policies.named: {message}"), error.value


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Broken: ...", "is no dataclass"),
        ("def (", r"cannot be loaded \(SyntaxError: invalid syntax"),
        ("", r"cannot be loaded \(AttributeError: .*no attribute 'Broken'"),
        (
            "from dataclasses import dataclass\n\n@dataclass\nclass Broken: ...",
            "is no algorithm; expected a method 'run'",
        ),
        (None, r"cannot be loaded \(ModuleNotFoundError: No module named 'broken_algorithm'"),
    ],
)
def test_a_policy_that_cannot_be_loaded_is_named(study, tmp_path, monkeypatch, source, message):
    if source is not None:
        (tmp_path / "broken_algorithm.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_algorithm", raising=False)
    path = "broken_algorithm:Broken"
    with pytest.raises(ConfigError, match=rf"^{re.escape(KEY)}.policies.broken.algorithm: '{path}' {message}"):
        study(lambda settings: email(settings)["policies"].update(broken={"algorithm": path})).check()


def test_an_algorithm_of_somebody_else_plays_by_its_import_path(study, tmp_path, monkeypatch):
    """The digest of its code covers what it imports of its own package, and ours."""
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "step.py").write_text("STEP = 1\n")
    (package / "turns.py").write_text(
        "from dataclasses import dataclass\n"
        "from causal_bandits.policies.ucb import UCB\n"
        "from their_package.step import STEP\n\n"
        "@dataclass(frozen=True)\nclass Turns(UCB):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = "their_package.turns:Turns"
    made = study(lambda settings: email(settings)["policies"].update(turns={"algorithm": path}))
    made.check()
    job = made.simulate_job("huang2022", "email", "turns")
    assert job["algorithm"] == job["settings"]["algorithm"] == path
    modules = provenance.imported_modules(["their_package.turns"])
    assert {"their_package.step", "causal_bandits.policies.ucb"} <= set(modules)
    before = provenance.code_digest(["their_package.turns"])
    (package / "step.py").write_text("STEP = 2\n")
    assert provenance.code_digest(["their_package.turns"]) != before


def test_of_drawn_problems_the_smallest_that_is_played_is_built():
    """Never a mixture of the smallest values, which no policy may play; one for each kind of problem."""
    options = [{"nodes": 9, "degree": 2}, {"nodes": 5, "degree": 3}, {"nodes": 7, "degree": 2, "shape": "path"}]
    experiment = {"options": {"gap": 0.5}, "policies": {str(i): {"options": o} for i, o in enumerate(options)}}
    built = [checks._smallest(experiment)[checks._without_numbers({"gap": 0.5, **o})] for o in options]
    assert built[:2] == [{"gap": 0.5, "nodes": 9, "degree": 2}] * 2  # by the names of options: degree comes first
    assert built[2] == {"gap": 0.5, **options[2]}
