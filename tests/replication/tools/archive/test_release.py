"""The files of a release are checked as they were built."""

import base64
import hashlib
import tarfile
import zipfile

import pytest

from replication.tools.archive.__main__ import main
from replication.tools.archive.release import check

RECORD = "causal_bandits-1.0.dist-info/RECORD"
WHEEL = {
    "causal_bandits/__init__.py": "__all__ = ['answer']\nfrom causal_bandits.deep import answer\n",
    "causal_bandits/deep.py": "answer = 42\n",
    "causal_bandits-1.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: causal-bandits\nVersion: 1.0\n",
}
DOCS = {
    "index.html": '<a class="x" href="guide/a.html#part">A</a> <a href="https://elsewhere">B</a>',
    "guide/a.html": "A",
}
REPORT = (
    "<!doctype html>\n<p>This is the study at published scale.</p>\n"
    '<tbody data-outcome="holds"></tbody>\n<script type="application/json" id="curves-data">{"x": 1}</script></html>\n'
)


def recorded(files):
    """A wheel's list of its files."""
    lines = [f"{RECORD},,"]
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(text)}")
    return "\n".join(lines) + "\n"


def pack(path, files, top):
    """Write files below a top folder into an archive."""
    folder = path.parent / "unpacked" / top
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, top)


def release(folder, wheel=None, record=None, docs=DOCS, report=REPORT):
    """Write a release; returns the folder."""
    dist = folder / "dist"
    dist.mkdir()
    wheel = WHEEL if wheel is None else wheel
    with zipfile.ZipFile(dist / "causal_bandits-1.0-py3-none-any.whl", "w") as archive:
        for name, text in {**wheel, RECORD: record or recorded(wheel)}.items():
            archive.writestr(name, text)
    (folder / "docs").mkdir()
    pack(folder / "docs/docs.tar.gz", docs, "html")
    (folder / "docs/docs.tar.gz").rename(dist / "docs.tar.gz")
    (dist / "report.html").write_text(report)
    return dist


def without(files, name):
    return {known: text for known, text in files.items() if known != name}


def test_a_whole_release_passes(tmp_path, capsys):
    assert check(release(tmp_path)) == []
    assert main(["check", "--release", str(tmp_path / "dist")]) == 0
    assert "are whole" in capsys.readouterr().out


STUDY = {**WHEEL, "replication/__init__.py": ""}
NEEDS_STUDY = {**WHEEL, "causal_bandits/deep.py": "import replication\nanswer = 42\n"}
NAMELESS = {
    **WHEEL,
    "causal_bandits/deep.py": "import sys\nanswer = sys\n",
    "causal_bandits/__init__.py": "__all__ = ['answer']\n",
}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (
            {"wheel": STUDY},
            "1.0-py3-none-any.whl: 1 files that are not of causal_bandits, the first replication/__init",
        ),
        ({"wheel": NEEDS_STUDY}, "cannot be imported: ModuleNotFoundError: import of replication halted"),
        ({"wheel": NAMELESS}, "cannot be imported: AttributeError: module 'causal_bandits' has no attribute 'answer'"),
        ({"record": recorded({**WHEEL, "causal_bandits/deep.py": "answer = 41\n"})}, "deep.py has another digest than"),
        ({"record": recorded({**WHEEL, "causal_bandits/lost.py": ""})}, "causal_bandits/lost.py is listed but missing"),
        ({"record": recorded(without(WHEEL, "causal_bandits/deep.py"))}, "causal_bandits/deep.py is not listed in "),
        ({"docs": {"a.html": "A"}}, "docs.tar.gz: no html/index.html"),
        (
            {"docs": without(DOCS, "guide/a.html")},
            "docs.tar.gz: html/index.html leads to guide/a.html, which is missing",
        ),
        ({"docs": {"index.html": "Nothing."}}, "docs.tar.gz: html/index.html leads nowhere"),
        ({"report": REPORT[:100]}, "report.html: no whole page"),
        ({"report": REPORT.replace("published", "small")}, "report.html: not of the study at published scale"),
        ({"report": REPORT.replace("data-outcome", "data-other")}, "report.html: no verdicts"),
        ({"report": REPORT.replace('{"x": 1}', "{}")}, "report.html: no curves"),
        ({"report": REPORT.replace('{"x": 1}', "{")}, "report.html: cannot be read: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path, changed, problem):
    (found,) = check(release(tmp_path, **changed))
    assert problem in found


def test_every_file_has_to_be_there_once_and_whole(tmp_path, capsys):
    dist = release(tmp_path)
    (dist / "report.html").unlink()
    (dist / "second.whl").touch()
    (dist / "docs.tar.gz").write_bytes((dist / "docs.tar.gz").read_bytes()[:40])
    found = check(dist)
    assert len(found) == 3
    assert found[0].endswith("*.whl: expected one file, found 2")
    assert found[1].startswith("docs.tar.gz: cannot be read: ")
    assert found[2].endswith("report.html: expected one file, found 0")
    assert main(["check", "--release", str(dist)]) == 1
    assert capsys.readouterr().err.count("check: ") == 3
