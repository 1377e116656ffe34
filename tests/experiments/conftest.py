"""A copy of the configuration that a test may change, and the study that is built of it."""

import shutil

import pytest
from checkout import change_yaml
from email_campaign import ROOT, SCALE

from experiments.study import Study


@pytest.fixture
def root(tmp_path):
    """A top folder whose papers' files a test may change."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for part in ("data", "docs", "src", "workflow"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


@pytest.fixture
def study(root):
    """Builds the study of some papers after ``change`` of a paper's settings."""

    def build(change=None, paper="huang2022", **scale):
        if change is not None:
            change_yaml(root / f"config/papers/{paper}.yaml", change)
        modules = "replication.papers.{paper}"
        return Study({"modules": modules, "papers": [paper], "seed": 1, "scale": SCALE | scale}, root)

    return build
