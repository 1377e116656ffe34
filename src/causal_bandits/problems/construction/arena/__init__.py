"""What the arena's random problems are built from."""
