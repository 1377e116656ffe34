"""The environment of the guide: Gymnasium finds nothing wrong with it, and its runs are those of the library."""

import re
from pathlib import Path

import pytest
from gymnasium.utils.env_checker import check_env
from single_node import small_tree

from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.seeding import generators

GUIDE = Path(__file__).parents[1] / "docs/guide/which_tool.md"
(CODE,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
HORIZON = 60


@pytest.fixture(params=["frontdoor", "contextual", "fair", "exploration", "single_node"])
def bandit(request, build_task, contextual_task, fair_task, exploration_task):
    others = {"contextual": contextual_task, "fair": fair_task, "exploration": exploration_task}
    name = request.param
    return small_tree(0) if name == "single_node" else others.get(name) or build_task(name)


@pytest.fixture
def env(bandit):
    guide = {}
    exec(CODE, guide)
    model = getattr(bandit, "scm", None)
    world = bandit.worlds(0, 1, generators(0, "gym", 0).environment)
    shown = (*bandit.play(world, 0, 0)[0], *(bandit.seen(world, 0) or ()))
    return guide["BanditEnv"](bandit, HORIZON, {v: model.cardinality(v) if model else 2 for v in shown})


class Recording(StepwisePolicy):
    """Plays at random and keeps what it is shown."""

    def start(self, problem, horizon):
        self.arms, self.shown = len(problem.arms), RECORDED
        self.shown.clear()

    def select(self, t, context, rng):
        self.context = dict(context or {})
        return int(rng.integers(self.arms))

    def update(self, arm, states, reward):
        self.shown.append((self.context, dict(states)))


RECORDED = []


def test_the_code_is_short():
    assert len(CODE.splitlines()) <= 40


def test_gymnasium_finds_nothing_wrong_with_it(env):
    check_env(env, skip_render_check=True)


def test_a_run_is_the_one_that_the_library_plays(env, bandit):
    expected = play(Recording(), bandit, HORIZON, generators(0, "gym", 3))
    seen, _ = env.reset(seed=3)
    for t, arm in enumerate(expected.arms):
        context, states = RECORDED[t]
        assert {v: seen[v] for v in context} == context
        seen, reward, terminated, truncated, info = env.step(arm)
        assert (reward, info["regret"]) == (expected.rewards[t], expected.regrets[t])
        unset = {v: state for v, state in states.items() if v not in context}  # the next context is shown by now
        assert {v: seen[v] for v in unset} == unset
        assert (terminated, truncated) == (False, t + 1 == HORIZON)
