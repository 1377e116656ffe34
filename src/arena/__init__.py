"""The arena: algorithms of all papers on random problems, by what they know of the causal graph.

What is knowledge of the graph worth, and when does it cost? Each kind of problem has the players whose assumptions hold
on it, told nothing, the truth, or something wrong; all of them play the same random problems, and are held against the
best arm that there is, not the best of those they play.

It does not show

- which algorithm is best: hyper-parameters are the papers' defaults, and no player was tuned;
- how often what people believe of a graph is wrong, or in which way: errors are made at random;
- large diagrams, many states, or other noise; the random problems are no sample of the world's;
- what knowledge costs to come by: learning a graph, or the experiments that teach it, are not counted;
- that means decide: a wrong diagram often costs much on a few problems and nothing on the others, for which the tables
  have the share of problems with less regret.
"""
