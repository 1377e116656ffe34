"""The synthetic bandit of huang2024 with the causal bounds that an infinite offline sample would give."""

import numpy as np
import pytest

from causal_bandits.problems.huang2024 import PROBLEMS, scm


@pytest.fixture(scope="session")
def synthetic_task():
    """Bounds min and max over i of P(y | x, u, I1 = i, S = 1), from the exact distribution."""
    model, problem = scm(), PROBLEMS["synthetic"]()
    conditional = np.array(
        [
            [[model.expectation("Y", given={**c, **a, "I1": i, "S": 1}) for i in (0, 1)] for a in problem.arms]
            for c in problem.contexts
        ]
    )
    return problem.with_prior({"lower": conditional.min(axis=-1), "upper": conditional.max(axis=-1)})
