"""Building blocks of huang2022's bandits."""
