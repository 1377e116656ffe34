"""The file of results of an entry: its columns, and how it is written from runs of this study.

One Parquet file holds runs of one package's algorithms in the arena. A row is one run at one round.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from experiments import files
from experiments.results import Plan

#: What the regret of a run is: PSEUDO counts expected rewards and never falls, REALISED counts the rewards that came.
PSEUDO, REALISED = "pseudo", "realised"

#: Columns, all of them required; ``draw`` alone may be null. A reader also takes integers and floats of other widths,
#: and texts that are dictionary-encoded.
SCHEMA = pa.schema(
    [
        pa.field("package", pa.string(), nullable=False),
        pa.field("version", pa.string(), nullable=False),
        pa.field("problem", pa.string(), nullable=False),
        pa.field("options", pa.string(), nullable=False),
        pa.field("policy", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("draw", pa.int64()),
        pa.field("t", pa.int64(), nullable=False),
        pa.field("cumulative_regret", pa.float64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
    ]
)


class PackError(ValueError):
    """Runs that cannot be packed; the message says which, in one line."""


def as_text(options: Mapping[str, Any]) -> str:
    """Write the options of a problem as they stand in the column: a JSON object, sorted by name."""
    return json.dumps(dict(options), sort_keys=True)


def problem_of(plan: Plan, label: str) -> tuple[str, dict[str, Any]]:
    """Return the problem that a policy plays, and its options: all settings that are not the policy's own."""
    settings = plan.settings[label]
    own = {"algorithm", "arms", "problem", *plan.defaults.get(str(settings["algorithm"]), {})}
    return str(settings["problem"]), {name: value for name, value in settings.items() if name not in own}


def without_options(label: str, options: Mapping[str, Any]) -> str:
    """Cut the options of the problem off a policy's label: ``a,width=2`` of ``a,width=2,nodes=5``."""
    return ",".join(part for part in label.split(",") if part.partition("=")[0] not in options)


def pack(results: Path, experiment: str, algorithms: Mapping[str, tuple[str, str]], output: Path) -> int:
    """Write the runs of one package's algorithms in an experiment of the arena as one file.

    Parameters
    ----------
    results : Path
        The folder of results, with ``arena/<experiment>`` below it.
    experiment : str
    algorithms : mapping from str to (str, str)
        Registered algorithms by name: package and version.
    output : Path
        The file; it appears whole or not at all.

    Returns
    -------
    int
        The number of runs.

    Raises
    ------
    PackError
        If the experiment has no results, no policy that a package registers, or policies of several packages.
    OSError
        If a file is damaged.
    """
    folder = results / "arena" / experiment
    if not (folder / "finals.parquet").is_file():
        raise PackError(f"{folder}/finals.parquet: no such file; expected results of this experiment: play it first")
    plan = Plan.read(folder / "finals.parquet")
    labels = {label: str(own["algorithm"]) for label, own in plan.settings.items() if own["algorithm"] in algorithms}
    packages = sorted({algorithms[algorithm] for algorithm in labels.values()})
    if len(packages) != 1:
        named = ", ".join(f"{package} {version}" for package, version in packages) or "none"
        raise PackError(f"{experiment}: its policies are of these packages: {named}; expected one package of others")
    tables, runs = [], 0
    for label in labels:
        problem, options = problem_of(plan, label)
        for path in sorted((folder / "runs" / label).glob("*.parquet"), key=lambda file: int(file.stem.split("-")[0])):
            rows = files.read(path)
            texts = [*packages[0], problem, as_text(options), without_options(label, options)]
            drawn = rows["draw"].cast(pa.int64()) if "draw" in rows.schema.names else pa.nulls(len(rows), pa.int64())
            columns = [pa.repeat(text, len(rows)) for text in texts]
            columns += [rows["seed"].cast(pa.int64()), drawn, rows["t"].cast(pa.int64()), rows["cumulative_regret"]]
            tables.append(pa.Table.from_arrays([*columns, pa.repeat(PSEUDO, len(rows))], schema=SCHEMA))
            runs += len(rows["seed"].unique())
    if not tables:
        raise PackError(f"{folder}/runs: no runs of {', '.join(labels)}; expected them: play the experiment first")
    files.write(pa.concat_tables(tables), output)
    return runs
