"""What each kind of job is told, from settings made for the test."""

from causal_bandits import provenance
from causal_bandits.policies.registry import ALGORITHMS
from experiments import job_specs
from experiments.files import resolve
from experiments.loading import STAGES
from experiments.policy_settings import hyper_parameters

ORIGINS = {"experiments": {}, "files": {}}


def policy(algorithm, **parameters):
    return {"algorithm": algorithm, "arms": None, "parameters": parameters, "options": {}}


EXPERIMENT = {
    "problem": "email",
    "horizon": 70,
    "policies": {"f,tau=0.1": policy("f_ucb", tau=0.1), "ucb": policy("ucb")},
}


def test_jobs_of_ours_have_the_digest_that_they_had():
    modules = ["experiments.simulate", "causal_bandits.policies.ucb", "arena.problems"]
    job_specs.digest.cache_clear()
    assert job_specs.digest(*(f"{module}:x" for module in modules)) == provenance.code_digest(modules)


def test_a_digest_is_that_of_every_module_that_is_named():
    """And of no name in it: the code is digested by module."""
    one, other = "causal_bandits.policies.ucb", "causal_bandits.policies.thompson"
    assert job_specs.digest(f"{one}:UCB", f"{other}:x") == provenance.code_digest([one, other])
    assert job_specs.digest(f"{one}:UCB") == job_specs.digest(f"{one}:UCBPCB") != job_specs.digest(f"{other}:x")


def test_import_paths_are_those_of_a_papers_dictionaries():
    for path in (
        job_specs.problems_of("huang2024"),
        job_specs.builders_of("huang2024", "bounds"),
        job_specs.items_of("huang2024", "tables"),
    ):
        assert path.startswith("replication.papers.huang2024.")
        assert isinstance(resolve(path), dict)


def test_files_of_stages_stand_in_the_order_of_the_flow():
    made = {"discovery": ["pc"], "data": ["offline", "adult"], "other": ["none"]}
    assert list(job_specs.stage_files("p", made).items()) == [
        ("data_offline", "<results>/p/data/offline.parquet"),
        ("data_adult", "<results>/p/data/adult.parquet"),
        ("discovery_pc", "<results>/p/discovery/pc.parquet"),
    ]
    assert STAGES == ("data", "discovery", "bounds")


def test_a_table_before_the_simulation_is_made_once_and_without_options_unless_it_says_so():
    job = job_specs.stage_job("huang2024", "bounds", "contextual", {"builder": "b"}, 9)
    assert (job["name"], job["builder"], job["root_seed"]) == ("huang2024/bounds/contextual", "b", 9)
    assert (job["options"], job["replicates"]) == ({}, 1)
    more = job_specs.stage_job("huang2024", "bounds", "n", {"builder": "b", "options": {"x": 1}, "replicates": 4}, 9)
    assert (more["options"], more["replicates"], more["code"]) == ({"x": 1}, 4, job["code"])


def test_a_simulation_is_told_all_settings_of_its_own_policy():
    experiment = EXPERIMENT | {"options": {"tell": True}}
    job = job_specs.simulate_job("huang2022", "email", experiment, "f,tau=0.1", 3, {"data/x.json": "digest"})
    assert (job["experiment"], job["policy"], job["problem"]) == ("huang2022/email", "f,tau=0.1", "email")
    assert (job["problems"], job["algorithm"]) == (job_specs.problems_of("huang2022"), ALGORITHMS["f_ucb"])
    assert (job["parameters"], job["options"], job["sources"]) == (
        {"tau": 0.1},
        {"tell": True},
        {"data/x.json": "digest"},
    )
    assert (job["horizon"], job["checkpoints"], job["seeds_per_draw"], job["root_seed"]) == (70, 100, None, 3)
    assert job["settings"] == hyper_parameters("f_ucb") | {
        "algorithm": "f_ucb",
        "tau": 0.1,
        "problem": "email",
        "tell": True,
    }
    assert job["code"] == job_specs.digest("experiments.simulate", job["algorithm"], job["problems"])


def test_an_aggregation_tells_played_policies_from_those_left_out():
    played = EXPERIMENT | {"horizon": 7, "policies": {"ucb": EXPERIMENT["policies"]["ucb"]}}
    job = job_specs.aggregate_job(played, EXPERIMENT)
    assert (job["horizon"], list(job["settings"]), list(job["left_out"])) == (7, ["ucb"], ["f,tau=0.1"])
    assert job["left_out"]["f,tau=0.1"]["tau"] == 0.1
    assert job["defaults"] == {name: hyper_parameters(name) for name in ("f_ucb", "ucb")}
    expected = job_specs.runs_expected("p", "e", played | {"checkpoints": 5}, {"ucb": {"code_digest": "x"}})
    assert expected == {"experiment": "p/e", "horizon": 7, "checkpoints": 5, "origins": {"ucb": {"code_digest": "x"}}}
    assert job_specs.runs_expected("p", "e", played, {})["checkpoints"] == 100


def test_items_and_verdicts_read_what_they_name_and_nothing_by_default():
    job = job_specs.item_job("huang2022", "figures", "fig3", {}, ORIGINS)
    assert job == {
        "items": "replication.papers.huang2022.figures:FIGURES",
        "item": "fig3",
        "experiments": [],
        "origins": ORIGINS,
    }
    assert job_specs.item_job("p", "tables", "t", {"experiments": ["e"]}, ORIGINS)["experiments"] == ["e"]
    assert job_specs.verdicts_job("p", {}, ["e"], ORIGINS)["readings"] == {}
    assert job_specs.verdicts_job("p", {"readings": {"a": []}}, ["e"], ORIGINS)["readings"] == {"a": []}
