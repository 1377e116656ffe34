"""The YouTube crawls of Cheng, Dale & Liu (2008): the videos of huang2022's Adult-Video experiment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from causal_bandits.datasets import CountTable, DataError
from replication.datasets.binarise import MEDIAN_GE, binarise, count
from replication.datasets.reading import (
    LoadReport,
    OnBad,
    Tally,
    is_cut,
    leave_out,
    note_missing,
    provenance,
    read_text,
    verify_hash,
)

#: The first columns of a line; up to 20 ids of related videos follow.
COLUMNS = ("id", "uploader", "age", "category", "length", "views", "rate", "ratings", "comments")
NUMBERS = ("age", "length", "views", "rate", "ratings", "comments")

#: The category of a video that the crawl could not read; its age is then 0 and means nothing.
UNAVAILABLE = "UNA"

#: SHA-256 (Unix line ends) of the copy of crawl 0303 that the shipped table comes from: names of videos and users
#: are replaced in it, so the authors' own files have other hashes.
ORIGINALS = {
    "0.txt": "a6415bc9ed20d2aa070109ad7420ba59ec00c8880566e64b1d3a88c92898cd85",
    "1.txt": "a994da403c2220789381683ab65ece9c2edeb3434502dca1e3df56eb734f1339",
}
SITE = "https://netsg.cs.sfu.ca/youtubedata/"

#: Depths of the crawl that the table counts: the initial videos and those related to them (ledger L33).
DEPTHS = (0, 1)

#: The six features of huang2022's Appendix E.2, in its order. The arms are the four of the main text (ledger L32, E07);
#: ``rate`` is a mean of stars, ``ratings`` their number, and the reward's "ratings" is the latter (ledger L31).
VARIABLES = ("age", "length", "views", "rate", "ratings", "comments")

SOURCE = {
    "data": "Statistics and Social Network of YouTube Videos, crawl 0303 (3 March 2007), depths 0 and 1, names of "
    "videos and users replaced: Cheng, X., Dale, C. & Liu, J. (2008), IWQoS",
    "licence": "none stated with the files; only counts of binarised features are kept here",
    "url": SITE,
}


def load_youtube(
    folder: str | Path, depths: Sequence[int] = DEPTHS, *, verify: bool = True, on_bad: OnBad = "raise"
) -> tuple[pd.DataFrame, LoadReport]:
    """Read the depth files ``0.txt``, ``1.txt``, ... of one crawl.

    Two kinds of lines belong to every crawl and never stop the reading; they are left out and reported: an id alone
    (the video was gone) and an id met before (the first one counts). A negative number is no count and a video of
    category UNA has no age: these values are missing, the record stays (ledger L34).

    Parameters
    ----------
    folder : path
        The crawl's folder, for instance ``0303``.
    depths : sequence of int
        Which files, in this order.
    verify : bool
        Compare each file's SHA-256 with the copy that the study's numbers come from. False accepts other crawls.
    on_bad : {"raise", "count"}
        What any other line that is no record does.

    Returns
    -------
    frame : DataFrame
        ``depth`` and the columns `COLUMNS`; numbers as floats, missing ones NaN; ``rate`` in [0, 5] stars, ``length``
        in seconds, ``age`` in days from the site's foundation (15 February 2005) to the upload: *larger is newer*
        (ledger L36).
    report : LoadReport

    Raises
    ------
    FileNotFoundError
        If a depth's file is not there.
    DataError
        If a line is bad or a file is cut off or has another hash; the message names file, line and expectation.
    """
    report = LoadReport()
    rows: list[tuple[object, ...]] = []
    seen: set[str] = set()
    for depth in depths:
        file = read_text(Path(folder) / f"{depth}.txt")
        report.sha256[file.path.name] = file.sha256
        report.lines += len(file.lines)
        for number, line in enumerate(file.lines, start=1):
            if not line.strip():
                report.blank += 1
                continue
            fields = [field.strip() for field in line.split("\t")]
            place = f"{file.path.name}:{number}"
            # A last line without an end may be cut inside any of its nine columns.
            cut = is_cut(file, number) and len(fields) <= len(COLUMNS)
            if len(fields) == 1 and not cut:
                report.left_out.setdefault("an id alone", Tally()).add(place)
                continue
            trouble = ("cut off", f"{len(fields)} columns and no line end") if cut else _trouble(fields)
            if trouble:
                leave_out(report, file, number, *trouble, on_bad)
                continue
            if fields[0] in seen:
                report.left_out.setdefault("an id met before", Tally()).add(place)
                continue
            seen.add(fields[0])
            record: dict[str, object] = dict(zip(COLUMNS, fields, strict=False))
            for name in NUMBERS:
                value = float(fields[COLUMNS.index(name)])
                if value < 0 or (name == "age" and record["category"] == UNAVAILABLE):
                    value = float("nan")
                    note_missing(report, file, number, name)
                record[name] = value
            rows.append((depth, *(record[name] for name in COLUMNS)))
        if verify:
            if file.path.name not in ORIGINALS:
                known = ", ".join(ORIGINALS)
                raise DataError(f"{file.path}: a hash is known for {known} of crawl 0303 only (verify=False reads it)")
            verify_hash(file, ORIGINALS[file.path.name])
    report.rows = len(rows)
    return pd.DataFrame(rows, columns=["depth", *COLUMNS]), report


def _trouble(fields: list[str]) -> tuple[str, str] | None:
    """Say why a line is no record: the reason, what was found and what was expected; None if it is one."""
    if len(fields) < len(COLUMNS):
        reason = f"fewer than {len(COLUMNS)} columns"
        return reason, f"{len(fields)} columns, expected at least {len(COLUMNS)} ({', '.join(COLUMNS)}), or an id alone"
    for name, value in zip(COLUMNS, fields, strict=False):
        if name == "rate":
            if not re.fullmatch(r"\d+(\.\d*)?", value, re.ASCII) or float(value) > 5:
                return "rate is no rate", f"rate is {value!r}, expected 0 to 5"
        elif name in NUMBERS and not re.fullmatch(r"-?\d+", value, re.ASCII):
            return f"{name} is no number", f"{name} is {value!r}, expected a whole number"
    return None


def count_youtube(folder: str | Path, rule: str = MEDIAN_GE, *, verify: bool = True) -> CountTable:
    """Count the joint states of `VARIABLES` in a crawl (huang2022, Appendix E.2; ledger L30, L33).

    Each feature is binarised at its own threshold over the videos that have it; a missing value is a state of its
    own, so that the table counts every record.

    Parameters
    ----------
    folder : path
        The crawl's folder.
    rule : str
        A key of `causal_bandits.datasets.RULES`.
    verify : bool
        As `load_youtube`.

    Raises
    ------
    FileNotFoundError, DataError
        As `load_youtube`.
    """
    frame, report = load_youtube(folder, verify=verify)
    return count(
        {name: binarise(frame[name].to_numpy(dtype=float), rule, name) for name in VARIABLES},
        provenance(SOURCE, report, ORIGINALS.values(), rule),
    )
