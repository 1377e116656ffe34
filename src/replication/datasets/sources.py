"""Read a data set's counts from the shipped table or a raw file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from causal_bandits.datasets import CountTable, DataError
from causal_bandits.datasets.shipped import SHIPPED
from replication.datasets import adult, youtube
from replication.datasets.binarise import MEDIAN_GE


@dataclass(frozen=True)
class Dataset:
    """A data set of the study.

    Parameters
    ----------
    variables : tuple of str
        Of its table.
    count : callable
        ``count(path, rule, verify=...)``: the counts of the raw data.
    raw : str
        Where the raw data lie in a folder of raw data.
    """

    variables: tuple[str, ...]
    count: Callable[..., CountTable]
    raw: str


DATASETS = {
    "adult": Dataset(adult.VARIABLES, adult.count_adult, "adult/adult.data"),
    "youtube": Dataset(youtube.VARIABLES, youtube.count_youtube, "youtube/0303"),
}
SOURCES = ("table", "file")


def read_counts(
    name: str,
    source: str = "table",
    path: str | Path | None = None,
    rule: str = MEDIAN_GE,
    *,
    verify: bool = True,
) -> CountTable:
    """Read the joint counts of a data set from a table of counts or a raw file.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    source : {"table", "file"}
        ``table``: a table of counts (the shipped one, or ``path``). ``file``: the raw data at ``path`` (``adult.data``;
        for YouTube the crawl's folder).
    path : path, optional
    rule : str
        A key of `replication.datasets.RULES`. A table has been made by one rule and serves no other.
    verify : bool
        With ``file``: compare hashes (False accepts other extracts).

    Raises
    ------
    ValueError
        If a name or an argument is unknown or missing.
    FileNotFoundError, DataError
        If the data are not there or are not what they should be; the message says how to go on.
    """
    if name not in DATASETS:
        raise ValueError(f"data set {name!r} is not one of {', '.join(DATASETS)}")
    dataset = DATASETS[name]
    if source == "table":
        return _table(name, Path(path) if path else SHIPPED / f"{name}.csv", rule)
    if source == "file":
        if path is None:
            raise ValueError(f"{name}: source file needs a path (of {dataset.raw})")
        return dataset.count(path, rule, verify=verify)
    raise ValueError(f"source {source!r} is not one of {', '.join(SOURCES)}")


def _table(name: str, path: Path, rule: str) -> CountTable:
    table = CountTable.read(path)
    missing = [variable for variable in DATASETS[name].variables if variable not in table.states]
    if missing:
        raise DataError(f"{path}: not a table of {name}; it lacks {', '.join(missing)}")
    made_by = table.provenance.get("rule")
    if made_by != rule:
        raise DataError(
            f"{path}: made by the rule {made_by!r}, expected {rule!r}; for another rule use the raw data (source file)"
        )
    return table
