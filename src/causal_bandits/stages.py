"""The stages before the simulation: data, discovery and bounds, each a table that a paper's own function makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from causal_bandits import files, provenance, seeding

#: Gives the generator of a seed.
Generators = Callable[[int], np.random.Generator]

#: ``builder(seeds, generators, **options, **inputs)`` returns the table for all seeds.
Builder = Callable[..., pa.Table]


def make(output: str | Path, job: Mapping[str, Any], inputs: Mapping[str, str]) -> None:
    """Make one table of a stage.

    Parameters
    ----------
    output : path
        The Parquet file; it appears whole or not at all.
    job : mapping
        ``name`` (full name, for instance ``huang2024/data/offline``; it names the random streams), ``builders`` (import
        path of a dictionary of `Builder`), ``builder`` (key), ``options`` (keyword arguments), ``replicates`` (seeds
        are 0 to replicates - 1), ``root_seed``, ``code`` (digest).
    inputs : mapping from str to path
        Keyword arguments that are files.
    """

    def generators(seed: int) -> np.random.Generator:
        return seeding.generators(job["root_seed"], job["name"], seed).environment

    builder: Builder = files.resolve(job["builders"])[job["builder"]]
    table = builder(range(job["replicates"]), generators, **job["options"], **inputs)
    files.write(table.replace_schema_metadata(provenance.metadata(job)), output)
