"""Make the tables of the stages before the simulation: data, discovery and bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from causal_bandits import provenance, seeding
from replication.pipeline import files
from replication.pipeline.origin import Origin, expect_files

#: Gives the generator of a seed.
Generators = Callable[[int], np.random.Generator]

#: ``builder(seeds, generators, **options, **inputs)`` returns the table for all seeds.
Builder = Callable[..., pa.Table]


class StageJob(TypedDict):
    """What `make` needs for one table.

    Attributes
    ----------
    name : str
        Full name, for instance ``huang2024/data/offline``; it names the random streams.
    builders, builder : str
        Import path of a dictionary of `Builder`, and the key.
    options : mapping
        Keyword arguments of the builder.
    replicates : int
        Seeds are 0 to ``replicates - 1``.
    root_seed : int
    code : str
        Digest of the code.
    versions : mapping
        Versions of packages.
    """

    name: str
    builders: str
    builder: str
    options: Mapping[str, Any]
    replicates: int
    root_seed: int
    code: str
    versions: Mapping[str, str]


def make(
    output: str | Path, job: StageJob, inputs: Mapping[str, str], origins: Mapping[str, Origin] | None = None
) -> None:
    """Make one table of a stage.

    Parameters
    ----------
    output : path
        The Parquet file; it appears whole or not at all.
    job : StageJob
    inputs : mapping from str to path
        Keyword arguments that are files.
    origins : mapping, optional
        Of inputs by name; an input of another origin is refused.

    Raises
    ------
    ValueError
        If an input is of another origin.
    """
    expect_files(inputs, origins or {})

    def generators(seed: int) -> np.random.Generator:
        return seeding.generators(job["root_seed"], job["name"], seed).environment

    builder: Builder = files.resolve(job["builders"])[job["builder"]]
    table = builder(range(job["replicates"]), generators, **job["options"], **inputs)
    files.write(table.replace_schema_metadata(provenance.metadata(job)), output)
