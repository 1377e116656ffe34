"""A private copy of the checkout, in which a test can edit files and run the study."""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml
from snakemake.utils import update_config

from replication.config import Study
from replication.pipeline.settings import LOADER

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "workflow", "profiles", "src", "config", "data", "docs", "environment.yml")


#: YAML's writer in C, where PyYAML was built with it.
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def read_yaml(path):
    """What a YAML file holds, aliases as copies."""
    return json.loads(json.dumps(yaml.load(path.read_text(), LOADER)))


def change_yaml(path, change):
    """Rewrite a YAML file by a function of what it holds."""
    settings = read_yaml(path)
    change(settings)
    path.write_text(yaml.dump(settings, Dumper=DUMPER, sort_keys=False))


def jobs_of(done):
    """The jobs that a run, or a dry one, says it has: rule name to number."""
    table = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, flags=re.MULTILINE)
    return Counter({rule: int(count) for rule, count in table if rule != "total"})


class Checkout:
    """A copy of what a run needs, and the commands to run it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / part)
        # Compiled kernels are named after their source's content, so copies may share the original's.
        kernels = ROOT / "src/causal_bandits/__pycache__"
        self.environment = {"NUMBA_CACHE_DIR": str(kernels), "PATH": "/usr/bin:/bin", "HOME": str(folder)}

    def command(self, *arguments, cores=2):
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *map(str, arguments)]

    def snakemake(self, *arguments, cores=2, check=True):
        done = subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
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
        experiment["policies"] = {k: experiment["policies"][k] for k in ("ts_pomis", "kl_ucb_bf")}
        settings["experiments"] = {"frontdoor": experiment}
        for key in ("readings", "calibration", "recovery", "tables"):
            settings.pop(key, None)
        settings["figures"] = {k: v for k, v in settings["figures"].items() if not v.get("experiments")}

    study.change_paper(change)
    study.keep_claims(lambda row: not row["experiment"] and not row["readings"])
