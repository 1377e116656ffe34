"""Check everything in a study's configuration that can be wrong, before any job starts.

Each check is a small function of the paper's full settings (before scaling, with nothing left out) and raises
`ConfigError` for the first error that it finds. Checks run in order, and each may rely on those before it.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any, get_type_hints

from causal_bandits import problems
from causal_bandits.policies.registry import import_path, load
from experiments.config import STAGES, PolicyEntry, dictionary_keys
from experiments.settings import RESERVED, ConfigError, Setting, expect_known, named_settings, settings_of
from experiments.study import Study, policies_of


def check(study: Study) -> None:
    """Check the configuration of all papers, including what the study leaves out.

    Raises
    ------
    ConfigError
        For the first error found, in one line.
    """
    for paper in study.declared:
        _check_paper(study, paper)


def _check_paper(study: Study, paper: str) -> None:
    place, settings = study.file(paper), study.declared[paper]
    _check_algorithms(settings, place)
    for name, experiment in settings["experiments"].items():
        key = f"{place}: experiments.{name}"
        builder = _builder(experiment["problem"], f"{key}.problem")
        for policy in experiment["policies"].values():
            _check_policy(policy, _key(key, policy))
        _check_problems(experiment, builder, key)
        _check_metrics(experiment, returned(builder), f"{key}.metrics")
        _check_names(experiment, key)
        _check_distinct(experiment, key)
        _check_milestones(experiment, f"{key}.milestones")
    _check_stages(study, paper, place)
    _check_items(study, paper, place)
    _check_when(paper, settings, place)


def _key(experiment_key: str, policy: PolicyEntry) -> str:
    return f"{experiment_key}.policies.{policy['entry']}"


def _check_algorithms(settings: Mapping[str, Any], place: str) -> None:
    """Check that every algorithm can be played."""
    named: dict[str, str] = {}
    for name, experiment in settings["experiments"].items():
        for policy in experiment["policies"].values():
            named.setdefault(policy["algorithm"], f"{_key(f'{place}: experiments.{name}', policy)}.algorithm")
    for algorithm, key in named.items():
        try:
            found = load(algorithm)
        except Exception as error:  # third-party modules may raise anything
            said = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise ConfigError(f"{key}: {import_path(algorithm)!r} cannot be loaded ({said})") from error
        if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
            raise ConfigError(f"{key}: {import_path(algorithm)!r} is not a dataclass; expected one of hyper-parameters")
        if not (callable(getattr(found, "run", None)) and isinstance(getattr(found, "plays", None), type)):
            raise ConfigError(
                f"{key}: {import_path(algorithm)!r} is not an algorithm; expected a method 'run' and a class variable "
                "'plays' with the kind of bandit that it plays"
            )


def _check_policy(policy: PolicyEntry, key: str) -> None:
    """Check that the arm strategy and hyper-parameters exist and that their values are valid."""
    from causal_bandits.models.bandit import ARM_STRATEGIES

    if policy["arms"] is not None:
        expect_known(policy["arms"], ARM_STRATEGIES, f"{key}.arms")
    algorithm = load(policy["algorithm"])
    fields = {field.name: field.type for field in dataclasses.fields(algorithm)}
    for parameter, value in policy["parameters"].items():
        section = f"{key}.{'grid' if parameter in policy['grid'] else 'parameters'}"
        expect_known(parameter, fields, section)
        _expect_type(value, str(fields[parameter]), f"{section}.{parameter}")
    try:
        algorithm(**policy["parameters"])
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{key}.{'grid' if policy['grid'] else 'parameters'}: {error}") from error


def _expect_type(value: object, annotation: str, key: str) -> None:
    """Check a hyper-parameter against its dataclass field's annotation, if that is a plain type."""
    expected: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
    kinds = expected.get(annotation.removeprefix("<class '").removesuffix("'>"))
    if kinds is None:
        return
    wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    if wrong or (isinstance(value, float) and not math.isfinite(value)):
        raise ConfigError(f"{key}: {value!r} is not a {'finite ' if float in kinds else ''}{kinds[-1].__name__}")


def _builder(problem: str, key: str) -> Callable[..., Any]:
    """Return the function that builds a problem."""
    if ":" not in problem:
        expect_known(problem, problems.names(), key)
    try:
        return problems.load(problem)
    except Exception as error:  # third-party modules may raise anything
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ConfigError(f"{key}: {problem!r} cannot be loaded ({said})") from error


def _check_problems(experiment: Mapping[str, Any], builder: Callable[..., Any], key: str) -> None:
    """Check that the problem's builder accepts the options, and that the policies can play the problem."""
    kind = returned(builder)
    draws = "seeds_per_draw" in experiment
    for policy in experiment["policies"].values():
        options = {**experiment.get("options", {}), **policy["options"]}
        if draws and "draw" in options:
            raise ConfigError(f"{key}: both 'seeds_per_draw' and a fixed 'draw'; expected only one of them")
        try:
            inspect.signature(builder).bind(**options, **experiment.get("inputs", {}), **({"draw": 0} if draws else {}))
        except TypeError as error:
            raise ConfigError(f"{key}: problem {experiment['problem']!r}: {error}") from error
        if isinstance(kind, type):
            _check_match(policy, kind, _key(key, policy))


def returned(builder: Callable[..., Any]) -> Any:
    """Return the kind of problem that a builder's annotation says it returns."""
    return get_type_hints(builder).get("return")


def _check_match(policy: PolicyEntry, kind: type, key: str) -> None:
    """Check that the algorithm plays this kind of problem, and that the kind has arm strategies if one is given."""
    algorithm = load(policy["algorithm"])
    if not issubclass(kind, algorithm.plays):
        played = algorithm.plays.__name__
        raise ConfigError(f"{key}.algorithm: {policy['algorithm']!r} plays a {played}, not a {kind.__name__}")
    if policy["arms"] is not None and not hasattr(kind, "with_arms"):
        raise ConfigError(f"{key}.arms: a {kind.__name__} has one set of arms; expected no key 'arms'")


def _check_names(experiment: Mapping[str, Any], key: str) -> None:
    """Check that no two settings of a policy share a name, and none has the name of another column."""
    for policy in policies_of(experiment):
        found: dict[str, str] = {}
        for what, name, _ in named_settings(policy, experiment["problem"]):
            other = f"column {name!r} of the tidy tables" if name in RESERVED else found.get(name)
            if other is not None:
                place = _key(key, experiment["policies"][policy.label])
                raise ConfigError(f"{place}: the {what} {name!r} has the name of the {other}; expected another name")
            found[name] = f"{what} {name!r}"


def _check_distinct(experiment: Mapping[str, Any], key: str) -> None:
    """Check that no two policies have the same settings."""
    seen: dict[object, str] = {}
    for label, named in _settings_in(experiment).items():
        settings = tuple((name, type(value), value) for name, value in sorted(named.items()))
        if settings in seen:
            raise ConfigError(
                f"{key}.policies: {seen[settings]!r} and {label!r} have the same settings; expected different ones"
            )
        seen[settings] = label


def _settings_in(experiment: Mapping[str, Any]) -> dict[str, dict[str, Setting]]:
    return settings_of(policies_of(experiment), experiment["problem"])


def _check_metrics(experiment: Mapping[str, Any], kind: Any, key: str) -> None:
    """Check that the problem has no contexts if the simple regret is asked for."""
    from causal_bandits.models.contextual import ContextualBandit

    if (
        "simple_regret" in experiment.get("metrics", ())
        and isinstance(kind, type)
        and issubclass(kind, ContextualBandit)
    ):
        raise ConfigError(f"{key}: 'simple_regret' of a {kind.__name__}; expected a bandit without contexts")


def _check_milestones(experiment: Mapping[str, Any], key: str) -> None:
    """Check that values are recorded at every milestone."""
    from experiments.simulate import checkpoints

    kept = checkpoints(experiment["horizon"], experiment.get("checkpoints", 100))[:-1].tolist()
    for rounds in experiment.get("milestones", ()):
        if rounds not in kept:
            before, after = [t for t in kept if t < rounds][-1:], [t for t in kept if t > rounds][:1]
            nearest = " or ".join(map(str, before + after)) or "no milestones with a single checkpoint"
            raise ConfigError(f"{key}: no values are recorded after {rounds} rounds; expected {nearest}")


def _check_stages(study: Study, paper: str, place: str) -> None:
    """Check that every table before the experiments has a builder that accepts its options and inputs."""
    declared = {stage: entries for stage in STAGES if (entries := study.declared[paper].get(stage))}
    builders = resolve_name(study.dictionary(paper, "stages")) if declared else {}
    for stage, entries in declared.items():
        for name, entry in entries.items():
            key = f"{place}: {stage}.{name}"
            expect_known(entry["builder"], builders, f"{key}.builder")
            arguments = {**entry.get("options", {}), **entry.get("inputs", {}), **entry.get("raw", {})}
            try:
                inspect.signature(builders[entry["builder"]]).bind(range(1), None, **arguments)
            except TypeError as error:
                raise ConfigError(f"{key}: builder {entry['builder']!r}: {error}") from error


def _check_items(study: Study, paper: str, place: str) -> None:
    """Check that every figure and table has a function."""
    for kind in ("figures", "tables"):
        entries = study.declared[paper].get(kind, {})
        known = dictionary_keys(study.module(paper, kind), kind.upper()) if entries else set()
        for item in entries:
            expect_known(item, known, f"{place}: {kind}")


def _check_when(paper: str, settings: Mapping[str, Any], place: str) -> None:
    """Fail if an entry reads what may not be made; items may read experiments that a small study leaves out."""
    for mark, kinds, late in (("asked", ("experiments", *STAGES), {"asked"}), ("whole", STAGES, {"whole", "asked"})):
        marked = {k: {name for name, entry in settings.get(k, {}).items() if entry.get("when") == mark} for k in kinds}
        files = {f"<results>/{paper}/{stage}/{name}.parquet" for stage in STAGES for name in marked.get(stage, ())}
        for kind in ("experiments", "figures", "tables", *STAGES):
            for name, entry in settings.get(kind, {}).items():
                read = sorted(marked.get("experiments", set()) & set(entry.get("experiments", ())))
                read += [path for path in entry.get("inputs", {}).values() if path in files]
                if read and entry.get("when") not in late:
                    raise ConfigError(
                        f"{place}: {kind}.{name}: reads {read[0]!r}, which has 'when: {mark}'; expected it here too"
                    )
