"""Minimum-variance weighted averages of an arm's estimators (lee2019, Algorithm 2, bMVWA), kept up to date.

Three ways to the covariance of the estimators, one interface:

``bootstrap``
    Algorithm 2 as it reads: B resamples of every data set, for each arm, at each call.
``online_bootstrap``
    B replicates that live as long as the run. Each takes every new sample with an independent Poisson(1)
    weight (Oza & Russell 2001), so that at any time they are bootstrap replicates of the data so far; only
    what the new sample touches is computed anew.
``delta``
    No resampling: the delta method on the counts. Estimators are quotients that do not change when all counts
    of an arm are scaled, so their covariance is ``sum over cells c of n_c g_i(c) g_j(c)``, with g the
    gradient in the counts.

In all three the trivial estimator, the share of ones among the arm's own rewards, has mean and variance of
Beta(ones + 1, zeros + 1), and an estimator takes part once its support is covered.
"""

from causal_bandits.estimation.mvwa.averages import DELTA, METHODS, new_averages
from causal_bandits.estimation.mvwa.update import observe

__all__ = ["DELTA", "METHODS", "new_averages", "observe"]
