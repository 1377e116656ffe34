"""The arena: algorithms of many papers on common problems, by what they know of the causal diagram.

Five questions, each with experiments (``config/arena.yaml``), a table (`tables`) and a figure (`figures`). Regret is
counted against the best of all interventions, not the best of those that a learner plays. The random problems are no
sample of the world's, and what a diagram costs to come by is not counted.
"""
