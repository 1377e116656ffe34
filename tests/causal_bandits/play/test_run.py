"""Policies that end their run themselves, or play in stages, through the same door as all others."""

from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from causal_bandits.compiled import jit
from causal_bandits.models.bandit import SCMBandit, play_round
from causal_bandits.play.run import play, play_sums
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.seeding import Streams, generators
from experiments import settings as policy_settings
from experiments import simulate as simulating
from experiments.aggregate import Tidy
from experiments.experiment import as_table
from experiments.simulate import simulate
from experiments.study import ExperimentJob, PolicyJob


class Counts(NamedTuple):
    ones: np.ndarray
    plays: np.ndarray


@dataclass(frozen=True)
class Eliminating:
    """Plays all arms in turn, until one mean leads another by enough of its Hoeffding widths: compiled, self-ending."""

    plays: ClassVar[type] = SCMBandit
    width: float = 2.0

    def run(self, bandit, rounds, rng):
        n = len(bandit.arms)
        counts = Counts(np.zeros(n), np.zeros(n))
        for world in rounds:
            arms, rewards, done = _until_sure(world, counts, self.width)
            rounds.record(arms, rewards, odd=arms % 2)
            if done:
                answer = int(np.argmax(counts.ones / counts.plays))
                right = bandit.means[answer] >= bandit.means.max() - 1e-12
                return {"answer": answer, "correct": right, "sample_complexity": int(counts.plays.sum())}
        return {}


@jit
def _until_sure(world, counts, width):
    n, n_arms = len(world.uniforms), len(counts.plays)
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        arm = (world.first + i) % n_arms
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        counts.ones[arm] += rewards[i]
        counts.plays[arm] += 1
        if counts.plays.min() > 0:
            mean = counts.ones / counts.plays
            if mean.max() - mean.min() > width / np.sqrt(counts.plays.min()):
                return arms[: i + 1], rewards[: i + 1], True
    return arms, rewards, False


@dataclass(frozen=True)
class Staged:
    """Observes (arm 0) for a while, intervenes in turn, then plays one arm: stages of lengths of their own."""

    plays: ClassVar[type] = SCMBandit
    stages: tuple = (13, 40)

    def run(self, bandit, rounds, rng):
        for stage, length in enumerate((*self.stages, rounds.horizon)):
            end = min(length, rounds.left)
            while end:
                world = rounds.take(end)
                arms = np.full(rounds.size, stage)
                rounds.record(arms, np.array([play_round(world, i, arms[i]) for i in range(rounds.size)], dtype=float))
                end -= rounds.size
        return {}


@dataclass
class Patient(StepwisePolicy):
    """Plain Python: plays until one arm has paid so many times."""

    wanted: int = 5

    def start(self, problem, horizon):
        self.paid, self.t = np.zeros(len(problem.arms)), 0

    def answer(self, rng):
        best = int(self.paid.argmax())
        return {"answer": best, "sample_complexity": self.t} if self.paid[best] >= self.wanted else None

    def select(self, t, context, rng):
        assert t == self.t
        return int(rng.integers(len(self.paid)))

    def update(self, arm, states, reward):
        self.paid[arm] += reward
        self.t += 1


@pytest.mark.parametrize("policy", [Eliminating(), Patient()], ids=["compiled", "plain"])
@pytest.mark.parametrize("block", [1, 7, 1000])
def test_a_run_ends_where_its_policy_says_whatever_the_blocks(policy, block, lee2019_task):
    for seed in range(5):
        run = play(policy, lee2019_task, 5000, generators(1, "stop", seed), block=block)
        whole = play(policy, lee2019_task, 5000, generators(1, "stop", seed))
        assert run.outcome == whole.outcome
        assert run.outcome["sample_complexity"] == len(run.arms) < 5000
        assert len(run.regrets) == len(run.rewards) == len(run.arms)
        np.testing.assert_array_equal(run.arms, whole.arms)
        np.testing.assert_array_equal(run.rewards, whole.rewards)
        short = play(policy, lee2019_task, 4, generators(1, "stop", seed))
        assert (len(short.arms), short.outcome) == (4, {})


def test_stages_have_the_lengths_they_ask_for(lee2019_task):
    for block in (1, 7, 1000):
        run = play(Staged(), lee2019_task, 90, generators(1, "stages", 0), block=block)
        assert run.arms.tolist() == [0] * 13 + [1] * 40 + [2] * 37
        world = lee2019_task.worlds(0, 90, generators(1, "stages", 0).environment)
        rewards = [lee2019_task.play(world, i, int(arm))[1] for i, arm in enumerate(run.arms)]
        assert run.rewards.tolist() == rewards
    assert len(play(Staged(), lee2019_task, 30, generators(1, "stages", 0)).arms) == 30


def test_what_cannot_be_recorded_is_refused(lee2019_task):
    @dataclass
    class Bad:
        plays: ClassVar[type] = SCMBandit
        how: str

        def run(self, bandit, rounds, rng):
            if self.how == "none":
                return {}
            if self.how == "untaken":
                rounds.record(np.zeros(1, dtype=int), np.zeros(1))
            rounds.take(4)
            if self.how == "many":
                rounds.record(np.zeros(5, dtype=int), np.zeros(5))
            if self.how == "infinite":
                rounds.record(np.zeros(4, dtype=int), np.zeros(4))
                rounds.take(2)
                rounds.record(np.zeros(2, dtype=int), np.array([0.0, np.inf]))
            if self.how == "lengths":
                rounds.record(np.zeros(4, dtype=int), np.zeros(4), extra=np.zeros(3))
            rounds.record(np.zeros(3, dtype=int), np.zeros(3))
            rounds.take(1)

    messages = {
        "none": "no round",
        "untaken": "1 rounds recorded, 0 taken",
        "many": "5 rounds recorded, 4 taken",
        "lengths": r"extra: recorded with shape \(3,\); expected \(4,\), one per round",
        "on": "not all rounds taken before were recorded",
        "infinite": "rewards of round 6: inf; expected a finite number",
    }
    for how, message in messages.items():
        with pytest.raises(ValueError, match=message):
            play(Bad(how), lee2019_task, 10, generators(1, "bad", 0))


@dataclass
class Recording:
    """Records three rounds as they should be, and then what it is given."""

    arms: object
    rewards: object
    queried_arms: object = None
    plays: ClassVar[type] = object

    def run(self, bandit, rounds, rng):
        rounds.take(3)
        rounds.record(np.zeros(3, dtype=int), np.zeros(3))
        rounds.take(2)
        queried = None if self.queried_arms is None else np.array(self.queried_arms)
        rounds.record(np.array(self.arms), np.array(self.rewards), queried_arms=queried)
        return {}


@pytest.mark.parametrize(
    ("arms", "rewards", "queried_arms", "message"),
    [
        ([0, -1], [0.0, 0.0], None, r"arms of round 5: -1; {range}$"),
        (
            [10**6, 0],
            [0.0, 0.0],
            None,
            r"arms of round 4: 1000000; {range}$",
        ),
        ([0.0, 1.0], [0.0, 0.0], None, "arms: numbers of type float64; expected integers"),
        ([[0], [0]], [0.0, 0.0], None, r"arms: recorded with shape \(2, 1\); expected \(2,\)"),
        ([0, 0], [0.0], None, r"rewards: recorded with shape \(1,\); expected \(2,\)"),
        ([0, 0], [1.0, 7.5], None, "rewards of round 5: 7.5; expected a finite number, at least 0, at most 1$"),
        ([0, 0], [-1e-9, 0.0], None, "rewards of round 4: -1e-09; expected a finite number, at least 0, at most 1$"),
        (
            [0, 0],
            [0.0, 0.0],
            [[0], [-1]],
            r"queried_arms of round 5: -1; {range}$",
        ),
        (
            [0, 0],
            [0.0, 0.0],
            [[0, 99]] * 2,
            r"queried_arms of round 4: 99; {range}$",
        ),
    ],
)
def test_what_the_bandit_cannot_have_given_is_refused(lee2019_task, arms, rewards, queried_arms, message):
    policy = Recording(arms, rewards, queried_arms)
    expected = f"expected a finite number, at least 0, at most {len(lee2019_task.arms) - 1}"
    with pytest.raises(ValueError, match="(?m)" + message.replace("{range}", expected)):
        play(policy, lee2019_task, 10, generators(1, "bad", 0))


def test_a_negative_regret_is_refused(build_task, monkeypatch):
    """A bandit of somebody's own, whose best mean is not the largest."""
    task = build_task("frontdoor")
    monkeypatch.setattr(type(task), "regrets", lambda self, world, arms: np.where(arms > 0, -0.5, 0.0))
    with pytest.raises(ValueError, match=r"(?m)regrets of round 5: -0.5; expected a finite number, at least 0$"):
        play(Recording([0, 1], [0.0, 0.0]), task, 10, generators(1, "bad", 0))


def test_a_policy_that_plays_other_bandits_is_refused(lee2019_task):
    place = r"causal_bandits\.models\.single_node\.SingleNodeBandit"
    with pytest.raises(TypeError, match=f"CNUCB plays a SingleNodeBandit, not a SCMBandit; expected a {place}"):
        play(CNUCB(), lee2019_task, 10, generators(0, "kinds", 0))


@dataclass
class Broken(StepwisePolicy):
    error: type = KeyError

    def start(self, problem, horizon):
        pass

    def select(self, t, context, rng):
        return 0

    def update(self, arm, states, reward):
        raise self.error("Q")


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, ValueError])
def test_any_error_in_a_run_names_policy_and_seed(error, lee2019_task):
    with pytest.raises(error) as caught:
        play(Broken(error), lee2019_task, 10, generators(0, "errors", 7))
    (note,) = caught.value.__notes__
    assert note == f"in a run of Broken(error={error!r}), seed 7; 10 of 10 rounds taken"
    plain = Streams(*(np.random.default_rng(i) for i in range(3)))
    with pytest.raises(error) as caught:
        play(Broken(error), lee2019_task, 10, plain)
    assert "unknown seed" in caught.value.__notes__[0]


def job(*labels, **changes):
    policies = (PolicyJob(n, n, n, {}, "minimal", {"family": "uniform_cpt", "draw": 3}) for n in labels)
    usual = ExperimentJob(
        name="lee2019/frontdoor",
        problem="lee2019/frontdoor",
        horizon=1000,
        checkpoints=20,
        replicates=12,
        root_seed=7,
        policies=tuple(policies),
    )
    return replace(usual, **changes)


def test_files_of_ended_runs_and_what_is_made_of_them(tmp_path, monkeypatch):
    """The last row is the last round, with the outcome; curves hold the runs that go on; finals every seed's last."""
    kinds = {"stopping": Eliminating, "thompson": Thompson}
    for module in (simulating, policy_settings):
        monkeypatch.setattr(module, "resolve_name", lambda path: kinds.get(path) or resolve_name(path))
    played = job(*kinds)
    tidy, tables = Tidy(played), {}
    for policy in played.policies:
        tables[policy.label] = as_table(simulate(played, policy, {}, range(6)))
        tidy.add(policy.label, tables[policy.label])
    frame = tables["stopping"].to_pandas()
    ends = {}
    for seed, rows in frame.groupby("seed"):
        streams = generators(7, "lee2019/frontdoor", seed)
        run = play(Eliminating(), simulating.build_problem(played, played.policies[0], {}), 1000, streams)
        ends[seed] = end = len(run.arms)
        assert rows["t"].tolist() == [*range(50, end, 50), end]
        assert rows["cumulative_reward"].tolist() == np.cumsum(run.rewards)[rows["t"] - 1].tolist()
        assert rows["odd"].tolist() == np.cumsum(run.arms % 2)[rows["t"] - 1].tolist()
        assert rows["sample_complexity"].iloc[:-1].isna().all()
        assert rows["sample_complexity"].iloc[-1] == end
    assert len(set(ends.values())) > 2
    tidy.write(tmp_path / "curves", tmp_path / "finals")
    finals = pq.read_table(tmp_path / "finals").to_pandas().set_index(["policy", "seed"])
    assert len(finals) == 12
    assert finals.loc["stopping", "t"].to_dict() == finals.loc["stopping", "sample_complexity"].to_dict() == ends
    assert (finals.loc["thompson", "t"] == 1000).all()
    curves = pq.read_table(tmp_path / "curves").to_pandas()
    assert set(curves["metric"]) == {"cumulative_regret", "cumulative_reward", "drawn_regret", "odd"}
    assert set(curves["t"]) == set(range(50, 1001, 50))
    regret = curves[(curves["policy"] == "stopping") & (curves["metric"] == "cumulative_regret")]
    assert dict(zip(regret["t"], regret["n"], strict=True)) == {
        t: n for t in range(50, 1001, 50) if (n := sum(end >= t for end in ends.values()))
    }


def test_a_seed_that_reaches_the_cap_stands_beside_those_that_end(monkeypatch):
    """Its outcome is null: a run that its policy did not end says nothing."""
    monkeypatch.setattr(simulating, "resolve_name", {"patient": Patient}.get)
    ends = []
    for seed in range(12):
        problem = simulating.build_problem(job("patient"), *job("patient").policies, {})
        ends.append(len(play(Patient(), problem, 1000, generators(7, "lee2019/frontdoor", seed)).arms))
    cap = sorted(ends)[6]
    capped = job("patient", horizon=cap, checkpoints=3)
    last = pd.DataFrame(simulate(capped, *capped.policies, {}, range(12))).groupby("seed").tail(1)
    assert last["t"].tolist() == [min(end, cap) for end in ends]
    assert last["answer"].notna().tolist() == [end <= cap for end in ends]
    assert 0 < last["answer"].isna().sum() < 12


@dataclass(frozen=True)
class Extras:
    """Records blocks of odd lengths with rewards of its own and extras of three types, and may end early."""

    plays: ClassVar[type] = SCMBandit
    longest: int = 5000
    end: int = 10**9

    def run(self, bandit, rounds, rng):
        t = 0
        while rounds.left:
            rounds.take(int(rng.integers(1, self.longest)))
            n = min(rounds.size, self.end - t)
            arms = rng.integers(len(bandit.arms), size=n)
            rounds.record(arms, rng.random(n), odd=arms % 2 == 1, arm=arms, share=-rng.random(n) * (rng.random() < 0.7))
            t += n
            if t == self.end:
                return {"answer": 1.5}
        return {}


@pytest.mark.parametrize("longest", [1, 40, 5000])
def test_sums_at_checkpoints_are_those_of_all_rounds_one_after_the_other(longest, lee2019_task):
    rng = np.random.default_rng(longest)
    for seed in range(4 if longest == 5000 else 10):
        horizon = int(rng.integers(1, 25_000 if longest == 5000 else 200))
        end = int(rng.integers(1, 2 * horizon))
        policy = Extras(longest + 1, end)
        asked = np.sort(
            rng.choice(np.arange(1, horizon + 1), size=int(rng.integers(1, min(horizon, 50) + 1)), replace=False)
        )
        block = int(rng.choice([1, 7, 3000, 10_000])) if longest < 5000 else 10_000
        run = play(policy, lee2019_task, horizon, generators(3, "sums", seed), block=block)
        found = play_sums(policy, lee2019_task, horizon, generators(3, "sums", seed), asked, block=block)
        played = len(run.arms)
        assert found.rounds.tolist() == [*asked[asked < played].tolist(), played]
        assert found.outcome == run.outcome
        for name, values in {"rewards": run.rewards, "regrets": run.regrets}.items():
            np.testing.assert_array_equal(getattr(found, name), np.cumsum(values)[found.rounds - 1])
        assert list(found.extras) == list(run.extras)
        for name, sums in run.extras.items():
            assert found.extras[name].tobytes() == sums[found.rounds - 1].tobytes(), name  # the sign of zero, too


@pytest.mark.parametrize("asked", [[0, 3], [2, 2], [5, 4], [-1]])
def test_checkpoints_ascend(asked, lee2019_task):
    with pytest.raises(ValueError, match=r"checkpoints \[.*expected ascending numbers of rounds"):
        play_sums(Patient(), lee2019_task, 9, generators(3, "sums", 0), np.array(asked))
