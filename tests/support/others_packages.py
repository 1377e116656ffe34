"""Packages of others, as an installer leaves them in a folder of ``sys.path``."""

import importlib

POLICY = '''"""An algorithm of somebody else."""

from dataclasses import dataclass

from causal_bandits.policies.base import StepwisePolicy
from {package}.choice import chosen


@dataclass
class Turns(StepwisePolicy):
    """Play the arms in turn."""

    step: int = 1

    def start(self, problem, horizon):
        self._arms = len(problem.arms)

    def select(self, t, context, rng):
        return chosen(t, self.step, self._arms)

    def update(self, arm, states, reward):
        pass
'''
CHOICE = """def chosen(t, step, arms):
    return t * step % arms
"""
PROBLEMS = '''"""A family of somebody else: a fair coin, and one that is biased by an amount that is drawn."""

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM


def coins(largest, draw=0):
    """Two arms; the second has the mean 1/2 plus a number in [0, largest]."""
    if not 0 <= largest <= 0.5:
        raise ValueError(f"largest={largest}: expected 0 to 0.5")
    p = 0.5 + np.random.default_rng(draw).uniform(0, largest)
    scm = DiscreteSCM(ADMG([("X", "Y")]), {"X": CPT((), [0.5, 0.5]), "Y": CPT(("X",), [[0.5, 0.5], [1 - p, p]])})
    return SCMBandit(scm, "Y", arm_strategy="possibly_optimal")
'''


def install(folder, monkeypatch, package, entries, **modules):
    """Put a package with modules (name to text) and entry points (group to lines) into a folder of ``sys.path``."""
    (folder / package).mkdir(parents=True)
    (folder / package / "__init__.py").write_text("")
    for name, text in modules.items():
        (folder / package / f"{name}.py").write_text(text.replace("{package}", package))
    register(folder, monkeypatch, package, entries)


def register(folder, monkeypatch, package, entries):
    """Put a folder into ``sys.path``, and what an installer writes there of a package."""
    about = folder / f"{package}-0.3.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: 0.3\n")
    lines = [line for group, named in entries.items() for line in (f"[{group}]", *named)]
    about.joinpath("entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()


def install_coins(folder, monkeypatch, package):
    """A whole package: the algorithm ``turns`` and the family ``coins``."""
    entries = {
        "causal_bandits.policies": [f"turns = {package}.turns:Turns"],
        "causal_bandits.arena_problems": [f"coins = {package}.problems:coins"],
    }
    install(folder, monkeypatch, package, entries, turns=POLICY, choice=CHOICE, problems=PROBLEMS)
