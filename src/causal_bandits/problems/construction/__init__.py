"""What the problems are built from: constants, diagrams, random graphs and models, by paper."""
