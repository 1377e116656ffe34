"""A table of final regrets."""

import pandas as pd


def regret(results):
    """List the mean regret of every policy."""
    labels = results.policies("given")
    means = [f"{results.final('given', policy=label).mean():.6f}" for label in labels]
    return pd.DataFrame({"policy": labels, "regret": means})


TABLES: dict[str, object] = {"regret": regret}
