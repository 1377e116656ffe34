"""Time per round of the algorithms that only the arena plays beside their plain twins, in turn in one process.

    PYTHONPATH=tests:tests/support:src .venv/bin/python benchmarks/arena_policies.py

Prints a Markdown table: processor time per round in microseconds, of whole runs with what is made for them (median over
repetitions, compilation not counted), and the ratio of the two medians of the short runs. Both forms play the same
rounds of the same problem with the same seeds; the script ends with an error if they do not play the same arms.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jamshidi import budgeted_general, budgeted_parallel
from lattimore import parallel
from published_models import TWO_LAYERS, combinatorial
from twins.budgeted import naming, spending
from twins.canonical import PlainSCMAAM
from twins.cells import PlainCTS, PlainCUCB, PlainHACUCB
from twins.discovery import PlainPartialDiscovery
from twins.exploration import run as run_player
from twins.fixed_budget import general_bandit, parallel_bandit
from twins.linear_sem import PlainBGLMOFU, PlainGALCB, PlainLinSEMTS, PlainLinSEMUCB
from twins.subsets import ucb_plus, ucb_plus_unknown

from causal_bandits.play.run import play
from causal_bandits.policies.budgeted.confounded_budgeted import ConfoundedBudgeted
from causal_bandits.policies.budgeted.confounded_naming import ConfoundedNaming
from causal_bandits.policies.glm.bglm_ofu import BGLMOFU
from causal_bandits.policies.glm.blm_lr import BLMLR
from causal_bandits.policies.glm.general_bandit import GeneralBandit, knowledge
from causal_bandits.policies.glm.parallel_bandit import ParallelBandit
from causal_bandits.policies.linear_sem.ga_lcb import GALCB
from causal_bandits.policies.linear_sem.linsem_ts import LinSEMTS
from causal_bandits.policies.linear_sem.linsem_ucb import LinSEMUCB
from causal_bandits.policies.scm.c_ts import CTS
from causal_bandits.policies.scm.c_ucb_arms import CUCBArms
from causal_bandits.policies.scm.hac_ucb import HACUCB
from causal_bandits.policies.scm.partial_discovery import PartialDiscovery
from causal_bandits.policies.scm.scm_aam import SCMAAM
from causal_bandits.policies.scm.ucb_plus import UCBPlus
from causal_bandits.policies.scm.ucb_plus_unknown import UCBPlusUnknown
from causal_bandits.problems.arena import PROBLEMS
from causal_bandits.seeding import generators

#: A plain run: of the problem, the random streams and the number of rounds, the arms played.
Plain = Callable[[Any, Any, int], list[int]]


@dataclass(frozen=True)
class Pair:
    """A compiled policy and its twin on a problem.

    Parameters
    ----------
    name, problem : str
    bandit : object
    compiled : callable
        The policy for a number of rounds; algorithms at a fixed budget spend all of it.
    plain : callable
        See `Plain`.
    rounds, long : int
        Of a short run, which both forms play, and of a long one of the compiled form; budgets where arms have costs.
    goes_on : bool
        Whether it plays on after the rounds that its outcome calls its sample complexity.
    """

    name: str
    problem: str
    bandit: Any
    compiled: Callable[[int], Any]
    plain: Plain
    rounds: int
    long: int
    goes_on: bool = False


def stepwise(twin: Any) -> Plain:
    """Play a policy in plain Python."""
    return lambda bandit, streams, rounds: play(twin, bandit, rounds, streams).arms.tolist()


def budgeted(twin: Callable[[int], Any]) -> Plain:
    """Play a plain algorithm that spends a budget."""
    return lambda bandit, streams, rounds: run_player(twin(rounds), bandit, streams, rounds)[0]


def stepping(twin: Callable[..., Any], policy: Any) -> Plain:
    """Play the steps of a plain function that reads the hyper-parameters of ``policy``."""

    def played(bandit: Any, streams: Any, rounds: int) -> list[int]:
        found = twin(policy, bandit, streams, rounds)
        return found[0] if isinstance(found, tuple) else found

    return played


def pairs() -> list[Pair]:
    """List all that are measured, on small problems."""
    subsets = PROBLEMS["unknown_graph"](nodes=8, causes=1, states=3, size=3, draw=0)
    causes, few = parallel(variables=50, rare=8), parallel(variables=6, rare=2, chance=0.1)
    eta = knowledge(few, tabulated=True).best_design.tolist()
    cells = PROBLEMS["random_cells"](draw=0)
    groups = (0,) * len(cells.arms)
    linear, unknown = PROBLEMS["linear"](width=2, layers=2, draw=0), TWO_LAYERS
    sets = combinatorial("G1")
    graph, independent = budgeted_general(), budgeted_parallel()

    return [
        Pair("UCB+, k known", "unknown_graph", subsets, lambda _: UCBPlus(), stepping(ucb_plus, UCBPlus()), 500, 2000),
        Pair(
            "UCB+, k unknown",
            "unknown_graph",
            subsets,
            lambda _: UCBPlusUnknown(),
            stepping(ucb_plus_unknown, UCBPlusUnknown()),
            500,
            2000,
        ),
        Pair(
            "parallel bandit",
            "parallel, 50 causes",
            causes,
            ParallelBandit,
            budgeted(lambda budget: parallel_bandit(budget, reuse=False)),
            400,
            4000,
        ),
        Pair(
            "general bandit",
            "parallel, 6 causes",
            few,
            GeneralBandit,
            budgeted(lambda budget: general_bandit(GeneralBandit(budget), eta)),
            400,
            4000,
        ),
        Pair(
            "C-UCB",
            "random_cells",
            cells,
            lambda _: CUCBArms(cells=("Z",), pool="all"),
            stepwise(PlainCUCB(("Z",), groups)),
            300,
            10_000,
        ),
        Pair(
            "C-TS",
            "random_cells",
            cells,
            lambda _: CTS(cells=("Z",), pool="all"),
            stepwise(PlainCTS(("Z",), groups)),
            300,
            10_000,
        ),
        Pair(
            "HAC-UCB",
            "random_cells",
            cells,
            lambda _: HACUCB(cells=("Z",)),
            stepwise(PlainHACUCB(("Z",), groups)),
            300,
            10_000,
        ),
        Pair(
            "partial discovery, UCB",
            "diagram, 3 variables",
            PROBLEMS["diagram"](nodes=3, confounders=2, told="nothing", draw=0),
            lambda _: PartialDiscovery(),
            stepwise(PlainPartialDiscovery(PartialDiscovery())),
            500,
            10_000,
            goes_on=True,
        ),
        Pair(
            "SCM-AAM, indices in every fifth round",
            "matching, task 1",
            PROBLEMS["matching"](task=1),
            lambda _: SCMAAM(every=5),
            stepwise(PlainSCMAAM(every=5)),
            40,
            2000,
        ),
        Pair("LinSEM-TS", "linear", linear, lambda _: LinSEMTS(), stepwise(PlainLinSEMTS()), 200, 5000),
        Pair(
            "LinSEM-UCB, forward",
            "linear",
            linear,
            lambda _: LinSEMUCB(maximum="forward"),
            stepwise(PlainLinSEMUCB()),
            200,
            5000,
        ),
        Pair(
            "GA-LCB, graph known",
            "unknown_linear",
            unknown,
            lambda _: GALCB(known=True),
            stepwise(PlainGALCB(known=True)),
            200,
            5000,
        ),
        Pair("BGLM-OFU", "combinatorial", sets, lambda _: BGLMOFU(), stepwise(PlainBGLMOFU()), 200, 5000),
        Pair(
            "BLM-LR",
            "combinatorial",
            sets,
            lambda _: BLMLR(),
            stepwise(PlainBGLMOFU(watch=0.0, growing=True)),
            200,
            5000,
        ),
        Pair(
            "Jamshidi et al., Algorithm 1",
            "budgeted_general",
            graph,
            ConfoundedBudgeted,
            budgeted(lambda budget: spending(ConfoundedBudgeted(budget))),
            500,
            5000,
        ),
        Pair(
            "Jamshidi et al., Algorithm 2",
            "budgeted_parallel",
            independent,
            ConfoundedNaming,
            budgeted(lambda budget: naming(ConfoundedNaming(budget))),
            400,
            4000,
        ),
    ]


def measure(pair: Pair, repetitions: int) -> tuple[float, float, float]:
    """Return medians of microseconds per round: compiled in a long run and in a short one, and plain in the short one.

    Raises
    ------
    SystemExit
        If the two forms do not play the same arms.
    """

    def compiled(rounds: int, seed: int) -> list[int]:
        run = play(pair.compiled(rounds), pair.bandit, rounds, generators(0, "benchmark", seed))
        ended = None if pair.goes_on else run.outcome.get("sample_complexity")
        return run.arms.tolist()[: None if ended is None else int(ended)]

    def plain(rounds: int, seed: int) -> list[int]:
        return pair.plain(pair.bandit, generators(0, "benchmark", seed), rounds)

    compiled(pair.rounds, 0)  # compile, or load from the cache
    full, fast, slow = [], [], []
    for seed in range(repetitions):
        full.append(timed(compiled, pair.long, seed)[0])
        (short, arms), (long, same) = timed(compiled, pair.rounds, seed), timed(plain, pair.rounds, seed)
        fast.append(short)
        slow.append(long)
        if arms != same:
            raise SystemExit(f"{pair.name}, seed {seed}: the plain form plays other arms; expected the same")
    return statistics.median(full), statistics.median(fast), statistics.median(slow)


def timed(play_one: Callable[[int, int], list[int]], rounds: int, seed: int) -> tuple[float, list[int]]:
    """Return microseconds of processor time per round, and the arms."""
    start = time.process_time()
    arms = play_one(rounds, seed)
    return (time.process_time() - start) / len(arms) * 1e6, arms


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5, help="runs of each (default: %(default)s)")
    repetitions = parser.parse_args().repetitions
    print("| algorithm | problem | arms | compiled, us per round | the same, short | plain, short | ratio |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for pair in pairs():
        a, b, c = measure(pair, repetitions)
        count = len(pair.bandit.arms)
        print(f"| {pair.name} | {pair.problem} | {count:,} | {a:.2f} | {b:.2f} | {c:.1f} | {c / b:.0f} |", flush=True)


if __name__ == "__main__":
    main()
