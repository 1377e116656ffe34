"""The compiled estimators of a bandit's arms."""

import pytest

from causal_bandits.policies.scm.helpers import z2
from causal_bandits.policies.scm.helpers.z2 import estimators_of
from causal_bandits.problems.lee2019 import build


def test_estimators_are_compiled_once_for_all_problems_of_a_diagram(monkeypatch):
    first, second = (
        build("fourvar", family=f, draw=0).with_arms("possibly_optimal") for f in ("uniform_cpt", "noisy_xor")
    )
    found = estimators_of(first)
    monkeypatch.setattr(z2, "compile_estimators", None)  # nothing is compiled from here on
    assert estimators_of(second) is found
    with pytest.raises(TypeError, match="not callable"):
        estimators_of(first.with_arms("brute_force"))
