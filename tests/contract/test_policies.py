"""What every policy of the registry promises."""

import dataclasses

import numpy as np
import pytest

from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.runs import resolve
from causal_bandits.seeding import generators

HORIZON = 400


@dataclasses.dataclass
class Greedy(StepwisePolicy):
    """What a student may write: plain Python, mutable, not clever."""

    first: float = 1.0

    def start(self, problem, horizon):
        self.mean, self.plays = np.full(len(problem.arms), self.first), np.zeros(len(problem.arms))

    def select(self, t, context, rng):
        return int(np.argmax(self.mean))

    def update(self, arm, outcome):
        self.plays[arm] += 1
        self.mean[arm] += (outcome["Y"] - self.mean[arm]) / self.plays[arm]


@pytest.fixture(params=[*sorted(ALGORITHMS), "a plain-Python policy"])
def policy(request):
    return resolve(ALGORITHMS[request.param])() if request.param in ALGORITHMS else Greedy()


def test_a_run_has_one_entry_per_round(policy, calibrated_task):
    run = policy.run(calibrated_task, HORIZON, *generators(1, "contract", 0))
    assert run.arms.shape == run.rewards.shape == run.regrets.shape == (HORIZON,)
    assert run.arms.min() >= 0
    assert run.arms.max() < len(calibrated_task.arms)
    assert set(np.unique(run.rewards)) <= {0.0, 1.0}
    assert (run.regrets >= 0).all()
    for name, values in run.extras.items():
        assert values.shape == (HORIZON,), name


def test_the_same_seed_gives_the_same_run_and_another_seed_another(policy, calibrated_task):
    first, again, other = (policy.run(calibrated_task, HORIZON, *generators(1, "contract", s)) for s in (5, 5, 6))
    np.testing.assert_array_equal(first.arms, again.arms)
    np.testing.assert_array_equal(first.rewards, again.rewards)
    assert (first.rewards != other.rewards).any()


def test_global_random_state_is_neither_read_nor_moved(policy, calibrated_task):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = policy.run(calibrated_task, HORIZON, *generators(1, "contract", 1))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    np.testing.assert_array_equal(first.arms, policy.run(calibrated_task, HORIZON, *generators(1, "contract", 1)).arms)


def test_every_policy_faces_the_same_worlds(policy, calibrated_task):
    """The environment's generator gives one uniform per variable and round, and nothing to the policy."""
    environment_rng, policy_rng = generators(1, "contract", 2)
    run = policy.run(calibrated_task, HORIZON, environment_rng, policy_rng)
    fresh, _ = generators(1, "contract", 2)
    for t in range(HORIZON):
        outcome = calibrated_task.play(calibrated_task.draw(fresh), int(run.arms[t]))
        assert outcome["Y"] == run.rewards[t]
    assert environment_rng.random() == fresh.random()


def test_a_longer_horizon_begins_with_the_shorter_run(policy, calibrated_task):
    short = policy.run(calibrated_task, HORIZON, *generators(1, "contract", 3))
    long = policy.run(calibrated_task, 2 * HORIZON, *generators(1, "contract", 3))
    np.testing.assert_array_equal(short.arms, long.arms[:HORIZON])


def test_a_run_leaves_the_hyper_parameters_as_they_were(policy, calibrated_task):
    before = dataclasses.asdict(policy)
    policy.run(calibrated_task, 50, *generators(1, "contract", 4))
    assert dataclasses.asdict(policy) == before
