"""Write ``codecheck.yml``, the list of outputs to check, or check the files of a release as they were built.

Call: ``python -m replication.tools.archive manifest|check``. The checks take what a user would take: they unpack the
files, and look at nothing of the checkout.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import yaml

from experiments.atomic import whole
from experiments.loading import read_yaml
from experiments.study import Study

CONFIG = Path("config/config.yaml")
#: What a figure and a table are kept as: see .gitignore.
KEPT = {"figures": "png", "tables": "csv"}


def read_study(root: Path) -> Study:
    """Return the study as it runs by default.

    Raises
    ------
    ConfigError
        If its configuration is wrong.
    """
    return Study(read_yaml(root / CONFIG, str(CONFIG)), root)


def outputs(study: Study) -> dict[str, str]:
    """List every figure, table and table of verdicts of a run at published scale: what it is, by path.

    Tidy tables and runs are left out: figures, tables and verdicts follow from them.
    """
    found = {}
    for paper, settings in study.papers.items():
        for kind, suffix in KEPT.items():
            for name in study.wanted(paper, kind):
                caption = " ".join(str(settings[kind][name].get("caption", name)).split())
                found[f"figures/{paper}/{name}.{suffix}"] = f"{paper}: {caption}"
        found[f"results/{paper}/verdicts.csv"] = f"{paper}: one verdict per published number"
        found[f"results/{paper}/verdict_readings.csv"] = f"{paper}: the verdicts under each reading of the paper"
    found["results/verdicts.csv"] = "one verdict per published number, all papers"
    found["results/verdict_readings.csv"] = "the verdicts under each reading of the papers, all papers"
    found["results/verdicts.md"] = "verdicts counted by paper and basis"
    return found


MANIFEST = Path("codecheck.yml")
HEADER = """\
---
# Made by `make reference` from the configuration: all that `make reproduce` makes for a reader. Nobody has checked
# the study yet: whoever does adds codechecker, certificate, report, summary and check_time.
"""


def manifest(root: Path) -> str:
    """Return the text of the file.

    Parameters
    ----------
    root : Path
        The top folder, with ``CITATION.cff`` and ``config/``.
    """
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    content: dict[str, Any] = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {
            "title": citation["title"],
            "authors": [{"name": author["name"]} for author in citation["authors"]],
        },
        "manifest": [{"file": file, "comment": what} for file, what in outputs(read_study(root)).items()],
    }
    return HEADER + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def write_manifest(root: Path) -> None:
    """Write the file."""
    with whole(root / MANIFEST) as temporary:
        temporary.write_text(manifest(root), encoding="utf-8")


#: The package in the wheel, and what imports it: nothing of the study may be needed.
LIBRARY = "causal_bandits"
USE = """
import importlib.metadata, sys
sys.path.insert(0, {folder!r})
sys.modules["replication"] = None
import {library}
assert {library}.__file__.startswith({folder!r}), {library}.__file__
for name in {library}.__all__:
    getattr({library}, name)
"""
_LINK = re.compile(r'<a\b[^>]*\bhref="([^"#?:]+)["#?]')
_DATA = re.compile(r'<script type="application/json" id="curves-data">(.*?)</script>', re.DOTALL)


def check(folder: Path) -> list[str]:
    """Check the files of a release.

    Parameters
    ----------
    folder : Path
        Where they are: one wheel, ``docs.tar.gz``, ``report.html``.

    Returns
    -------
    list of str
        What is wrong, a line each; nothing if all is well.
    """
    found = []
    for pattern, look in CHECKS.items():
        paths = sorted(folder.glob(pattern))
        if len(paths) != 1:
            found.append(f"{folder / pattern}: expected one file, found {len(paths)}")
            continue
        try:
            found += [f"{paths[0].name}: {problem}" for problem in look(paths[0])]
        except (OSError, ValueError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            found.append(f"{paths[0].name}: cannot be read: {error}")
    return found


def wheel(path: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel: files of the study, other digests, names that fail to import."""
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as clean:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        described = {name.partition("/")[0] for name in files if name.partition("/")[0].endswith(".dist-info")}
        strangers = [name for name in files if name.partition("/")[0] not in {LIBRARY, *described}]
        if strangers:
            yield f"{len(strangers)} files that are not of {LIBRARY}, the first {strangers[0]}"
        if len(described) != 1:
            yield f"{len(described)} folders .dist-info, expected one"
            return
        yield from _recorded(files, f"{described.pop()}/RECORD")
        archive.extractall(clean)
        program = USE.format(folder=os.path.realpath(clean), library=LIBRARY)
        done = subprocess.run([sys.executable, "-I", "-c", program], cwd=clean, capture_output=True, text=True)
        if done.returncode:
            yield f"cannot be imported: {done.stderr.strip().splitlines()[-1]}"


def _recorded(files: Mapping[str, bytes], record: str) -> Iterator[str]:
    """Yield where the files of a wheel and its list of them, with digests, differ."""
    lines = {line[0]: line[1] for line in csv.reader(files.get(record, b"").decode().splitlines())}
    for name in sorted(lines.keys() | files.keys()):
        if name not in files:
            yield f"{name} is listed but missing"
        elif name not in lines:
            yield f"{name} is not listed in {record}"
        elif name != record:
            digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            if lines[name] != f"sha256={digest}":
                yield f"{name} has another digest than {record} says"


def docs(path: Path) -> Iterator[str]:
    """Yield what is wrong with packed documentation: no first page, or broken links on it."""
    with tempfile.TemporaryDirectory() as clean:
        top = _unpacked(path, Path(clean)) / "html"
        if not (top / "index.html").is_file():
            yield "no html/index.html"
            return
        links = set(_LINK.findall((top / "index.html").read_text(encoding="utf-8")))
        if not links:
            yield "html/index.html leads nowhere"
        for link in sorted(links):
            if not (top / PurePosixPath(unquote(link))).exists():
                yield f"html/index.html leads to {link}, which is missing"


def report(path: Path) -> Iterator[str]:
    """Yield what is wrong with a report: cut off, without verdicts, or of the small study."""
    text = path.read_text(encoding="utf-8")
    if not (text.startswith("<!doctype html>") and text.rstrip().endswith("</html>")):
        yield "no whole page: expected <!doctype html> at the beginning and </html> at the end"
        return
    if "This is the study at published scale." not in text:
        yield "not of the study at published scale"
    if 'data-outcome="' not in text:
        yield "no verdicts"
    data = _DATA.search(text)
    if data is None or not json.loads(data[1]):
        yield "no curves"


def _unpacked(path: Path, folder: Path) -> Path:
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return folder


#: What a release consists of, and what looks at it.
CHECKS: dict[str, Callable[[Path], Iterator[str]]] = {
    "*.whl": wheel,
    "docs.tar.gz": docs,
    "report.html": report,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; returns 0, or 1 if a file is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.archive", description=__doc__)
    parser.add_argument("what", choices=("manifest", "check"))
    parser.add_argument("--release", type=Path, default=Path("dist"), help="folder of the release (dist)")
    known = parser.parse_args(arguments)
    if known.what == "manifest":
        write_manifest(Path.cwd())
        print(f"manifest: {MANIFEST}")
        return 0
    problems = check(known.release)
    for problem in problems:
        print(f"check: {problem}", file=sys.stderr)
    if not problems:
        print(f"check: wheel, documentation and report in {known.release} are whole")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
