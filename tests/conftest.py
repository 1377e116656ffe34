"""Settings of the whole suite: property tests are derandomised, so that a failure here is a failure everywhere."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("study", deadline=None, derandomize=True, max_examples=300, print_blob=True)
settings.load_profile("study")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def build_task():
    """Any of lee2019's problems by name, with the committed parameters and the arms of POMIS."""
    from causal_bandits.papers.lee2019.problems import build

    return lambda task: build(task, instance=ROOT / f"data/instances/lee2019/{task}.json").with_arms("possibly_optimal")


@pytest.fixture(scope="session", params=["frontdoor", "fourvar", "sixvar"])
def calibrated_task(request, build_task):
    """Each of lee2019's problems (see `build_task`)."""
    return build_task(request.param)
