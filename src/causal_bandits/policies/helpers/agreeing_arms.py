"""Which arms agree with a round.

A round that shows an arm's values tells of that arm, whichever arm was played.
"""

from __future__ import annotations

from typing import TypeVar

from causal_bandits.compiled import inlined
from causal_bandits.models.structural_bandit import World

_Model = TypeVar("_Model")


@inlined
def shows(world: World[_Model], arm: int) -> bool:
    """Say whether each variable that ``arm`` sets has the state that it sets, in the round played last.

    Parameters
    ----------
    world : World
        After ``play_round``, which leaves the states of the round in ``world.values``.
    arm : int
        Not necessarily the arm that was played. do() sets nothing, so that every round shows it.
    """
    same = True
    for entry in range(world.arms.start[arm], world.arms.start[arm + 1]):
        same = same and world.values[world.arms.variable[entry]] == world.arms.state[entry]
    return same
