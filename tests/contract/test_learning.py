"""The shipped algorithms of structural causal bandits learn; contextual ones are tested in their own files."""

import numpy as np
import pytest

from causal_bandits.models import SCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.registry import ALGORITHMS, load
from causal_bandits.seeding import generators

#: Published widths that tell these arms apart too late, or from too few rounds that count; a share of forced rounds for
#: each arm, of which there are many; and a trust in the reward's parents that the front door breaks.
PARAMETERS = {
    "c_ucb_arms": {"width": "bounded"},
    "hac_ucb": {"pool": "checked"},
}
#: They play the largest interventions alone: right where no cause is hidden, as some are in these tasks (L215).
UNCONFOUNDED = {"ucb_plus", "ucb_plus_unknown"}
LEARNERS = [name for name in sorted(ALGORITHMS) if issubclass(SCMBandit, load(name).plays) and name not in UNCONFOUNDED]


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_regret_falls_below_that_of_playing_at_random(algorithm, lee2019_task):
    policy = load(algorithm)(**PARAMETERS.get(algorithm, {}))
    runs = [play(policy, lee2019_task, 3000, generators(1, "learning", s)) for s in range(4)]
    at_random = 3000 * (lee2019_task.optimal_mean - lee2019_task.means).mean()
    assert np.mean([run.regrets.sum() for run in runs]) < 0.7 * at_random
