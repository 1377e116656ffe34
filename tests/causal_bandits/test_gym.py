"""The Gymnasium adapter: environments pass Gymnasium's own checks, and a run is the same run, seed for seed."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from single_node import small_tree
from twins.contextual import PlainFUCB
from twins.linear import PlainLinUCB
from twins.scm import PlainThompson
from twins.single_node import PlainRAPS

from causal_bandits import gym
from causal_bandits.play import run
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.seeding import generators

SCM = ("frontdoor", "fourvar", "sixvar")
CONTEXTS = ("contextual", "fair")
TASKS = (*SCM, *CONTEXTS, "exploration", "single_node")


@dataclass
class Patient(StepwisePolicy):
    """Plays at random until one arm has paid so often, and answers with it."""

    often: float = 6

    def start(self, problem, horizon):
        self.paid = np.zeros(len(problem.arms))

    def select(self, t, context, rng):
        return int(rng.integers(len(self.paid)))

    def update(self, arm, states, reward):
        self.paid[arm] += reward

    def answer(self):
        return {"answer": float(np.argmax(self.paid))} if self.paid.max() >= self.often else None


#: On every kind of bandit one that ends its run and one that learns: from contexts, states, groups of users, all nodes.
POLICIES = {
    **{("patient", task): Patient() for task in TASKS},
    **{("ts", task): PlainThompson() for task in SCM},
    **{("lin_ucb", task): PlainLinUCB() for task in CONTEXTS},
    ("f_ucb", "fair"): PlainFUCB(("C1", "C2", "X1", "X2")),
    ("raps", "single_node"): PlainRAPS(),
}


@pytest.fixture
def bandit(build_task, contextual_task, fair_task, exploration_task):
    """Any of the problems by name."""
    others = {"contextual": contextual_task, "fair": fair_task, "exploration": exploration_task}
    return lambda task: small_tree(0) if task == "single_node" else others.get(task) or build_task(task)


@pytest.mark.parametrize("task", TASKS)
def test_gymnasium_finds_nothing_wrong_with_an_environment(bandit, task):
    check_env(gym.BanditEnv(bandit(task), horizon=50), skip_render_check=True)


@pytest.mark.parametrize(("name", "task"), POLICIES, ids="-".join)
def test_a_policy_plays_the_run_that_the_study_plays(bandit, name, task):
    problem, policy, horizon = bandit(task), POLICIES[name, task], 120
    env = gym.BanditEnv(problem, horizon, "contract", 7)
    for seed in (0, 3):
        expected = run.play(policy, problem, horizon, generators(7, "contract", seed))
        found = gym.play(gym.StepwiseAgent(policy, env, seed), env, seed)
        assert found.arms.tolist() == expected.arms.tolist()
        assert found.rewards.tolist() == expected.rewards.tolist()
        assert found.regrets.tolist() == expected.regrets.tolist()
        assert found.outcome == expected.outcome


class Last:
    """An agent that was never heard of here: it plays what it is told, and remembers."""

    def __init__(self, arms):
        self.arms, self.seen = list(arms), []

    def act(self, context):
        self.seen.append(context)
        return self.arms.pop(0)

    def observe(self, arm, states, reward):
        self.seen.append((arm, states, reward))


def test_any_agent_plays_and_sees_what_the_bandit_shows(contextual_task):
    env = gym.BanditEnv(contextual_task, 30, "any", 1)
    arms = np.random.default_rng(2).integers(len(contextual_task.arms), size=30)
    agent = Last(arms)
    run = gym.play(agent, env, 5)
    world = contextual_task.worlds(0, 30, generators(1, "any", 5).environment)
    shown = []
    for t, arm in enumerate(arms):
        shown += [contextual_task.seen(world, t), (arm, *contextual_task.play(world, t, int(arm)))]
    assert agent.seen == shown
    assert run.regrets.tolist() == contextual_task.regrets(world, arms).tolist()


def test_observations_are_the_named_states_in_order(contextual_task):
    env = gym.BanditEnv(contextual_task, 3)
    first, information = env.reset(seed=1)
    assert first["states"].tolist() == [-1] * len(env.variables)
    assert first["context"].tolist() == [information["context"][v] for v in env.context]
    for t in range(3):
        seen, _, terminated, truncated, information = env.step(t)
        assert seen["states"].tolist() == [information["states"][v] for v in env.variables]
        assert (terminated, truncated) == (False, t == 2)
    assert information["context"] is None
    with pytest.raises(ValueError, match="the episode is over"):
        env.step(0)


def test_without_a_seed_episodes_differ_and_follow_the_one_given_before(contextual_task):
    env = gym.BanditEnv(contextual_task, 40)

    def rewards():
        return [env.step(0)[1] for _ in range(40)]

    env.reset(seed=3)
    first = rewards()
    env.reset()
    second = rewards()
    env.reset(seed=3)
    assert rewards() == first != second
    env.reset()
    assert rewards() == second


@pytest.mark.parametrize("arm", [-1, 99, 1.0, True, None])
def test_an_arm_that_is_none_is_refused(build_task, arm):
    env = gym.BanditEnv(build_task("frontdoor"), 5)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"arms are the integers 0\.\."):
        env.step(arm)


def test_what_cannot_be_played_is_refused(build_task):
    frontdoor = build_task("frontdoor")
    for horizon in (0, -1, 1.5, 5.0, True, float("nan")):
        with pytest.raises(ValueError, match=f"horizon={horizon}: expected a whole number"):
            gym.BanditEnv(frontdoor, horizon)
    assert gym.BanditEnv(frontdoor, np.int64(2)).horizon == 2
    env = gym.BanditEnv(frontdoor, 5)
    with pytest.raises(ValueError, match="no round"):
        gym.play(gym.StepwiseAgent(Patient(often=0), env, 0), env, 0)


def test_without_gymnasium_the_message_names_the_extra():
    code = "import sys; sys.modules['gymnasium'] = None; import causal_bandits.gym"
    environment = os.environ | {"PYTHONPATH": str(Path(gym.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ModuleNotFoundError: causal_bandits.gym needs gymnasium" in done.stderr
    assert "pip install 'gymnasium>=" in done.stderr


def test_a_step_before_a_reset_is_refused():
    env = gym.BanditEnv(small_tree(0), 5)
    with pytest.raises(ValueError, match="no episode has begun: call reset first"):
        env.step(0)
