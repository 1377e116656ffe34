"""What linear policies share: features, indicators of contexts, and prior knowledge that must be there."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.problems.huang2024 import PROBLEMS
from causal_bandits.seeding import generators


def test_prior_knowledge_that_is_missing_is_asked_for(synthetic_task):
    rngs = generators(1, "missing", 0)
    bare = PROBLEMS["synthetic"]()
    with pytest.raises(ValueError, match="no prior 'upper'; the problem has none"):
        play(LinUCBPCB(), bare, 10, rngs)
    with pytest.raises(ValueError, match="no prior 'guess'; the problem has lower, upper"):
        play(LinUCB(warm_start="guess"), synthetic_task, 10, rngs)
    with pytest.raises(ValueError, match="no prior 'count'"):
        play(LinUCB(warm_start="lower"), synthetic_task, 10, rngs)
    with pytest.raises(ValueError, match="prior 'upper': an entry is not a number"):
        play(LinUCBPCB(), bare.with_prior({"upper": np.full((4, 4), np.nan)}), 10, rngs)
