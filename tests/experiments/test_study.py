"""The study of checked settings: its jobs and their keys, and when entries are made."""

import shutil

import pytest
from checkout import read_yaml
from email_campaign import ROOT, SCALE, email, set_grid

from experiments import checks, key
from experiments.errors import ConfigError
from replication.judging.jobs import verdicts_job


def policies(found, experiment="email"):
    return {policy.label: policy for policy in found.experiment_job("huang2022", experiment).policies}


def test_a_job_has_the_settings_of_its_policies(study):
    found = study(set_grid({"tau": [0.15, 0.25]}, parameters={"fallback": "best"}))
    job, own = found.experiment_job("huang2022", "email"), policies(found)["f,tau=0.25"]
    assert (job.name, job.problem, job.horizon) == ("huang2022/email", "huang2022/email", 100)
    assert (job.replicates, job.root_seed) == (4, 1)
    assert (own.algorithm, own.path) == ("f_ucb", "causal_bandits.policies.fair.f_ucb:FUCB")
    assert (own.parameters, own.arms, own.options) == ({"fallback": "best", "tau": 0.25}, None, {})


def test_a_grid_of_options_reaches_the_problem(study):
    def change(settings):
        adult = settings["experiments"]["adult"]
        adult.pop("options")
        adult["grid"] = {"income_descends_from_sex": [True, False]}
        adult["policies"] = {"ucb": {"algorithm": "ucb"}}

    found = policies(study(change), "adult")
    assert [policy.options for policy in found.values()] == [{"income_descends_from_sex": x} for x in (True, False)]


def test_a_policy_s_key_is_of_all_that_makes_its_runs_and_of_nothing_else(study):
    """Not of the number of seeds, nor of the other policies; the tidy tables' key is of these too."""
    first = study()
    before, own = first.experiment_job("huang2022", "email"), policies(first)
    more = study(lambda s: email(s)["policies"].update(g={"algorithm": "thompson"}), replicates=3)
    assert {label: policy.key for label, policy in policies(more).items() if label != "g"} == {
        label: policy.key for label, policy in own.items()
    }
    assert more.experiment_job("huang2022", "email").key != before.key
    for change in (lambda s: email(s).update(horizon=90), lambda s: email(s).update(checkpoints=7)):
        assert not {p.key for p in policies(study(change)).values()} & {p.key for p in own.values()}
    renamed = study(lambda s: s["experiments"].update(mail=email(s)))
    assert policies(renamed, "mail")["ucb"].key != policies(renamed)["ucb"].key  # the name gives the streams


def test_what_follows_from_another_file_of_the_checkout_has_another_key(root, study):
    (root / "data").unlink()
    shutil.copytree(ROOT / "data", root / "data")

    def keys():
        key.content.cache_clear()
        found = study(paper="huang2024", when="asked")
        stages = [found.stage_job("huang2024", "bounds", name).key for name in ("printed", "contextual")]
        return stages + [found.experiment_job("huang2024", name).policies[0].key for name in ("printed", "linear")]

    before = keys()
    with (root / "data/published/huang2024.csv").open("a") as file:
        file.write("\n")
    assert [old == new for old, new in zip(before, keys(), strict=True)] == [False, True, False, True]


def test_whoever_reads_a_table_expects_the_key_of_whoever_makes_it(study):
    found = study()
    data = found.stage_job("huang2022", "data", "adult").key
    assert found.stage_job("huang2022", "data", "records").inputs["adult"] == data
    assert found.experiment_job("huang2022", "adult").inputs["adult"] == data
    tidy = found.experiment_job("huang2022", "email").key
    assert found.item_job("huang2022", "figures", "fig2b").tidy["email"] == tidy
    assert verdicts_job(found, "huang2022").tidy["email"] == tidy


@pytest.mark.parametrize(("given", "read"), [("2", 2), ("null", None)])
def test_scale_may_be_given_as_text(study, given, read):
    """As Snakemake's ``--config`` gives what is nested."""
    same, text = study(replicates=read), study(replicates=given)
    assert text.experiment_job("huang2022", "email") == same.experiment_job("huang2022", "email")


def test_a_small_study_declares_policies_that_it_leaves_out(study):
    entry = {"algorithm": "f_ucb", "grid": {"tau": [0.7, 0.8]}, "when": "whole"}
    found = study(lambda settings: email(settings)["policies"].update(f=entry), when="small")
    checks.check(found)
    declared = list(found.declared["huang2022"]["experiments"]["email"]["policies"])
    played = list(found.papers["huang2022"]["experiments"]["email"]["policies"])
    assert declared[-2:] == ["f,tau=0.7", "f,tau=0.8"]
    assert set(played) < set(declared) - {"f,tau=0.7", "f,tau=0.8"}
    job = found.experiment_job("huang2022", "email")
    assert [policy.label for policy in job.policies] == played
    assert [policy.label for policy in job.left_out] == [label for label in declared if label not in played]
    assert job.horizon == SCALE["horizon"]


def test_an_experiment_without_policies_is_left_out_with_what_reads_it(study):
    def change(settings):
        for policy in email(settings)["policies"].values():
            policy["when"] = "whole"

    settings = study(change, when="small").papers["huang2022"]
    kept = ["adult_bounds", "adult", "fig2b"]
    assert list(settings["experiments"]) == kept
    assert "fig2b" not in settings["figures"]
    assert "fig1" in settings["figures"]


def test_readings_are_kept_for_the_judges(study):
    own = {"own": [{"name": "safest"}, {"name": "best", "settings": {"fallback": "best"}, "ledger": "L48"}]}
    found = study(lambda settings: settings["readings"].update(own))
    checks.check(found)
    assert own.items() < found.papers["huang2022"]["readings"].items()


def asked(*entries):
    """A change that marks entries, each ``<section>.<name>``, of huang2022."""

    def change(settings):
        for section, name in (entry.split(".") for entry in entries):
            settings[section][name]["when"] = "asked"

    return change


READ_THE_EMAIL_CAMPAIGN = [
    f"{kind}.{name}"
    for kind in ("figures", "tables")
    for name, entry in read_yaml(ROOT / "config/papers/huang2022.yaml")[kind].items()
    if "email" in entry.get("experiments", ())
]


def test_what_is_asked_for_is_in_the_study_but_neither_wanted_nor_judged(study):
    change = asked("experiments.email", *READ_THE_EMAIL_CAMPAIGN)
    usual, whole = study(change, when="whole"), study(change, when="asked")
    checks.check(usual)
    for kept in (usual, whole):
        assert "email" in kept.papers["huang2022"]["experiments"]
    assert "email" not in usual.wanted("huang2022", "experiments")
    assert "email" in whole.wanted("huang2022", "experiments")
    assert "email" not in verdicts_job(usual, "huang2022").experiments
    assert "email" in verdicts_job(whole, "huang2022").experiments
    assert set(whole.wanted("huang2022", "figures")) - set(usual.wanted("huang2022", "figures"))


@pytest.mark.parametrize("left", READ_THE_EMAIL_CAMPAIGN)
def test_nothing_made_by_default_reads_what_is_asked(study, left):
    marked = [item for item in READ_THE_EMAIL_CAMPAIGN if item != left]
    with pytest.raises(ConfigError, match=f"{left}: reads 'email', which has 'when: asked'"):
        checks.check(study(asked("experiments.email", *marked)))


def test_a_table_of_a_stage_that_a_small_study_lacks_is_left_out_with_what_reads_it(study):
    def marked(settings):
        settings["discovery"]["pc"]["when"] = "whole"

    with pytest.raises(ConfigError, match=r"reads '<results>/huang2022/discovery/pc.parquet', which has 'when: whole'"):
        checks.check(study(marked))
    kept = study(marked, when="whole").stage_files("huang2022")
    assert set(kept) - set(study(marked, when="small").stage_files("huang2022")) == {"discovery_pc"}


def test_the_stages_that_verdicts_read_are_those_made_by_default(study):
    usual, everything = (study(when=when).stage_files("huang2022") for when in ("whole", "asked"))
    with pytest.raises(ConfigError, match=r"reads '<results>/huang2022/discovery/pc.parquet', which has 'when: asked'"):
        checks.check(study(asked("discovery.pc")))
    assert set(usual) - set(study(when="whole").stage_files("huang2022")) == {"discovery_pc"}
    assert study(when="asked").stage_files("huang2022") == everything
