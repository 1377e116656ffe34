"""BLM-LR: its radius by hand, and that it does not watch first."""

import math

import numpy as np
import pytest
from pairs_of_causes import G4

from causal_bandits.play.run import play
from causal_bandits.policies.glm.blm_lr import BLMLR
from causal_bandits.seeding import generators


@pytest.mark.parametrize(("n", "horizon", "t"), [(6, 2000, 7), (2, 50, 1), (11, 10_000, 9_999)])
def test_the_radius_is_that_of_the_formula(n, horizon, t):
    """sqrt(n log(1 + n t) + 2 log(1/delta)) + sqrt n with delta = 1/(n sqrt T), times the scale."""
    radius, delta = BLMLR(scale=0.3)._radius(n, horizon), 1 / (n * math.sqrt(horizon))
    assert (radius.scale, radius.fixed) == (0.3, 0)
    found = math.sqrt(radius.growth * math.log1p(radius.growth * t) + radius.level) + radius.root
    assert found == pytest.approx(math.sqrt(n * math.log(1 + n * t) + 2 * math.log(1 / delta)) + math.sqrt(n))


def test_it_plays_from_the_first_round_and_ends_near_the_authors_regret():
    """Regret at 2,000 rounds, read from the authors' figure: 12."""
    runs = [play(BLMLR(choose_null=False), G4, 2000, generators(1, "lr", s)) for s in range(80)]
    assert runs[0].arms[0] == 1  # every arm looks equally good
    assert 9 < np.mean([run.regrets.sum() for run in runs]) < 16
