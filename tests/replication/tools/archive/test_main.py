"""The command that writes the manifest."""

from pathlib import Path

import pytest

from replication.tools.archive.__main__ import main
from replication.tools.archive.manifest import MANIFEST

ROOT = Path(__file__).parents[4]


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
