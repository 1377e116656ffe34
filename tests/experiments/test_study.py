"""The study of checked settings: its jobs and batches, what is extra, what is on request."""

import pytest
from checkout import read_yaml
from email_campaign import ROOT, SCALE, email, set_grid

from experiments import ConfigError


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
    assert list(settings["experiments"]) == ["adult_bounds", "adult", "fair_lin_ucb", "email_bonus", "adult_bonus"]
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
