"""Compile algorithms ahead of time, so that their first use is not slow.

An algorithm's loops are compiled when it plays for the first time, and kept for later processes (see
`causal_bandits.compiled`). The command plays a short run of each algorithm that it is given, or of all::

    $ python -m causal_bandits.precompile cn_ucb lin_ucb_pcb
    cn_ucb        14.4 s
    lin_ucb_pcb    3.1 s

What is compiled depends on the kind of bandit and not on its size, so later runs can use it on bandits of any size. A
time near zero means that the loops had been compiled before, or that an earlier algorithm uses the same loops.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.families import uniform_cpt
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.models.protocol import Bandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.online import OnlineBandit
from causal_bandits.play.run import play
from causal_bandits.policies.base import IncrementalPolicy
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.registry import ALGORITHMS, import_path, load
from causal_bandits.seeding import generators

#: Rounds of a run: enough for every stage of the algorithms that have stages.
ROUNDS = 2_000

#: Hyper-parameters for algorithms whose defaults need more rounds than that.
SHORTER: dict[str, dict[str, Any]] = {
    "cn_ucb": {"repeats": 2},
    "ga_lcb": {"cycles": 10},
    "raps": {"too_short": "cut off"},
}


@cache
def _problems() -> tuple[Bandit[Any], ...]:
    """Return one small bandit of each kind."""
    rng = np.random.default_rng(0)
    front_door = ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")])
    chain = ADMG([("A", "B"), ("B", "C")])
    root, copied = np.full(2, 0.5), np.array([[0.8, 0.2], [0.2, 0.8]])
    fair = FairBandit(uniform_cpt(ADMG([("S", "Y"), ("A", "Y")]), rng), ("S",), ("A",), {"Y": 1.0}, sensitive="S")
    known = {"lower": fair.means - 0.1, "upper": fair.means + 0.1, "cp": fair.means, "biased": fair.means}
    glm = BinaryGLM({"A": 0.3, "B": 0.2, "Y": 0.3}, {"B": {"A": 0.4}, "Y": {"A": 0.1, "B": 0.2}})
    weights = {"A": {}, "B": {"A": 0.5}, "Y": {"B": 1.0}}
    hidden_cause = uniform_cpt(front_door, rng)
    return (
        SCMBandit(hidden_cause, "Y").with_arms("possibly_optimal"),
        fair.with_prior(known | {"count": np.full_like(fair.means, 50.0)}),
        GLMBandit(glm, [{}, {"A": 0}, {"A": 1}, {"B": 0}, {"B": 1}]),
        SingleNodeBandit(
            DiscreteSCM(chain, {"A": CPT([], root), "B": CPT(["A"], copied), "C": CPT(["B"], copied)}),
            {"B": [0.0, 0.5]},
        ),
        LinearSEMBandit(LinearSEM(weights, {"A": {}, "B": {"A": 1.0}}, noise="uniform")),
    )


def precompile(algorithm: str) -> float:
    """Play a short run of an algorithm, and return the seconds that it took.

    Parameters
    ----------
    algorithm : str
        A name in `causal_bandits.policies.registry.ALGORITHMS`, or an import path ``package.module:Class``.

    Raises
    ------
    KeyError, ImportError, AttributeError
        As for `causal_bandits.policies.registry.load`.
    """
    start = time.perf_counter()
    policy = load(algorithm)(**SHORTER.get(algorithm, {}))
    bandit = next(problem for problem in _problems() if isinstance(problem, policy.plays))
    streams = generators(0, "precompile", 0)
    play(policy, bandit, ROUNDS, streams)
    bandit.play(bandit.worlds(0, 1, streams.environment), 0, 0)  # as algorithms in plain Python play it
    if isinstance(policy, KLUCB | LinUCB | IncrementalPolicy):  # the others that act online have no compiled part
        _act_online(policy, bandit)
    return time.perf_counter() - start


def _act_online(policy: KLUCB | LinUCB | IncrementalPolicy, bandit: Bandit[Any]) -> None:
    """Let an `OnlineBandit` learn from each arm once, and then choose."""
    contexts = getattr(bandit, "contexts", None)
    context = contexts[0] if contexts else None
    arms = list(bandit.arms) if contexts else [0, 1]
    online = OnlineBandit(policy, arms, contexts=contexts, prior=getattr(bandit, "prior", None))
    for arm in range(len(arms)):
        online.update(arm, 1.0, context)
    online.act(context)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile the algorithms that the command line names, or all in the registry."""
    parser = argparse.ArgumentParser(
        prog="python -m causal_bandits.precompile",
        description="Compile algorithms ahead of time, so that their first use is not slow.",
    )
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help=f"default: all of {', '.join(ALGORITHMS)}")
    chosen = parser.parse_args(arguments).algorithms or list(ALGORITHMS)
    for name in chosen:  # before any is compiled
        try:
            import_path(name)
        except KeyError:
            parser.error(f"no algorithm {name!r}; expected any of {', '.join(sorted(ALGORITHMS))}")
    for name in chosen:
        print(f"{name:<{max(map(len, chosen))}} {precompile(name):6.1f} s", flush=True)


if __name__ == "__main__":
    main()
