"""Files of runs against runs played one by one: every column of every row, also of problems with measures."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from causal_bandits.play.measures.measure import measures_of
from causal_bandits.play.run import play
from causal_bandits.seeding import generators
from experiments.files import resolve
from experiments.runs import checkpoints
from experiments.simulate import simulate

HORIZON, KEPT = 95, 7

JOBS = {
    "extras of a policy": {
        "problems": "replication.papers.lee2019.problems:PROBLEMS",
        "problem": "fourvar",
        "options": {"family": "uniform_cpt", "draw": 3},
        "arms": "possibly_optimal",
        "algorithm": "causal_bandits.policies.z2_kl_ucb:Z2KLUCB",
        "parameters": {"replicates": 20, "c": 1.0},
    },
    "measures of a contextual bandit": {
        "problems": "replication.papers.huang2022.problems:PROBLEMS",
        "problem": "email",
        "options": {},
        "arms": None,
        "algorithm": "causal_bandits.policies.f_ucb:FUCB",
        "parameters": {"tau": 0.15, "fallback": "best"},
    },
    "another problem for every few seeds": {
        "problems": "replication.papers.lee2019.problems:PROBLEMS",
        "problem": "frontdoor",
        "options": {"family": "noisy_xor"},
        "arms": "minimal",
        "algorithm": "causal_bandits.policies.thompson:Thompson",
        "parameters": {"prior_ones": 2.0},
        "seeds_per_draw": 3,
    },
}


def expected_run(job, seed):
    """One seed, played as the job says."""
    group = job["seeds_per_draw"]
    draw = {} if group is None else {"draw": seed // group}
    problem = resolve(job["problems"])[job["problem"]](**job["options"], **draw)
    if job["arms"] is not None:
        problem = problem.with_arms(job["arms"])
    measures = [measure for measure in measures_of(job["problems"]) if measure.applies_to(problem)]
    streams = generators(11, job["experiment"], seed)
    return play(resolve(job["algorithm"])(**job["parameters"]), problem, HORIZON, streams, measures)


@pytest.mark.parametrize("case", JOBS)
def test_every_row_is_the_state_of_its_run_after_round_t(tmp_path, case):
    """Seeds 2 to 6: a batch that begins within a group of seeds, and holds the whole of the next."""
    job = {"experiment": "paper/x", "policy": "p", "settings": {}, "horizon": HORIZON, "checkpoints": KEPT}
    job |= {"root_seed": 11, "sources": {}, "code": "0" * 16, "seeds_per_draw": None} | JOBS[case]
    simulate(tmp_path / "runs", job, {}, 2, 6)
    frame = pq.read_table(tmp_path / "runs").to_pandas()
    rounds = checkpoints(HORIZON, KEPT)
    assert frame["seed"].tolist() == np.repeat(range(2, 7), KEPT).tolist()
    assert frame["t"].tolist() == rounds.tolist() * 5
    assert (set(frame["experiment"]), set(frame["policy"])) == ({"paper/x"}, {"p"})
    for seed, rows in frame.groupby("seed"):
        run = expected_run(job, seed)
        found = {"cumulative_regret": np.cumsum(run.regrets), "cumulative_reward": np.cumsum(run.rewards), **run.extras}
        for name, values in found.items():
            np.testing.assert_array_equal(rows[name], values[rounds - 1], err_msg=name)
        keys = {"experiment", "policy", "seed", "t"} | ({"draw"} if job["seeds_per_draw"] else set())
        assert set(frame.columns) == keys | found.keys()
        if job["seeds_per_draw"]:
            assert set(rows["draw"]) == {seed // 3}
    assert frame.groupby("t")["cumulative_reward"].nunique().max() > 1  # seeds differ
