"""What lee2019's bandits are built from."""
