"""Count the raw data of huang2022, UCI Adult and a YouTube crawl, and write the tables that the library ships.

Call: ``python -m replication.datasets RAW OUTPUT``. ``RAW`` holds ``adult/adult.data`` and ``youtube/0303/{0,1}.txt``.
Their SHA-256 must be those of the files behind the study's numbers, so no line can be wrong or missing. Numbers
are split at their median, categories into one against the others (huang2022, Appendix E.2; ledger L30 to L36).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.datasets import CountTable, DataError
from causal_bandits.datasets.tables import MISSING
from experiments.files import whole

#: The rule for splitting a number; the paper does not say at which value (ledger L30).
RULE = "median_ge"
#: Number of places that are recorded for each kind of line that is left out, and for each missing value.
PLACES_SHOWN = 5


class Source(NamedTuple):
    """Raw files: what they are, their licence and address, and the SHA-256 of each by path, with Unix line ends."""

    data: str
    licence: str
    url: str
    files: Mapping[str, str]


ADULT = Source(
    "UCI Adult, file adult.data: Becker, B. & Kohavi, R. (1996), doi:10.24432/C5XW20",
    "CC BY 4.0",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
    {"adult/adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"},
)
#: Names of videos and users are replaced in this copy of the crawl, so the authors' own files have different hashes.
#: The table counts the initial videos and those related to them (ledger L33).
YOUTUBE = Source(
    "Statistics and Social Network of YouTube Videos, crawl 0303 (3 March 2007), depths 0 and 1, names of videos and "
    "users replaced: Cheng, X., Dale, C. & Liu, J. (2008), IWQoS",
    "none stated with the files; only counts of binarised features are kept here",
    "https://netsg.cs.sfu.ca/youtubedata/",
    {
        "youtube/0303/0.txt": "a6415bc9ed20d2aa070109ad7420ba59ec00c8880566e64b1d3a88c92898cd85",
        "youtube/0303/1.txt": "a994da403c2220789381683ab65ece9c2edeb3434502dca1e3df56eb734f1339",
    },
)

#: Columns of ``adult.data``, named as in ``adult.names``; ``income`` is the label.
ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)
#: The first columns of a line of the crawl; up to 20 ids of related videos follow.
YOUTUBE_COLUMNS = ("id", "uploader", "age", "category", "length", "views", "rate", "ratings", "comments")
#: The six features of a video, in the paper's order. The arms are the four of the main text (ledger L32, E07); ``rate``
#: is a mean of stars, ``ratings`` counts them, and the reward's "ratings" is the latter (ledger L31).
FEATURES = ("age", "length", "views", "rate", "ratings", "comments")
#: The category of a video that the crawl could not read; its age is then 0 and means nothing.
UNAVAILABLE = "UNA"


@dataclass
class Report:
    """Numbers of lines: read, kept, blank, comments; how often lines are left out or lack a value, and where first."""

    lines: int = 0
    rows: int = 0
    blank: int = 0
    comments: int = 0
    left_out: dict[str, Tally] = field(default_factory=dict)
    missing: dict[str, Tally] = field(default_factory=dict)


@dataclass
class Tally:
    """How often something occurred, and ``file:line`` of the first places."""

    count: int = 0
    first: list[str] = field(default_factory=list)


def _note(tallies: dict[str, Tally], what: str, place: str) -> None:
    tally = tallies.setdefault(what, Tally())
    tally.count += 1
    if len(tally.first) < PLACES_SHOWN:
        tally.first.append(place)


def read_lines(raw: Path, source: Source) -> list[tuple[str, str]]:
    """Read the lines of raw files, each preceded by its place ``file:line``.

    Raises
    ------
    DataError
        If a file is not the one behind the study's numbers.
    """
    found = []
    for name, sha256 in source.files.items():
        content = (raw / name).read_bytes().replace(b"\r\n", b"\n")
        digest = hashlib.sha256(content).hexdigest()
        if digest != sha256:
            raise DataError(
                f"{raw / name}: SHA-256 {digest}, expected {sha256}: not the file behind the study's numbers"
            )
        lines = content.decode("utf-8").removesuffix("\n").split("\n")
        found += [(f"{Path(name).name}:{number}", line) for number, line in enumerate(lines, start=1)]
    return found


def count_adult(raw: Path) -> CountTable:
    """Count the joint states of age, sex, race and income: Male, White and >50K are 1."""
    report, rows = Report(), list[list[str]]()
    for place, line in read_lines(raw, ADULT):
        report.lines += 1
        if not line.strip():
            report.blank += 1
            continue
        rows.append([value.strip() for value in line.split(",")])
        for column, value in zip(ADULT_COLUMNS, rows[-1], strict=True):
            if value == "?":
                _note(report.missing, column, place)
    report.rows = len(rows)
    columns = dict(zip(ADULT_COLUMNS, zip(*rows, strict=True), strict=True))
    return _counted(
        {
            "age": split_at_median(np.array(columns["age"], dtype=float), "age"),
            "sex": _indicator(columns["sex"], "Male", "Female"),
            "race": _indicator(columns["race"], "White", "other than White"),
            "income": _indicator(columns["income"], ">50K", "<=50K"),
        },
        ADULT,
        report,
    )


def count_youtube(raw: Path) -> CountTable:
    """Count the joint states of `FEATURES`; a missing value is a state, so the table counts every record.

    A line with only an id is a video that was gone. A negative number is not a count, and a video of category UNA has
    no age (L34).
    """
    report, rows = Report(), list[list[float]]()
    for place, line in read_lines(raw, YOUTUBE):
        report.lines += 1
        fields = [each.strip() for each in line.split("\t")]
        if len(fields) == 1:
            _note(report.left_out, "an id alone", place)
            continue
        record = dict(zip(YOUTUBE_COLUMNS, fields, strict=False))
        rows.append([float(record[name]) for name in FEATURES])
        for i, name in enumerate(FEATURES):
            if rows[-1][i] < 0 or (name == "age" and record["category"] == UNAVAILABLE):
                rows[-1][i] = np.nan
                _note(report.missing, name, place)
    report.rows = len(rows)
    values = np.array(rows)
    return _counted({name: split_at_median(values[:, i], name) for i, name in enumerate(FEATURES)}, YOUTUBE, report)


class Feature(NamedTuple):
    """A column of states 0 and 1, or 2 if the value is missing; what each means; where a number was split."""

    states: NDArray[np.int8]
    labels: tuple[str, ...]
    threshold: float | None = None


def split_at_median(values: FloatArray, name: str) -> Feature:
    """Give state 1 to numbers at or above the median of the known ones, 2 to missing ones (NaN)."""
    known = ~np.isnan(values)
    threshold = float(np.median(values[known]))
    labels = (f"{name} < {threshold:.15g}", f"{name} >= {threshold:.15g}")
    states = np.where(known, values >= threshold, 2).astype(np.int8)
    return Feature(states, labels if known.all() else (*labels, MISSING), threshold)


def _indicator(values: Sequence[str], one: str, others: str) -> Feature:
    return Feature(np.array([value == one for value in values], dtype=np.int8), (others, one))


def _counted(features: Mapping[str, Feature], source: Source, report: Report) -> CountTable:
    states = {name: feature.labels for name, feature in features.items()}
    counts = np.zeros(tuple(map(len, states.values())), np.int64)
    np.add.at(counts, tuple(feature.states for feature in features.values()), 1)
    facts = {
        "data": source.data,
        "licence": source.licence,
        "url": source.url,
        "sha256": {Path(name).name: sha256 for name, sha256 in source.files.items()},
        "rule": RULE,
        "report": asdict(report),
        "thresholds": {name: each.threshold for name, each in features.items() if each.threshold is not None},
    }
    return CountTable(states, counts, facts)


#: The function that counts each data set, by the name of its table.
COUNTS: dict[str, Callable[[Path], CountTable]] = {"adult": count_adult, "youtube": count_youtube}


def make(raw: Path, output: Path) -> dict[str, CountTable]:
    """Count every data set and write ``<name>.csv``; nothing is written if a file is wrong."""
    tables = {name: count(raw) for name, count in COUNTS.items()}
    for name, table in tables.items():
        with whole(output / f"{name}.csv") as temporary:
            temporary.write_text(table.text(), encoding="utf-8", newline="\n")
    return tables


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.datasets", description=__doc__)
    parser.add_argument("raw", type=Path, help="folder with adult/adult.data and youtube/0303/{0,1}.txt")
    parser.add_argument("output", type=Path, help="folder for the tables")
    options = parser.parse_args(arguments)
    try:
        tables = make(options.raw, options.output)
    except (OSError, DataError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    for name, table in tables.items():
        print(f"{options.output / name}.csv: {table.total} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
