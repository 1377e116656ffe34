"""Time the library on large inputs: counting data frames, online bandits, sampling models.

    python benchmarks/library.py [rows]

Prints CPU seconds or milliseconds of this process, the smallest of five for short tasks; ``rows`` is 10^7 by default.
To compare two versions, run it with ``PYTHONPATH`` set to the ``src`` of the other. The last line is a digest of
choices and samples.
"""

import hashlib
import resource
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd

from causal_bandits import ADMG, DiscreteSCM, Logs, OnlineBandit
from causal_bandits.policies import LinUCB, Thompson

CHAIN = ADMG([("a", "b"), ("b", "c"), ("d", "e")])


def seconds(task, repeats=1):
    """Return the smallest CPU time of some calls, and what the last one returned."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = task()
        times.append(time.process_time() - start)
    return min(times), result


def peak():
    """Return the peak memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def frames(rows):
    """Count five columns of three values each."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({v: rng.integers(0, 3, rows) for v in "abcde"})
    names = np.array(["low", "mid", "high"], dtype=object)
    forms = {"whole numbers": lambda: frame, "strings": lambda: frame.apply(lambda column: pd.Series(names[column]))}
    forms["categories"] = lambda: frame.astype("category")
    for form, make in forms.items():
        made = make()
        took, _ = seconds(lambda made=made: Logs.from_frame(made, CHAIN, treatment="a", outcome="c"))
        print(f"Logs.from_frame, {rows:,} rows, {form}: {took:.2f} s", flush=True)


def online():
    """Construct, save, resume and query bandits."""
    for n in (10_000, 100_000):
        arms = [f"arm {i}" for i in range(n)]
        made, bandit = seconds(lambda arms=arms: OnlineBandit(Thompson(), arms))
        text = bandit.to_json()
        resumed, _ = seconds(lambda text=text: OnlineBandit.from_json(text))
        bandit.act()
        asked, _ = seconds(bandit.act, 5)
        print(
            f"{n:,} arms: construct {made:.3f} s, from_json {resumed:.3f} s, Thompson act {1e3 * asked:.2f} ms",
            flush=True,
        )
    linear = OnlineBandit(LinUCB(), arms[:10_000], features=9)
    context = np.random.default_rng(0).random(9)
    linear.act(context)
    asked, _ = seconds(lambda: linear.act(context), 5)
    print(f"10,000 arms: LinUCB act {1e3 * asked:.2f} ms", flush=True)


def sampling(rows):
    """Draw from a chain of 30 variables."""
    names, rng = [f"V{i}" for i in range(30)], np.random.default_rng(0)
    tables = {v: ((names[i - 1],) if i else (), rng.dirichlet([1, 1, 1], (3,) * (i > 0))) for i, v in enumerate(names)}
    scm = DiscreteSCM(ADMG(list(pairwise(names))), tables)
    scm.sample(10, np.random.default_rng(0))
    before = peak()
    took, samples = seconds(lambda: scm.sample(rows, np.random.default_rng(1)))
    size = samples.nbytes / 1e6
    print(
        f"DiscreteSCM.sample, {rows:,} of 30 variables: {took:.2f} s, {peak() - before} MB for {size:.0f}", flush=True
    )
    return samples


def choices():
    """Return what Thompson sampling and LinUCB choose with 300 arms."""
    rng, chosen = np.random.default_rng(0), []
    bandits = OnlineBandit(Thompson(), list(range(300)), seed=1), OnlineBandit(LinUCB(), list(range(300)), features=9)
    for _ in range(300):
        context = rng.random(9)
        for bandit, seen in zip(bandits, (None, context), strict=True):
            chosen.append(bandit.act(seen))
            bandit.update(chosen[-1], float(rng.random() < 0.5), seen)
    return np.array(chosen)


if __name__ == "__main__":
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    samples = sampling(rows // 10)
    frames(rows)
    online()
    print("digest", hashlib.sha1(choices().tobytes() + samples.tobytes()).hexdigest()[:12])
