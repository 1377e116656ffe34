"""Runs: checkpoints, schema, metadata, and files that are whole or not there."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.play.measures.drawn_regret import DrawnRegret
from causal_bandits.play.measures.fair_regret import FairRegret
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.f_ucb import FUCB
from causal_bandits.policies.thompson import Thompson
from causal_bandits.seeding import generators
from replication.papers.huang2022.problems import email
from experiments import files, simulate
from experiments.atomic import whole


def job(**changes):
    return {
        "experiment": "lee2019/frontdoor",
        "problems": "replication.papers.lee2019.problems:PROBLEMS",
        "problem": "frontdoor",
        "options": {"family": "uniform_cpt", "draw": 3},
        "seeds_per_draw": None,
        "arms": "minimal",
        "policy": "ts_mis",
        "algorithm": "causal_bandits.policies.thompson:Thompson",
        "parameters": {},
        "settings": {"algorithm": "thompson", "family": "uniform_cpt"},
        "horizon": 250,
        "checkpoints": 10,
        "root_seed": 7,
        "sources": {},
        "code": "0123456789abcdef",
    } | changes


@given(st.integers(1, 20_000), st.integers(1, 300))
def test_checkpoints_are_increasing_rounds_and_end_at_the_horizon(horizon, count):
    kept = simulate.checkpoints(horizon, count)
    assert kept[-1] == horizon
    assert kept[0] >= 1
    assert (np.diff(kept) > 0).all()
    assert len(kept) == min(count, horizon)


def test_a_file_holds_the_cumulative_values_of_each_seed(tmp_path):
    path = tmp_path / "runs" / "2-4.parquet"
    simulate.simulate(path, job(), {}, 2, 4)
    table = pq.read_table(path)
    assert table.schema.remove_metadata().equals(simulate.SCHEMA.append(pa.field("drawn_regret", pa.float64())))
    frame = table.to_pandas()
    assert list(frame["seed"].unique()) == [2, 3, 4]
    assert list(frame["t"].unique()) == list(range(25, 251, 25))
    problem = simulate.build_problem(job(), {})
    run = play(Thompson(), problem, 250, generators(7, "lee2019/frontdoor", 3))
    rows = frame[frame["seed"] == 3]
    np.testing.assert_allclose(rows["cumulative_regret"], np.cumsum(run.regrets)[24::25], rtol=1e-13)
    np.testing.assert_array_equal(rows["cumulative_reward"], np.cumsum(run.rewards)[24::25])


def test_metadata_tells_where_a_file_comes_from(tmp_path):
    path = tmp_path / "0-0.parquet"
    simulate.simulate(path, job(), {}, 0, 0)
    metadata = {k.decode(): v.decode() for k, v in pq.read_schema(path).metadata.items()}
    assert metadata["code_digest"] == "0123456789abcdef"
    assert len(metadata["config_digest"]) == 16
    assert metadata["git_commit"]
    assert json.loads(metadata["settings"]) == job()["settings"]
    assert json.loads(metadata["sources"]) == job()["sources"]
    assert json.loads(metadata["package_versions"])["numpy"] == np.__version__


def test_batches_do_not_matter(tmp_path):
    simulate.simulate(tmp_path / "whole", job(), {}, 0, 5)
    simulate.simulate(tmp_path / "first", job(), {}, 0, 1)
    simulate.simulate(tmp_path / "rest", job(), {}, 2, 5)
    parts = files.joined(files.read(tmp_path / part) for part in ("first", "rest"))
    assert parts.equals(files.joined([files.read(tmp_path / "whole")]))


def test_seeds_per_draw_gives_each_group_of_seeds_its_own_problem(tmp_path):
    drawn = job(options={"family": "uniform_cpt"}, seeds_per_draw=3)
    means = [simulate.build_problem(drawn, {}, seed).means for seed in range(7)]
    for seed, group in enumerate((0, 0, 0, 3, 3, 3, 6)):
        np.testing.assert_array_equal(means[seed], means[group])
    assert not np.allclose(means[0], means[3])
    simulate.simulate(tmp_path / "whole", drawn, {}, 0, 6)
    frame = pq.read_table(tmp_path / "whole").to_pandas()
    assert (frame["draw"] == frame["seed"] // 3).all()
    simulate.simulate(tmp_path / "first", drawn, {}, 0, 1)
    simulate.simulate(tmp_path / "rest", drawn, {}, 2, 6)
    assert files.joined(files.read(tmp_path / part) for part in ("first", "rest")).equals(
        files.joined([files.read(tmp_path / "whole")])
    )


EMAIL = {
    "experiment": "huang2022/email",
    "problems": "replication.papers.huang2022.problems:PROBLEMS",
    "problem": "email",
    "options": {},
    "arms": None,
    "policy": "f_ucb",
    "algorithm": "causal_bandits.policies.f_ucb:FUCB",
    "parameters": {"tau": 0.3, "fallback": "best"},
}


def test_a_contextual_problems_file_holds_extras_and_measures_of_the_same_rounds(tmp_path):
    simulate.simulate(tmp_path / "runs", job(**EMAIL), {}, 2, 3)
    frame = pq.read_table(tmp_path / "runs").to_pandas()
    for seed in (2, 3):
        streams = generators(7, "huang2022/email", seed)
        run = play(FUCB(tau=0.3, fallback="best"), email(), 250, streams, [Unfair])
        rows = frame[frame["seed"] == seed]
        assert {"empty_set", *Unfair.names} == set(run.extras)
        for name, values in run.extras.items():
            np.testing.assert_array_equal(rows[name], values[24::25])
    assert len(frame.groupby("seed")["unfair_drawn_0.1"].last().unique()) == 2


def test_what_is_measured_is_what_the_paper_names(tmp_path):
    assert measures_of(EMAIL["problems"]) == (RuledOut, Unfair, FairRegret)
    assert measures_of(job()["problems"]) == (DrawnRegret,)
    assert [measure for measure in measures_of(EMAIL["problems"]) if measure.applies_to(email())] == [
        Unfair,
        FairRegret,
    ]


@dataclass(frozen=True)
class StopsSometimes(StepwisePolicy):
    """Ends itself after ten rounds on the front door's seeds that it likes."""

    outcomes: ClassVar[tuple[str, ...]] = ("sample_complexity",)
    most: int = 10

    def start(self, problem, horizon):
        object.__setattr__(self, "played", [])

    def select(self, t, context, rng):
        return int(rng.integers(2))

    def update(self, arm, states, reward):
        self.played.append(arm)

    def answer(self):
        return {"sample_complexity": len(self.played)} if sum(self.played) >= self.most else None


def test_a_run_without_outcome_has_a_null_of_it(tmp_path):
    """The column is there even where no run of the file ended."""
    stops = {"algorithm": f"{__name__}:StopsSometimes", "horizon": 20, "checkpoints": 4}
    simulate.simulate(tmp_path / "some", job(**stops), {}, 0, 19)
    frame = pq.read_table(tmp_path / "some").to_pandas()
    last = frame.groupby("seed").last()
    ended = last["sample_complexity"].notna()
    assert 0 < ended.sum() < 20
    assert (last["sample_complexity"] == last["t"])[ended].all()
    assert (last["t"] == 20)[~ended].all()
    assert frame.groupby("seed")["sample_complexity"].count().max() == 1
    simulate.simulate(tmp_path / "none", job(**stops, parameters={"most": 99}), {}, 0, 1)
    column = pq.read_table(tmp_path / "none")["sample_complexity"]
    assert (column.null_count, str(column.type)) == (8, "double")


@dataclass(frozen=True)
class StopsSilently(StopsSometimes):
    """Ends itself, and says with nothing, or with no number."""

    number: float = 0.0

    def answer(self):
        return ({"answer": self.number} if self.number else {}) if len(self.played) == 7 else None


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0.0, "ended at round 7 of 20 without an outcome"),
        (float("nan"), "outcome answer: nan at round 7"),
    ],
)
def test_a_run_that_ends_early_says_with_what(tmp_path, number, message):
    stops = job(algorithm=f"{__name__}:StopsSilently", horizon=20, parameters={"number": number})
    with pytest.raises(ValueError, match=f"seed 3: {message}"):
        simulate.simulate(tmp_path / "runs", stops, {}, 3, 4)
    assert not list(tmp_path.iterdir())


def test_a_failing_job_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="prior_ones"):
        simulate.simulate(tmp_path / "x.parquet", job(parameters={"prior_ones": -1}), {}, 0, 0)

    def fail_half_way():
        with whole(tmp_path / "y.csv") as temporary:
            temporary.write_text("half of")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(tmp_path.iterdir()) == []


def test_content_digest_follows_values_and_not_bytes(tmp_path):
    simulate.simulate(tmp_path / "a", job(), {}, 0, 1)
    pq.write_table(files.read(tmp_path / "a"), tmp_path / "b", compression="none")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()
    assert files.content_digest(tmp_path / "a") == files.content_digest(tmp_path / "b")
    simulate.simulate(tmp_path / "c", job(root_seed=8), {}, 0, 1)
    assert files.content_digest(tmp_path / "a") != files.content_digest(tmp_path / "c")
