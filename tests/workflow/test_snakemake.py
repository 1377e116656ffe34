"""What Snakemake offers works on the study, and a plan of it writes nothing."""

import json
import re
import zipfile
from collections import Counter

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.workflow

JOBS = {"data": 1, "bounds": 1, "experiment": 3, "figure": 2, "table": 1, "verdicts": 1, "all_verdicts": 1, "all": 1}


def tree(study):
    """Every file and folder with its time and content, but bytecode, and what Snakemake keeps of its own calls."""
    own = re.compile(r"(.*/)?__pycache__(/.*)?|\.snakemake(/(log|iocache|locks|auxiliary).*)?|\.cache.*|\.")
    paths = {path.relative_to(study.folder).as_posix(): path for path in study.folder.rglob("*")}
    return {
        name: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for name, path in paths.items()
        if not own.fullmatch(name)
    }


def test_a_plan_writes_nothing(copy):
    """Of a study that an edit has made stale, so that there is something to plan."""
    study = copy()
    with (study.folder / "src/causal_bandits/policies/classical/kl_ucb.py").open("a") as file:
        file.write("EDITED = True\n")
    before = tree(study)
    assert any(name.startswith(".snakemake/metadata/") for name in before)
    assert study.planned()[0]["experiment"] == 1
    assert study.planned("--logger=brief")[1].count("\n") < 40
    for arguments in (["--lint"], ["--list-rules"], ["--summary"], ["--rulegraph"]):
        study.snakemake(*arguments)
    assert "Thompson" in study.run("-m", "replication.tools.explain", "toy.ts").stdout
    after = tree(study)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()


def test_a_papers_target_makes_its_verdicts_and_an_items_target_what_it_shows(finished):
    jobs, text = finished.planned("--forceall", "toy")
    assert jobs == Counter(JOBS) - Counter(all_verdicts=1, all=1) + Counter(toy=1), text
    jobs, text = finished.planned("--forceall", "toy_graph")
    assert jobs == {"figure": 1, "toy_graph": 1}, text


def test_the_report_has_figures_tables_and_verdicts_with_captions(finished, tmp_path):
    finished.snakemake("--report", str(tmp_path / "report.zip"))
    with zipfile.ZipFile(tmp_path / "report.zip") as report:
        names = report.namelist()
        texts = "".join(report.read(name).decode(errors="ignore") for name in names if name.endswith((".html", ".js")))
    for file in ("regret.png", "graph.png", "regret.csv", "verdicts.csv"):
        assert any(name.endswith(file) for name in names), file
    for caption in ("Regret on both bandits.", "The graph of both bandits.", "Regret on the given bandit."):
        assert caption in texts


def test_the_graph_of_rules_is_that_of_the_flow(finished):
    text = finished.snakemake("--rulegraph").stdout
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', text))
    edges = {(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", text)}
    assert set(names.values()) == set(JOBS)
    assert {
        ("data", "bounds"),
        ("bounds", "experiment"),
        ("experiment", "figure"),
        ("verdicts", "all_verdicts"),
    } < edges


#: Prints the cores, memory and minutes that each rule asks for at its first two attempts.
ASKED = """
import json
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.iocontainers import Wildcards
from snakemake.settings.types import OutputSettings, ResourceSettings

of = {"paper": "toy", "name": "samples", "experiment": "learnt", "item": "regret"}
with SnakemakeApi(OutputSettings()) as api:
    flow = api.workflow(ResourceSettings(cores=8), snakefile=Path("Snakefile"))._workflow
    found = {}
    for rule in flow.rules:
        if rule.script:
            asked = [rule.expand_resources(Wildcards(fromdict=of), [], attempt) for attempt in (1, 2)]
            found[rule.name] = [[each.get(name) for name in ("_cores", "mem_mb", "runtime")] for each in asked]
print(json.dumps(found))
"""


def test_a_job_asks_for_the_cores_of_its_entry_and_at_a_second_attempt_for_twice_the_memory_and_time(finished):
    found = json.loads(finished.run("-c", ASKED).stdout.splitlines()[-1])
    assert set(found) == {*JOBS, "discovery"} - {"all"}
    for rule, ((cores, memory, minutes), second) in found.items():
        assert cores == (2 if rule == "experiment" else 1), rule
        assert memory >= 500, rule
        assert minutes >= 10, rule
        assert second == [cores, 2 * memory, 2 * minutes], rule


def test_another_study_can_take_it_as_a_module(finished, tmp_path):
    """With its configuration, or with one that says only what differs; linear algebra has one thread."""
    module = f"module study:\n    snakefile: '{finished.folder}/Snakefile'\n{{}}\n\nuse rule * from study as study_*\n"
    threads = (
        "import os\nprint(sorted(name for name, n in os.environ.items() if name.endswith('_THREADS') and n == '1'))\n"
    )
    (tmp_path / "Snakefile").write_text(module.format("") + threads)
    jobs, text = finished.planned(folder=tmp_path)
    assert "['MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS']" in text
    assert jobs == {f"study_{rule}": count for rule, count in JOBS.items()}, text
    (tmp_path / "Snakefile").write_text(module.format("    config: {'scale': {'replicates': 2}}"))
    runs = "results/toy/given/runs.parquet"
    finished.snakemake("--", runs, folder=tmp_path)
    played, expected = (pq.read_table(folder / runs) for folder in (tmp_path, finished.folder))
    assert set(played["seed"].to_pylist()) == {0, 1}
    assert played.equals(expected.filter(pc.less(expected["seed"], 2)))


def test_nested_values_and_profiles_are_taken_from_the_command_line(finished, tmp_path):
    (tmp_path / "config.yaml").write_text("cores: 1\nconfig: ['scale={replicates: 2, when: small}']\n")
    for arguments in (["--config", "scale={replicates: 2, when: small}"], ["--profile", tmp_path]):
        jobs, text = finished.planned(*arguments)
        assert (jobs["data"], jobs["experiment"]) == (1, 3), text
    done = finished.snakemake("--dry-run", "--config", "scale={replicates: 0}", check=False)
    assert "scale.replicates: 0 is less than the minimum of 1" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        (
            "config/papers/toy.yaml",
            "replication.papers.toy.problems:given",
            "lee2019/frontdor",
            r"experiments\.given\.problem: 'lee2019/frontdor' is unknown; expected one of: .*lee2019/frontdoor",
        ),
        ("data/published/toy.csv", ",ordering,KL", ",ordring,KL", "^data/published/toy.csv:4: .*kind: 'ordring'"),
    ],
)
def test_what_is_wrong_is_one_line_before_any_job(copy, path, old, new, message):
    study = copy()
    study.edit(path, old, new)
    before = tree(study)
    done = study.snakemake(check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(("config/", "data/"))]
    assert done.returncode == 1
    assert len(lines) == 1, done.stdout + done.stderr
    assert re.search(message, lines[0])
    assert "Traceback" not in done.stdout + done.stderr
    assert {k for k, v in tree(study).items() if before.get(k) != v} == set()
