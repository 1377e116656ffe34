"""A private copy of the checkout, in which a test can edit files and run the study."""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import yaml
from snakemake.utils import update_config

from experiments import Study
from experiments.settings import DUMPER, LOADER

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "workflow", "profiles", "src", "config", "data", "docs", "environment.yml")
#: Compiled kernels are named after their source's content, so copies may share the original's.
KERNELS = str(ROOT / "src/causal_bandits/__pycache__")


def read_yaml(path):
    """What a YAML file holds, aliases as copies."""
    return json.loads(json.dumps(yaml.load(path.read_text(), LOADER)))


def change_yaml(path, change):
    """Rewrite a YAML file by a function of what it holds."""
    settings = read_yaml(path)
    change(settings)
    path.write_text(yaml.dump(settings, Dumper=DUMPER, sort_keys=False))


def but_bytecode(folder, names):
    """What copies leave out: compiled kernels. Bytecode and digests are checked against their source, so they stay."""
    return [name for name in names if Path(folder).name == "__pycache__" and not name.endswith((".pyc", ".imports"))]


def jobs_of(done):
    """The jobs that a run, or a dry one, says it has: rule name to number."""
    table = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.MULTILINE)
    return Counter({rule: int(count) for rule, count in table if rule != "total"})


#: What a `Starter` does: for each line that it reads, a fork becomes `python -m snakemake` with what the line says.
#: Libraries alone are loaded, and nothing of the package, which each checkout has its own of.
STARTER = """
import gc, json, os, runpy, sys
import jsonschema, numba, pandas, scipy.special, snakemake.cli, yaml

package = [name for name in sys.modules if name.partition(".")[0] in ("causal_bandits", "replication")]
assert not package, package
gc.freeze()
while line := sys.stdin.readline():
    asked = json.loads(line)
    if not (child := os.fork()):
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        flags = os.O_WRONLY | os.O_CREAT
        for number, path in enumerate((os.devnull, asked["stdout"], asked["stderr"])):
            os.dup2(os.open(path, flags if number else os.O_RDONLY), number)
        snakemake.workflow.Workflow._rundir = asked["folder"]  # it was read when the class was made
        sys.path[0], sys.argv[1:] = asked["folder"], asked["arguments"]
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Starter:
    """A process that has loaded Snakemake and forks for every dry run: to load it takes longer than the plan."""

    def __init__(self):
        # Linear algebra on one thread, as the workflow sets it: a process with several should not fork.
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.process = subprocess.Popen(
            [sys.executable, "-c", STARTER],
            env={**threads, "PATH": "/usr/bin:/bin", "NUMBA_CACHE_DIR": KERNELS},
            **pipes,
        )

    def run(self, arguments, folder, environment):
        """What a process of its own with these arguments would have returned, said and complained of."""
        with tempfile.TemporaryDirectory() as place:
            said = {name: str(Path(place, name)) for name in ("stdout", "stderr")}
            asked = {"arguments": arguments, "folder": str(folder), "environment": environment} | said
            self.process.stdin.write(json.dumps(asked) + "\n")
            code = int(self.process.stdout.readline())
            texts = {name: Path(path).read_text() for name, path in said.items()}
        return subprocess.CompletedProcess(arguments, code, **texts)


@cache
def starter():
    """The one of this process."""
    return Starter()


class Checkout:
    """A copy of what a run needs, and the commands to run it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=but_bytecode)
            else:
                shutil.copy(source, folder / part)
        self.environment = {"NUMBA_CACHE_DIR": KERNELS, "PATH": "/usr/bin:/bin", "HOME": str(folder)}

    def command(self, *arguments, cores=2):
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *map(str, arguments)]

    def snakemake(self, *arguments, cores=2, check=True):
        """Run Snakemake: in a process of its own, a dry run in a fork of the `starter`."""
        command = self.command(*arguments, cores=cores)
        if "--dry-run" in arguments:
            done = starter().run(command[3:], self.folder, self.environment)
        else:
            done = subprocess.run(
                command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
            )
        if check and done.returncode:
            raise AssertionError(f"snakemake {arguments} failed:\n{done.stdout}\n{done.stderr}")
        return done

    def planned(self, *targets):
        """Jobs that a run would start now: rule name to number, and the whole text."""
        done = self.snakemake("--dry-run", *targets)
        return jobs_of(done), done.stdout

    def edit(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        assert old in text, f"{path} does not hold {old!r}"
        file.write_text(text.replace(old, new))

    def append(self, path, line):
        with (self.folder / path).open("a") as file:
            file.write(line + "\n")

    def change_paper(self, change, paper="lee2019"):
        """Rewrite a paper's configuration by a function of its dictionary."""
        change_yaml(self.folder / f"config/papers/{paper}.yaml", change)

    def keep_claims(self, keep, paper="lee2019"):
        """Leave only the published rows (dictionaries) that ``keep`` says."""
        path = self.folder / f"data/published/{paper}.csv"
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0], lineterminator="\n")
            table.writeheader()
            table.writerows(row for row in rows if keep(row))

    def study(self, **overlay):
        """The study that this checkout's configuration says, read in this process; nothing is run."""
        config = yaml.safe_load((self.folder / "config/config.yaml").read_text())
        update_config(config, overlay)
        return Study(config, self.folder)

    def overlay(self, **settings):
        """Write an overlay and return the arguments that use it."""
        (self.folder / "overlay.yaml").write_text(yaml.safe_dump(settings))
        return ("--configfile", "overlay.yaml")


def one_task(study, batch):
    """Leave one task, two policies, 20 seeds; and of the claims those that need no run."""

    def change(settings):
        experiment = settings["experiments"]["frontdoor"]
        experiment |= {"horizon": 400, "replicates": 20, "batch": batch}
        del experiment["milestones"]
        experiment["policies"] = {k: experiment["policies"][k] for k in ("ts_pomis", "kl_ucb_bf")}
        settings["experiments"] = {"frontdoor": experiment}
        for key in ("readings", "tables"):
            settings.pop(key, None)
        settings["figures"] = {k: v for k, v in settings["figures"].items() if not v.get("experiments")}

    study.change_paper(change)
    study.keep_claims(lambda row: not row["experiment"] and not row["readings"])
