"""The study: its papers, each with a configuration of its own, and the jobs that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.config import job_specs
from replication.config.errors import expect_known
from replication.config.loading import STAGES, read_paper, scaled, validate

if TYPE_CHECKING:
    from replication.judging.calibration import CalibrationJob
    from replication.judging.verdicts import VerdictsJob
    from replication.pipeline.aggregate import AggregateJob
    from replication.pipeline.results import ItemJob
    from replication.pipeline.runs import RunsExpected
    from replication.pipeline.simulate import SimulateJob
    from replication.pipeline.stages import StageJob


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
        validate(config, root / "workflow/schemas/config.schema.yaml", "config/config.yaml or an overlay")
        self.seed: int = config["seed"]
        self._everything: bool = config["scale"].get("on_request", False)
        self._whole = {paper: read_paper(paper, root) for paper in config["papers"]}
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

        for paper, settings in self._whole.items():
            checks.check(paper, settings, self.root)

    def wanted(self, paper: str, section: str) -> list[str]:
        """Names of a section of a paper's file that its target makes: those on request only where all are asked for.

        Parameters
        ----------
        paper : str
        section : str
            ``experiments``, ``figures``, ``tables`` or a stage.
        """
        entries: Mapping[str, Mapping[str, Any]] = self.papers[paper].get(section, {})
        return [name for name, entry in entries.items() if self._everything or not entry.get("on_request")]

    def stage_files(self, paper: str) -> dict[str, str]:
        """The tables that verdicts read of the stages before the simulation, by ``<stage>_<name>``."""
        return job_specs.stage_files(paper, {stage: self.wanted(paper, stage) for stage in STAGES})

    def stage_inputs(self, paper: str, stage: str, name: str) -> dict[str, str]:
        """Files that a table of a stage is made from, by argument name."""
        return dict(self._stage(paper, stage, name).get("inputs", {}))

    def stage_job(self, paper: str, stage: str, name: str) -> StageJob:
        """What `stages.make` needs for one table."""
        return job_specs.stage_job(paper, stage, name, self._stage(paper, stage, name), self.seed)

    def _stage(self, paper: str, stage: str, name: str) -> Mapping[str, Any]:
        entries: dict[str, Mapping[str, Any]] = self.papers[paper].get(stage, {})
        expect_known(name, entries, f"config/papers/{paper}.yaml: {stage}")
        return entries[name]

    def inputs(self, paper: str, experiment: str) -> dict[str, str]:
        """Files that the experiment's problem is built from, by argument name."""
        return dict(self._experiment(paper, experiment).get("inputs", {}))

    def blocks(self, paper: str, experiment: str, policy: str) -> list[tuple[int, int]]:
        """First and last seed of each batch of a policy."""
        settings = self._experiment(paper, experiment)
        last, batch = settings["replicates"] - 1, settings["policies"][policy]["batch"] or settings["batch"]
        return [(first, min(first + batch - 1, last)) for first in range(0, last + 1, batch)]

    def simulate_job(self, paper: str, experiment: str, policy: str) -> SimulateJob:
        """What `simulate.simulate` needs for one policy of one experiment."""
        return job_specs.simulate_job(paper, experiment, self._experiment(paper, experiment), policy, self.seed)

    def aggregate_job(self, paper: str, experiment: str) -> AggregateJob:
        """What `aggregate.aggregate` needs for one experiment."""
        return job_specs.aggregate_job(self._experiment(paper, experiment), self.declared[paper][experiment])

    def runs_expected(self, paper: str, experiment: str) -> RunsExpected:
        """What the files of runs of one experiment must say."""
        return job_specs.runs_expected(paper, experiment, self._experiment(paper, experiment), self.seed)

    def calibration_job(self, paper: str, problem: str) -> CalibrationJob:
        """What `calibration.calibrate` needs for one problem."""
        return job_specs.calibration_job(paper, problem, self.papers[paper]["calibration"], self.seed)

    def recovery_job(self, paper: str, problem: str) -> Mapping[str, Any]:
        """What a paper's ``recovery:recover`` needs for one problem."""
        return job_specs.recovery_job(paper, problem, self.papers[paper]["recovery"][problem], self.seed)

    def item_job(self, paper: str, kind: str, name: str) -> ItemJob:
        """What `plotting.draw` or `tabulate.tabulate` needs for one of the ``figures`` or ``tables``."""
        return job_specs.item_job(paper, kind, name, self.papers[paper][kind][name])

    def verdicts_job(self, paper: str) -> VerdictsJob:
        """What `verdicts.judge` needs for one paper."""
        return job_specs.verdicts_job(paper, self.papers[paper], self.wanted(paper, "experiments"))

    def _experiment(self, paper: str, experiment: str) -> Mapping[str, Any]:
        settings: Mapping[str, Any] = self.papers[paper]["experiments"][experiment]
        return settings
