"""The compiled twin of a discrete SCM against its exact queries."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import admgs, random_assignment, random_scm

from causal_bandits.models import FAMILIES, SCMBandit


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
