"""The study: its papers, each with a configuration of its own, and the jobs that follow from them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from replication.config import job_specs, others
from replication.config.errors import ConfigError, expect_known
from replication.config.loading import STAGES, read_paper, scaled, validate
from replication.pipeline.origin import of_file, of_job, of_tidy_tables

if TYPE_CHECKING:
    from replication.judging.verdicts import VerdictsJob
    from replication.pipeline.aggregate import AggregateJob
    from replication.pipeline.origin import Origin
    from replication.pipeline.results import ItemJob, Origins
    from replication.pipeline.runs import RunsExpected
    from replication.pipeline.simulate import SimulateJob
    from replication.pipeline.stages import StageJob

#: Jobs that one policy may have. Snakemake takes half a second to plan a thousand jobs.
MOST_JOBS = 10_000

_T = TypeVar("_T")
_STAGE_TABLE = re.compile(rf"<results>/(\w+)/({'|'.join(STAGES)})/(\w+)\.parquet")


class Study:
    """The papers to run, each with its own configuration, its grids laid out, scaled.

    Parameters
    ----------
    config : mapping
        The study-wide configuration (config/config.yaml with its overlays).
    root : Path
        The folder that holds ``config/``, ``data/`` and ``workflow/``.

    Attributes
    ----------
    papers : dict
        Settings of every paper, as they are run: at most at the study's scale, extras left out if it says so.
    declared : dict
        Experiments of every paper as its own file declares them.

    Raises
    ------
    ConfigError
        In one line, for the first thing that is wrong.
    """

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.root = root
        self._made: dict[tuple[str, ...], Any] = {}
        validate(config, root / "workflow/schemas/config.schema.yaml", "config/config.yaml or an overlay")
        self.seed: int = config["seed"]
        self._everything: bool = config["scale"].get("on_request", False)
        entries = {others.ARENA: config.get("entries")}
        if entries[others.ARENA] and others.ARENA not in config["papers"]:
            raise ConfigError(f"an overlay: entries: play in the arena; expected {others.ARENA!r} among the papers")
        self._whole = {paper: read_paper(paper, root, entries.get(paper)) for paper in config["papers"]}
        self.papers = {paper: scaled(settings, config["scale"]) for paper, settings in self._whole.items()}
        self.declared: dict[str, dict[str, Any]] = {p: whole["experiments"] for p, whole in self._whole.items()}

    def check(self) -> None:
        """Check all that can be wrong, extras that are left out too, before any job starts (see `checks`).

        Raises
        ------
        ConfigError
            In one line, for the first thing that is wrong.
        """
        from replication.config import checks  # only the main process checks

        others.policies()  # a name that is taken is told even where nobody plays it
        others.families()
        for paper, settings in self._whole.items():
            checks.check(paper, settings, self.root)
        for paper, settings in self.papers.items():
            for name, experiment in settings["experiments"].items():
                for policy in experiment["policies"].values():
                    batch = policy["batch"] or experiment["batch"]
                    if (jobs := math.ceil(experiment["replicates"] / batch)) > MOST_JOBS:
                        raise ConfigError(
                            f"config/papers/{paper}.yaml: experiments.{name}: {experiment['replicates']} replicates in "
                            f"batches of {batch} are {jobs} jobs of one policy; expected at most {MOST_JOBS}: "
                            "a larger batch, or fewer replicates"
                        )

    def wanted(self, paper: str, section: str) -> list[str]:
        """List what a paper's target makes of a section; what is on request only where all is asked for.

        Parameters
        ----------
        paper : str
        section : str
            ``experiments``, ``figures``, ``tables`` or a stage.
        """
        entries: Mapping[str, Mapping[str, Any]] = self.papers[paper].get(section, {})
        return [name for name, entry in entries.items() if self._everything or not entry.get("on_request")]

    def stage_files(self, paper: str) -> dict[str, str]:
        """Return the tables that verdicts read of the stages before the simulation, by ``<stage>_<name>``."""
        return job_specs.stage_files(paper, {stage: self.wanted(paper, stage) for stage in STAGES})

    def stage_inputs(self, paper: str, stage: str, name: str) -> dict[str, str]:
        """Return files that a table of a stage is made from, by argument name."""
        return dict(self._stage(paper, stage, name).get("inputs", {}))

    def stage_job(self, paper: str, stage: str, name: str) -> StageJob:
        """Return what `stages.make` needs for one table."""
        return job_specs.stage_job(paper, stage, name, self._stage(paper, stage, name), self.seed)

    def _stage(self, paper: str, stage: str, name: str) -> Mapping[str, Any]:
        entries: dict[str, Mapping[str, Any]] = self.papers[paper].get(stage, {})
        expect_known(name, entries, f"config/papers/{paper}.yaml: {stage}")
        return entries[name]

    def run_origin(self, paper: str, experiment: str, policy: str) -> Origin:
        """Say where the runs of one policy of one experiment come from."""
        return self._once(
            ("run", paper, experiment, policy), lambda: of_job(self.simulate_job(paper, experiment, policy))
        )

    def tidy_origin(self, paper: str, experiment: str) -> Origin:
        """Say where the tidy tables of one experiment come from."""
        return self._once(
            ("tidy", paper, experiment),
            lambda: of_tidy_tables(self.aggregate_job(paper, experiment), self.runs_expected(paper, experiment)),
        )

    def stage_origin(self, paper: str, stage: str, name: str) -> Origin:
        """Say where a table of a stage comes from."""
        return of_job(self.stage_job(paper, stage, name))

    def file_origins(self, files: Mapping[str, str]) -> dict[str, Origin]:
        """Say where those of some files come from that are tables of a stage, by name."""
        tables = {name: _STAGE_TABLE.fullmatch(path) for name, path in files.items()}
        return {name: self.stage_origin(*table.groups()) for name, table in tables.items() if table}

    def sources(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """Digest those of a job's inputs that the checkout gives, by argument name."""
        return {name: of_file(self.root / path) for name, path in inputs.items() if not path.startswith("<")}

    def origins(self, paper: str, experiments: Iterable[str], files: Mapping[str, str]) -> Origins:
        """Say where tidy tables of a paper's experiments and other files come from; see `Results.load`."""
        tidy = {experiment: self.tidy_origin(paper, experiment) for experiment in experiments}
        return {"experiments": tidy, "files": self.file_origins(files)}

    def inputs(self, paper: str, experiment: str) -> dict[str, str]:
        """Return files that the experiment's problem is built from, by argument name."""
        return dict(self._experiment(paper, experiment).get("inputs", {}))

    def blocks(self, paper: str, experiment: str, policy: str) -> list[tuple[int, int]]:
        """Return first and last seed of each batch of a policy."""
        settings = self._experiment(paper, experiment)
        last, batch = settings["replicates"] - 1, settings["policies"][policy]["batch"] or settings["batch"]
        return [(first, min(first + batch - 1, last)) for first in range(0, last + 1, batch)]

    def simulate_job(self, paper: str, experiment: str, policy: str) -> SimulateJob:
        """Return what `simulate.simulate` needs for one policy of one experiment."""
        settings = self._experiment(paper, experiment)
        return self._once(
            ("job", paper, experiment, policy),
            lambda: job_specs.simulate_job(
                paper, experiment, settings, policy, self.seed, self.sources(settings.get("inputs", {}))
            ),
        )

    def aggregate_job(self, paper: str, experiment: str) -> AggregateJob:
        """Return what `aggregate.aggregate` needs for one experiment."""
        return job_specs.aggregate_job(self._experiment(paper, experiment), self.declared[paper][experiment])

    def runs_expected(self, paper: str, experiment: str) -> RunsExpected:
        """Return what the files of runs of one experiment must say."""
        settings = self._experiment(paper, experiment)
        origins = {policy: self.run_origin(paper, experiment, policy) for policy in settings["policies"]}
        return job_specs.runs_expected(paper, experiment, settings, origins)

    def item_job(self, paper: str, kind: str, name: str) -> ItemJob:
        """Return what `plotting.draw` or `tabulate.tabulate` needs for one of the ``figures`` or ``tables``."""
        entry = self.papers[paper][kind][name]
        origins = self.origins(paper, entry.get("experiments", []), entry.get("inputs", {}))
        return job_specs.item_job(paper, kind, name, entry, origins)

    def verdicts_job(self, paper: str) -> VerdictsJob:
        """Return what `verdicts.judge` needs for one paper."""
        experiments = self.wanted(paper, "experiments")
        origins = self.origins(paper, experiments, self.stage_files(paper))
        return job_specs.verdicts_job(paper, self.papers[paper], experiments, origins)

    def _once(self, key: tuple[str, ...], make: Callable[[], _T]) -> _T:
        """Make a value at the first time that it is asked for: digests of code take milliseconds each."""
        if key not in self._made:
            self._made[key] = make()
        made: _T = self._made[key]
        return made

    def _experiment(self, paper: str, experiment: str) -> Mapping[str, Any]:
        settings: Mapping[str, Any] = self.papers[paper]["experiments"][experiment]
        return settings
