"""A paper's whole study in one process: the jobs that Snakemake would start, one after another, and no rule."""

from pathlib import Path

import yaml

from experiments.config import STAGES
from experiments.experiment import make as play
from experiments.stages import make
from experiments.study import Study
from replication.judging.jobs import verdicts_job
from replication.judging.verdicts import judge

ROOT = Path(__file__).parents[2]
PAPERS = sorted(path.stem for path in (ROOT / "config/papers").glob("*.yaml"))


class Whole:
    """The study of one paper at a scale, its results below ``folder``."""

    def __init__(self, paper, folder, **scale):
        config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        self.paper, self.folder = paper, folder
        self.study = Study(config | {"papers": [paper], "scale": config.get("scale", {}) | scale}, ROOT)
        self.settings = self.study.papers[paper]
        for experiment in self.settings["experiments"].values():
            for policy in experiment["policies"].values():
                if policy["algorithm"] in ("cn_ucb", "raps"):  # a small study's horizon is shorter than their search
                    policy["parameters"] = policy.get("parameters", {}) | {"too_short": "cut off"}

    def path(self, text):
        """A path as the configuration and the rules have it, below the results or the checkout."""
        return str(self.folder / text.removeprefix("<results>/")) if text.startswith("<results>/") else str(ROOT / text)

    def paths(self, named):
        return {name: self.path(text) for name, text in named.items()}

    def make_results(self):
        """All stages up to the tidy tables, and the verdicts."""
        for stage in STAGES:
            for name in self.study.wanted(self.paper, stage):
                output = self.path(self.study.stage_files(self.paper)[f"{stage}_{name}"])
                inputs = self.paths(self.study.inputs(self.paper, stage, name))
                make(output, self.study.stage_job(self.paper, stage, name), inputs)
        experiments = self.study.wanted(self.paper, "experiments")
        for name in experiments:
            inputs = self.paths(self.study.inputs(self.paper, "experiments", name))
            runs = self.path(f"<results>/{self.paper}/{name}/runs.parquet")
            play(self.study.experiment_job(self.paper, name), inputs, runs, *self.tidy(name))
        inputs = self.item_inputs(experiments, self.study.stage_files(self.paper))
        tables = (self.path(f"<results>/{self.paper}/{name}.csv") for name in ("verdicts", "verdict_readings"))
        judge(verdicts_job(self.study, self.paper), inputs, *tables)

    def tidy(self, experiment):
        """Curves and finals."""
        return [self.path(f"<results>/{self.paper}/{experiment}/{kind}.parquet") for kind in ("curves", "finals")]

    def item_inputs(self, experiments, files):
        """What a figure, a table or the verdicts read."""
        tables = [self.tidy(experiment) for experiment in experiments]
        published = str(ROOT / f"data/published/{self.paper}.csv")
        curves, finals = ([pair[i] for pair in tables] for i in range(2))
        return {"curves": curves, "finals": finals, "published": published} | self.paths(files)

    def make_item(self, kind, name, function, suffixes):
        """Draw a figure or write a table; return its files."""
        entry, job = self.settings[kind][name], self.study.item_job(self.paper, kind, name)
        outputs = [self.folder / f"{name}{suffix}" for suffix in suffixes]
        inputs = self.item_inputs(entry.get("experiments", []), entry.get("inputs", {}))
        function(job, inputs, outputs)
        return outputs
