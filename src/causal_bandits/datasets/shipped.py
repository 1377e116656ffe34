"""The joint counts that come with the library."""

from __future__ import annotations

from pathlib import Path

from causal_bandits.datasets.tables import CountTable

#: The folder of the shipped tables; its ``README.md`` says where each comes from.
SHIPPED = Path(__file__).parent / "counts"

#: Names of the shipped tables: UCI Adult (Becker & Kohavi 1996) and a YouTube crawl (Cheng, Dale & Liu 2008).
DATASETS = ("adult", "youtube")


def load_counts(name: str) -> CountTable:
    """Load the shipped joint counts of a data set.

    Parameters
    ----------
    name : str
        One of `DATASETS`.

    Raises
    ------
    ValueError
        If there is no such table.
    """
    if name not in DATASETS:
        raise ValueError(f"data set {name!r} is not one of {', '.join(DATASETS)}")
    return CountTable.read(SHIPPED / f"{name}.csv")
