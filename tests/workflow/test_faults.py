"""What goes wrong around a study: it goes on once the cause is gone, or names the file; it never has other values.

Each fault of `FAULTS` is met by one defence; without it the fault is not survived.
"""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace

import jsonschema
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pyarrow.parquet as pq
import pytest

from causal_bandits.play import run
from experiments import config as loading
from experiments import experiment, files, key
from experiments.drawing import plotting
from experiments.files import content_digest
from experiments.results import Results
from experiments.settings import LOADER, ConfigError
from experiments.study import ExperimentJob, ItemJob, PolicyJob, ReaderJob

pytestmark = pytest.mark.workflow

THOMPSON = PolicyJob(
    "ts",
    "thompson",
    "causal_bandits.policies.classical.thompson:Thompson",
    {},
    "minimal",
    {"family": "uniform_cpt"},
    "a" * 16,
)
JOB = ExperimentJob(
    *("paper/x", "lee2019/frontdoor", 50, 5, 3, 1, (THOMPSON,)),
    key="b" * 16,
    seeds_per_draw=1,
)
NAMES = ("runs", "curves", "finals")


#: Where a disk is full Python itself leaves half a file of bytecode.
WITHOUT_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}


def make(folder, job=JOB):
    """The three files of an experiment, and the digests of what they hold."""
    paths = [folder / f"{name}.parquet" for name in NAMES]
    experiment.make(job, {}, *paths)
    return [content_digest(path) for path in paths]


def load(folder):
    """The finals, as a figure reads them."""
    (folder / "published.csv").write_text("id,value\n")
    tables = {name: [folder / f"{name}.parquet"] for name in NAMES[1:]}
    job = ReaderJob(experiments=("x",), tidy={"x": JOB.key})
    return Results.load(job, tables | {"published": folder / "published.csv"}).finals["x"]


def bits_flip(folder):
    """Each of many random bits of the pages is noticed, or changes nothing."""
    make(folder)
    path, rng = folder / "finals.parquet", random.Random(0)
    written, right = path.read_bytes(), files.read(path)
    footer = len(written) - 8 - int.from_bytes(written[-8:-4], "little")
    for _ in range(200):
        place, bit = rng.randrange(4, footer), rng.randrange(8)
        path.write_bytes(written[:place] + bytes([written[place] ^ (1 << bit)]) + written[place + 1 :])
        try:
            found = files.read(path)
        except OSError:
            continue
        assert found.equals(right, check_metadata=True)


def a_table_is_cut(folder):
    make(folder)
    path = folder / "finals.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(OSError, match=r"finals\.parquet: damaged .*delete it and run the same command again"):
        load(folder)


def runs_are_cut(folder):
    right = make(folder)
    path = folder / "runs.parquet"
    path.write_bytes(path.read_bytes()[:1000])
    assert make(folder) == right


def a_table_is_of_another_study(folder):
    make(folder, replace(JOB, key="c" * 16, root_seed=2))
    with pytest.raises(key.StaleError, match=r"\.parquet: made by different code or with a different configuration"):
        load(folder)


def a_process_is_killed_while_it_writes(folder):
    """As where no more fits, and nobody cleans up."""
    text = (
        "import contextlib, numpy as np, pyarrow as pa, signal, sys\n"
        "from experiments import files\n"
        f"files.whole = {'files.whole' if files.whole is not nullcontext else 'contextlib.nullcontext'}\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "files.write(pa.table({'x': np.random.default_rng(0).random(100_000)}), sys.argv[1])\n"
    )
    command = ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", sys.executable, "-c", text, folder / "half.parquet"]
    source = os.environ | WITHOUT_BYTECODE | {"PYTHONPATH": files.__file__.rpartition("/experiments/")[0]}
    assert subprocess.run(command, env=source, check=False).returncode == -signal.SIGXFSZ
    assert not (folder / "half.parquet").exists()


@dataclass(frozen=True)
class Liar:
    """Records an arm, or a reward, that the bandit does not have."""

    plays = object
    arm: int = 0
    reward: float = 0.0

    def run(self, bandit, rounds, rng):
        for _ in rounds:
            rounds.record(np.full(rounds.size, self.arm), np.full(rounds.size, self.reward))
        return {}


def lies(folder, **parameters):
    make(folder, replace(JOB, policies=(replace(THOMPSON, path=f"{__name__}:Liar", parameters=parameters),)))


def a_policy_records_an_arm_that_is_not_there(folder):
    """NumPy takes -1 for the last."""
    with pytest.raises(ValueError, match="policy ts, seed 0: arms of round 1: -1; expected"):
        lies(folder, arm=-1)


def a_policy_records_a_reward_that_is_not_possible(folder):
    with pytest.raises(ValueError, match=r"policy ts, seed 0: rewards of round 1: 7\.5; expected"):
        lies(folder, reward=7.5)


def a_key_stands_twice(folder):
    (folder / "overlay.yaml").write_text("seed: 1\nseed: 2\n")
    with pytest.raises(ConfigError, match=r"overlay\.yaml: not valid YAML: the key 'seed' occurs twice"):
        loading.read_yaml(folder / "overlay.yaml", "overlay.yaml")


def an_integer_is_a_number_with_a_point(folder):
    settings = {"modules": "m", "papers": ["p"], "seed": 1.0, "scale": {}}
    with pytest.raises(ConfigError, match=r"seed: 1\.0 is not of type 'integer'"):
        loading.validate(settings, "config", "config/config.yaml")


def a_user_has_settings_of_figures(folder):
    def drawn(name):
        job = ItemJob(items=f"{__name__}:FIGURES", item="line")
        (folder / "published.csv").write_text("id\n")
        plotting.draw(job, {"published": folder / "published.csv"}, [folder / name])
        return (folder / name).read_bytes()

    right = drawn("a.png")
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.titlepad": 40}):
        assert drawn("b.png") == right


def line(results):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.plot([0, 1])
    axes.set_title("line")
    return figure


FIGURES = {"line": line}


class Unchecked(pq.ParquetFile):
    """Reads without looking at checksums."""

    def __init__(self, path, page_checksum_verification):
        super().__init__(path)


def nothing(*_, **__):
    pass


#: A fault, and what is put in place of its defence.
FAULTS = {
    bits_flip: [(files.pq, "ParquetFile", Unchecked)],
    a_table_is_cut: [(files, "_damage_named", nullcontext)],
    runs_are_cut: [(files, "_damage_named", nullcontext)],
    a_table_is_of_another_study: [(key, "expect", nothing)],
    a_process_is_killed_while_it_writes: [(files, "whole", nullcontext)],
    a_policy_records_an_arm_that_is_not_there: [(run._Rounds, "_expect", nothing)],
    a_policy_records_a_reward_that_is_not_possible: [(run._Rounds, "_expect", nothing)],
    a_key_stands_twice: [(loading, "LOADER", LOADER.__base__)],
    an_integer_is_a_number_with_a_point: [(loading, "_strict", lambda: jsonschema.Draft202012Validator)],
    a_user_has_settings_of_figures: [(mpl, "rcdefaults", nothing)],
}


@pytest.mark.parametrize("defended", [True, False], ids=["defended", "without"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_survived_and_not_without_its_defence(fault, defended, tmp_path, monkeypatch):
    loading._validator.cache_clear()
    if defended:
        fault(tmp_path)
    else:
        for place, name, other in FAULTS[fault]:
            monkeypatch.setattr(place, name, other)
        with pytest.raises((Exception, pytest.fail.Exception)):
            fault(tmp_path)
    loading._validator.cache_clear()


TARGETS = [f"results/toy/{name}.parquet" for name in ("given/finals", "given/curves", "learnt/finals")]


def values(study):
    return [content_digest(study.folder / path) for path in TARGETS]


def start(study, first=":"):
    """Start the study from nothing in a process group of its own."""
    for path in (study.folder / "results/toy").rglob("*.parquet"):
        path.unlink()
    return subprocess.Popen(
        ["sh", "-c", f'{first}; exec "$@"', "sh", *study.command("--", *TARGETS)],
        cwd=study.folder,
        env=study.environment | WITHOUT_BYTECODE | {"PYTHONFAULTHANDLER": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_a_killed_run_goes_on(copy, finished, number):
    """While jobs run; after SIGKILL, which Snakemake cannot see, once its lock is taken away."""
    study = copy()
    process = start(study)
    deadline = time.monotonic() + 300
    while not list((study.folder / "results/toy").rglob("*.parquet")):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, number)
    try:
        process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        # Snakemake may wait for itself forever (docs/upstream.md); then its stack, which SIGABRT prints, says so.
        process.send_signal(signal.SIGABRT)
        assert "exit_gracefully" in process.communicate(timeout=60)[0]
    assert process.returncode != 0
    if process.returncode in (-signal.SIGKILL, -signal.SIGABRT):
        assert "--unlock" in "".join(study.snakemake("--", *TARGETS, check=False).stderr.split())
        study.snakemake("--unlock")
    study.snakemake("--", *TARGETS)
    assert values(study) == values(finished)


def test_a_full_disk_leaves_no_half_table_and_a_second_run_in_the_folder_is_refused(copy, finished):
    study = copy()
    process = start(study, "ulimit -f 8")
    text, _ = process.communicate(timeout=300)
    assert process.returncode != 0, text
    for path in (study.folder / "results/toy").rglob("*"):
        assert not path.name.startswith("."), path
        if path.suffix == ".parquet":
            files.read(path)
    process = start(study)
    # The last lock, that of the outputs, has to be written whole.
    while not any(lock.stat().st_size for lock in study.folder.glob(".snakemake/locks/*.output.lock")):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGSTOP)  # it might end before the second one has started
    second = study.snakemake("--", *TARGETS, check=False)
    os.killpg(process.pid, signal.SIGCONT)
    assert second.returncode != 0
    assert "lock" in second.stdout + second.stderr
    text, _ = process.communicate(timeout=300)
    assert process.returncode == 0, text
    assert values(study) == values(finished)


def test_a_folder_may_have_any_name_without_braces_and_a_clock_may_have_run_ahead(copy, finished):
    study = copy("it's [a] $HOME, ü=日本 #%")
    for path in (study.folder / "results").rglob("*"):
        os.utime(path, (time.time() + 86_400,) * 2)
    (study.folder / TARGETS[0]).unlink()
    study.snakemake("--", *TARGETS)
    assert values(study) == values(finished)
    study.folder = study.folder.rename(study.folder.with_name("{braces}"))
    done = study.snakemake(check=False)
    assert done.returncode == 1
    assert "expected a folder without them" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
