"""Write into every table what made it, and refuse tables that this checkout would not make.

Snakemake knows what made a file only as long as its own records (.snakemake) lie beside the results. The tables say it
themselves, so that results of older code, of another root seed or of another experiment are never believed: the
workflow makes them again (workflow/rules/common.smk), and whoever reads one refuses it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from causal_bandits.provenance import config_digest, configuration_of


class Origin(TypedDict):
    """Digests of the configuration and of the code that make a table."""

    config_digest: str
    code_digest: str


def of_job(job: Mapping[str, object]) -> Origin:
    """Give the origin of the table that a job makes; ``job`` holds the digest of its code under ``code``."""
    return {"config_digest": configuration_of(job), "code_digest": str(job["code"])}


def of_file(path: str | Path) -> str:
    """Digest what a file of the checkout holds."""
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()


def of_tidy_tables(job: Mapping[str, object], runs: Mapping[str, object]) -> Origin:
    """Give the origin of the tidy tables of an experiment.

    Parameters
    ----------
    job : AggregateJob
    runs : RunsExpected
        Origins of the runs that are aggregated: when these change, so does the origin of the tables.
    """
    own = of_job(job)
    return {**own, "config_digest": config_digest([own["config_digest"], runs])}


def expect(path: str | Path, metadata: Mapping[bytes, bytes] | None, origin: Origin) -> None:
    """Check that a table was made by this configuration and this code.

    Parameters
    ----------
    path : path
        For the message.
    metadata : mapping
        Of the Parquet file.
    origin : Origin
        What this checkout would make it by.

    Raises
    ------
    ValueError
        If not: file, digest found, digest expected.
    """
    for key, what in (("config_digest", "configuration"), ("code_digest", "code")):
        found, expected = (metadata or {}).get(key.encode(), b"none").decode(), origin[key]  # type: ignore[literal-required]
        if found != expected:
            raise ValueError(
                f"{path}: made by the {what} {found}; expected {expected}, that of this checkout; "
                "delete the file and it is made again"
            )


def expect_files(paths: Mapping[str, str | Path], origins: Mapping[str, Origin]) -> None:
    """Check the origins of several files by name (`expect`); files that have none in ``origins`` pass."""
    for name, path in paths.items():
        if name in origins:
            expect(path, _metadata(path), origins[name])


def is_other(path: str | Path, origin: Origin) -> bool:
    """Say whether a table is there, whole, and of another origin."""
    if not Path(path).exists():
        return False
    try:
        expect(path, _metadata(path), origin)
    except OSError:  # damaged: whoever reads it names it
        return False
    except ValueError:
        return True
    return False


def _metadata(path: str | Path) -> Mapping[bytes, bytes] | None:
    from replication.pipeline import files  # loads pyarrow, which a reader of the configuration does not need

    return files.read_metadata(path)
