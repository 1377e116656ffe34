import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.run import play
from causal_bandits.policies.helpers.repeated_play import TooFewRoundsError
from causal_bandits.policies.single_node.cn_ucb import CNUCB, SampledInterventions, effects_first, repetitions
from causal_bandits.problems import lu2021 as problems
from causal_bandits.seeding import generators


def run(policy, bandit, horizon, seed=0):
    return play(policy, bandit, horizon, generators(1, "cn_ucb", seed))


def small(draw=0, **model):
    return problems.tree(8, draw=draw, **{"states": 2, "epsilon": 0.3, "reward_gap": 0.4} | model)


def test_finds_x_r_and_then_plays_it_alone():
    for draw in range(20):
        bandit = small(draw)
        found = run(CNUCB(), bandit, 40_000)
        before = int(found.outcome["sample_complexity"])
        assert found.outcome["correct"]
        assert (found.outcome["found"],) == bandit.rewarding
        assert set(found.arms[before:]) == set(bandit.arms_of(bandit.rewarding[0]))
        stages = ("rounds_observing", "rounds_stage_1", "rounds_stage_2")
        assert sum(found.outcome[stage] for stage in stages) == before <= found.outcome["bound"]
        assert (found.arms[: repetitions(bandit, 0.05)] == bandit.empty).all()


def test_the_number_of_repetitions_is_that_of_theorem_1():
    bandit = small()  # n = 8, K = 2; 32 / 0.4^2 log(8 * 16 / 0.05) exceeds 2 / 0.3^2 log(8 * 16^2 / 0.05)
    assert repetitions(bandit, 0.05) == np.ceil(200 * np.log(2560))
    told = bandit.told._replace(epsilon=0.01)
    weak = SingleNodeBandit(bandit.scm, bandit.rewards, told=told)
    assert repetitions(weak, 0.05) == np.ceil(20_000 * np.log(8 * 256 / 0.05))


def test_general_graphs_give_a_clique_with_x_r():
    for draw in range(5):
        bandit = problems.general(9, clique=3, draw=draw, states=2, epsilon=0.15, reward_gap=0.3)
        found = run(CNUCB(graph="general"), bandit, 150_000).outcome
        assert found["correct"]
        assert found["arms_left"] in (4, 6)  # two or three variables with two states


def test_general_graphs_with_several_components_give_a_clique_with_x_r():
    """Chordal components joined by colliders: ancestors of X_R stand in other components than X_R."""
    homes = set()
    for draw in range(8):
        bandit = problems.general(
            5, clique=3, components=3, colliders=2, draw=draw, states=2, epsilon=0.15, reward_gap=0.3
        )
        components = effects_first(bandit.essential)
        assert len(components) >= 4
        found = run(CNUCB(graph="general", search_only=True), bandit, 400_000).outcome
        assert found["correct"]
        assert found["within_bound"]
        (reward,) = bandit.rewards
        homes.add(next(i for i, component in enumerate(components) if reward in component))
    assert len(homes) > 2


def test_forests_with_colliders():
    for draw in range(5):
        bandit = problems.forest(4, components=3, colliders=2, draw=draw, states=2, epsilon=0.2, reward_gap=0.4)
        assert run(CNUCB(), bandit, 100_000).outcome["correct"]


def test_several_reward_variables_are_found_one_after_the_other():
    """Appendix C; stage 3 plays all joint states of both."""
    for draw in range(3):
        bandit = small(draw, rewards=2, together=3, reward_gap=0.15)
        found = run(CNUCB(several=True), bandit, 400_000)
        assert found.outcome["correct"]
        assert found.outcome["arms_left"] == 4
        last = bandit.arms[int(found.arms[-1])]
        assert set(last) == set(bandit.rewards)


def test_stage_3_plays_the_states_of_what_was_found_and_of_several_variables_their_joint_ones():
    bandit = small(rewards=2, together=3, reward_gap=0.15)
    names = a, b = [bandit.variables[v] for v in bandit.rewarding]

    def played(policy, found):
        return [bandit.arms[int(arm)] for arm in policy._arms_of(bandit, found)]

    assert played(CNUCB(), [a]) == [{a: 0}, {a: 1}]
    assert played(CNUCB(graph="general"), names) == [{a: 0}, {a: 1}, {b: 0}, {b: 1}]
    assert played(CNUCB(several=True), names) == [{a: i, b: j} for i in range(2) for j in range(2)]
    assert len(played(CNUCB(several=True), [])) == bandit.empty


class Holding:
    """Holds the second variable, and then intervenes on the third."""

    def run(self, bandit, rounds, rng):
        do = SampledInterventions(bandit, rounds, 5, 100.0)
        do.hold(bandit.variables[1])
        do.on(1, bandit.variables[2])
        return {}


def test_what_was_found_is_held_at_the_first_state_that_arms_can_set():
    bandit = replace(small(states=3, rewards=2, together=3, reward_gap=0.15), settable=(1, 2))
    arms = [bandit.empty, *(bandit.arm({1: 1} | more) for more in ({}, {2: 1}, {2: 2}))]
    assert run(Holding(), bandit, 20).arms.tolist() == np.repeat(arms, 5).tolist()


def test_without_an_ancestor_ucb_plays_all_arms():
    bandit = small()
    faint = {v: [0.1 * x for x in values] for v, values in bandit.rewards.items()}
    deaf = SingleNodeBandit(bandit.scm, faint, told=bandit.told._replace(reward_gap=1.0))
    found = run(CNUCB(repeats=200), deaf, 20_000).outcome
    assert (found["found"], found["correct"], found["sound"]) == (-1, False, True)
    assert found["arms_left"] == bandit.empty


def test_a_learned_graph_need_not_be_chordal():
    bandit = small()
    a, b, c, d, *_ = bandit.variables
    square = PartiallyDirectedGraph(bandit.variables, undirected=[(a, b), (b, c), (c, d), (d, a)])
    wrong = SingleNodeBandit(bandit.scm, bandit.rewards, told=bandit.told._replace(essential=square))
    assert run(CNUCB(graph="general"), wrong, 60_000).outcome["sound"] in (True, False)
    with pytest.raises(ValueError, match="is not a tree: 4 nodes, 4 edges; such graphs need graph='general'"):
        run(CNUCB(), wrong, 60_000)


def test_too_few_rounds_are_an_error_that_says_what_would_do():
    with pytest.raises(TooFewRoundsError, match=r"horizon=3000 is too short for stages 1 and 2: .* B=1570 .* T_1=\d+"):
        run(CNUCB(), small(), 3000)


def test_a_run_that_may_be_cut_off_has_no_outcome():
    cut_off = run(CNUCB(too_short="cut off"), small(), 3000)
    assert cut_off.outcome == {}
    assert len(cut_off.arms) == 3000


def test_a_search_alone_ends_where_stage_3_would_begin():
    bandit = small()
    searched, played = (run(CNUCB(search_only=only), bandit, 40_000) for only in (True, False))
    assert searched.outcome == played.outcome
    assert len(searched.arms) == searched.outcome["sample_complexity"] < len(played.arms) == 40_000
    np.testing.assert_array_equal(searched.arms, played.arms[: len(searched.arms)])


def test_stage_3_has_the_confidence_level_asked_for():
    """A smaller exponent explores less, from the same search on."""
    bandit, regret = small(), {}
    for exponent in (0.1, 8.0):
        found = run(CNUCB(exponent=exponent), bandit, 100_000)
        regret[exponent] = found.regrets[int(found.outcome["sample_complexity"]) :].sum()
    assert regret[0.1] < regret[8.0]


def test_several_reward_variables_are_for_trees():
    with pytest.raises(ValueError, match="Appendix C is for trees"):
        CNUCB(graph="general", several=True)


def test_gaps_of_zero_are_refused():
    """An instance of Theorem 4 told the truth: no epsilon above 0."""
    bandit = problems.theorem4(nodes=4, states=2, horizon=1000)
    silent = SingleNodeBandit(bandit.scm, bandit.rewards, settable=bandit.settable)
    with pytest.raises(ValueError, match="epsilon=0: Assumption 2 needs a number above 0"):
        run(CNUCB(), silent, 1000)
    told = bandit.told._replace(epsilon=0.5, reward_gap=None)
    bandit = problems.theorem5(nodes=4, states=2, horizon=1000)
    with pytest.raises(ValueError, match="Delta=0: Assumption 3 needs a number above 0"):
        run(CNUCB(), SingleNodeBandit(bandit.scm, bandit.rewards, told=told, settable=bandit.settable), 1000)


def test_the_rounds_that_the_theorems_allow():
    """By hand, with K = 3 and B = 10. On paths d is 2, for the junction tree too, and every clique number is 2.

    For a forest Theorem 3 allows more than Theorem 2 (E47).
    """

    def bound(components, graph):
        options = {"shape": "path", "epsilon": 0.25, "reward_gap": 0.4, "states": 3}
        bandit = problems.forest(size=8, components=components, **options)
        return run(CNUCB(graph=graph, repeats=10, search_only=True), bandit, 5_000).outcome["bound"]

    assert bound(1, "forest") == 3 * 10 * 3 * (2 + 2) + 10  # Theorem 1: K B log2(8) (2 + d) + B
    assert bound(4, "forest") == 2 * 3 * 10 * 5 * (2 + 4)  # Theorem 2: 2 K B log2(32) (d + components)
    assert bound(4, "general") == 10 + 3 * 10 * 5 * (2 * (1 + 2) + 4 * 2)


#: Stages 1 and 2 on a tree of 10,000 nodes, in a process of its own; writes CPU seconds, and MiB at its highest.
PROGRAM = """
import time
from pathlib import Path

from causal_bandits.play.run import play
from causal_bandits.problems import lu2021 as problems
from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.seeding import generators

def search(nodes, horizon, **parameters):
    bandit = problems.tree(nodes, shape="regular", degree=3, epsilon=0.25, reward_gap=0.4, states=3)
    return play(CNUCB(search_only=True, **parameters), bandit, horizon, generators(1, "cn_ucb", 0))

search(10, 5_000, repeats=10)  # compiles
start = time.process_time()
assert search(10_000, 600_000).outcome["correct"]
seconds = time.process_time() - start
status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
print(seconds, int(status["VmHWM"].split()[0]) / 1024)
"""


# The kernel's own figure of a process: what `getrusage` tells of a child counts its parent's memory before exec.
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of a process's memory")
def test_stages_1_and_2_on_ten_thousand_nodes_take_seconds_and_little_memory():
    """A minute and a GiB are what they may take."""
    environment = {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seconds, most = map(float, done.stdout.split())
    assert seconds < 5
    assert most < 1024
