"""Linear models on which Yan & Tajer 2024 and Feng & Chen 2023 publish the regret of their algorithms."""

from functools import cached_property
from itertools import combinations

from linear_models import layered

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.models.protocol import pseudo_regrets


class PrintedGaps(LinearSEMBandit):
    """Regret as GA-LCB's authors count it with two layers.

    The noise of variables without parents counts as if its mean were 1, not 1/2. With ``told`` the learner is told that
    these means are 1, as their LinSEM-UCB is.
    """

    def __init__(self, sem, told=False):
        self._roots = {v: 1.0 for v in sem.variables if not sem.graph.parents(v)}
        super().__init__(sem, "Y", told_noise=self._roots if told else None)

    @cached_property
    def _losses(self):
        true = dict(zip(self.sem.variables, self.sem.compiled.noise.tolist(), strict=True))
        printed = LinearSEM(
            {v: dict(self.sem.row(v, 0)) for v in self.sem.variables},
            {v: dict(self.sem.row(v, 1)) for v in self.sem.intervenable},
            ({v: mean - true[v] for v, mean in self._roots.items()}, {}),
            self.sem.noise,
            self.sem.scale,
        )
        means = LinearSEMBandit(printed, "Y").means
        return pseudo_regrets(float(means.max()), means)


#: Their layered model: an intervention halves weights; with two layers it doubles the reward's, from 0.5 to 1.
TWO_LAYERS = layered(3, 2, (1.0, 0.5), (0.5, 1.0))
FOUR_LAYERS = layered(2, 4, (1.0, 0.5), (1.0, 0.5))

#: Parallel graphs of Feng & Chen: the chance of every variable, its weight for the reward, and how many an arm sets.
PARALLEL = {
    "G1": ((0.3, 0.4, 0.2, 0.1, 0.6, 0.5), (0.1, 0.3, 0.2, 0.2, 0.1, 0.1), 3),
    "G2": ((0.2, 0.2, *[0.6] * 6), (0.2, 0.2, *[0.1] * 6), 2),
    "G3": ((0.2, 0.2, *[0.6] * 4), (0.2, 0.2, *[0.1] * 4), 2),
    "G4": ((0.2, 0.2, 0.6, 0.6), (0.2, 0.2, 0.1, 0.1), 2),
}


def combinatorial(graph):
    """Feng & Chen's G1 to G5; arms set two or three variables to 1, or none.

    Arms stand in the authors' order, by their last variable, then the one before; do() stands first.
    """
    if graph == "G5":  # two layers
        base, both, size = {f"X{i}": 0.1 for i in range(1, 6)}, {"X1": 0.7, "X2": 0.1}, 2
        weights = {"X3": {"X1": 0.1, "X2": 0.2}, "X4": both, "X5": both, "Y": {"X3": 0.6, "X4": 0.1, "X5": 0.1}}
    else:
        chances, effects, size = PARALLEL[graph]
        base = {f"X{i}": chance for i, chance in enumerate(chances, start=1)}
        weights = {"Y": dict(zip(base, effects, strict=True))}
    sets = sorted(combinations(base, size), key=lambda chosen: chosen[::-1])
    return GLMBandit(BinaryGLM({**base, "Y": 0.0}, weights), [{}, *(dict.fromkeys(s, 1) for s in sets)])
