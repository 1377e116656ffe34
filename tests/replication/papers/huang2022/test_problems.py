"""The bandits of huang2022: exact quantities against pgmpy, and what the paper says of them."""

import numpy as np
import pandas as pd
import pytest
from pgmpy.inference import VariableElimination

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.problems import huang2022 as problems
from causal_bandits.problems.construction.huang2022 import constants
from causal_bandits.problems.huang2022 import adult_video_bandit, email

COUNTS = np.arange(1, 17).reshape(2, 2, 2, 2) ** 2


@pytest.fixture(scope="module")
def campaign():
    return email()


def test_exact_expectations_of_the_email_campaign_agree_with_pgmpy(campaign):
    """All 288 pairs of user and email, the user as is and with the other gender: in pgmpy's network arms are roots."""
    inference = VariableElimination(campaign.scm.to_pgmpy())
    means = np.empty_like(campaign.means)
    for x, context in enumerate(campaign.contexts):
        for a, arm in enumerate(campaign.arms):
            query = inference.query(["I1", "I2", "I3"], evidence={**context, **arm}, show_progress=False)
            states = np.indices(query.values.shape) + 1  # the paper's values count from 1
            reward = (states.sum(axis=0) + arm["A3"] + 1) / 12
            means[x, a] = (query.values * reward).sum()
    np.testing.assert_allclose(campaign.means, means, atol=1e-12)
    other = [campaign.contexts.index({**c, "X1": 1 - c["X1"]}) for c in campaign.contexts]
    sign = np.array([1 if c["X1"] else -1 for c in campaign.contexts])[:, None]
    np.testing.assert_allclose(campaign.discrepancies, sign * (means - means[other]), atol=1e-12)


def test_tables_4_and_5(campaign):
    scm, values = campaign.scm, {"A1": 1, "A2": 2, "I4": 3}
    states = {v: value - 1 for v, value in values.items()}
    assert scm.distribution(["I2"], given=states)[0] == pytest.approx(6 / 12)
    assert scm.distribution(["I1"], given={"A1": 2, "A2": 3, "I2": 1})[0] == pytest.approx(9 / 10)
    assert scm.distribution(["I4"], given={"X1": 1, "X2": 0, "X3": 1}).tolist() == pytest.approx([0.1, 0.4, 0.2, 0.3])
    assert scm.distribution(["I3"], given={"I2": 1})[0] == pytest.approx(0.6)
    assert len(campaign.arms) == 36
    assert len(campaign.contexts) == 8


def test_the_separator_is_send_time_fitness_and_template(campaign):
    """Section 4.1."""
    assert set(minimal_separator(campaign)) == {"A3", "I1", "I2"}


def test_rewards_have_the_noise_of_the_paper(campaign):
    """A normal one of standard deviation 0.1; and by default Adult-Video is what Theorem 2 leaves identifiable."""
    assert campaign.sd == adult_video_bandit(COUNTS).sd == 0.1
    assert adult_video_bandit(COUNTS).descendants == ()


def test_no_decision_of_the_email_campaign_is_unfair(campaign):
    """The largest exact discrepancy is 0.0073, far below every threshold of Table 1."""
    assert np.abs(campaign.discrepancies).max() == pytest.approx(0.0072917, abs=1e-7)


def test_who_is_treated_unfairly_does_not_rest_on_what_is_played(campaign):
    for problem in (campaign, adult_video_bandit(COUNTS), adult_video_bandit(COUNTS, None, True)):
        assert np.ptp(problem.discrepancies, axis=1).max() < 1e-12


@pytest.mark.parametrize("descends", [False, True])
def test_adult_video_has_the_users_and_the_reward_of_the_paper(descends):
    users = np.array([0, 5, 15, 15])
    problem = adult_video_bandit(COUNTS, users, descends)
    assert [list(problem.contexts[u].values()) for u in users[:3]] == [[0, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1]]
    assert len(problem.arms) == 16
    assert problem.descendants == (("income",) if descends else ())
    assert set(minimal_separator(problem)) == {"age", "income", "ratings", "views"}  # Section 4.2
    for c, context in enumerate(problem.contexts):
        for a, arm in enumerate(problem.arms):
            expected = (context["age"] + context["income"] + arm["ratings"] + arm["views"]) / 5
            assert problem.means[c, a] == pytest.approx(expected)
    assert problem.discrepancies.any() == descends


def test_the_users_model_has_the_shares_of_the_counts():
    share = COUNTS / COUNTS.sum()
    context = ["age", "sex", "race", "income"]
    np.testing.assert_allclose(adult_video_bandit(COUNTS, None, True).scm.distribution(context), share, atol=1e-12)
    without = adult_video_bandit(COUNTS).scm
    np.testing.assert_allclose(without.distribution(context[:3]), share.sum(axis=3), atol=1e-12)
    np.testing.assert_allclose(without.distribution(["age", "race", "income"]), share.sum(axis=1), atol=1e-12)


def test_counts_that_make_no_model_are_refused():
    with pytest.raises(ValueError, match="expected counts of shape"):
        adult_video_bandit(COUNTS[0])
    with pytest.raises(ValueError, match="expected counts of shape"):
        adult_video_bandit(-COUNTS)
    empty = COUNTS.copy()
    empty[0, :, 1] = 0
    with pytest.raises(ValueError, match="no users in one of the groups by race, age"):
        adult_video_bandit(empty)


def test_the_users_of_a_seed_play_in_their_order(records_of_two_seeds):
    frame = pd.read_parquet(records_of_two_seeds["records"])
    for seed in (0, 1):
        problem = problems.adult_video(records_of_two_seeds["adult"], records_of_two_seeds["records"], seed)
        mine = frame[(frame["seed"] == seed) & frame["online"]].sort_values("t")
        worlds = problem.worlds(0, 50, np.random.default_rng(0))
        for t in range(50):
            assert problem.seen(worlds, t) == {v: mine[v].iloc[t] for v in constants.USER}
    with pytest.raises(ValueError, match="no records of seed 9"):
        problems.adult_video(records_of_two_seeds["adult"], records_of_two_seeds["records"], 9)


def test_users_of_a_draw_are_of_one_distribution_and_others_of_another():
    first, again, second = (problems.email_users(draw, 4000) for draw in (3, 3, 4))
    np.testing.assert_array_equal(first.users, again.users)
    assert len(first.users) == 4000
    assert np.abs(first.context_probabilities - second.context_probabilities).max() > 0.05
    np.testing.assert_array_equal(first.means, email().means)
