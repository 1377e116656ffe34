"""Networks that people know as bandits."""

import gzip
from hashlib import sha256

import numpy as np
import pytest
from whole_arena import ROOT

from causal_bandits.graphs.intervention_sets import brute_force, possibly_optimal_intervention_sets
from causal_bandits.models import SCMBandit
from causal_bandits.models.bif import read_bif
from causal_bandits.problems.construction.arena import networks
from causal_bandits.problems.construction.arena.networks import TASKS, network

#: What the digests of the files begin with: they are the ones that pgmpy 1.1.2 ships.
DIGESTS = {
    "asia": "7d5e7b8549834824",
    "sachs": "ed1830fbde101ed5",
    "child": "2bc3236dcbdbf9c9",
    "insurance": "92bcecd1b8538772",
    "alarm": "f5860caa7137b581",
}
#: Ancestors of the reward; arms that set one variable at most, and those on possibly optimal sets; the means of
#: watching, of the best arm of the first kind, and of the two best and the worst of the second.
KNOWN = {
    "asia": (6, 11, 8, 0.5640294, 0.8611032, 0.9, 0.3, 0.1),
    "sachs": (5, 10, 9, 0.0802321, 0.2310615, 0.7082884, 0.1140986, 0.0001864),
    "child": (7, 11, 36, 0.1398751, 0.4505850, 0.5415750, 0.5415750, 0.0633750),
    "insurance_accident": (10, 16, 120, 0.7158958, 0.8500528, 0.8911091, 0.8839467, 0.6048959),
    "insurance_medical": (14, 21, 2448, 0.9280801, 0.9862175, 0.9989647, 0.9989647, 0.7986754),
    "alarm_catecholamine": (17, 22, 576, 0.1001343, 0.2947829, 0.8786248, 0.8745964, 0.0100000),
    "alarm_pressure": (23, 24, 1152, 0.2047078, 0.2760958, 0.4784192, 0.4778731, 0.0417962),
}


def path(name):
    return ROOT / f"data/networks/{TASKS[name].file}.bif.gz"


def bandit(name, told="diagram", **options):
    return network(name, told, **{TASKS[name].file: path(name)}, **options)


def test_files_are_those_that_were_looked_at():
    for name, digest in DIGESTS.items():
        assert sha256((ROOT / f"data/networks/{name}.bif.gz").read_bytes()).hexdigest().startswith(digest)
    assert {task.file for task in TASKS.values()} == set(DIGESTS)


@pytest.mark.parametrize("name", KNOWN)
def test_known_sizes_and_means(name):
    ancestors, single, possibly_optimal, watching, best_single, best, second, worst = KNOWN[name]
    few, many = bandit(name, "single"), bandit(name)
    assert len(many.scm.graph) == ancestors + 1
    assert (len(few.arms), len(many.arms)) == (single, possibly_optimal)
    means = np.sort(many.means)
    found = [few.means[0], few.means.max(), means[-1], means[-2], means[0], few.optimal_mean, many.optimal_mean]
    assert found == pytest.approx([watching, best_single, best, second, worst, best, best], abs=6e-8)


def test_means_are_those_of_the_whole_network():
    """The reward's states are merged and what does not cause it is left out: no mean changes."""
    for name in ("asia", "child", "insurance_accident"):
        task, few = TASKS[name], bandit(name, "single")
        whole = read_bif(gzip.decompress(path(name).read_bytes()).decode(), keep_order=True)
        good = [state in task.good for state in whole.states[task.reward]]
        for arm, mean in zip(few.arms, few.means, strict=True):
            assert whole.distribution([task.reward], do=arm) @ good == pytest.approx(mean, abs=1e-12)
        assert SCMBandit(few.scm, task.reward, few.non_manipulable, few.arms).means == pytest.approx(
            few.means, abs=1e-12
        )


def test_single_interventions_of_the_design():
    """Computed once with pgmpy's variable elimination."""
    known = [
        ("asia", {"asia": "yes"}, 0.5498625),
        ("asia", {"bronc": "yes"}, 0.1935172),
        ("child", {"DuctFlow": "Lt_to_Rt"}, 0.1500072042),
        ("insurance_accident", {"MakeModel": "Luxury"}, 0.7316615404),
        ("insurance_medical", {"SeniorTrain": "True"}, 0.9343441955),
        ("alarm_catecholamine", {"KINKEDTUBE": "FALSE"}, 0.1018814769),
        ("alarm_pressure", {"DISCONNECT": "TRUE"}, 0.2256531859),
        ("sachs", {"PKA": "AVG"}, 0.0021516178),
    ]
    for name, arm, mean in known:
        few = bandit(name, "single")
        number = [{v: few.scm.states[v][s] for v, s in each.items()} for each in few.arms].index(arm)
        assert few.means[number] == pytest.approx(mean, abs=1e-7)


def test_possibly_optimal_sets_by_their_definition():
    """A set is one if no other set of the settable variables is at least as good on all of many random models."""
    for name in ("asia", "asia_smoke", "sachs"):
        problem = bandit(name)
        graph, task = problem.scm.graph, TASKS[name]
        fixed = task.fixed & set(graph.nodes)
        sets = sorted(brute_force(graph, outcome=task.reward, non_manipulable=fixed), key=lambda s: (len(s), sorted(s)))
        found = set()
        for draw in range(5):
            scm = networks.with_random_tables(problem.scm, np.random.default_rng([8, draw]))
            best = [
                networks.WideSCMBandit(scm, task.reward, fixed, networks.arms_on(scm, [s])).means.max() for s in sets
            ]
            found.add(sets[int(np.argmax(np.array(best) > max(best) - 1e-12))])  # the smallest of equally good ones
        assert found <= possibly_optimal_intervention_sets(graph, outcome=task.reward, non_manipulable=fixed)


def test_a_hidden_cause_confounds_its_effects():
    problem = bandit("asia_smoke")
    assert problem.scm.hidden == ("smoke",)
    assert problem.scm.graph.bidirected == frozenset({("bronc", "lung")})
    assert {frozenset(arm) for arm in problem.arms} == {frozenset({"bronc", "lung", "tub"})}
    assert bandit("asia_smoke", "single").means[0] == pytest.approx(KNOWN["asia"][3], abs=6e-8)


def test_redrawn_tables_keep_the_diagram():
    published, first, again, other = (
        bandit("child"),
        *(bandit("child", redrawn=True, draw=draw) for draw in (1, 1, 2)),
    )
    assert published.scm.graph == first.scm.graph == other.scm.graph
    assert published.scm.states == first.scm.states
    assert first.means.tolist() == again.means.tolist() != other.means.tolist()
    assert np.abs(first.means - published.means).max() > 0.05


def test_unknown_tasks_and_states_are_refused():
    with pytest.raises(ValueError, match="task 'win95': expected one of asia, asia_smoke"):
        network("win95")
    with pytest.raises(ValueError, match="task 'asia': no file for the network asia; expected the argument asia"):
        network("asia", child=path("child"))
    with pytest.raises(ValueError, match="told 'all': expected one of nothing, single, all_set, few_or_all, diagram"):
        bandit("asia", "all")
    scm = read_bif(gzip.decompress(path("asia").read_bytes()).decode(), keep_order=True)
    for task, message in (
        (networks.Task("asia", "dysp", frozenset({"good"}), frozenset()), "states of dysp are yes, no"),
        (networks.Task("asia", "dyspnoea", frozenset({"no"}), frozenset()), "no variable dyspnoea"),
        (
            networks.Task("asia", "dysp", frozenset({"no"}), frozenset(), frozenset({"xray"})),
            "xray does not cause dysp",
        ),
        (
            networks.Task("asia", "dysp", frozenset({"no"}), frozenset(), frozenset({"bronc"})),
            "bronc has parents, smoke; expected none",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            networks.prepared(scm, task)
