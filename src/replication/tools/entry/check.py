"""Check a file of an entry's results, and put the entry beside our algorithms on the same problems.

A check tells whether the file is whole and whether its numbers are possible, not whether they are true. To see that,
install the package and play it: ``make arena ENTRY=...``.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from experiments import ConfigError, others
from experiments.loading import read_paper
from experiments.drawing.tabulate import plus_minus
from replication.papers.arena.players import SITUATIONS
from replication.papers.arena.problems import PROBLEMS
from experiments import files
from experiments.results import Plan
from replication.tools.entry.columns import PSEUDO, REALISED, SCHEMA, as_text, problem_of, without_options

#: Regret may fall by so much, relatively, by rounding of sums.
ROUNDING = 1e-9
#: The committed table of regrets, below the checkout's top folder.
COMMITTED = "figures/arena/regrets.csv"

_GROUP = ["problem", "options", "policy"]


class Checked(NamedTuple):
    """What a check found.

    Attributes
    ----------
    faults : list of str
        One line each: place, what stands there, what was expected.
    rows : DataFrame
        The file's rows, as `SCHEMA`; empty if it cannot be read.
    """

    faults: list[str]
    rows: pd.DataFrame


def check(path: Path) -> Checked:
    """Check an entry's file: columns, types, problems, seeds, rounds and regrets.

    Raises
    ------
    OSError
        If there is no such file, or it is no Parquet file.
    """
    table = files.read(path)
    faults = list(_columns(table))
    if faults:
        return Checked(faults, pd.DataFrame(columns=SCHEMA.names))
    rows = table.select(SCHEMA.names).cast(SCHEMA).to_pandas()
    rows["draw"] = rows["draw"].astype("Int64")
    if rows.empty:
        return Checked(["no rows; expected at least one run"], rows)
    for name in ("package", "version"):
        if len(found := sorted(rows[name].unique())) > 1 or not found[0].strip():
            faults.append(f"{name}: {', '.join(map(repr, found))}; expected one, the same in all rows")
    for problem, options in rows[["problem", "options"]].drop_duplicates().itertuples(index=False):
        faults += _problem(problem, options, rows[(rows["problem"] == problem) & (rows["options"] == options)])
    for _, group in rows.groupby(_GROUP, sort=False):
        faults += _runs(group)
    return Checked(faults, rows)


def _columns(table: pa.Table) -> Iterator[str]:
    """Yield what is wrong with the columns: names, types, nulls."""
    names = table.schema.names
    for name in sorted(set(names) - set(SCHEMA.names)):
        yield f"column {name!r}: is unknown; expected these: {', '.join(SCHEMA.names)}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"column {name!r}: stands {names.count(name)} times; expected it once"
    for field in SCHEMA:
        if field.name not in names:
            yield f"column {field.name!r}: is missing; expected it, {_kind(field.type)}"
        elif names.count(field.name) == 1:
            column = table[field.name]
            found = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            empty = field.nullable and pa.types.is_null(found)
            if not empty and _kind(found) != _kind(field.type):
                yield f"column {field.name!r}: {column.type}; expected {_kind(field.type)}"
            elif column.null_count and not field.nullable:
                yield f"column {field.name!r}: {column.null_count} values are null; expected a value in every row"


def _kind(found: pa.DataType) -> str:
    if pa.types.is_string(found) or pa.types.is_large_string(found):
        return "text"
    if pa.types.is_integer(found):
        return "integers"
    return "floating-point numbers" if pa.types.is_floating(found) else str(found)


def _problem(problem: str, options: str, rows: pd.DataFrame) -> Iterator[str]:
    """Yield what is wrong with a problem.

    It may be its name, its options, its draws, or regret that no arm can cause.
    """
    place = f"problem {problem!r}, options {options}"
    if problem in PROBLEMS:
        builder = PROBLEMS[problem]
    else:
        try:
            known = others.families()
            if problem not in known:
                yield f"{place}: unknown; expected one of: {', '.join(sorted({*PROBLEMS, *known}))}"
                return
            builder = others.builder_of(problem)
        except ConfigError as error:
            yield f"{place}: {error}"
            return
    try:
        arguments = json.loads(options)
    except json.JSONDecodeError as error:
        yield f"{place}: no JSON ({error}); expected the keyword arguments of the problem as a JSON object"
        return
    if not isinstance(arguments, dict) or "draw" in arguments:
        yield f"{place}: expected a JSON object of the problem's keyword arguments, without 'draw', which is a column"
        return
    if as_text(arguments) != options:
        yield f"{place}: expected them as {as_text(arguments)}: sorted by name, with one space behind commas and colons"
        return
    random = "draw" in inspect.signature(builder).parameters
    if random != bool(rows["draw"].notna().all()) or random == bool(rows["draw"].isna().all()):
        expected = "a number in every row: each is a random problem" if random else "null: the problem is not random"
        yield f"{place}: column 'draw'; expected {expected}"
        return
    draw = {"draw": int(rows["draw"].iloc[0])} if random else {}
    if random and not rows["draw"].min() >= 0:
        yield f"{place}: draw {rows['draw'].min()}; expected numbers from 0"
        return
    try:
        bandit = builder(**arguments, **draw)
        gap = float(bandit.optimal_mean - np.min(bandit.means)) if hasattr(bandit, "optimal_mean") else math.inf
    except (AttributeError, NotImplementedError):  # arms without one mean: contexts
        gap = math.inf
    except (TypeError, ValueError, LookupError) as error:
        yield f"{place}: cannot be built ({' '.join(str(error).split())}); expected options that it takes"
        return
    built = rows[(rows["kind"] == PSEUDO) & (rows["draw"].eq(draw["draw"]) if random else True)]
    most = built["t"] * gap * (1 + ROUNDING) + ROUNDING
    for row in built[built["cumulative_regret"] > most].head(1).to_dict("records"):
        yield (
            f"{place}, policy {row['policy']!r}, seed {row['seed']}: regret {row['cumulative_regret']:g} at "
            f"t={row['t']}; expected at most {gap * row['t']:g}, that of the worst arm in every round"
        )


def _runs(rows: pd.DataFrame) -> Iterator[str]:
    """Yield what is wrong with the runs of one policy on one problem; of one kind of fault the first."""
    problem, options, policy = rows.iloc[0][_GROUP]
    place = f"{problem} {options}, policy {policy!r}"
    if not policy.strip():
        yield f"{place}: expected a name"
    if set(rows["kind"]) not in ({PSEUDO}, {REALISED}):
        yield f"{place}: kind {', '.join(sorted(set(rows['kind'])))}; expected {PSEUDO} or {REALISED} in all its rows"
        return
    seeds: list[int] = sorted(rows["seed"].unique().tolist())
    missing = next((number for number, seed in enumerate(seeds) if number != seed), None)
    if seeds[0] < 0:
        yield f"{place}: seed {seeds[0]}; expected seeds from 0"
    elif missing is not None:
        yield f"{place}: no seed {missing}; expected all seeds from 0 to {seeds[-1]}"
    ordered = rows.sort_values(["seed", "t"], kind="stable")
    starts = np.flatnonzero(np.diff(ordered["seed"].to_numpy())) + 1
    rounds = dict(zip(seeds, np.split(ordered["t"].to_numpy(), starts), strict=True))
    first = rounds[seeds[0]]
    for seed, t in rounds.items():
        if t[0] < 1 or (np.diff(t) <= 0).any():
            wrong = t[0] if t[0] < 1 else t[1:][np.diff(t) <= 0][0]
            yield f"{place}, seed {seed}: t={wrong}; expected rounds from 1, each once"
            return
        if not np.array_equal(t, first):
            expected = f"those of seed {seeds[0]}, {len(first)} rows up to t={first[-1]}"
            yield f"{place}, seed {seed}: {len(t)} rows up to t={t[-1]}; expected {expected}"
            return
    if rows["draw"].notna().all():
        yield from _draws(ordered, place)
    regret = ordered["cumulative_regret"].to_numpy()
    if not np.isfinite(regret).all():
        seed, t = ordered[["seed", "t"]].to_numpy()[~np.isfinite(regret)][0]
        yield f"{place}, seed {seed}: the regret at t={t} is no number; expected finite numbers"
    elif rows["kind"].iloc[0] == PSEUDO:
        before = ordered.groupby("seed")["cumulative_regret"].shift(fill_value=0.0).to_numpy()
        falls = regret < before - ROUNDING * np.maximum(1, np.abs(before))
        if falls.any():
            seed, t = ordered[["seed", "t"]].to_numpy()[falls][0]
            yield (
                f"{place}, seed {seed}: the regret falls to {regret[falls][0]:g} at t={t}; "
                f"expected pseudo-regret, which starts from 0 and never falls (or kind {REALISED})"
            )


def _draws(ordered: pd.DataFrame, place: str) -> Iterator[str]:
    """Yield a fault if draws do not follow the seeds.

    They are draw 0, 1, ... of equally many successive seeds each.
    """
    draws = ordered.groupby("seed")["draw"].agg(["min", "max"])
    each = max(int((draws["min"] == 0).sum()), 1)
    wrong = draws[(draws["min"] != draws["max"]) | (draws["min"] != draws.index // each)]
    for seed, draw in wrong["max"].head(1).items():
        expected = int(str(seed)) // each
        yield f"{place}, seed {seed}: draw {draw}; expected draw {expected}: {each} successive seeds a draw"


# ---------------------------------------------------------------------- beside ours


class Ours(NamedTuple):
    """A player of ours on a problem.

    Attributes
    ----------
    name, regret, source : str
    runs : int
    by_draw : Series, optional
        Mean regret of each random problem, where runs are at hand.
    """

    name: str
    regret: str
    runs: int
    source: str
    by_draw: pd.Series | None = None


def beside(rows: pd.DataFrame, root: Path) -> list[str]:
    """Tell the entry's regret beside ours, problem by problem.

    Ours are those at hand in ``results/arena``, whatever code made them, and those of the committed table of regrets.
    An interval is Student's t at 95 % over runs. Differences are paired by random problem, where both sides have the
    same ones.

    Parameters
    ----------
    rows : DataFrame
        Of a file without faults.
    root : Path
        The checkout's top folder.
    """
    told = []
    for (problem, options), group in rows.groupby(["problem", "options"], sort=False):
        for horizon in sorted(group.groupby("policy")["t"].max().unique()):
            last = group[group["t"] == horizon]
            entered = last[last.groupby("policy")["t"].transform("max") == horizon]
            told += ["", f"{problem} {options}, {horizon} rounds"]
            ours = [
                *_at_hand(str(problem), json.loads(str(options)), int(horizon), root),
                *_committed(str(problem), json.loads(str(options)), int(horizon), root),
            ]
            told += _lines(entered, ours)
    return told[1:]


def _lines(entered: pd.DataFrame, ours: list[Ours]) -> list[str]:
    lines, means = [("player", "regret", "runs", "above the entry's, paired by problem", "from")], None
    for policy, runs in entered.groupby("policy", sort=False):
        package = f"{runs['package'].iloc[0]} {runs['version'].iloc[0]}"
        lines.append((str(policy), _interval(runs["cumulative_regret"]), str(len(runs)), "", package))
        if means is None and runs["draw"].notna().all():
            means = runs.groupby(runs["draw"].astype(int))["cumulative_regret"].mean()
    for player in ours:
        paired = ""
        if means is not None and player.by_draw is not None:
            a, b = means.align(player.by_draw, join="inner")
            paired = f"{_interval(b - a)} on {len(a)}" if len(a) > 1 else ""
        lines.append((player.name, player.regret, str(player.runs), paired, player.source))
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    said = [f"  {'  '.join(line).rstrip()}" for line in cells]
    if not ours:
        said.append("  no results of ours with these options and rounds are at hand")
    return said


def _interval(values: pd.Series) -> str:
    return plus_minus(values) if len(values) > 1 else f"{values.mean():.2f}"


def _at_hand(problem: str, options: Mapping[str, Any], horizon: int, root: Path) -> Iterator[Ours]:
    """Yield our players of this problem whose results lie in the checkout."""
    for path in sorted((root / "results/arena").glob("*/finals.parquet")):
        plan = Plan.read(path)
        if plan.horizon != horizon:
            continue
        found = [
            label
            for label, settings in plan.settings.items()
            if (problem, as_text(options)) == (problem_of(plan, label)[0], as_text(problem_of(plan, label)[1]))
            and settings["algorithm"] not in others.policies()
        ]
        finals = files.read(path).to_pandas() if found else pd.DataFrame()
        for label in found:
            runs = finals[finals["policy"] == label]
            by_draw = None
            if "draw" in runs and runs["draw"].notna().all():
                by_draw = runs.groupby(runs["draw"].astype(int))["cumulative_regret"].mean()
            source = f"results/arena/{path.parent.name}"
            yield Ours(
                without_options(label, options), _interval(runs["cumulative_regret"]), len(runs), source, by_draw
            )


def _committed(problem: str, options: Mapping[str, Any], horizon: int, root: Path) -> Iterator[Ours]:
    """Yield the rows of the committed table of regrets that are of this problem.

    They are rows of any learner, whatever it is told of the problem.
    """
    if problem not in SITUATIONS or not (root / COMMITTED).is_file():
        return
    experiment = read_paper("arena", root)["experiments"].get(problem, {})
    fixed, named = experiment.get("options", {}), SITUATIONS[problem]
    kept = {name: value for name, value in options.items() if name != "told"}
    if set(kept) != {*fixed, *named} or any(kept[name] != value for name, value in fixed.items()):
        return
    situation = ", ".join(f"{name} {kept[name]}" for name in named)
    table = pd.read_csv(root / COMMITTED, dtype=str, keep_default_na=False)
    chosen = (table["problem"] == problem) & (table["situation"] == situation) & (table["rounds"] == str(horizon))
    for row in table[chosen].to_dict("records"):
        yield Ours(row["knows, and plays"], f"{row['regret']} ({row['95 %']})", int(row["problems"]), COMMITTED)
