"""Runs against runs that are played one by one: every column of every row; draws, outcomes, and runs that fail."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits import problems
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.registry import ALGORITHMS, load
from causal_bandits.seeding import generators
from experiments import simulate
from experiments.study import ExperimentJob, PolicyJob


def policy(algorithm="thompson", arms="minimal", options=None, **parameters):
    path = ALGORITHMS.get(algorithm, algorithm)
    options = {"family": "uniform_cpt", "draw": 3} if options is None else options
    return PolicyJob("p", algorithm, path, parameters, arms, options)


def job(**changes):
    made = ExperimentJob("paper/x", "lee2019/frontdoor", 95, 7, 1, 11, ())
    return replace(made, **changes)


@given(st.integers(1, 20_000), st.integers(1, 300))
def test_checkpoints_are_increasing_rounds_and_end_at_the_horizon(horizon, count):
    kept = simulate.checkpoints(horizon, count)
    assert kept[-1] == horizon
    assert kept[0] >= 1
    assert (np.diff(kept) > 0).all()
    assert len(kept) == min(count, horizon)


CASES = {
    "extras of a policy": (
        job(problem="lee2019/fourvar"),
        policy("z2_kl_ucb", "possibly_optimal", replicates=20, c=1.0),
    ),
    "measures of a contextual bandit": (
        job(problem="huang2022/email"),
        policy("f_ucb", None, {}, tau=0.15, fallback="best"),
    ),
    "another problem for every few seeds": (
        job(seeds_per_draw=3),
        policy(options={"family": "noisy_xor"}, prior_ones=2.0),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_row_is_the_state_of_its_run_after_round_t(case):
    """Seeds 2 to 6: a range that begins within a group of seeds, and holds the whole of the next."""
    made, player = CASES[case]
    frame = pd.DataFrame(simulate.simulate(made, player, {}, range(2, 7)))
    rounds = simulate.checkpoints(95, 7)
    assert frame["seed"].tolist() == np.repeat(range(2, 7), 7).tolist()
    assert frame["t"].tolist() == rounds.tolist() * 5
    for seed, rows in frame.groupby("seed"):
        draw = {} if made.seeds_per_draw is None else {"draw": seed // 3}
        problem = problems.make(made.problem, **player.options, **draw)
        problem = problem if player.arms is None else problem.with_arms(player.arms)
        measures = [measure for measure in measures_of(problems.module_of(made.problem)) if measure.applies_to(problem)]
        run = play(load(player.algorithm)(**player.parameters), problem, 95, generators(11, "paper/x", seed), measures)
        found = {"cumulative_regret": np.cumsum(run.regrets), "cumulative_reward": np.cumsum(run.rewards), **run.extras}
        for name, values in found.items():
            np.testing.assert_array_equal(rows[name], values[rounds - 1], err_msg=name)
        assert set(frame.columns) == {"seed", "t", *draw, *found}
        if draw:
            assert set(rows["draw"]) == {seed // 3}
    assert frame.groupby("t")["cumulative_reward"].nunique().max() > 1  # seeds differ


@pytest.mark.parametrize("seeds_per_draw", [None, 3])
def test_seeds_may_be_played_in_parts(seeds_per_draw):
    made = job(seeds_per_draw=seeds_per_draw)
    player = policy(options={"family": "uniform_cpt"} | ({} if seeds_per_draw else {"draw": 3}))
    whole = simulate.simulate(made, player, {}, range(6))
    parts = [simulate.simulate(made, player, {}, seeds) for seeds in (range(2), range(2, 6))]
    assert list(whole) == [
        "seed",
        "t",
        "cumulative_regret",
        "cumulative_reward",
        "drawn_regret",
        *("draw",) * bool(seeds_per_draw),
    ]
    for name, values in whole.items():
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), values)


@dataclass(frozen=True)
class StopsSometimes(StepwisePolicy):
    """Ends itself after ten rounds on the front door's seeds that it likes."""

    outcomes: ClassVar[tuple[str, ...]] = ("sample_complexity",)
    most: int = 10

    def start(self, problem, horizon):
        object.__setattr__(self, "played", [])

    def select(self, t, context, rng):
        return int(rng.integers(2))

    def update(self, arm, states, reward):
        self.played.append(arm)

    def answer(self, rng):
        return {"sample_complexity": len(self.played)} if sum(self.played) >= self.most else None


def test_a_run_without_outcome_has_nan_for_it():
    """The column is there even where no run ended."""
    path, made = f"{__name__}:StopsSometimes", job(horizon=20, checkpoints=4)
    frame = pd.DataFrame(simulate.simulate(made, policy(path), {}, range(20)))
    last = frame.groupby("seed").last()
    ended = last["sample_complexity"].notna()
    assert 0 < ended.sum() < 20
    assert (last["sample_complexity"] == last["t"])[ended].all()
    assert (last["t"] == 20)[~ended].all()
    assert frame.groupby("seed")["sample_complexity"].count().max() == 1
    column = simulate.simulate(made, policy(path, most=99), {}, range(2))["sample_complexity"]
    assert np.isnan(column).tolist() == [True] * 8


@dataclass(frozen=True)
class StopsSilently(StopsSometimes):
    """Ends itself, and says with nothing, or with no number."""

    number: float = 0.0

    def answer(self, rng):
        return ({"answer": self.number} if self.number else {}) if len(self.played) == 7 else None


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0.0, "ended at round 7 of 20 without an outcome"),
        (float("nan"), "outcome answer: nan at round 7"),
    ],
)
def test_a_run_that_ends_early_says_with_what(number, message):
    with pytest.raises(ValueError, match=f"paper/x: policy p, seed 3: {message}"):
        simulate.simulate(job(horizon=20), policy(f"{__name__}:StopsSilently", number=number), {}, range(3, 5))
