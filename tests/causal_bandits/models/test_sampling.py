"""The compiled twin of a discrete SCM against its exact queries."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import admgs, random_assignment, random_scm

from causal_bandits.models import FAMILIES, SCMBandit
from causal_bandits.models.sampling import CompiledSCM


@given(admgs(max_nodes=6), st.integers(0, 2**32 - 1))
def test_compiled_means_agree_with_exact_expectations(graph, seed):
    rng = np.random.default_rng(seed)
    family = FAMILIES[("uniform_cpt", "noisy_xor")[seed % 2]]
    bandit = SCMBandit(family(graph, rng), "Y")
    expected = [bandit.scm.expectation("Y", do=arm) for arm in bandit.arms]
    np.testing.assert_allclose(bandit.means, expected, atol=1e-12)


@settings(max_examples=60)
@given(admgs(max_nodes=5), st.integers(0, 2**32 - 1))
def test_sampled_frequencies_fit_the_exact_joint(graph, seed):
    """Chi-square of 20,000 draws against the exact joint; one in 10^6 may fail by chance, none of these does."""
    rng = np.random.default_rng(seed)
    scm = random_scm(graph, rng)
    do = random_assignment(scm, [v for v in graph if v != "Y" and rng.random() < 0.4], rng)
    free = [v for v in graph if v not in do]
    samples = scm.sample(20_000, rng, do=do)
    for v, state in do.items():
        assert (samples[v] == state).all()
    joint = scm.distribution(free, do)
    observed = np.zeros(joint.shape)
    np.add.at(observed, tuple(samples[v] for v in free), 1)
    assert observed[joint <= 1e-15].sum() == 0
    large = joint * 20_000 >= 5
    pooled_joint = np.append(joint[large], joint[~large].sum())
    pooled_seen = np.append(observed[large], observed[~large].sum())
    keep = pooled_joint > 1e-12
    if keep.sum() > 1:
        assert stats.chisquare(pooled_seen[keep], 20_000 * pooled_joint[keep] / pooled_joint[keep].sum()).pvalue > 1e-6


@settings(max_examples=40)
@given(st.lists(st.integers(2, 4), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_rows_are_cumulated_as_one_by_one(cards, seed):
    """Bit by bit, whatever the variables' numbers of states, and with the strides of each table."""
    rng, names = np.random.default_rng(seed), [f"V{i}" for i in range(len(cards))]
    parents = {v: tuple(names[max(0, i - 2) : i]) for i, v in enumerate(names)}
    states = dict(zip(names, cards, strict=True))
    tables = {v: rng.dirichlet(np.ones(states[v]), size=tuple(states[p] for p in parents[v])) for v in names}
    found = CompiledSCM.from_tables(names, parents, tables)
    strides = iter(found.stride.tolist())
    for i, v in enumerate(names):
        expected = np.cumsum(tables[v], axis=-1)
        expected[..., -1] = 1.0
        begin = found.table_start[i]
        assert found.cumulative[begin : begin + expected.size].tobytes() == expected.tobytes()
        for axis in range(len(parents[v])):
            assert next(strides) == tables[v].strides[axis] // tables[v].itemsize
    assert len(found.cumulative) == sum(table.size for table in tables.values())
