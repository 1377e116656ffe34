"""LinSEM-TS against a plain twin with matrices inverted anew, on right and wrong beliefs; what is refused."""

import numpy as np
import pytest
from linear_models import believed_otherwise, layered, random_sem
from twins.linear_sem import PlainLinSEMTS
from twins.same import assert_same_choices

from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.linear_sem.linsem_ts import LinSEMTS
from causal_bandits.policies.linear_sem.linsem_ucb import LinSEMUCB
from causal_bandits.seeding import generators


@pytest.mark.parametrize("number", range(6))
def test_it_plays_as_its_plain_twin(number):
    rng = np.random.default_rng(number)
    sem = random_sem(rng, 3, noise=("normal", "uniform")[number % 2])
    beliefs = believed_otherwise(sem, rng)[1] if number % 3 == 2 else None
    settings = {"prior_precision": 0.5, "posterior_scale": 2.0, "known": number in (3, 5)}
    bandit = LinearSEMBandit(sem, believed=beliefs)
    assert_same_choices(LinSEMTS(**settings), PlainLinSEMTS(**settings), bandit, number, horizon=100)


def test_it_finds_the_best_arm_and_sooner_where_all_rows_but_one_are_known():
    bandit = layered(2, 2, (1.0, 0.5), (0.5, 1.0))
    runs = [[play(LinSEMTS(known=known), bandit, 400, generators(1, "ts", s)) for s in range(5)] for known in (0, 1)]
    best = int(bandit.means.argmax())
    assert all((run.arms[-100:] == best).mean() > 0.9 for both in runs for run in both)
    learnt, known = (np.mean([run.regrets.sum() for run in both]) for both in runs)
    assert known < learnt < 0.3 * 400 * (bandit.optimal_mean - bandit.means).mean()


@pytest.mark.parametrize("policy", [LinSEMTS(), LinSEMUCB()])
def test_a_regression_that_loses_its_digits_ends_the_run(policy):
    """A variable of size 10^8, whose squares are 10^18 times the penalty."""
    large = LinearSEM({"A": {}, "Y": {"A": 1.0}}, {"A": {}, "Y": {"A": 0.5}}, constants=({"A": 1e8}, {"A": 2e8}))
    with pytest.raises(ValueError, match=r"ridge regression \d of 4: the features or rewards are so large"):
        play(policy, LinearSEMBandit(large), 400, generators(1, "lost", 0))
