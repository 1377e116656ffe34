"""The study of checked settings: its jobs and their keys, and when entries are made."""

import shutil
from dataclasses import fields, replace

import pytest
from checkout import read_yaml
from email_campaign import ROOT, SCALE, email, set_grid

from experiments import checks, key
from experiments.config import STAGES
from experiments.settings import ConfigError
from experiments.study import ExperimentJob, PolicyJob, StageJob, Study, keyed_experiment, keyed_stage
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


POLICY = PolicyJob("ts", "thompson", "causal_bandits.policies.classical.thompson:Thompson", {}, "minimal", {})
EXPERIMENT = ExperimentJob("paper/x", "lee2019/frontdoor", 60, 3, 4, 11, (POLICY,))
STAGE = StageJob("paper/data/x", "replication.papers.lee2019.stages:STAGES", "a", {}, 4, 11)
#: Another value of every field of a job.
OTHERS = [
    (
        EXPERIMENT,
        {
            "name": "paper/y",
            "problem": "lee2019/fourvar",
            "horizon": 61,
            "checkpoints": 4,
            "replicates": 5,
            "root_seed": 12,
            "policies": (POLICY, replace(POLICY, label="more")),
            "left_out": (POLICY,),
            "seeds_per_draw": 2,
            "milestones": (20,),
            "inputs": {"bounds": "0" * 16},
            "metrics": ("simple_regret",),
        },
    ),
    (
        POLICY,
        {
            "label": "other",
            "algorithm": "mine",
            "path": "causal_bandits.policies.classical.kl_ucb:KLUCB",
            "parameters": {"prior_ones": 2.0},
            "arms": None,
            "options": {"draw": 1},
            "horizon": 30,
        },
    ),
    (
        STAGE,
        {
            "name": "paper/data/y",
            "builders": "replication.papers.huang2022.stages:STAGES",
            "builder": "b",
            "options": {"a": 1},
            "replicates": 5,
            "root_seed": 12,
            "inputs": {"bounds": "0" * 16},
        },
    ),
]


def moved(job, name, value):
    """Which keys a change of a field moves: of the whole, and of what is made for each seed."""

    def keys(job):
        if isinstance(job, PolicyJob):
            return 2 * (keyed_experiment(replace(EXPERIMENT, policies=(job,)), []).policies[0].key,)
        if isinstance(job, StageJob):
            return (keyed := keyed_stage(job, [])).key, keyed.seed_key
        return (keyed := keyed_experiment(job, [])).key, keyed.policies[0].key

    return [old != new for old, new in zip(keys(job), keys(replace(job, **{name: value})), strict=True)]


@pytest.mark.parametrize(
    ("job", "others", "name"),
    [(job, others, field.name) for job, others in OTHERS for field in fields(job)],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_every_field_of_a_job_moves_its_key(job, others, name):
    """Runs, and what a table says of a seed, stand if only the number of seeds, or what is made of them, is another."""
    if name.endswith("key"):
        assert moved(job, name, "0" * 16) == [False, False]
        return
    stand = {PolicyJob: (), StageJob: ("replicates", "inputs")}
    stand[ExperimentJob] = ("replicates", "policies", "left_out", "milestones", "inputs")
    assert moved(job, name, others[name]) == [True, name not in stand[type(job)]]


def test_what_an_input_says_of_a_seed_moves_the_keys_of_what_is_made_of_it():
    for keyed, job in ((keyed_experiment, EXPERIMENT), (keyed_stage, STAGE)):
        one, two = (keyed(job, [{"bounds": key * 16}, {}]) for key in "ab")
        assert one.key != two.key
        assert getattr(one, "seed_key", None) != getattr(two, "seed_key", 0)
    assert one.seed_key != two.seed_key
    first, second = (keyed_experiment(EXPERIMENT, [{"bounds": key}, {}]).policies[0].key for key in "ab")
    assert first != second


@pytest.mark.parametrize("name", ["horizon", "checkpoints", "seeds_per_draw"])
def test_a_setting_of_the_file_moves_the_keys_of_runs(study, name):
    before = {policy.key for policy in policies(study()).values()}
    assert not before & {policy.key for policy in policies(study(lambda s: email(s).update({name: 7}))).values()}


def test_the_root_seed_moves_every_key(root):
    """Another run of the whole study must not keep a table of the first."""

    def keys(seed):
        papers = read_yaml(ROOT / "config/config.yaml")["papers"]
        found = Study({"modules": "replication.papers.{paper}", "papers": papers, "seed": seed, "scale": {}}, root)
        made = {}
        for paper, settings in found.papers.items():
            for name in settings["experiments"]:
                job = found.experiment_job(paper, name)
                made |= {(paper, name, policy.label): policy.key for policy in job.policies}
                made[paper, name] = job.key
            for stage in STAGES:
                for name in settings.get(stage, {}):
                    job = found.stage_job(paper, stage, name)
                    made |= {(paper, stage, name): job.key, (paper, stage, name, "seed"): job.seed_key}
            made[paper] = verdicts_job(found, paper).key
        return made

    one, two = keys(1), keys(2)
    assert one.keys() == two.keys()
    assert [place for place, key in one.items() if key == two[place]] == []


def test_a_folder_of_raw_data_is_read_and_has_no_effect_if_none_is_named(root, tmp_path):
    config = {"modules": "replication.papers.{paper}", "papers": ["huang2022"], "seed": 1, "scale": {}}
    assert Study(config, root).inputs("huang2022", "data", "youtube") == {"counts": "data/raw/youtube.csv"}
    (tmp_path / "youtube/0303").mkdir(parents=True)
    (tmp_path / "youtube/0303/0.txt").touch()
    refused = (
        rf"raw: '{tmp_path}' has no youtube/0303/1\.txt; expected a folder with youtube/0303/0\.txt, youtube/0303/1"
    )
    with pytest.raises(ConfigError, match=refused):
        Study({**config, "raw": str(tmp_path)}, root)
    (tmp_path / "youtube/0303/1.txt").touch()
    found = Study({**config, "raw": str(tmp_path)}, root)
    depths = {f"depth_{i}": str(tmp_path / f"youtube/0303/{i}.txt") for i in (0, 1)}
    assert found.inputs("huang2022", "data", "youtube") == {"counts": "data/raw/youtube.csv", **depths}
    assert (
        found.stage_job("huang2022", "data", "youtube").key
        != Study(config, root).stage_job("huang2022", "data", "youtube").key
    )


def test_one_more_seed_of_a_stage_moves_its_key_and_lets_the_runs_stand(study):
    """The runs of adult are made of records."""
    few, more = study(), study(lambda s: s["data"]["records"].update(replicates=2), paper="huang2022")
    assert few.stage_job("huang2022", "data", "records").key != more.stage_job("huang2022", "data", "records").key
    assert few.experiment_job("huang2022", "adult").key != more.experiment_job("huang2022", "adult").key
    one, two = (policies(each, "adult") for each in (few, more))
    assert {label: policy.key for label, policy in one.items()} == {label: policy.key for label, policy in two.items()}


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


def test_another_published_number_moves_the_key_of_figures_and_tables_and_of_nothing_that_is_played(root, study):
    (root / "data").unlink()
    shutil.copytree(ROOT / "data", root / "data")

    def keys():
        key.content.cache_clear()
        found = study()
        items = [found.item_job("huang2022", kind, name) for kind, name in (("figures", "fig2b"), ("tables", "table1"))]
        return [job.key for job in (*items, found.experiment_job("huang2022", "email"))]

    before = keys()
    with (root / "data/published/huang2022.csv").open("a") as file:
        file.write("\n")
    assert [old == new for old, new in zip(before, keys(), strict=True)] == [False, False, True]


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


def test_a_policy_plays_if_it_takes_as_many_rounds_as_the_scale_allows_and_not_if_more(study):
    def change(settings):
        del email(settings)["horizon"]
        email(settings)["grid"] = {"horizon": [50, 100, 101]}

    found = policies(study(change))
    assert {policy.horizon for policy in found.values()} == {50, 100}


def test_an_experiment_without_policies_is_left_out_with_what_reads_it(study):
    def change(settings):
        for policy in email(settings)["policies"].values():
            policy["when"] = "whole"

    settings = study(change, when="small").papers["huang2022"]
    kept = ["adult_bounds", "adult", "fig2b"]
    assert list(settings["experiments"]) == kept
    assert "fig2b" not in settings["figures"]
    assert "fig1" in settings["figures"]


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


def test_a_job_asks_for_memory_by_seeds_checkpoints_and_policies(study):
    """100,000 rows with fifty extras took 782 MB."""
    many = study(lambda s: email(s).update(replicates=1000), replicates=None, horizon=None)
    assert study().memory("huang2022", "email") == pytest.approx(600, abs=2)
    assert 782 < many.memory("huang2022", "email") < 1000
