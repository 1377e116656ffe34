"""Real data as joint counts of discrete variables.

=============  ===================================================================
`load_counts`  the counts of a data set that comes with the library (`DATASETS`)
`CountTable`   joint counts with the meaning of every state and their provenance
`from_frame`   the counts of a pandas or polars data frame
=============  ===================================================================
"""

from causal_bandits.datasets.frames import from_frame
from causal_bandits.datasets.shipped import DATASETS, load_counts
from causal_bandits.datasets.tables import CountTable, DataError

__all__ = ["DATASETS", "CountTable", "DataError", "from_frame", "load_counts"]
