"""Everything that can be wrong with a paper's file is one line that names file, key, value and what was expected."""

import dataclasses
import re
import shutil
import sys
import types
from pathlib import Path

import pytest
from checkout import change_yaml, read_yaml

from causal_bandits.policies import registry
from replication.config import ConfigError, Study, checks
from replication.config import settings as study_settings

ROOT = Path(__file__).parents[3]
SCALE = {"horizon": 100, "replicates": 4, "extras": True}


@pytest.fixture
def root(tmp_path):
    """A top folder whose papers' files a test may change."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for part in ("data", "docs", "src", "workflow"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


@pytest.fixture
def study(root):
    """Builds the study of some papers after ``change`` of a paper's settings."""

    def build(change=None, paper="huang2022", **scale):
        if change is not None:
            change_yaml(root / f"config/papers/{paper}.yaml", change)
        return Study({"papers": [paper], "seed": 1, "scale": SCALE | scale}, root)

    return build


def email(settings):
    return settings["experiments"]["email"]


def set_policy(label, **entry):
    return lambda settings: email(settings)["policies"].update({label: entry})


def set_grid(grid, **more):
    return set_policy("f", algorithm="f_ucb", grid=grid, **more)


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
        "readings.scale.0.experiment: 'emails' is unknown; expected one of: adult, adult_bounds, email, ",
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


TARGETS = "calibration.problems.frontdoor.targets.ts"
CALIBRATION_ERRORS = {
    "family": (
        lambda c: c["problems"]["frontdoor"].update(families=["uniform_cpt", "noisy_or"]),
        "calibration.problems.frontdoor.families: 'noisy_or' is unknown; expected one of: .*noisy_gates, noisy_xor",
    ),
    "problem": (
        lambda c: c["problems"].update(sevenvar={"families": [], "targets": {}}),
        "calibration.problems: 'sevenvar' is unknown; expected one of: frontdoor$",
    ),
    "problem of another name": (
        lambda c: c["problems"].update(front={"problem": "sevenvar", "families": [], "targets": {}}),
        "calibration.problems.front.problem: 'sevenvar' is unknown; expected one of: frontdoor$",
    ),
    "arms": (
        lambda c: c["problems"]["frontdoor"]["targets"]["ts"].update(arms="best"),
        rf"{TARGETS}.arms: 'best' is unknown; expected one of: brute_force, minimal, possibly_optimal$",
    ),
    "claim": (
        lambda c: c["problems"]["frontdoor"]["targets"]["ts"].update(claim="nope"),
        rf"{TARGETS}.claim: 'nope' is not in data/published/lee2019.csv$",
    ),
    "claim without a number": (
        lambda c: c["problems"]["frontdoor"]["targets"]["ts"].update(claim="same"),
        rf"{TARGETS}.claim: 'same' is no number in data/published/lee2019.csv; expected one$",
    ),
}


@pytest.mark.parametrize("case", CALIBRATION_ERRORS)
def test_a_calibration_names_what_there_is(case):
    def check(change):
        target = {"algorithm": "thompson", "arms": "minimal", "claim": "mean"}
        calibration = {"problems": {"frontdoor": {"families": ["uniform_cpt"], "targets": {"ts": target}}}}
        change(calibration)
        numbers = {"mean": True, "same": False}
        checks._check_calibration("lee2019", {"calibration": calibration}, {"frontdoor": 1}, numbers, "calibration")

    change, message = CALIBRATION_ERRORS[case]
    check(lambda calibration: None)
    with pytest.raises(ConfigError, match=f"^{message}"):
        check(change)


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
    module.Named = dataclasses.make_dataclass("Named", [(name, object, 0)], namespace={"plays": object}, frozen=True)
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
        ("class Broken: ...", "is not a dataclass"),
        ("def (", "cannot be loaded: invalid syntax"),
        ("", "cannot be loaded: .*no attribute 'Broken'"),
        (None, "cannot be loaded: No module named 'broken_algorithm'"),
    ],
)
def test_a_policy_that_cannot_be_loaded_is_named(study, tmp_path, monkeypatch, source, message):
    if source is not None:
        (tmp_path / "broken_algorithm.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_algorithm", raising=False)
    monkeypatch.setitem(registry.ALGORITHMS, "broken", "broken_algorithm:Broken")
    with pytest.raises(ConfigError, match=f"^policies/registry.py: broken: 'broken_algorithm:Broken' {message}"):
        study(lambda settings: email(settings)["policies"].update(broken={"algorithm": "broken"})).check()


def test_a_job_has_the_settings_of_its_policy(study):
    found = study(set_grid({"tau": [0.15, 0.25]}, parameters={"fallback": "best"}))
    job = found.simulate_job("huang2022", "email", "f,tau=0.25")
    assert job["policy"] == "f,tau=0.25"
    assert job["parameters"] == {"fallback": "best", "tau": 0.25}
    assert job["settings"] == {
        "algorithm": "f_ucb",
        "tau": 0.25,
        "fallback": "best",
        "alpha_r": 1.0,
        "alpha_c": 1.0,
        "separator": None,
        "confidence": "anytime",
        "stochastic": False,
        "problem": "email",
    }


@pytest.mark.parametrize(("replicates", "batch"), [(7, 3), (6, 3), (2, 5), (1, 1)])
def test_batches_hold_every_seed_once(study, replicates, batch):
    """The experiment's batch, or the policy's own."""

    def change(settings):
        email(settings).update(replicates=replicates, batch=batch)
        email(settings)["policies"] = {"own": {"algorithm": "ucb", "batch": 2}, "shared": {"algorithm": "thompson"}}

    found = study(change, replicates=None)
    for policy, size in (("own", 2), ("shared", batch)):
        seeds = [range(first, last + 1) for first, last in found.blocks("huang2022", "email", policy)]
        assert [seed for block in seeds for seed in block] == list(range(replicates))
        assert all(len(block) == size for block in seeds[:-1])


def test_a_default_may_be_made_anew_for_every_policy(monkeypatch):
    """And a hyper-parameter without a default is no setting of a policy that leaves it out."""
    fields = [("must", int), ("made", list, dataclasses.field(default_factory=lambda: [0.5])), ("said", int, 2)]
    module = types.ModuleType("made_algorithm")
    module.Made = dataclasses.make_dataclass("Made", fields)
    monkeypatch.setitem(sys.modules, "made_algorithm", module)
    monkeypatch.setitem(registry.ALGORITHMS, "made", "made_algorithm:Made")
    assert study_settings.hyper_parameters("made") == {"made": "[0.5]", "said": 2}


def test_a_grid_of_options_reaches_the_problem_and_the_streams_stay(study):
    def change(settings):
        adult = settings["experiments"]["adult"]
        adult.pop("options")
        adult["grid"] = {"income_descends_from_sex": [True, False]}
        adult["policies"] = {"ucb": {"algorithm": "ucb"}}

    found = study(change)
    jobs = [found.simulate_job("huang2022", "adult", f"ucb,income_descends_from_sex={x}") for x in ("true", "false")]
    assert [job["options"] for job in jobs] == [{"income_descends_from_sex": x} for x in (True, False)]
    assert [job["settings"]["income_descends_from_sex"] for job in jobs] == [True, False]
    assert {job["experiment"] for job in jobs} == {"huang2022/adult"}


def test_extras_are_declared_and_left_out(study):
    entry = {"algorithm": "f_ucb", "grid": {"tau": [0.7, 0.8]}, "extra": True}
    found = study(lambda settings: email(settings)["policies"].update(f=entry), extras=False)
    found.check()
    declared = list(found.declared["huang2022"]["email"]["policies"])
    played = list(found.papers["huang2022"]["experiments"]["email"]["policies"])
    assert declared[-2:] == ["f,tau=0.7", "f,tau=0.8"]
    assert set(played) < set(declared) - {"f,tau=0.7", "f,tau=0.8"}
    job = found.aggregate_job("huang2022", "email")
    assert list(job["settings"]) == played
    assert list(job["left_out"]) == [label for label in declared if label not in played]
    assert job["defaults"]["f_ucb"]["tau"] == 0.3
    assert job["horizon"] == SCALE["horizon"]


def test_an_experiment_of_extras_alone_is_left_out_with_what_reads_it(study):
    def change(settings):
        for policy in email(settings)["policies"].values():
            policy["extra"] = True

    settings = study(change, extras=False).papers["huang2022"]
    assert list(settings["experiments"]) == ["adult_bounds", "adult", "fair_lin_ucb"]
    assert "fig2b" not in settings["figures"]
    assert "fig1" in settings["figures"]


def test_readings_are_kept_for_the_judges(study):
    own = {"own": [{"name": "safest"}, {"name": "best", "settings": {"fallback": "best"}, "ledger": "L48"}]}
    found = study(lambda settings: settings["readings"].update(own))
    found.check()
    assert own.items() < found.papers["huang2022"]["readings"].items()


def on_request(*entries):
    """A change that marks entries, each ``<section>.<name>``, of huang2022."""

    def change(settings):
        for section, name in (entry.split(".") for entry in entries):
            settings[section][name]["on_request"] = True

    return change


READ_THE_EMAIL_CAMPAIGN = [
    f"{kind}.{name}"
    for kind in ("figures", "tables")
    for name, entry in read_yaml(ROOT / "config/papers/huang2022.yaml")[kind].items()
    if "email" in entry.get("experiments", ())
]


def test_what_is_on_request_is_in_the_study_but_neither_wanted_nor_judged(study):
    change = on_request("experiments.email", *READ_THE_EMAIL_CAMPAIGN)
    usual, whole = study(change, on_request=False), study(change, on_request=True)
    usual.check()
    for kept in (usual, whole):
        assert "email" in kept.papers["huang2022"]["experiments"]
    assert "email" not in usual.wanted("huang2022", "experiments")
    assert "email" in whole.wanted("huang2022", "experiments")
    assert "email" not in usual.verdicts_job("huang2022")["experiments"]
    assert "email" in whole.verdicts_job("huang2022")["experiments"]
    assert set(whole.wanted("huang2022", "figures")) - set(usual.wanted("huang2022", "figures"))


@pytest.mark.parametrize("left", READ_THE_EMAIL_CAMPAIGN)
def test_nothing_made_by_default_reads_what_is_on_request(study, left):
    marked = [item for item in READ_THE_EMAIL_CAMPAIGN if item != left]
    with pytest.raises(ConfigError, match=f"{left}: reads 'email', which is on_request"):
        study(on_request("experiments.email", *marked)).check()


def test_a_table_of_a_stage_that_is_extra_is_left_out_with_what_reads_it(study):
    def marked(settings):
        settings["discovery"]["pc"]["extra"] = True

    with pytest.raises(ConfigError, match=r"reads '<results>/huang2022/discovery/pc.parquet', which is extra"):
        study(marked).check()
    kept = study(marked, extras=True).stage_files("huang2022")
    assert set(kept) - set(study(marked, extras=False).stage_files("huang2022")) == {"discovery_pc"}


def test_the_stages_that_verdicts_read_are_those_made_by_default(study):
    usual, everything = (study(on_request=asked).stage_files("huang2022") for asked in (False, True))
    with pytest.raises(ConfigError, match=r"reads '<results>/huang2022/discovery/pc.parquet', which is on_request"):
        study(on_request("discovery.pc")).check()
    assert set(usual) - set(study(on_request=False).stage_files("huang2022")) == {"discovery_pc"}
    assert study(on_request=True).stage_files("huang2022") == everything


def test_of_drawn_problems_the_smallest_that_is_played_is_built():
    """Never a mixture of the smallest values, which no policy may play; one for each kind of problem."""
    options = [{"nodes": 9, "degree": 2}, {"nodes": 5, "degree": 3}, {"nodes": 7, "degree": 2, "shape": "path"}]
    experiment = {"options": {"gap": 0.5}, "policies": {str(i): {"options": o} for i, o in enumerate(options)}}
    built = [checks._smallest(experiment)[checks._without_numbers({"gap": 0.5, **o})] for o in options]
    assert built[:2] == [{"gap": 0.5, "nodes": 9, "degree": 2}] * 2  # by the names of options: degree comes first
    assert built[2] == {"gap": 0.5, **options[2]}
