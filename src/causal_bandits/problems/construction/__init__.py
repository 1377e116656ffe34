"""Building blocks of the problems: constants, diagrams, random graphs and models, by paper."""
