"""Make the tables of the stages before the simulation: data, discovery and bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from causal_bandits import seeding
from experiments import files, key

if TYPE_CHECKING:
    from experiments.study import StageJob


#: Returns the random generator for a seed.
Generators = Callable[[int], np.random.Generator]

#: ``builder(seeds, generators, **options, **inputs)`` returns the table for all seeds.
Builder = Callable[..., pa.Table]


def make(output: str | Path, job: StageJob, inputs: Mapping[str, str]) -> None:
    """Make one table of a stage.

    Parameters
    ----------
    output : path
        The Parquet file, written atomically.
    job : StageJob
    inputs : mapping from str to path
        Keyword arguments that are files.

    Raises
    ------
    StaleError
        If an input's key differs from the one that this checkout would give it.
    """
    key.expect_all(inputs, job.inputs)

    def generators(seed: int) -> np.random.Generator:
        return seeding.generators(job.root_seed, job.name, seed).environment

    builder: Builder = resolve_name(job.builders)[job.builder]
    table = builder(range(job.replicates), generators, **job.options, **inputs)
    files.write(table.replace_schema_metadata(key.metadata(job.key)), output)
