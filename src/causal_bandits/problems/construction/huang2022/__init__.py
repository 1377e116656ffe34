"""What huang2022's bandits are built from."""
