"""A small study that has run whole, for the tests of this folder."""

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A small study that has run whole, without what stands beside the paper's own; tests restore what they edit."""
    study = Checkout(tmp_path_factory.mktemp("finished") / "study")
    scale = {"horizon": 200, "replicates": 6, "extras": False}
    study.small = study.overlay(papers=["lee2019"], scale=scale)
    study.first_run = study.snakemake(*study.small)
    return study
