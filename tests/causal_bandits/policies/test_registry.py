"""The registry: every entry loads, and loads no other algorithm."""

import os
import subprocess
import sys

from experiments.provenance import SOURCE

LOADED = """
import sys
from causal_bandits.policies import registry
print(*(name for name in sys.modules if name.startswith("causal_bandits.policies.")), "numba" in sys.modules)
registry.load("thompson")
print(*sorted({path.partition(":")[0] for path in registry.ALGORITHMS.values()} & set(sys.modules)))
"""


def test_the_table_loads_nothing_and_a_job_its_own_algorithm():
    command, environment = [sys.executable, "-c", LOADED], os.environ | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    table, job = done.stdout.splitlines()
    assert table == "causal_bandits.policies.registry False"
    assert job == "causal_bandits.policies.classical.thompson"
