"""Check all that can be wrong with a paper's configuration, before any job starts.

Each check is a small function of the paper's whole settings (nothing scaled, nothing left out) and raises `ConfigError`
for the first thing that is wrong. They run in order: each may rely on the ones before.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import importlib
import inspect
import io
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import yaml

from causal_bandits.policies.registry import ALGORITHMS, load
from replication.config import others
from replication.config.errors import ConfigError, expect_known
from replication.config.grids import PolicyEntry
from replication.config.job_specs import aggregate_job, builders_of, problems_of, stage_files
from replication.config.keys import dictionary_keys
from replication.config.loading import STAGES, read_text
from replication.config.settings import named_settings, options_of, settings_of
from replication.pipeline.settings import LOADER, RESERVED, compact


def check(paper: str, settings: Mapping[str, Any], root: Path) -> None:
    """Check all of a paper's configuration.

    Parameters
    ----------
    paper : str
    settings : mapping
        As `config.read_paper` returns it.
    root : Path
        The folder that holds ``config/`` and ``data/``.

    Raises
    ------
    ConfigError
        In one line, for the first thing that is wrong.
    """
    place = f"config/papers/{paper}.yaml"
    problems = importlib.import_module(problems_of(paper).partition(":")[0]).PROBLEMS
    problems = {**problems, **_others_families(paper, settings, problems)}
    made = set(stage_files(paper, settings).values())
    _check_algorithms(settings, place)
    kinds = {}
    for name, experiment in settings["experiments"].items():
        key = f"{place}: experiments.{name}"
        if experiment["problem"] not in problems:
            known = {*problems, *others.families()} if paper == others.ARENA else problems
            expect_known(experiment["problem"], known, f"{key}.problem")
        _check_inputs(experiment, made, root, key)
        for policy in experiment["policies"].values():
            _check_policy(policy, _key(key, policy))
        kinds[name] = _check_problems(experiment, problems[experiment["problem"]], key)
        _check_names(experiment, key)
        _check_distinct(experiment, key)
        _check_milestones(experiment, f"{key}.milestones")
    _check_stages(paper, settings, made, root, place)
    _check_items(paper, settings, made, root, place)
    _check_left_out(paper, settings, place)
    _check_readings(settings, f"{place}: readings")
    _check_claims(paper, settings, kinds, root)


def _others_families(
    paper: str, settings: Mapping[str, Any], problems: Mapping[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """Import the families of problems that packages of others register and this configuration plays."""
    played = {experiment["problem"] for experiment in settings["experiments"].values()}
    return {name: others.builder_of(name) for name in sorted(played - set(problems)) if others.is_family(paper, name)}


def _key(experiment_key: str, policy: PolicyEntry) -> str:
    return f"{experiment_key}.policies.{policy['entry']}"


def _check_algorithms(settings: Mapping[str, Any], place: str) -> None:
    """Check that every algorithm is registered and is a dataclass which can be loaded.

    It may be registered by us or by a package.
    """
    for name, experiment in settings["experiments"].items():
        for policy in experiment["policies"].values():
            if policy["algorithm"] not in ALGORITHMS:
                key = _key(f"{place}: experiments.{name}", policy)
                expect_known(policy["algorithm"], {*ALGORITHMS, *others.policies()}, f"{key}.algorithm")
                others.check_policy(policy["algorithm"])
    for named in sorted({p["algorithm"] for e in settings["experiments"].values() for p in e["policies"].values()}):
        if named not in ALGORITHMS:
            continue
        path = ALGORITHMS[named]
        try:
            algorithm = load(named)
        except (ImportError, AttributeError, SyntaxError) as error:
            raise ConfigError(f"policies/registry.py: {named}: {path!r} cannot be loaded: {error}") from error
        if not (isinstance(algorithm, type) and dataclasses.is_dataclass(algorithm)):
            raise ConfigError(f"policies/registry.py: {named}: {path!r} is not a dataclass")


def _check_inputs(entry: Mapping[str, Any], made: set[str], root: Path, key: str) -> None:
    """Check that inputs are files of the checkout, or what another part of this configuration makes."""
    for argument, path in entry.get("inputs", {}).items():
        place = f"{key}.inputs.{argument}"
        if path.startswith("<"):
            expect_known(path, made, place)
        elif not (root / path).is_file():
            raise ConfigError(f"{place}: no file {path!r}; expected a path from the top folder")


def _check_policy(policy: PolicyEntry, key: str) -> None:
    """Check that arm strategy and hyper-parameters exist, and their values are possible."""
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
    """Check a hyper-parameter against its dataclass field's annotation, where that is a plain one."""
    expected: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
    kinds = expected.get(annotation.removeprefix("<class '").removesuffix("'>"))
    if kinds is None:
        return
    wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    if wrong or (isinstance(value, float) and not math.isfinite(value)):
        raise ConfigError(f"{key}: {value!r} is not a {'finite ' if float in kinds else ''}{kinds[-1].__name__}")


def _check_problems(experiment: Mapping[str, Any], builder: Callable[..., Any], key: str) -> dict[str, type]:
    """Check that the problem can be built with every policy's options, and that the policies can play it.

    Of a drawn problem that is played at several sizes only the smallest is built: a graph of 10,000 nodes takes
    seconds, and one draw would not tell of the others anyway.

    Returns the kind of problem that each policy plays, by label.
    """
    kinds: dict[str, type] = {}
    played: dict[str, type] = {}
    smallest = _smallest(experiment) if "seeds_per_draw" in experiment else {}
    for label, policy in experiment["policies"].items():
        options = options_of(experiment, policy)
        options = smallest.get(_without_numbers(options), options)
        arguments = {**options, **experiment.get("inputs", {})}
        if "seeds_per_draw" in experiment:
            if "draw" in arguments:
                raise ConfigError(f"{key}: both 'seeds_per_draw' and a fixed 'draw'; expected one of them")
            arguments["draw"] = 0
        cell = compact(options)
        if cell not in kinds:
            kinds[cell] = _problem_kind(builder, experiment, arguments, key)
        _check_match(policy, kinds[cell], _key(key, policy))
        played[label] = kinds[cell]
    return played


def _smallest(experiment: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Find the smallest problem of each kind that an experiment draws.

    Problems are of one kind if their options differ in numbers only. The smallest is played in place of each.
    """
    found: dict[str, dict[str, Any]] = {}
    for policy in experiment["policies"].values():
        options = options_of(experiment, policy)
        kept = found.setdefault(_without_numbers(options), options)
        if _numbers(options) < _numbers(kept):
            found[_without_numbers(options)] = options
    return found


def _numbers(options: Mapping[str, Any]) -> list[float]:
    return [value for _, value in sorted(options.items()) if type(value) in (int, float)]


def _without_numbers(options: Mapping[str, Any]) -> str:
    """Return what tells kinds of problems apart, apart from their sizes.

    That is the names of all options, and every value that is not a number.
    """
    return compact({name: None if type(value) in (int, float) else value for name, value in options.items()})


def _problem_kind(
    builder: Callable[..., Any], experiment: Mapping[str, Any], arguments: Mapping[str, Any], key: str
) -> type:
    """Find the kind of problem that an experiment plays, by building it where its files are there."""
    try:
        if any(path.startswith("<") for path in experiment.get("inputs", {}).values()):
            inspect.signature(builder).bind(**arguments)
            function = builder.func if isinstance(builder, functools.partial) else builder
            kind: type = get_type_hints(function)["return"]
            return kind
        return type(builder(**arguments))
    except (TypeError, ValueError, LookupError, OSError) as error:
        raise ConfigError(f"{key}: problem {experiment['problem']!r}: {error}") from error


def _check_match(policy: PolicyEntry, kind: type, key: str) -> None:
    """Check that the algorithm plays this kind of problem, which has arm strategies if one is named."""
    algorithm = load(policy["algorithm"])
    if not issubclass(kind, algorithm.plays):
        played = algorithm.plays.__name__
        raise ConfigError(f"{key}.algorithm: {policy['algorithm']!r} plays a {played}, not a {kind.__name__}")
    if policy["arms"] is not None and not hasattr(kind, "with_arms"):
        raise ConfigError(f"{key}.arms: a {kind.__name__} has one set of arms; expected no key 'arms'")


def _check_names(experiment: Mapping[str, Any], key: str) -> None:
    """Check that no two settings of a policy share a name, and none is called like another column."""
    for policy in experiment["policies"].values():
        found: dict[str, str] = {}
        for what, name, _ in named_settings(experiment, policy):
            other = f"column {name!r} of the tidy tables" if name in RESERVED else found.get(name)
            if other is not None:
                place = _key(key, policy)
                raise ConfigError(f"{place}: the {what} {name!r} is called like the {other}; expected another name")
            found[name] = f"{what} {name!r}"


def _check_distinct(experiment: Mapping[str, Any], key: str) -> None:
    """Check that no two policies have the same settings."""
    seen: dict[object, str] = {}
    for label, policy in experiment["policies"].items():
        settings = tuple((name, type(value), value) for name, value in sorted(settings_of(experiment, policy).items()))
        if settings in seen:
            raise ConfigError(
                f"{key}.policies: {seen[settings]!r} and {label!r} have the same settings; expected each policy once"
            )
        seen[settings] = label


def _check_milestones(experiment: Mapping[str, Any], key: str) -> None:
    """Check that values are kept at every milestone."""
    from replication.pipeline.runs import checkpoints

    kept = checkpoints(experiment["horizon"], experiment.get("checkpoints", 100))[:-1].tolist()
    for rounds in experiment.get("milestones", ()):
        if rounds not in kept:
            before, after = [t for t in kept if t < rounds][-1:], [t for t in kept if t > rounds][:1]
            nearest = " or ".join(map(str, before + after)) or "no milestones with a single checkpoint"
            raise ConfigError(f"{key}: no values are kept after {rounds} rounds; expected {nearest}")


def _check_stages(paper: str, settings: Mapping[str, Any], made: set[str], root: Path, place: str) -> None:
    """Check that every table before the simulation has a builder that takes its options and inputs."""
    from replication.pipeline.files import resolve

    for stage in STAGES:
        entries = settings.get(stage, {})
        builders = resolve(builders_of(paper, stage)) if entries else {}
        for name, entry in entries.items():
            key = f"{place}: {stage}.{name}"
            expect_known(entry["builder"], builders, f"{key}.builder")
            _check_inputs(entry, made, root, key)
            arguments = {**entry.get("options", {}), **entry.get("inputs", {})}
            try:
                inspect.signature(builders[entry["builder"]]).bind(range(1), None, **arguments)
            except TypeError as error:
                raise ConfigError(f"{key}: builder {entry['builder']!r}: {error}") from error


def _check_items(paper: str, settings: Mapping[str, Any], made: set[str], root: Path, place: str) -> None:
    """Check that every figure and table has a function, and reads experiments and files that are there."""
    for kind in ("figures", "tables"):
        known = dictionary_keys(f"replication.papers.{paper}.{kind}", kind.upper())
        for item, entry in settings.get(kind, {}).items():
            expect_known(item, known, f"{place}: {kind}")
            for experiment in entry.get("experiments", ()):
                expect_known(experiment, settings["experiments"], f"{place}: {kind}.{item}.experiments")
            _check_inputs(entry, made, root, f"{place}: {kind}.{item}")


def _check_left_out(paper: str, settings: Mapping[str, Any], place: str) -> None:
    """Fail if something that is kept reads what is left out: on request, or marked ``extra``."""
    for mark, kinds in (("on_request", ("experiments", *STAGES)), ("extra", STAGES)):
        marked = {kind: {name for name, entry in settings.get(kind, {}).items() if entry.get(mark)} for kind in kinds}
        files = stage_files(paper, marked).values()
        for kind in ("experiments", "figures", "tables", *STAGES):
            for name, entry in settings.get(kind, {}).items():
                read = sorted(marked.get("experiments", set()) & set(entry.get("experiments", ())))
                read += [path for path in entry.get("inputs", {}).values() if path in files]
                if read and not entry.get(mark):
                    raise ConfigError(
                        f"{place}: {kind}.{name}: reads {read[0]!r}, which is {mark}; expected '{mark}: true' here too"
                    )


def _check_readings(settings: Mapping[str, Any], key: str) -> None:
    """Check that every reading has a name of its own, a known experiment and known settings."""
    experiments = settings["experiments"]
    known_in = {
        name: {setting for policy in experiment["policies"].values() for setting in settings_of(experiment, policy)}
        for name, experiment in experiments.items()
    }
    for name, readings in settings.get("readings", {}).items():
        seen = set()
        for number, reading in enumerate(readings):
            place = f"{key}.{name}.{number}"
            if reading["name"] in seen:
                raise ConfigError(f"{place}.name: {reading['name']!r} stands twice; expected every name once")
            seen.add(reading["name"])
            if "experiment" in reading:
                expect_known(reading["experiment"], experiments, f"{place}.experiment")
            played = [reading["experiment"]] if "experiment" in reading else known_in
            known = {"policy"}.union(*(known_in[experiment] for experiment in played))
            for setting in reading.get("settings", {}):
                expect_known(setting, known, f"{place}.settings")


def _check_claims(paper: str, settings: Mapping[str, Any], kinds: Mapping[str, Mapping[str, type]], root: Path) -> None:
    """Check that every claim has a judge that takes its arguments, and declared policies."""
    from replication.judging.binding import Declared, bind
    from replication.pipeline.results import Plan
    from replication.pipeline.runs import checkpoints
    from replication.pipeline.selection import ClaimError

    declared = {}
    for name, experiment in settings["experiments"].items():
        job = aggregate_job(experiment, experiment)
        declared[name] = Declared(
            Plan(job["horizon"], job["settings"], job["left_out"], job["defaults"]),
            frozenset(checkpoints(job["horizon"], experiment.get("checkpoints", 100)).tolist()),
            draws="seeds_per_draw" in experiment,
            milestones=tuple(experiment.get("milestones", ())),
            metrics={
                label: _metrics(paper, policy["algorithm"], kinds[name][label])
                for label, policy in experiment["policies"].items()
            },
        )
    _check_cells(f"data/published/{paper}.csv", root)
    try:
        bind(paper, declared, settings.get("readings", {}), root)
    except ClaimError as error:
        raise ConfigError(str(error)) from None


def _check_cells(place: str, root: Path) -> None:
    """Check that a table of claims is text in UTF-8, and that no key of a claim's arguments stands twice."""
    text = read_text(root / place, place, "a table of claims, commas between its cells")
    if text.startswith("\ufeff"):  # a spreadsheet's: it would be part of the first column's name
        raise ConfigError(f"{place}: begins with a byte-order mark; expected UTF-8 without one")
    rows = csv.DictReader(io.StringIO(text))
    for row in rows:
        try:
            yaml.load(row.get("arguments") or "", LOADER)
        except yaml.constructor.ConstructorError as error:
            claim = row.get("claim_id")
            raise ConfigError(
                f"{place}:{rows.line_num}: {claim}: arguments: {row['arguments']!r}: {error.problem}; expected it once"
            ) from None
        except yaml.YAMLError:  # left to whoever binds the claims
            continue


def _metrics(paper: str, algorithm: str, kind: type) -> frozenset[str]:
    """List the metrics that the runs of an algorithm have in a kind of problem."""
    from causal_bandits.play.measures.measure import measures_of

    policy = load(algorithm)
    measured = [measure for measure in measures_of(problems_of(paper)) if issubclass(kind, measure.of)]
    return frozenset(
        {
            "cumulative_regret",
            "cumulative_reward",
            *getattr(policy, "extras", ()),
            *getattr(policy, "outcomes", ()),
            *(name for measure in measured for name in measure.names),
        }
    )
