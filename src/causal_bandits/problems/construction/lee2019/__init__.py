"""Building blocks of lee2019's bandits."""
