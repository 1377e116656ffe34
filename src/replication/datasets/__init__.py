"""Raw data sets of the study: readers, binarisation, and the making of the shipped counts.

===============  ============================================================================
`read_counts`    the joint counts of a data set, from a table or a raw file
`load_adult`     UCI Adult (Becker & Kohavi 1996)
`load_youtube`   YouTube crawls (Cheng, Dale & Liu 2008)
`binarise`       numbers split at the threshold of a named rule of `RULES`
===============  ============================================================================
"""

from replication.datasets.adult import count_adult, load_adult
from replication.datasets.binarise import MEDIAN_GE, RULES, Feature, binarise, indicator
from replication.datasets.reading import LoadReport
from replication.datasets.sources import DATASETS, read_counts
from replication.datasets.youtube import count_youtube, load_youtube

__all__ = [
    "DATASETS",
    "MEDIAN_GE",
    "RULES",
    "Feature",
    "LoadReport",
    "binarise",
    "count_adult",
    "count_youtube",
    "indicator",
    "load_adult",
    "load_youtube",
    "read_counts",
]
