"""Real data as joint counts of discrete variables.

============  ================================================================
`CountTable`  joint counts with the meaning of every state and their provenance
`from_frame`  the counts of a pandas or polars data frame
============  ================================================================
"""

from causal_bandits.datasets.frames import from_frame
from causal_bandits.datasets.tables import CountTable, DataError

__all__ = ["CountTable", "DataError", "from_frame"]
