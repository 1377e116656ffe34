"""Made-up results of xiong2023: two policies on two sizes of a problem."""

import numpy as np
import pandas as pd

from experiments.results import Plan, Results

SHARED = {"problem": "parallel", "effect": 0.8, "epsilon": 0.1, "delta": 0.1}
LUCB1 = {"algorithm": "lucb", "bounds": "lucb1", "alpha": 2.0}
CCPE = {"algorithm": "ccpe_general", "alpha_o": 8.0, "alpha_i": 2.0, "divisor": 5.0}
N = 20
#: Mean rounds by policy and number of variables.
ROUNDS = {"lucb1": {5: 1000, 10: 2000}, "ccpe": {5: 250, 10: 1000}}


def results():
    """Two policies on two sizes; of 20 runs the last two of CCPE are wrong, one of them cut off."""
    settings, rows = {}, []
    for name, own in (("lucb1", LUCB1), ("ccpe", CCPE)):
        for variables, rounds in ROUNDS[name].items():
            label = f"{name},variables={variables}"
            settings[label] = SHARED | own | {"variables": variables}
            failed = np.arange(N) - (N - 2) if name == "ccpe" else np.full(N, -1)
            rows.append(
                pd.DataFrame(
                    {
                        "policy": label,
                        "seed": np.arange(N),
                        "t": rounds + np.tile([-10, 10], N // 2),
                        "answer": np.where(failed == 1, np.nan, 3.0),
                        "correct": np.where(failed == 1, np.nan, (failed < 0) * 1.0),
                        "unmet_width": np.where(failed == 1, 1.0, np.nan),
                        "unmet_observations": np.where(failed == 1, 0.0, np.nan),
                        "by_watching": np.nan if name == "lucb1" else 3.0 + (np.arange(N) == 0) * variables,
                    }
                )
            )
    return Results({}, {"scaling": pd.concat(rows)}, pd.DataFrame(), {}, {"scaling": Plan(5000, settings)})
