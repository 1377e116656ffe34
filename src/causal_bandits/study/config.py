"""The study's configuration: read, checked whole before any job starts, and turned into jobs."""

from __future__ import annotations

import ast
import csv
import dataclasses
import functools
import importlib
import inspect
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import jsonschema
import yaml

from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.provenance import SOURCE, code_digest, package_versions

_PAPERS = "causal_bandits.papers"

#: Stages before the simulation, in the order of the flow. A paper's module of the same name holds a dictionary of
#: builders (see `stages.Builder`), its name in capitals.
STAGES = ("data", "discovery", "bounds")


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the file, the key, the value and what was expected."""


class Study:
    """The papers to run, each with its own configuration, scaled and checked.

    Parameters
    ----------
    config : mapping
        The study-wide configuration (config/config.yaml with its overlays).
    root : Path
        The folder that holds ``config/``, ``data/`` and ``workflow/``.

    Raises
    ------
    ConfigError
        In one line, for the first thing that is wrong.
    """

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.root = root
        _validate(config, root / "workflow/schemas/config.schema.yaml", "config/config.yaml or an overlay")
        self.seed: int = config["seed"]
        self.papers: dict[str, dict[str, Any]] = {}
        for paper in config["papers"]:
            self.papers[paper] = _scaled(self._read(paper), config["scale"])

    def _read(self, paper: str) -> dict[str, Any]:
        path = self.root / "config/papers" / f"{paper}.yaml"
        if not path.exists():
            known = ", ".join(sorted(p.stem for p in path.parent.glob("*.yaml")))
            raise ConfigError(f"config/config.yaml: papers: no paper {paper!r}; expected one of: {known}")
        place = f"config/papers/{paper}.yaml"
        try:
            settings = yaml.load(path.read_text(), _StrictLoader)
        except yaml.YAMLError as error:
            raise ConfigError(f"{place}: not valid YAML: {' '.join(str(error).split())}") from error
        _validate(settings, self.root / "workflow/schemas/paper.schema.yaml", place)
        for kind in ("figures", "tables"):
            for item, entry in settings.get(kind, {}).items():
                for experiment in entry.get("experiments", ()):
                    _expect_known(experiment, settings["experiments"], f"{place}: {kind}.{item}.experiments")
        for name, experiment in settings["experiments"].items():
            for label, entry in experiment["policies"].items():
                key = f"{place}: experiments.{name}.policies.{label}.algorithm"
                _expect_known(entry["algorithm"], ALGORITHMS, key)
        for problem, search in settings.get("calibration", {}).get("problems", {}).items():
            for label, entry in search["targets"].items():
                key = f"{place}: calibration.problems.{problem}.targets.{label}.algorithm"
                _expect_known(entry["algorithm"], ALGORITHMS, key)
        return dict(settings)

    def check(self) -> None:
        """Check what needs the code: problem names, their options, arm strategies, hyper-parameters, items.

        Raises
        ------
        ConfigError
            In one line, for the first thing that is wrong.
        """
        for paper, settings in self.papers.items():
            place = f"config/papers/{paper}.yaml"
            problems = importlib.import_module(f"{_PAPERS}.{paper}.problems").PROBLEMS
            for name, experiment in settings["experiments"].items():
                key = f"{place}: experiments.{name}"
                _expect_known(experiment["problem"], problems, f"{key}.problem")
                self._check_inputs(paper, experiment, key)
                for label, entry in experiment["policies"].items():
                    self._check_policy(entry, f"{key}.policies.{label}")
                arguments = {**experiment.get("options", {}), **experiment.get("inputs", {})}
                if "seeds_per_draw" in experiment:
                    if "draw" in arguments:
                        raise ConfigError(f"{key}: both 'seeds_per_draw' and a fixed 'draw'; expected one of them")
                    arguments["draw"] = 0
                plays = self._problem_kind(problems[experiment["problem"]], experiment, arguments, key)
                for label, entry in experiment["policies"].items():
                    self._check_match(entry, plays, f"{key}.policies.{label}")
            self._check_stages(paper)
            for kind in ("figures", "tables"):
                known_items = _dictionary_keys(f"{_PAPERS}.{paper}.{kind}", kind.upper())
                for item, entry in settings.get(kind, {}).items():
                    _expect_known(item, known_items, f"{place}: {kind}")
                    self._check_inputs(paper, entry, f"{place}: {kind}.{item}")
            self._check_calibration(paper, problems)

    def _check_inputs(self, paper: str, entry: Mapping[str, Any], key: str) -> None:
        """Inputs are files of the checkout, or what another part of this configuration makes."""
        made = {
            f"<results>/{paper}/calibration/{n}.json"
            for n in self.papers[paper].get("calibration", {}).get("problems", {})
        }
        made |= set(self.stage_files(paper).values())
        for argument, path in entry.get("inputs", {}).items():
            place = f"{key}.inputs.{argument}"
            if path.startswith("<"):
                _expect_known(path, made, place)
            elif not (self.root / path).is_file():
                raise ConfigError(f"{place}: no file {path!r}; expected a path from the top folder")

    @staticmethod
    def _problem_kind(builder: Any, experiment: Mapping[str, Any], arguments: Mapping[str, Any], key: str) -> type:
        """The kind of problem that an experiment plays; it is built unless files that the study makes are needed."""
        try:
            if any(path.startswith("<") for path in experiment.get("inputs", {}).values()):
                inspect.signature(builder).bind(**arguments)
                function = builder.func if isinstance(builder, functools.partial) else builder
                kind: type = get_type_hints(function)["return"]
                return kind
            return type(builder(**arguments))
        except (TypeError, ValueError, LookupError, OSError) as error:
            raise ConfigError(f"{key}: problem {experiment['problem']!r}: {error}") from error

    def _check_stages(self, paper: str) -> None:
        from causal_bandits.files import resolve

        for stage in STAGES:
            entries = self.papers[paper].get(stage, {})
            if not entries:
                continue
            builders = resolve(_builders(paper, stage))
            for name, entry in entries.items():
                key = f"config/papers/{paper}.yaml: {stage}.{name}"
                _expect_known(entry["builder"], builders, f"{key}.builder")
                self._check_inputs(paper, entry, key)
                arguments = {**entry.get("options", {}), **entry.get("inputs", {})}
                try:
                    inspect.signature(builders[entry["builder"]]).bind(range(1), None, **arguments)
                except TypeError as error:
                    raise ConfigError(f"{key}: builder {entry['builder']!r}: {error}") from error

    @staticmethod
    def _check_match(entry: Mapping[str, Any], kind: type, key: str) -> None:
        """Whether the algorithm plays this kind of problem, and the problem has arm strategies if one is named."""
        from causal_bandits.files import resolve

        algorithm = resolve(ALGORITHMS[entry["algorithm"]])
        if not issubclass(kind, algorithm.plays):
            played = algorithm.plays.__name__
            raise ConfigError(f"{key}.algorithm: {entry['algorithm']!r} plays a {played}, not a {kind.__name__}")
        if "arms" in entry and not hasattr(kind, "with_arms"):
            raise ConfigError(f"{key}.arms: a {kind.__name__} has one set of arms; expected no key 'arms'")

    def _check_calibration(self, paper: str, problems: Mapping[str, Any]) -> None:
        from causal_bandits.models.bandit import ARM_STRATEGIES
        from causal_bandits.models.families import FAMILIES

        key = f"config/papers/{paper}.yaml: calibration"
        calibration = self.papers[paper].get("calibration", {})
        for family in calibration.get("families", ()):
            _expect_known(family, FAMILIES, f"{key}.families")
        with (self.root / f"data/published/{paper}.csv").open(newline="") as table:
            claims = {row["claim_id"] for row in csv.DictReader(table)}
        for problem, search in calibration.get("problems", {}).items():
            _expect_known(problem, problems, f"{key}.problems")
            for label, target in search["targets"].items():
                _expect_known(target["arms"], ARM_STRATEGIES, f"{key}.problems.{problem}.targets.{label}.arms")
                if target["claim"] not in claims:
                    place = f"{key}.problems.{problem}.targets.{label}.claim"
                    raise ConfigError(f"{place}: {target['claim']!r} is not in data/published/{paper}.csv")

    def _check_policy(self, entry: Mapping[str, Any], key: str) -> None:
        from causal_bandits.files import resolve
        from causal_bandits.models.bandit import ARM_STRATEGIES

        if "arms" in entry:
            _expect_known(entry["arms"], ARM_STRATEGIES, f"{key}.arms")
        path = ALGORITHMS[entry["algorithm"]]
        try:
            algorithm = resolve(path)
        except (ImportError, AttributeError, SyntaxError) as error:
            raise ConfigError(
                f"policies/registry.py: {entry['algorithm']}: {path!r} cannot be loaded: {error}"
            ) from error
        if not (isinstance(algorithm, type) and dataclasses.is_dataclass(algorithm)):
            raise ConfigError(f"policies/registry.py: {entry['algorithm']}: {path!r} is not a dataclass")
        fields = {field.name: field.type for field in dataclasses.fields(algorithm)}
        parameters = entry.get("parameters", {})
        for parameter, value in parameters.items():
            _expect_known(parameter, fields, f"{key}.parameters")
            _expect_type(value, str(fields[parameter]), f"{key}.parameters.{parameter}")
        try:
            algorithm(**parameters)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{key}.parameters: {error}") from error

    # ------------------------------------------------------------------ jobs

    def stage_files(self, paper: str) -> dict[str, str]:
        """The tables of all stages before the simulation, by ``<stage>_<name>``."""
        return {
            f"{stage}_{name}": f"<results>/{paper}/{stage}/{name}.parquet"
            for stage in STAGES
            for name in self.papers[paper].get(stage, {})
        }

    def stage_inputs(self, paper: str, stage: str, name: str) -> dict[str, str]:
        """Files that a table of a stage is made from, by argument name."""
        return dict(self._stage(paper, stage, name).get("inputs", {}))

    def _stage(self, paper: str, stage: str, name: str) -> dict[str, Any]:
        entries: dict[str, Any] = self.papers[paper].get(stage, {})
        _expect_known(name, entries, f"config/papers/{paper}.yaml: {stage}")
        return dict(entries[name])

    def stage_job(self, paper: str, stage: str, name: str) -> dict[str, Any]:
        """What `stages.make` needs for one table, with the digest of the code it will run."""
        entry, builders = self._stage(paper, stage, name), _builders(paper, stage)
        return {
            "name": f"{paper}/{stage}/{name}",
            "builders": builders,
            "builder": entry["builder"],
            "options": entry.get("options", {}),
            "replicates": entry.get("replicates", 1),
            "root_seed": self.seed,
            "code": digest("causal_bandits.stages", builders),
            "versions": package_versions(),
        }

    def blocks(self, paper: str, experiment: str, policy: str) -> list[tuple[int, int]]:
        """First and last seed of each batch of a policy."""
        settings = self.papers[paper]["experiments"][experiment]
        last, batch = settings["replicates"] - 1, settings["policies"][policy].get("batch", settings["batch"])
        return [(first, min(first + batch - 1, last)) for first in range(0, last + 1, batch)]

    def inputs(self, paper: str, experiment: str) -> dict[str, str]:
        """Files that the experiment's problem is built from, by argument name."""
        return dict(self.papers[paper]["experiments"][experiment].get("inputs", {}))

    def job(self, paper: str, experiment: str, policy: str) -> dict[str, Any]:
        """What `simulate.simulate` needs for one policy of one experiment, with the digest of the code it will run."""
        settings = self.papers[paper]["experiments"][experiment]
        entry = settings["policies"][policy]
        algorithm, problems = ALGORITHMS[entry["algorithm"]], f"{_PAPERS}.{paper}.problems:PROBLEMS"
        return {
            "experiment": f"{paper}/{experiment}",
            "problems": problems,
            "problem": settings["problem"],
            "options": settings.get("options", {}),
            "seeds_per_draw": settings.get("seeds_per_draw"),
            "arms": entry.get("arms"),
            "policy": policy,
            "algorithm": algorithm,
            "parameters": entry.get("parameters", {}),
            "horizon": settings["horizon"],
            "checkpoints": settings.get("checkpoints", 100),
            "root_seed": self.seed,
            "code": digest("causal_bandits.evaluation.simulate", algorithm, problems),
            "versions": package_versions(),
        }

    def calibration(self, paper: str, problem: str) -> dict[str, Any]:
        """What `calibration.calibrate` needs for one problem, with the digest of the code it will run."""
        settings = self.papers[paper]["calibration"]
        search = settings["problems"][problem]
        problems = f"{_PAPERS}.{paper}.problems:PROBLEMS"
        targets = {
            label: {
                **entry,
                "algorithm": ALGORITHMS[entry["algorithm"]],
                "factor": settings["screening"].get(entry["algorithm"], 1.0),
            }
            for label, entry in search["targets"].items()
        }
        algorithms = sorted({target["algorithm"] for target in targets.values()})
        return {
            "problem": problem,
            "problems": problems,
            **{key: settings[key] for key in ("families", "candidates", "horizon")},
            "stages": search["stages"],
            "targets": targets,
            "root_seed": self.seed,
            "code": digest("causal_bandits.calibration", problems, *algorithms),
            "versions": package_versions(),
        }


class _StrictLoader(yaml.SafeLoader):
    """YAML in which a key may stand once only: a second one would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        own = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for key in own:
            if own.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} stands twice", node.start_mark)
        return super().construct_mapping(node, deep)


#: JSON Schema takes 10.0 for an integer; array sizes and loops do not.
_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda checker, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def _builders(paper: str, stage: str) -> str:
    """Import path of a paper's dictionary of builders for a stage."""
    return f"{_PAPERS}.{paper}.{stage}:{stage.upper()}"


def digest(*paths: str) -> str:
    """Digest of the modules behind import paths ``module:name`` and of all they import from the package."""
    return code_digest(path.partition(":")[0] for path in paths)


def _without_extras(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without experiments, policies and items marked ``extra``, and items that read such experiments."""
    kept = dict(settings)
    kept["experiments"] = {
        name: {**e, "policies": {label: p for label, p in e["policies"].items() if not p.get("extra")}}
        for name, e in settings["experiments"].items()
        if not e.get("extra")
    }
    for kind in ("figures", "tables"):
        kept[kind] = {}
        for item, entry in settings.get(kind, {}).items():
            if not entry.get("extra") and set(entry.get("experiments", ())) <= set(kept["experiments"]):
                kept[kind][item] = entry
    return kept


def _scaled(settings: dict[str, Any], limits: Mapping[str, int | None]) -> dict[str, Any]:
    """The paper's settings, each at most its study-wide limit."""
    if not limits.get("extras", True):
        settings = _without_extras(settings)

    def limited(section: Mapping[str, Any]) -> dict[str, Any]:
        return {k: min(v, limits[k]) if limits.get(k) is not None else v for k, v in section.items()}

    for section in ("experiments", *STAGES):
        if section in settings:
            settings[section] = {name: limited(entry) for name, entry in settings[section].items()}
    if "calibration" in settings:
        calibration = limited(settings["calibration"])
        calibration["problems"] = {
            name: {**search, "stages": [limited(stage) for stage in search["stages"]]}
            for name, search in calibration["problems"].items()
        }
        settings["calibration"] = calibration
    return settings


def _dictionary_keys(module: str, name: str) -> set[str]:
    """Keys of a module's dictionary ``name``, read from its source: importing what draws takes a second."""
    for node in ast.parse(SOURCE.joinpath(*module.split(".")).with_suffix(".py").read_bytes()).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict) and ast.unparse(node.target) == name:
            return {ast.literal_eval(key) for key in node.value.keys if key is not None}
    raise ConfigError(f"{module}: no annotated dictionary {name}")


def _expect_known(value: str, known: Iterable[str], key: str) -> None:
    if value not in known:
        raise ConfigError(f"{key}: {value!r} is unknown; expected one of: {', '.join(sorted(known))}")


def _expect_type(value: Any, annotation: str, key: str) -> None:
    """Check a hyper-parameter against its dataclass field's annotation, where that is a plain one."""
    expected: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
    kinds = expected.get(annotation.removeprefix("<class '").removesuffix("'>"))
    if kinds is None:
        return
    wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    if wrong or (isinstance(value, float) and not math.isfinite(value)):
        raise ConfigError(f"{key}: {value!r} is not a {'finite ' if float in kinds else ''}{kinds[-1].__name__}")


def _validate(settings: Any, schema_file: Path, place: str) -> None:
    schema = yaml.safe_load(schema_file.read_text())
    errors = _Validator(schema).iter_errors(settings)
    error = jsonschema.exceptions.best_match(errors)
    if error is None:
        return
    key = ".".join(str(part) for part in error.absolute_path) or "top level"
    expected = ""
    if error.validator == "additionalProperties":
        expected = f"; known keys: {', '.join(sorted(error.schema.get('properties', {})))}"
    raise ConfigError(f"{place}: {key}: {error.message}{expected}")
