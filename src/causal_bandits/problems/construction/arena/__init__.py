"""Building blocks of the arena's random problems."""
