"""The arena: algorithms from many papers on common problems, by what they know about the causal diagram.

Five questions, each with experiments (``config/arena.yaml``), a table (`tables`) and a figure (`figures`). Regret is
measured against the best of all interventions, not the best of those that a learner plays. The random problems are not
a sample of real ones, and the cost of obtaining a diagram is not counted.
"""
