"""Measure the coverage of the intervals of `Logs.effect` on 200 random models with identified effects.

    python benchmarks/interval_coverage.py [models] [samples] [records]

The models have three to five binary variables, random arrows and hidden causes, and all probabilities between .12 and
.88. An interval for an arm, or for the difference of two arms, holds if it contains the exact value; those that are not
given (NaN) are counted separately. 200 models with 100 samples of 5,000 records take about 5 minutes on one core.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/support"))
from effect_coverage import misses, random_model


def main(models=200, samples=100, records=5000):
    """Print the coverage of both methods."""
    for method, options in (("delta", {}), ("bootstrap", {"method": "bootstrap", "replicates": 1000})):
        rng = np.random.default_rng(2026)
        each = np.array([misses(random_model(rng), rng, samples, records, **options) for _ in range(models)])
        for row, what in enumerate(("arms", "difference")):
            missed, held, blank = each[:, row].sum(axis=0)
            rates = each[:, row, 1] / np.maximum(each[:, row, :2].sum(axis=1), 1)
            print(
                f"{method:9} {what:10} coverage {held / (missed + held):.4f} of {missed + held}, not given {blank}; "
                f"by model: least {rates.min():.3f}, 5 % {np.quantile(rates, 0.05):.3f}, median {np.median(rates):.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
