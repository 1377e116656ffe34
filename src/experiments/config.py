"""Read the study's configuration: strict YAML, schemas, grids and limits."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import yaml

from causal_bandits import problems
from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.problems import module_of
from experiments.provenance import SOURCE, imported_modules
from experiments.settings import LOADER, ConfigError, Setting, compact, expect_known, same

if TYPE_CHECKING:
    import jsonschema

#: Stages before the simulation, in the order in which they run; a paper's module ``stages`` has their builders (see
#: `stages.Builder`).
STAGES = ("data", "discovery", "bounds")

#: What a caption says about the 95 % intervals of a figure or table, by the value of ``intervals`` in its settings.
INTERVALS = {
    "student": "95 % intervals: Student's t over seeds (L17).",
    "widened": "95 % intervals: Student's t over seeds, widened for skewness, as in the verdicts (L17).",
    "fieller": "95 % intervals: Fieller's, for a ratio of means, widened for skewness, as in the verdicts (L17).",
    "clopper_pearson": "95 % intervals: Clopper and Pearson's, for a share (L17).",
}


#: Default path of a paper's file, relative to the checkout's top folder.
FILES = "config/papers/{paper}.yaml"
#: Default package of a paper's modules.
MODULES = "replication.papers.{paper}"


class Home(NamedTuple):
    """Where a paper's parts are: in the checkout or, for a paper of one's own, all in one folder.

    Attributes
    ----------
    slug : str
    root : Path
        The folder that the next two paths, and those of the paper's inputs, are relative to.
    settings, published : str
        The paper's file of settings, and its table of claims.
    package : str
        The package of its modules (``claims``, ``figures``, ...).
    own : bool
        Whether it is a folder outside the study; its name is the slug and the package.
    """

    slug: str
    root: Path
    settings: str
    published: str
    package: str
    own: bool = False


def checkout() -> Path:
    """Return the checkout's top folder: the working folder, or where this code is if that has no configuration."""
    return Path() if Path("config/papers").is_dir() else SOURCE.parent


def home_of(paper: str, root: Path, modules: str = MODULES, files: str = FILES) -> Home:
    """Return where the parts of a paper are.

    Parameters
    ----------
    paper : str
        A slug, or the path of a folder, which contains a slash: ``./lattimore2016``.
    root : Path
        The checkout's top folder.
    modules, files : str
        The package and the file of a paper of the checkout; ``{paper}`` is the slug.

    Raises
    ------
    ConfigError
        If there is no such folder, or its name cannot be that of a package.
    """
    if "/" not in paper:
        package, settings = modules.format(paper=paper), files.format(paper=paper)
        return Home(paper, root, settings, f"data/published/{paper}.csv", package)
    folder = Path(paper).expanduser().resolve()
    if not folder.is_dir():
        raise ConfigError(f"papers: {paper!r} is no folder; expected a paper's slug, or the path of its folder")
    slug = folder.name
    if not re.fullmatch("[a-z][a-z0-9_]*", slug):
        raise ConfigError(f"papers: {paper!r}: the folder's name becomes a package; expected a-z, 0-9 and _ alone")
    if str(folder.parent) not in sys.path:  # last, so that it hides no package that is installed
        sys.path.append(str(folder.parent))
    spec = importlib.util.find_spec(slug)
    if spec is None or folder not in {Path(place).resolve() for place in spec.submodule_search_locations or ()}:
        raise ConfigError(f"papers: {paper!r}: another package is called {slug!r}; expected another name")
    return Home(slug, folder, f"{slug}.yaml", f"{slug}.csv", slug, own=True)


#: Schemas with the description, type and default of every key of the configuration.
SCHEMAS = Path(__file__).parent / "schemas"


def validate(settings: Any, schema: str, place: str) -> None:
    """Check ``settings`` of the file ``place`` against one of the `SCHEMAS`.

    Raises
    ------
    ConfigError
        For the most informative of the errors.
    """
    import jsonschema  # jobs, which read no configuration, need not load it

    errors = list(_validator(schema).iter_errors(settings))
    if not errors:
        return
    # Of equally informative errors, jsonschema chooses the alphabetically last key. A value that several experiments
    # share through an alias is wrong in all of them; the first in the file is where it is written.
    lines = {id(error): number for number, error in enumerate(sorted(errors, key=lambda e: _place(settings, e)))}

    def telling(error: jsonschema.ValidationError) -> tuple[object, ...]:
        depth, _, *rest = jsonschema.exceptions.relevance(error)
        return (depth, -lines.get(id(error), 0), *rest)

    error = jsonschema.exceptions.best_match(errors, key=telling)
    key = ".".join(str(part) for part in error.absolute_path) or "top level"
    expected = ""
    if error.validator == "additionalProperties":
        expected = f"; known keys: {', '.join(sorted(error.schema.get('properties', {})))}"
    raise ConfigError(f"{place}: {key}: {error.message}{expected}")


@cache
def _validator(schema: str) -> Any:
    return _strict()(yaml.load((SCHEMAS / f"{schema}.yaml").read_text(encoding="utf-8"), LOADER))


def _strict() -> Any:
    """Return the class of validators. JSON Schema accepts 10.0 as an integer; array sizes and loops do not."""
    import jsonschema

    draft = jsonschema.Draft202012Validator
    types = draft.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    return jsonschema.validators.extend(draft, type_checker=types)


def _place(settings: Any, error: jsonschema.ValidationError) -> list[int]:
    """Return the position of an error's value in the file: the index of the key or item at each level."""
    position = []
    for part in error.absolute_path:
        position.append(list(settings).index(part) if isinstance(settings, Mapping) else part)
        settings = settings[part]
    return position


def read_yaml(path: Path, place: str) -> Any:
    """Read a YAML file, which errors refer to as ``place``.

    Raises
    ------
    ConfigError
        If the file is missing, is not UTF-8 text or not valid YAML, or contains a key twice.
    """
    text = read_text(path, place, "a YAML file of settings")
    try:
        return yaml.load(text, LOADER)
    except yaml.YAMLError as error:
        raise ConfigError(f"{place}: not valid YAML: {' '.join(str(error).split())}") from error


def read_text(path: Path, place: str, expected: str) -> str:
    """Read a text file; errors call it ``place`` and say what was ``expected``.

    Raises
    ------
    ConfigError
        If the file is missing or is not UTF-8 text (spreadsheets may write other encodings).
    """
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise ConfigError(f"{place}: {(error.strerror or str(error)).lower()}; expected {expected}") from None
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
        found = f"{place}: line {line}: the byte {byte:#04x} is not UTF-8"
        raise ConfigError(f"{found}; expected {expected}, in UTF-8") from None


def read_paper(home: Home) -> dict[str, Any]:
    """Read a paper's whole configuration, expand its grids and complete its captions.

    Raises
    ------
    ConfigError
        If there is no such paper, or its file is invalid or names an algorithm, experiment or file that does not exist.
    """
    paper, root, place = home.slug, home.root, home.settings
    path = root / place
    if not path.exists() and home.own:
        raise ConfigError(f"{path}: no such file; expected the paper's settings")
    if not path.exists():
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.yaml")))
        raise ConfigError(f"config/config.yaml: papers: no paper {paper!r}; expected one of: {known}")
    settings = read_yaml(path, place)
    validate(settings, "paper", place)
    experiments = {name: laid_out(e, f"{place}: experiments.{name}") for name, e in settings["experiments"].items()}
    for name, experiment in experiments.items():
        if isinstance(every := experiment.get("milestones"), int):
            experiment["milestones"] = list(range(every, experiment["horizon"], every))
        problem, key = experiment["problem"], f"{place}: experiments.{name}.problem"
        if ":" in problem:
            _check_code(module_of(problem), problem, key)
        else:
            expect_known(problem, _problems(), key)
        for policy in experiment["policies"].values():
            algorithm, key = policy["algorithm"], f"{place}: experiments.{name}.policies.{policy['entry']}.algorithm"
            if ":" in algorithm:
                _check_code(algorithm.partition(":")[0], algorithm, key)
            else:
                expect_known(algorithm, ALGORITHMS, key)
    _check_files(paper, settings, root, place)
    for kind in ("figures", "tables"):
        for entry in settings.get(kind, {}).values():
            if "intervals" in entry:
                entry["caption"] = f"{entry['caption'].strip()} {INTERVALS[entry['intervals']]}"
    return {**settings, "experiments": experiments}


@cache
def _problems() -> list[str]:
    """Read the names of `causal_bandits.problems` from its source."""
    papers = [module.name for module in iter_modules(problems.__path__) if not module.ispkg]
    return [f"{p}/{name}" for p in papers for name in dictionary_keys(f"{problems.__name__}.{p}", "PROBLEMS")]


def _check_code(module: str, name: str, key: str) -> None:
    """Check that the code behind a name in the configuration can be read, since keys are computed from it."""
    try:
        imported_modules([module])
    except (ModuleNotFoundError, SyntaxError) as error:
        raise ConfigError(f"{key}: {name!r} cannot be loaded ({type(error).__name__}: {error})") from error


def _check_files(paper: str, settings: Mapping[str, Any], root: Path, place: str) -> None:
    """Check that every input is a file of the checkout or made by another part of this configuration."""
    made = {f"<results>/{paper}/{stage}/{name}.parquet" for stage in STAGES for name in settings.get(stage, {})}
    for section in ("experiments", "figures", "tables", *STAGES):
        for name, entry in settings.get(section, {}).items():
            key = f"{place}: {section}.{name}"
            for experiment in entry.get("experiments", ()):
                expect_known(experiment, settings["experiments"], f"{key}.experiments")
            for argument, path in entry.get("inputs", {}).items():
                if path.startswith("<"):
                    expect_known(path, made, f"{key}.inputs.{argument}")
                elif not (root / path).is_file():
                    raise ConfigError(f"{key}.inputs.{argument}: no file {path!r}; expected a path from the top folder")


def check_raw(raw: Path, settings: Mapping[str, Any]) -> None:
    """Check that the folder ``raw`` of the study's configuration has what a paper's stages read from it.

    Raises
    ------
    ConfigError
        If a file is missing.
    """
    entries = [entry for stage in STAGES for entry in settings.get(stage, {}).values()]
    expected = [path for entry in entries for path in entry.get("raw", {}).values()]
    if missing := [path for path in expected if not (raw / path).is_file()]:
        raise ConfigError(
            f"config/config.yaml or an overlay: raw: {str(raw)!r} has no {missing[0]}; expected a folder with "
            f"{', '.join(expected)}"
        )


def small(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is marked with a ``when``, and items that read such experiments.

    An experiment whose policies are all left out is itself left out.
    """
    kept = dict(settings)
    for section in ("experiments", *STAGES, "figures", "tables"):
        if section in settings:
            kept[section] = {name: entry for name, entry in settings[section].items() if not entry.get("when")}
    return _without(kept, lambda policy: bool(policy["when"]))


def _without(settings: Mapping[str, Any], left_out: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
    """Leave out policies, experiments of which none is left, and items that read an experiment left out."""
    experiments = {
        name: {**e, "policies": {label: p for label, p in e["policies"].items() if not left_out(p)}}
        for name, e in settings["experiments"].items()
    }
    kept = {**settings, "experiments": {name: e for name, e in experiments.items() if e["policies"]}}
    for kind in ("figures", "tables"):
        kept[kind] = {
            item: entry
            for item, entry in settings.get(kind, {}).items()
            if set(entry.get("experiments", ())) <= set(kept["experiments"])
        }
    return kept


def scaled(settings: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """Limit a paper's rounds and seeds to the study's maximum; a small study also leaves out what has a ``when``."""
    kept = small(settings) if limits.get("when") == "small" else dict(settings)

    most = {name: limit for name, limit in limits.items() if name != "when" and limit is not None}

    def limited(section: Mapping[str, Any]) -> dict[str, Any]:
        return {k: min(v, most[k]) if k in most else v for k, v in section.items()}

    for section in ("experiments", *STAGES):
        if section in kept:
            kept[section] = {name: limited(entry) for name, entry in kept[section].items()}
    if "horizon" in most:
        kept = _without(kept, lambda policy: (policy["horizon"] or 0) > most["horizon"])
    return kept


def dictionary_keys(module: str, name: str) -> set[str]:
    """Read the keys of a module's annotated dictionary from its source.

    Importing a module that draws would take a second.

    Parameters
    ----------
    module : str
        Dotted name of a module.
    name : str
        Name of the dictionary.

    Raises
    ------
    ConfigError
        If there is no such module, or it has no such dictionary.
    """
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise ConfigError(f"{module}: no such module; expected one with a dictionary {name}")
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict) and ast.unparse(node.target) == name:
            return {ast.literal_eval(key) for key in node.value.keys if key is not None}
    raise ConfigError(f"{module}: no annotated dictionary {name}")


#: The form of a value in a label, which is part of a file path.
_IN_LABELS = re.compile(r"[A-Za-z0-9_.+-]+")


class PolicyEntry(TypedDict):
    """One policy of an experiment.

    Attributes
    ----------
    entry : str
        The key of its entry in the file, which all policies of a grid share.
    algorithm : str
    arms : str or None
    parameters : dict
        Hyper-parameters, including those from the grid.
    grid : tuple of str
        Names of the hyper-parameters that come from the grid.
    options : dict
        Options of the problem that the experiment's grid gives this policy.
    horizon : int or None
        The number of rounds that the experiment's grid gives it; None: the experiment's own.
    when : str or None
        ``whole`` if a small study leaves it out.
    """

    entry: str
    algorithm: str
    arms: str | None
    parameters: dict[str, Any]
    grid: tuple[str, ...]
    options: dict[str, Setting]
    horizon: int | None
    when: str | None


def laid_out(experiment: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Expand an experiment's grids, so that ``policies`` has one `PolicyEntry` per combination.

    A policy without a grid is labelled with its key, other policies with ``<key>,<name>=<value>,...`` in the order
    written, followed by the values from the experiment's own grid. If that grid has the ``horizon``, the experiment's
    is the largest.

    Raises
    ------
    ConfigError
        If a name is both in a grid and outside it, a value cannot be part of a label, an exception removes no
        combination or all of them, two policies get the same label, or the horizon is missing, is no number of rounds,
        or has milestones and several values.
    """
    kept = {key: value for key, value in experiment.items() if key not in ("grid", "except", "policies")}
    if "horizon" in experiment and "horizon" in experiment.get("grid", {}):
        raise ConfigError(f"{place}.grid.horizon: the experiment also has a key 'horizon'; expected only one of them")
    cells = combinations(experiment, experiment.get("options", {}), "options", place)
    kept["horizon"] = _longest(experiment, cells, place)
    policies: dict[str, PolicyEntry] = {}
    for entry, written in experiment["policies"].items():
        key = f"{place}.policies.{entry}"
        for chosen, cell in itertools.product(
            combinations(written, written.get("parameters", {}), "parameters", key), cells
        ):
            named = [f"{name}={compact(value)}" for part in (chosen, cell) for name, value in part.items()]
            label = ",".join((entry, *named))
            if label in policies:
                raise ConfigError(f"{key}: two policies are labelled {label!r}; expected distinct labels")
            policies[label] = PolicyEntry(
                entry=entry,
                algorithm=written["algorithm"],
                arms=written.get("arms"),
                parameters={**written.get("parameters", {}), **chosen},
                grid=tuple(chosen),
                options={name: value for name, value in cell.items() if name != "horizon"},
                horizon=cell.get("horizon"),  # type: ignore[typeddict-item]  # checked by `_longest`
                when=written.get("when"),
            )
    return {**kept, "policies": policies}


def _longest(experiment: Mapping[str, Any], cells: Sequence[Mapping[str, Setting]], place: str) -> int:
    """Return an experiment's horizon, the largest of those in its grid."""
    if "horizon" in experiment:
        return int(experiment["horizon"])
    horizons = experiment.get("grid", {}).get("horizon")
    if horizons is None:
        raise ConfigError(f"{place}: no 'horizon'; expected a number of rounds, or several in the grid")
    for value in horizons:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ConfigError(f"{place}.grid.horizon: {value!r}; expected numbers of rounds, each at least 1")
    if "milestones" in experiment:
        raise ConfigError(f"{place}.milestones: the grid has several horizons; expected only one of the two keys")
    return max(int(str(cell["horizon"])) for cell in cells)


def combinations(
    section: Mapping[str, Any], fixed: Mapping[str, Any], fixed_key: str, place: str
) -> list[dict[str, Setting]]:
    """List all combinations of a section's ``grid`` except those in ``except``; the last name varies fastest.

    Parameters
    ----------
    section : mapping
        With ``grid`` (name to values) and ``except`` (a list of partial combinations); both may be absent.
    fixed : mapping
        Values outside the grid, under the key ``fixed_key``.
    place : str
        File and key of the section.

    Returns
    -------
    list of dict
        One empty combination if there is no grid.
    """
    grid: Mapping[str, Sequence[Setting]] = section.get("grid", {})
    for name, values in grid.items():
        key = f"{place}.grid.{name}"
        if name in fixed:
            raise ConfigError(f"{key}: {name!r} is also in {fixed_key}; expected it in only one of them")
        for position, value in enumerate(values):
            if not _IN_LABELS.fullmatch(compact(value)):
                raise ConfigError(f"{key}: {value!r} cannot be part of a label; expected letters, digits, _ . + -")
            if any(same(value, other) for other in values[:position]):
                raise ConfigError(f"{key}: {value!r} is listed twice; expected distinct values")
    every = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    for number, left_out in enumerate(section.get("except", [])):
        key = f"{place}.except.{number}"
        for name, value in left_out.items():
            if not any(same(value, other) for other in grid.get(name, ())):
                known = "; ".join(f"{n}: {', '.join(map(compact, values))}" for n, values in grid.items())
                raise ConfigError(f"{key}.{name}: {value!r} is not in the grid; expected one of: {known}")
        remaining = [c for c in every if not all(same(c[n], value) for n, value in left_out.items())]
        if len(remaining) == len(every):
            raise ConfigError(f"{key}: {left_out} leaves out no combination that was still in the grid")
        every = remaining
    if not every:
        raise ConfigError(f"{place}.except: leaves out the whole grid; expected it to keep at least one combination")
    return every
