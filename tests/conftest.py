"""Settings of the whole suite: property tests are derandomised, so that a failure here is a failure everywhere."""

import gc
import os
import sys
from pathlib import Path

# Before numpy and numba are imported, which read them: as in the study's jobs, linear algebra has one thread, and
# compiled functions are kept. With more threads, those of the processes that share the suite wait for each other.
from experiments.key import compiled_folder

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
os.environ.update(NUMBA_CACHE_DIR=str(compiled_folder()), NUMBA_OPT="2")

import numpy as np
import pytest
from hypothesis import settings
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models import ContextualBandit
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.glm_bandit import GLMBandit

settings.register_profile("study", deadline=None, derandomize=True, max_examples=200, print_blob=True)
settings.load_profile("study")

TESTS = Path(__file__).parent
#: What `make new-policy` copies.
collect_ignore = ["template"]

# Where the shell forbids bytecode, each process that shares the suite would rewrite every file of tests, and each that
# a test starts would compile all that it imports.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False
# Modules stay: while they are loaded there is no garbage to look for, and later none of them needs looking at.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000)  # as in jobs (`experiments.files.logged`)


#: Folder whose tests read one finished study, which takes half a minute to make.
SHARING = "tests/workflow/"


def pytest_collection_modifyitems(items):
    """What runs Snakemake or other processes comes first, so that no process is left with a long file at the end.

    First those that share a study; of the others that run Snakemake the last by name, which need kernels of their own:
    two processes that need the same at a time both compile it.
    """
    files = sorted({item.path for item in items})

    def turn(item):
        if item.nodeid.startswith(SHARING):
            return 0, 0
        if item.get_closest_marker("workflow"):
            return 1, -files.index(item.path)
        return 2 + (item.path.parent != TESTS), 0

    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One process more than cores: those that wait for Snakemake, or for a kernel, leave a core idle."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Several processes share the suite file by file; those in `SHARING` count as one file."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return SHARING if nodeid.startswith(SHARING) else super()._split_scope(nodeid)

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def build_task():
    """Any of lee2019's problems by name, with the arms of POMIS."""
    from causal_bandits.problems import make

    return lambda task: make(f"lee2019/{task}").with_arms("possibly_optimal")


@pytest.fixture(scope="session", params=["frontdoor", "fourvar", "sixvar"])
def lee2019_task(request, build_task):
    """Each of lee2019's problems (see `build_task`)."""
    return build_task(request.param)


@pytest.fixture(scope="session")
def contextual_task():
    """A contextual bandit with a hidden confounder of mediator and reward, Gaussian noise and loose prior knowledge."""
    graph = ADMG(
        directed=[("C1", "M"), ("C2", "V"), ("X1", "M"), ("X2", "V"), ("M", "V"), ("M", "S")], bidirected=[("M", "V")]
    )
    scm = positive_scm(graph, np.random.default_rng(5), max_states=2)
    problem = ContextualBandit(scm, ("C1", "C2"), ("X1", "X2"), {"V": 0.4, "M": 0.2}, intercept=0.1, sd=0.1)
    means, count = problem.means, np.full_like(problem.means, 50.0)
    prior = {"lower": means - 0.1, "upper": means + 0.1, "cp": means + 0.2, "biased": means - 0.1, "count": count}
    return problem.with_prior(prior)


@pytest.fixture(scope="session")
def fair_task(contextual_task):
    """The same with a sensitive attribute."""
    task = contextual_task
    settings = {"weights": task.weights, "intercept": task.intercept, "sd": task.sd, "prior": task.prior}
    return FairBandit(task.scm, task.context, task.manipulable, **settings, sensitive="C1")


@pytest.fixture(scope="session")
def exploration_task():
    """A bandit on a binary GLM with means so near that no policy is sure of the best soon."""
    model = BinaryGLM({"A": 0.3, "B": 0.2, "Y": 0.3}, {"B": {"A": 0.4}, "Y": {"A": 0.01, "B": 0.02}})
    return GLMBandit(model, [{}, {"A": 0}, {"A": 1}, {"B": 0}, {"B": 1}, {"A": 1, "B": 1}])
