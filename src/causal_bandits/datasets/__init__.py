"""Data of the studies: loaders of raw files, binarised features, joint counts, and the draws that a study plays.

===============  ==================================================================================================
`load_counts`    the joint counts of a data set, from the shipped table, a raw file or a download
`CountTable`     joint counts with meanings and provenance, as a file
`split`          huang2022's draw of offline records and online users
`load_adult`     UCI Adult (Becker & Kohavi 1996)
`load_youtube`   YouTube crawls (Cheng, Dale & Liu 2008)
`binarise`       numbers split at the threshold of a named rule of `RULES`
`download`       a file of known hash, resumable
===============  ==================================================================================================
"""

from causal_bandits.datasets.adult import count_adult, load_adult
from causal_bandits.datasets.binarise import MEDIAN_GE, RULES, Feature, binarise, indicator
from causal_bandits.datasets.fetch import DownloadError, download
from causal_bandits.datasets.reading import DataError, LoadReport
from causal_bandits.datasets.sources import DATASETS, load_counts
from causal_bandits.datasets.split import split
from causal_bandits.datasets.tables import CountTable
from causal_bandits.datasets.youtube import count_youtube, load_youtube

__all__ = [
    "DATASETS",
    "MEDIAN_GE",
    "RULES",
    "CountTable",
    "DataError",
    "DownloadError",
    "Feature",
    "LoadReport",
    "binarise",
    "count_adult",
    "count_youtube",
    "download",
    "indicator",
    "load_adult",
    "load_counts",
    "load_youtube",
    "split",
]
