"""Building blocks of lu2021's bandits."""
