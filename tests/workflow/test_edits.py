"""What is made again after an edit: exactly what depends on it."""

import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.workflow

POLICIES = "src/causal_bandits/policies/classical"
TOY = "src/replication/papers/toy"
LINE = "\nEDITED = True\n"
#: What follows from the runs of any experiment.
TOLD = Counter(figure=1, table=1, verdicts=1, all_verdicts=1, all=1)


def append(path, text=LINE):
    def edit(study):
        with (study.folder / path).open("a") as file:
            file.write(text)

    return edit


def replace(path, old, new):
    return lambda study: study.edit(path, old, new)


def touch(study):
    for folder in ("src", "workflow", "config", "data", "results", "figures"):
        for path in sorted((study.folder / folder).rglob("*.*"), reverse=True):
            os.utime(path)


def version(package):
    """Another version of a package, as its metadata say."""

    def edit(study):
        folder = study.folder / f"src/{package}-99.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 99\n")

    return edit


def remove(path):
    return lambda study: (study.folder / path).unlink()


def nothing(study):
    """Edit all that no result depends on: times, comments, docstrings, an algorithm that nobody plays, the lock."""
    touch(study)
    append(f"{POLICIES}/kl_ucb.py", "\n# a remark\n")(study)
    replace(f"{POLICIES}/kl_ucb.py", '"""kl-UCB for', '"""The kl-UCB for')(study)
    (study.folder / f"{POLICIES}/mine.py").write_text("class Mine:\n    pass\n")
    append("workflow/uv.lock", "\n# another\n")(study)
    append("workflow/scripts/experiment.py", "# a remark\n")(study)


#: An edit, and the jobs that are planned after it.
EDITS = {
    "what no result depends on": (nothing, Counter()),
    "an algorithm": (append(f"{POLICIES}/kl_ucb.py"), TOLD + Counter(experiment=1)),
    "a hyper-parameter": (
        replace("config/papers/toy.yaml", "c: [0.0, 3.0]", "c: [0.0, 2.0]"),
        TOLD + Counter(experiment=1),
    ),
    "one more seed": (
        replace("config/papers/toy.yaml", "replicates: 6\n    p", "replicates: 7\n    p"),
        TOLD + Counter(experiment=3),
    ),
    "a problem's code": (append(f"{TOY}/problems.py"), TOLD + Counter(experiment=2, figure=1)),
    "the engine's averages": (append("src/experiments/aggregate.py"), TOLD + Counter(experiment=3, figure=1)),
    "the engine's files": (
        append("src/experiments/files.py"),
        TOLD + Counter(data=1, bounds=1, experiment=3, figure=1),
    ),
    "a builder's code": (append(f"{TOY}/stages.py"), TOLD - Counter(table=1) + Counter(data=1, bounds=1, experiment=1)),
    "a figure's code": (append(f"{TOY}/figures.py"), Counter(figure=2, all=1)),
    "a judge's code": (append(f"{TOY}/claims.py"), Counter(verdicts=1, all_verdicts=1, all=1)),
    "a published value": (replace("data/published/toy.csv", "regret of 8", "regret of 8.0"), TOLD + Counter(figure=1)),
    "a file that is read": (
        replace("data/toy.json", "0.3", "0.31"),
        TOLD + Counter(data=1, bounds=1, experiment=2),
    ),
    "a package of simulations": (version("numba"), TOLD + Counter(experiment=3, figure=1)),
    "one more seed of a table": (
        replace("config/papers/toy.yaml", "options: {size: 40}, replicates: 6", "options: {size: 40}, replicates: 7"),
        TOLD - Counter(table=1) + Counter(data=1, bounds=1, experiment=1),
    ),
    "a package to which models are converted": (version("pgmpy"), Counter()),
    "a package of figures": (version("matplotlib"), Counter(figure=2, all=1)),
    "a table that is gone": (remove("results/toy/given/finals.parquet"), TOLD + Counter(experiment=1)),
}


@pytest.fixture(scope="module")
def plans(copy):
    """What is planned after each edit, several at a time: to start Snakemake takes longer than to plan."""

    def planned(name):
        study = copy()
        EDITS[name][0](study)
        return study.planned()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(EDITS, pool.map(planned, EDITS), strict=True))


@pytest.mark.parametrize("edit", EDITS)
def test_what_depends_on_an_edit_is_planned_and_nothing_else(plans, edit):
    jobs, text = plans[edit]
    assert jobs == EDITS[edit][1], text


def test_a_plan_says_why(plans):
    """In Snakemake's own words, with the keys of the policies: that of the edited one differs."""
    _, text = plans["an algorithm"]
    why = re.search(
        r"toy: play given\nReason: Params have changed since last execution: .* before: (.*) now: (.*)", text
    )
    before, now = (dict(re.findall(r"'(ts|kl_ucb,c=...)': '(\w{16})'", keys)) for keys in why.groups())
    assert {label for label, key in before.items() if now[label] != key} == {"kl_ucb,c=0.0", "kl_ucb,c=3.0"}
    assert before["ts"] == now["ts"]


def played(study):
    """Which seeds of which policies the jobs of `TARGETS` say that they played."""
    logs = [(study.folder / f"logs/toy/{name}.log").read_text() for name in ("given", "learnt")]
    return set(re.findall(r"toy/(\w+): (\S+): playing seeds (\d+ to \d+)", "".join(logs)))


def rows(study, experiment, **columns):
    filters = [(name, "=", value) for name, value in columns.items()] or None
    return pq.read_table(study.folder / f"results/toy/{experiment}/runs.parquet", filters=filters)


TARGETS = ("--", "results/toy/given/finals.parquet", "results/toy/learnt/finals.parquet")


def test_where_files_and_tables_alone_change_nothing_is_played(copy, finished):
    """An edit of the engine's files, and one more seed of the table of which a bandit is made: runs are the same."""
    study = copy()
    EDITS["the engine's files"][0](study)
    EDITS["one more seed of a table"][0](study)
    study.snakemake(*TARGETS)
    assert played(study) == set()
    for experiment in ("given", "learnt"):
        assert rows(study, experiment).equals(rows(finished, experiment))


def test_only_what_an_edit_changes_is_played(copy, finished):
    """Of an edited algorithm its own runs; of one more seed that seed; of one less none. The others' rows stay."""
    study = copy()
    append(f"{POLICIES}/kl_ucb.py")(study)
    replace("config/papers/toy.yaml", "replicates: 6\n    p", "replicates: 7\n    p")(study)
    study.snakemake(*TARGETS)
    every = {("given", "kl_ucb,c=0.0", "0 to 6"), ("given", "kl_ucb,c=3.0", "0 to 6"), ("given", "ts", "6 to 6")}
    assert played(study) == every | {("learnt", label, "6 to 6") for label in ("ts", "more")}
    for experiment, policy in (("given", "ts"), ("given", "kl_ucb,c=3.0"), ("learnt", "more")):
        before, after = (rows(one, experiment, policy=policy) for one in (finished, study))
        assert after.filter(pq.filters_to_expression([("seed", "<", 6)])).equals(before)
        assert set(after["seed"].to_pylist()) == set(range(7))
    replace("config/papers/toy.yaml", "replicates: 7\n    p", "replicates: 6\n    p")(study)
    study.snakemake(*TARGETS)
    assert played(study) == set()
    for experiment in ("given", "learnt"):
        assert rows(study, experiment).equals(rows(finished, experiment))
