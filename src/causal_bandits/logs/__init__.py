"""Logged decisions: from a data frame and a graph to effects, bounds and warm starts.

Every result states the assumptions that it rests on.

===============  ====================================================================================
`Logs`           counts of logged records, the causal graph, and which variables play which role
`EffectBounds`   what the logs say about each arm in each context: an interval and its assumptions
`PolicyValue`    what the logs say about a policy that nobody has played yet: also an interval
===============  ====================================================================================

>>> frame = {"drug": [0] * 55 + [1] * 45, "well": [0] * 41 + [1] * 14 + [0] * 15 + [1] * 30}
>>> logs = Logs.from_frame(frame, "dag { drug -> well ; drug <-> well }", treatment="drug", outcome="well")
>>> print(logs.bounds().table())
do         lower  upper
drug = 0   0.140  0.590
drug = 1   0.300  0.850
"""

from causal_bandits.logs.answers import EffectBounds, PolicyValue
from causal_bandits.logs.answers import Method as Method
from causal_bandits.logs.logs import Logs

__all__ = ["EffectBounds", "Logs", "PolicyValue"]
