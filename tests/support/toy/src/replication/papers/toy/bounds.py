"""What the samples of each seed say."""

import pyarrow as pa

from experiments import files


def shares(seeds, generators, samples):
    """Estimate the parameters of every seed's sample, with one pseudo-count of each value."""
    rows = {}
    for row in files.read(samples).to_pylist():
        rows.setdefault(row["seed"], []).append((row["x"], row["y"]))

    def share(values):
        return (1 + sum(values)) / (2 + len(values))

    return pa.Table.from_pylist(
        [
            {
                "x": share([x for x, _ in drawn]),
                "y_0": share([y for x, y in drawn if not x]),
                "y_1": share([y for x, y in drawn if x]),
            }
            for drawn in rows.values()
        ]
    )


BOUNDS: dict[str, object] = {"shares": shares}
