"""lee2019's problems: the paper's, with other noise, and of random families."""

import numpy as np
import pytest

from causal_bandits.models import FAMILIES
from causal_bandits.problems import lee2019 as problems
from causal_bandits.problems import make
from replication.papers.lee2019 import policies


def test_every_family_and_draw_is_reproducible_and_different():
    for family in FAMILIES:
        means = [problems.build("fourvar", family=family, draw=draw).means for draw in (0, 0, 1)]
        np.testing.assert_array_equal(means[0], means[1])
        assert not np.allclose(means[0], means[2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "noisy_xor"}, "give a family and a draw together"),
        ({"draw": 3}, "give a family and a draw together"),
        ({"family": "noisy_xor", "draw": 0, "noise": {"Y": 0.1}}, "noise only without them"),
        (
            {"family": "noisy_or", "draw": 0},
            "'noisy_or' is not one of hundredths_xor, negated_xor, noisy_gates, noisy_xor, skewed_cpt, uniform_cpt",
        ),
    ],
)
def test_a_problem_of_two_minds_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        problems.build("frontdoor", **arguments)


@pytest.mark.parametrize("task", policies.TASKS)
def test_without_a_family_a_problem_is_the_papers(task):
    np.testing.assert_array_equal(problems.build(task).means, make(f"lee2019/{task}").means)
    moved = problems.build(task, noise={"Y": 0.3})
    np.testing.assert_array_equal(moved.means, make(f"lee2019/{task}", noise={"Y": 0.3}).means)
