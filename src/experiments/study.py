"""A study: its papers, each with its own configuration, and the jobs that follow from them as plain data, with keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.problems import module_of
from experiments.config import FILES, STAGES, check_raw, home_of, read_paper, scaled, validate
from experiments.key import HOUSEKEEPING, content, key_of
from experiments.settings import LOADER, ConfigError, expect_known


@dataclass(frozen=True)
class PolicyJob:
    """One policy of an experiment.

    Attributes
    ----------
    label : str
    algorithm : str
        Its name in the configuration: a registered name or an import path.
    path : str
        The import path ``module:Class`` of the algorithm.
    parameters : mapping
        Hyper-parameters that differ from the algorithm's defaults.
    arms : str or None
        An arm strategy.
    options : mapping
        Keyword arguments of the problem's builder.
    key : str
        Key of the policy's runs, which does not depend on the number of seeds.
    horizon : int or None
        Its own maximum number of rounds, if the experiment's grid has several; None: the experiment's.
    """

    label: str
    algorithm: str
    path: str
    parameters: Mapping[str, Any]
    arms: str | None
    options: Mapping[str, Any]
    key: str = ""
    horizon: int | None = None


@dataclass(frozen=True)
class ExperimentJob:
    """One experiment: a problem, the policies that play it, and for how long.

    Attributes
    ----------
    name : str
        Full name, for instance ``lee2019/frontdoor``; the random streams depend on it.
    problem : str
        A name in `causal_bandits.problems`, or an import path ``module:function``.
    horizon, checkpoints, replicates : int
        Maximum number of rounds of a run, the largest if the grid has several; number of rounds at which values are
        recorded; number of seeds, which are 0 to ``replicates - 1``.
    root_seed : int
    policies : tuple of PolicyJob
        Policies that are played.
    left_out : tuple of PolicyJob
        Policies that the paper's file declares but this configuration leaves out.
    key : str
        Key of the tidy tables.
    seeds_per_draw : int or None
        Number of consecutive seeds that share one random problem; if None, all seeds share one.
    milestones : tuple of int
        Rounds before the last whose cumulative values are also written to the table of final values.
    inputs : mapping
        Keys of the inputs that other jobs make, by argument name.
    metrics : tuple of str
        Metrics that are recorded only if asked for, see `simulate.METRICS`.
    """

    name: str
    problem: str
    horizon: int
    checkpoints: int
    replicates: int
    root_seed: int
    policies: tuple[PolicyJob, ...]
    left_out: tuple[PolicyJob, ...] = ()
    key: str = ""
    seeds_per_draw: int | None = None
    milestones: tuple[int, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class StageJob:
    """One table that is computed before the experiments.

    Attributes
    ----------
    name : str
        Full name, for instance ``huang2024/data/offline``; the random streams depend on it.
    builders, builder : str
        Import path of a dictionary of builders (`stages.Builder`), and the key in it.
    options : mapping
        Keyword arguments of the builder.
    replicates : int
        Seeds are 0 to ``replicates - 1``.
    root_seed : int
    key : str
        Key of the table.
    inputs : mapping
        Keys of the inputs that other jobs make, by argument name.
    seed_key : str
        Key of what the table says of each seed, which does not depend on the number of seeds.
    """

    name: str
    builders: str
    builder: str
    options: Mapping[str, Any]
    replicates: int
    root_seed: int
    key: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    seed_key: str = ""


@dataclass(frozen=True, kw_only=True)
class ReaderJob:
    """A job that reads tidy tables.

    Attributes
    ----------
    experiments : tuple of str
        Experiments whose tidy tables it reads.
    tidy : mapping
        Key of each experiment's tidy tables.
    inputs : mapping
        Keys of the other inputs that jobs make, by name.
    key : str
    """

    experiments: tuple[str, ...] = ()
    tidy: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class ItemJob(ReaderJob):
    """One figure or table: the import path of a dictionary of functions, and the key in it."""

    items: str
    item: str


#: The modules that draw figures and make tables.
ITEM_CODE = {"figures": "experiments.drawing.plotting", "tables": "experiments.drawing.tabulate"}

#: Bytes of memory per row of a policy's runs, which may have fifty extras; and per final value at a milestone.
BYTES_PER_ROW = 2000
BYTES_PER_FINAL = 60

_T = TypeVar("_T")
_STAGE_TABLE = re.compile(rf"<results>/(\w+)/({'|'.join(STAGES)})/(\w+)\.parquet")


class Study:
    """The papers to run, each with its own configuration, with grids expanded and settings limited to the scale.

    Parameters
    ----------
    config : mapping
        The study-wide configuration (config/config.yaml with its overlays).
    root : Path
        The folder that holds ``config/`` and ``data/``.

    Attributes
    ----------
    seed : int
    homes : dict
        Where every paper's parts are (`config.Home`), by slug.
    scale : mapping
        Upper limits on the papers' own settings.
    figure_formats : tuple of str
        The suffixes of figure files, PNG first.
    papers : dict
        Settings of every paper as they are run: limited to the study's scale, without what it leaves out.
    declared : dict
        Settings of every paper as its own file declares them.

    Raises
    ------
    ConfigError
        For the first error found, in one line.
    """

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.root = root
        self._made: dict[tuple[str, ...], Any] = {}
        config = _typed(config)
        validate(config, "config", "config/config.yaml or an overlay")
        self.seed: int = config["seed"]
        self.scale: Mapping[str, Any] = config["scale"]
        self.figure_formats = ("png", "pdf", "svg") if config.get("vector_figures", True) else ("png",)
        homes = [home_of(paper, root, config["modules"], config.get("files", FILES)) for paper in config["papers"]]
        self.homes = {home.slug: home for home in homes}
        if len(self.homes) < len(homes):
            raise ConfigError(f"papers: {', '.join(home.slug for home in homes)}; expected distinct names")
        self._raw = None if config.get("raw") is None else Path(config["raw"]).expanduser().resolve()
        self.declared = {paper: read_paper(home) for paper, home in self.homes.items()}
        if self._raw is not None:
            for settings in self.declared.values():
                check_raw(self._raw, settings)
        self.papers = {paper: scaled(settings, self.scale) for paper, settings in self.declared.items()}

    def module(self, paper: str, name: str) -> str:
        """Return the dotted name of one of a paper's modules, for instance ``figures``."""
        return f"{self.homes[paper].package}.{name}"

    def file(self, paper: str) -> str:
        """Return the path of a paper's file, relative to its home."""
        return self.homes[paper].settings

    def published(self, paper: str) -> Path:
        """Return the path of a paper's table of claims, which need not exist."""
        return self.homes[paper].root / self.homes[paper].published

    def dictionary(self, paper: str, name: str) -> str:
        """Return the import path of a paper's dictionary, which is named after its module: ``figures:FIGURES``."""
        return f"{self.module(paper, name)}:{name.upper()}"

    def wanted(self, paper: str, section: str) -> list[str]:
        """List the entries of a section that a paper's target makes; those ``when: asked`` only if the scale says so.

        Parameters
        ----------
        paper : str
        section : str
            ``experiments``, ``figures``, ``tables`` or a stage.
        """
        entries: Mapping[str, Mapping[str, Any]] = self.papers[paper].get(section, {})
        return [
            name for name, entry in entries.items() if self.scale.get("when") == "asked" or entry.get("when") != "asked"
        ]

    def stage_files(self, paper: str) -> dict[str, str]:
        """Return the tables that a paper's target makes before the experiments, by ``<stage>_<name>``."""
        return {
            f"{stage}_{name}": f"<results>/{paper}/{stage}/{name}.parquet"
            for stage in STAGES
            for name in self.wanted(paper, stage)
        }

    def entry(self, paper: str, section: str, name: str) -> Mapping[str, Any]:
        """Return the settings of one experiment, table of a stage, figure or table.

        Raises
        ------
        ConfigError
            If there is no entry of this name.
        """
        entries: Mapping[str, Mapping[str, Any]] = self.papers[paper].get(section, {})
        expect_known(name, entries, f"{self.file(paper)}: {section}")
        return entries[name]

    def inputs(self, paper: str, section: str, name: str) -> dict[str, str]:
        """Return the files that an entry reads, by name: of the checkout, raw, or made by jobs (``<results>/``)."""
        entry = self.entry(paper, section, name)
        raw = {} if self._raw is None else {key: str(self._raw / path) for key, path in entry.get("raw", {}).items()}
        return {**entry.get("inputs", {}), **raw}

    def stage_job(self, paper: str, stage: str, name: str) -> StageJob:
        """Return the job that makes one table of a stage."""

        def make() -> StageJob:
            entry, inputs = self.entry(paper, stage, name), self.inputs(paper, stage, name)
            job = StageJob(
                name=f"{paper}/{stage}/{name}",
                builders=self.dictionary(paper, "stages"),
                builder=entry["builder"],
                options=entry.get("options", {}),
                replicates=entry.get("replicates", 1),
                root_seed=self.seed,
                inputs=self.input_keys(inputs),
            )
            return keyed_stage(job, [self._seed_keys(inputs), self._contents(paper, inputs)])

        return self._once((stage, paper, name), make)

    def experiment_job(self, paper: str, name: str) -> ExperimentJob:
        """Return the job that plays one experiment."""
        return self._once(("experiment", paper, name), lambda: self._experiment_job(paper, name))

    def _experiment_job(self, paper: str, name: str) -> ExperimentJob:
        settings, inputs = self.entry(paper, "experiments", name), self.inputs(paper, "experiments", name)
        declared = {policy.label: policy for policy in policies_of(self.declared[paper]["experiments"][name])}
        job = ExperimentJob(
            name=f"{paper}/{name}",
            problem=settings["problem"],
            horizon=settings["horizon"],
            checkpoints=settings.get("checkpoints", 100),
            replicates=settings["replicates"],
            root_seed=self.seed,
            policies=policies_of(settings),
            left_out=tuple(policy for label, policy in declared.items() if label not in settings["policies"]),
            seeds_per_draw=settings.get("seeds_per_draw"),
            milestones=tuple(settings.get("milestones", ())),
            inputs=self.input_keys(inputs),
            metrics=tuple(settings.get("metrics", ())),
        )
        return keyed_experiment(job, [self._seed_keys(inputs), self._contents(paper, inputs)])

    def memory(self, paper: str, name: str) -> int:
        """Estimate the MB of memory that an experiment's job takes: the rows of one policy, and of all final values."""
        settings = self.entry(paper, "experiments", name)
        seeds: int = settings["replicates"]
        rounds: int = settings.get("checkpoints", 100)
        finals = len(settings["policies"]) * seeds * (1 + len(settings.get("milestones", ())))
        return 600 + (seeds * rounds * BYTES_PER_ROW + finals * BYTES_PER_FINAL) // 10**6

    def item_job(self, paper: str, kind: str, name: str) -> ItemJob:
        """Return the job that makes one of the ``figures`` or ``tables``."""

        def make() -> ItemJob:
            entry, inputs = self.entry(paper, kind, name), self.inputs(paper, kind, name)
            experiments = tuple(entry.get("experiments", ()))
            job = ItemJob(
                items=self.dictionary(paper, kind),
                item=name,
                experiments=experiments,
                tidy=self.keys(paper, experiments),
                inputs=self.input_keys(inputs),
            )
            files = {**inputs, "published": self.homes[paper].published}
            return replace(job, key=key_of([asdict(job), self._contents(paper, files)], ITEM_CODE[kind], job.items))

        return self._once((kind, paper, name), make)

    def keys(self, paper: str, experiments: Iterable[str]) -> dict[str, str]:
        """Return the keys of the tidy tables of some experiments."""
        return {name: self.experiment_job(paper, name).key for name in experiments}

    def input_keys(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return the keys, by name, of those of the ``files`` that are tables of a stage."""
        return {name: job.key for name, job in self._stages_of(files).items()}

    def _seed_keys(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return `StageJob.seed_key`, by name, of those of the ``files`` that are tables of a stage."""
        return {name: job.seed_key for name, job in self._stages_of(files).items()}

    def _stages_of(self, files: Mapping[str, str]) -> dict[str, StageJob]:
        tables = {name: _STAGE_TABLE.fullmatch(path) for name, path in files.items()}
        return {name: self.stage_job(*table.groups()) for name, table in tables.items() if table}

    def _contents(self, paper: str, files: Mapping[str, str]) -> dict[str, str]:
        """Digest the files that no job makes, by name."""
        paths = {name: self.homes[paper].root / path for name, path in files.items() if not path.startswith("<")}
        return {name: content(path) for name, path in paths.items() if path.exists()}

    def _once(self, name: tuple[str, ...], make: Callable[[], _T]) -> _T:
        """Return the value called ``name``; ``make`` computes it when it is first requested."""
        if name not in self._made:
            self._made[name] = make()
        made: _T = self._made[name]
        return made


def _typed(config: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the values of ``scale``: nested values from Snakemake's ``--config`` arrive as strings."""
    if not isinstance(config.get("scale"), Mapping):
        return dict(config)
    scale = {k: yaml.load(v, LOADER) if isinstance(v, str) else v for k, v in config["scale"].items()}
    return {**config, "scale": scale}


#: Fields of an `ExperimentJob` that are not in the keys of its policies' runs, with the reason.
NOT_OF_RUNS = {
    "replicates": "every seed has its own random streams",
    "policies": "no policy sees another one",
    "left_out": "what is not played changes no run",
    "milestones": "the tidy tables alone have them",
    "inputs": "what a table says of a seed does not depend on its other seeds (`StageJob.seed_key`)",
    "key": "computed from all others",
}


def keyed_experiment(job: ExperimentJob, of_inputs: Any) -> ExperimentJob:
    """Give an experiment and its policies their keys; ``of_inputs`` stands for the files that a problem is built of."""
    of_job = {name: value for name, value in asdict(job).items() if name not in NOT_OF_RUNS}
    code = ("experiments.simulate", module_of(job.problem))

    def keyed(policy: PolicyJob) -> PolicyJob:
        own = {} if policy.horizon is None else {"horizon": policy.horizon}  # other horizons of the grid do not matter
        configuration = [of_job | own, of_inputs, asdict(replace(policy, key=""))]
        return replace(policy, key=key_of(configuration, *code, policy.path, but=HOUSEKEEPING))

    policies = tuple(keyed(policy) for policy in job.policies)
    job = replace(job, policies=policies, key="")
    return replace(job, key=key_of([asdict(job), of_inputs], "experiments.experiment"))


def keyed_stage(job: StageJob, of_inputs: Any) -> StageJob:
    """Give a table of a stage its keys; ``of_inputs`` stands for the files that it is made from."""
    of_seed = {**asdict(job), "replicates": None, "inputs": None, "key": "", "seed_key": ""}
    seed_key = key_of([of_seed, of_inputs], "experiments.stages", job.builders, but=HOUSEKEEPING)
    job = replace(job, key="", seed_key=seed_key)
    return replace(job, key=key_of(asdict(job), "experiments.stages"))


def policies_of(experiment: Mapping[str, Any]) -> tuple[PolicyJob, ...]:
    """Return the policies of an experiment, with grids expanded and without keys."""
    return tuple(
        PolicyJob(
            label=label,
            algorithm=policy["algorithm"],
            path=ALGORITHMS.get(policy["algorithm"], policy["algorithm"]),
            parameters=policy["parameters"],
            arms=policy["arms"],
            options={**experiment.get("options", {}), **policy["options"]},
            horizon=policy["horizon"],
        )
        for label, policy in experiment["policies"].items()
    )
