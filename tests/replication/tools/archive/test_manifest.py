"""The committed manifest is what the study makes."""

from pathlib import Path

import yaml

from replication.tools.archive.manifest import manifest
from replication.tools.archive.outputs import outputs, read_study

ROOT = Path(__file__).parents[4]


def test_the_committed_manifest_is_what_the_study_makes():
    text = (ROOT / "codecheck.yml").read_text()
    assert text == manifest(ROOT), "run `make reference`"
    files = [entry["file"] for entry in yaml.safe_load(text)["manifest"]]
    assert len(files) == len(set(files)) == len(outputs(read_study(ROOT)))
    for paper in ("lee2019", "lu2021", "huang2022", "xiong2023", "huang2024"):
        assert f"results/{paper}/verdicts.csv" in files
