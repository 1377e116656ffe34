"""The list of outputs is what the study makes; the files of a release are checked as they were built."""

import base64
import hashlib
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from experiments.errors import ConfigError
from replication.tools.archive import CONFIG, MANIFEST, check, main, manifest, outputs, read_study

ROOT = Path(__file__).parents[3]


def test_the_committed_manifest_is_what_the_study_makes():
    text = (ROOT / "codecheck.yml").read_text()
    assert text == manifest(ROOT), "run `make reference`"
    files = [entry["file"] for entry in yaml.safe_load(text)["manifest"]]
    assert len(files) == len(set(files)) == len(outputs(read_study(ROOT)))
    for paper in ("lee2019", "lu2021", "huang2022", "xiong2023", "huang2024"):
        assert f"results/{paper}/verdicts.csv" in files


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with all that describes the study, and no results."""
    for name in ("CITATION.cff", "config", "data", "docs", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_manifest_is_written_anew(checkout, capsys):
    (checkout / MANIFEST).write_text("old")
    assert main(["manifest"]) == 0
    assert (checkout / MANIFEST).read_bytes() == (ROOT / MANIFEST).read_bytes()
    assert str(MANIFEST) in capsys.readouterr().out


class Small:
    """Two papers; of the figures of the first one is on request."""

    papers = {  # noqa: RUF012
        "a2000": {"figures": {"fig1": {"caption": "One\n  owl."}, "late": {}}, "tables": {"t1": {}}},
        "b2001": {"figures": {}, "tables": {}},
    }

    def wanted(self, paper, kind):
        return [name for name in self.papers[paper][kind] if name != "late"]


def test_every_file_that_is_wanted_is_listed_once_with_what_it_is():
    found = outputs(Small())
    assert {path: what for path, what in found.items() if path.startswith("figures/")} == {
        "figures/a2000/fig1.png": "a2000: One owl.",
        "figures/a2000/t1.csv": "a2000: t1",
    }
    verdicts = {
        f"results/{of}{name}.csv" for of in ("", "a2000/", "b2001/") for name in ("verdicts", "verdict_readings")
    }
    assert found.keys() - {"figures/a2000/fig1.png", "figures/a2000/t1.csv"} == verdicts | {"results/verdicts.md"}
    for path, what in found.items():
        assert what
        if "b2001" in path:
            assert "b2001" in what


def test_the_study_is_the_one_of_the_configuration(tmp_path):
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (tmp_path / CONFIG).parent.mkdir(parents=True)
    (tmp_path / CONFIG).write_text("modules: replication.papers.{paper}\npapers: [a2000]\nseed: 1\nscale: {}\n")
    with pytest.raises(ConfigError, match="a2000"):
        read_study(tmp_path)


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
