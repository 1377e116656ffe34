"""Make the shipped tables from the raw files: ``python -m replication.datasets make --raw DIR``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from causal_bandits.datasets import DataError
from causal_bandits.datasets.tables import CountTable
from experiments.atomic import whole
from replication.datasets.binarise import MEDIAN_GE, RULES
from replication.datasets.sources import DATASETS

PROVENANCE = "PROVENANCE.md"
COMMAND = "python -m replication.datasets make --raw DIR --output src/causal_bandits/datasets/counts"


def make(raw: str | Path, output: str | Path, rule: str = MEDIAN_GE, *, verify: bool = True) -> dict[str, CountTable]:
    """Count every data set and write ``<name>.csv`` and ``PROVENANCE.md``, all of them or none.

    Parameters
    ----------
    raw : path
        The folder with ``adult/adult.data`` and ``youtube/0303/{0,1}.txt``.
    output : path
    rule : str
        A key of `replication.datasets.RULES`.
    verify : bool
        Compare the raw files' hashes.

    Returns
    -------
    dict
        Name to table.

    Raises
    ------
    FileNotFoundError, DataError
        If a raw file is not there or not what it should be.
    """
    tables = {name: dataset.count(Path(raw) / dataset.raw, rule, verify=verify) for name, dataset in DATASETS.items()}
    for name, table in tables.items():
        _write(table.text(), Path(output) / f"{name}.csv")
    _write(describe(tables), Path(output) / PROVENANCE)
    return tables


def _write(text: str, path: Path) -> None:
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def describe(tables: dict[str, CountTable]) -> str:
    """Describe sources, licences and what was done, as Markdown; all numbers are those of the tables."""
    parts = [
        "# The tables of counts: where they come from\n\n"
        "Joint counts of binarised features, made from the raw files by\n\n"
        f"    {COMMAND}\n\n"
        "where DIR holds " + " and ".join(f"`{dataset.raw}`" for dataset in DATASETS.values()) + ". Each file begins "
        "with the same facts as `# key: JSON`; its columns hold the number of a state, whose meaning the line `states` "
        "gives. Ledger: L30 to L36."
    ]
    for name, table in tables.items():
        facts = table.provenance
        report = facts["report"]
        lines = [
            f"## {name}.csv\n",
            f"- source: {facts['data']}",
            f"- address: <{facts['url']}>",
            f"- licence: {facts['licence']}",
            *(f"- SHA-256 of `{file}`: `{digest}`" for file, digest in facts["sha256"].items()),
            f"- read: {report['lines']:,} lines, of which {report['rows']:,} records, {report['blank']} blank",
        ]
        for title, key in (("left out", "left_out"), ("missing in the file", "missing")):
            for reason, tally in report[key].items():
                places = ", ".join(tally["first"]) + (", ..." if tally["count"] > len(tally["first"]) else "")
                lines.append(f"- {title}: {reason}, {tally['count']:,} lines ({places})")
        lines += [
            f"- counted: {table.total:,} records in {table.counts.size} cells, {int((table.counts > 0).sum())} of them "
            "not empty",
            f"- rule for numbers: `{facts['rule']}`; thresholds over the known values: "
            + ", ".join(f"{variable} {value:g}" for variable, value in facts["thresholds"].items())
            + "\n",
            "| variable | state | meaning | records |",
            "| --- | ---: | --- | ---: |",
        ]
        for variable, labels in table.states.items():
            counts = table.marginal([variable]).counts
            lines += [f"| {variable} | {state} | {label} | {counts[state]:,} |" for state, label in enumerate(labels)]
        parts.append("\n".join(lines))
    parts.append(
        "## Notes\n\n"
        "- Adult: the table counts `adult.data` alone; its numbers of men and women are the paper's (ledger L35, E06). "
        "`adult.test` "
        "(16,281 rows) can be read with `load_adult(path, 'test')` and is in no table.\n"
        "- Adult: changed from the original: four of its fifteen columns, binarised and counted.\n"
        "- YouTube: a video of category UNA has no known age and a negative count is none; both are the state "
        "`missing`, and the record is counted (ledger L34).\n"
        "- YouTube: the crawl's `age` is the number of days from the site's foundation to the upload, so a larger "
        "value is a newer video (ledger L36)."
    )
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.datasets", description=__doc__)
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "make", help="make the tables of counts from the raw files"
    )
    command.add_argument(
        "--raw", type=Path, required=True, metavar="DIR", help="folder with adult/adult.data and youtube/0303/{0,1}.txt"
    )
    command.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for the tables")
    command.add_argument("--rule", choices=list(RULES), default=MEDIAN_GE, help=f"default {MEDIAN_GE}")
    command.add_argument("--no-verify", dest="verify", action="store_false", help="accept files of another content")
    options = parser.parse_args(arguments)
    try:
        tables = make(options.raw, options.output, options.rule, verify=options.verify)
    except (OSError, DataError) as error:
        parser.exit(1, f"{parser.prog} make: {error}\n")
    for name, table in tables.items():
        print(f"{options.output / name}.csv: {table.total} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
