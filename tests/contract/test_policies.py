"""What every policy of the registry promises."""

import dataclasses

import numpy as np
import pytest

from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.runs import resolve
from causal_bandits.seeding import generators

HORIZON = 400


@pytest.fixture(params=sorted(ALGORITHMS))
def policy(request):
    return resolve(ALGORITHMS[request.param])()


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


def test_hyper_parameters_are_frozen(policy):
    assert dataclasses.is_dataclass(policy)
    for field in dataclasses.fields(policy):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(policy, field.name, None)


def test_regret_falls_below_that_of_playing_at_random(policy, calibrated_task):
    runs = [policy.run(calibrated_task, 3000, *generators(1, "contract", s)) for s in range(20)]
    at_random = 3000 * calibrated_task.regrets(np.arange(len(calibrated_task.arms))).mean()
    assert np.mean([run.regrets.sum() for run in runs]) < 0.7 * at_random
