"""The search for unpublished parameters: what is screened, what is simulated on which streams, and what is chosen."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from causal_bandits.calibration import calibrate, distance, screening_regrets, simulated_regrets
from causal_bandits.models import DiscreteSCM
from causal_bandits.papers.lee2019.problems import PROBLEMS

TARGETS = {
    "ts": {"algorithm": "causal_bandits.policies.thompson:Thompson", "arms": "minimal", "claim": "x.ts", "factor": 0.5},
    "kl": {"algorithm": "causal_bandits.policies.kl_ucb:KLUCB", "arms": "brute_force", "claim": "x.kl", "factor": 2.0},
}
WANTED = np.array([20.0, 60.0])
JOB = {
    "problems": "causal_bandits.papers.lee2019.problems:PROBLEMS",
    "problem": "frontdoor",
    "families": ["uniform_cpt", "noisy_xor"],
    "candidates": 4,
    "stages": [{"survivors": 5, "replicates": 2}, {"survivors": 3, "replicates": 4}],
    "horizon": 120,
    "targets": TARGETS,
    "root_seed": 5,
    "code": "0" * 16,
    "versions": {},
}


def test_the_search_keeps_the_nearest_at_every_stage(tmp_path):
    (tmp_path / "published.csv").write_text("claim_id,value\nx.kl,60\nx.other,1\nx.ts,20\n")
    calibrate(JOB, tmp_path / "published.csv", tmp_path / "chosen.json", tmp_path / "ranking.parquet")
    build = PROBLEMS["frontdoor"]
    pool = [(family, draw) for family in JOB["families"] for draw in range(4)]
    problems = {member: build(family=member[0], draw=member[1]) for member in pool}
    expected = []
    order = sorted(pool, key=lambda m: distance(screening_regrets(problems[m], TARGETS, 120), WANTED))
    for number, (survivors, replicates) in enumerate([(5, 2), (3, 4)]):
        means = {
            m: simulated_regrets(problems[m], TARGETS, 120, replicates, 5, f"frontdoor/{number}")
            for m in order[:survivors]
        }
        order = sorted(means, key=lambda m: distance(means[m], WANTED))
        for rank, member in enumerate(order):
            ts, kl = means[member]
            expected.append((number, rank, *member, replicates, distance(means[member], WANTED), ts, kl))
    ranking = pd.read_parquet(tmp_path / "ranking.parquet")
    columns = ["stage", "rank", "family", "draw", "replicates", "distance", "ts", "kl"]
    assert list(ranking[columns].itertuples(index=False, name=None)) == expected
    document = json.loads((tmp_path / "chosen.json").read_text())
    best = expected[5]
    assert (document["problem"], document["family"], document["draw"]) == ("frontdoor", best[2], best[3])
    assert document["searched"] == {"families": ["uniform_cpt", "noisy_xor"], "candidates_per_family": 4}
    assert document["baselines"] == {
        "ts": {"claim": "x.ts", "published": 20.0, "simulated": round(best[6], 2)},
        "kl": {"claim": "x.kl", "published": 60.0, "simulated": round(best[7], 2)},
    }
    assert (document["distance"], document["replicates"]) == (round(best[5], 4), 4)
    assert DiscreteSCM.from_dict(document["scm"]).to_dict() == problems[best[2:4]].scm.to_dict()


class Means:
    """Three arms of known means, the same under every strategy; what `screening_regrets` asks of a problem."""

    means, optimal_mean = np.array([0.7, 0.4, 0.7]), 0.7

    def with_arms(self, arms):
        return self


def test_screening_is_lai_and_robbins_regret_with_a_cap():
    """Of one arm with a gap of 0.3; a short run cannot play it more often than a third of the rounds."""
    divergence = 0.4 * math.log(0.4 / 0.7) + 0.6 * math.log(0.6 / 0.3)
    for horizon, plays in ((1000, math.log(1000) / divergence), (30, 10)):
        found = screening_regrets(Means(), TARGETS, horizon)
        assert found == pytest.approx([0.5 * 0.3 * plays, 2.0 * 0.3 * plays])
    assert math.log(30) / divergence > 10


def test_a_distance_is_the_largest_miss_in_either_direction():
    assert distance(np.array([110.0, 95.0]), np.array([100.0, 100.0])) == pytest.approx(math.log(1.1))
    assert distance(np.array([101.0, 80.0]), np.array([100.0, 100.0])) == pytest.approx(math.log(1.25))
    assert np.isfinite(distance(np.array([0.0]), np.array([1.0])))


def test_simulated_regrets_have_streams_of_their_own():
    problem = PROBLEMS["frontdoor"](family="uniform_cpt", draw=1)
    one, again, other = (simulated_regrets(problem, TARGETS, 80, 3, 5, name) for name in ("a", "a", "b"))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
