"""What lu2021's bandits are built from."""
