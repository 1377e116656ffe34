"""The search for an ensemble: the screening, the likelihood, and a whole small search."""

import json
import statistics

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.optimize import brentq

from causal_bandits.play.run import play
from causal_bandits.policies.kl_ucb import KLUCB, exploration
from causal_bandits.seeding import generators
from experiments.files import resolve
from replication.judging import calibration
from replication.judging.calibration import Published, Simulated, calibrate, distance, likelihood, screening_regrets
from replication.judging.claims import COLUMNS
from replication.papers.lee2019 import problems

TARGETS = {
    "ts": {"algorithm": "causal_bandits.policies.thompson:Thompson", "arms": "possibly_optimal", "factor": 0.6},
    "kl_ucb": {"algorithm": "causal_bandits.policies.kl_ucb:KLUCB", "arms": "brute_force", "factor": 1.72},
}


def test_likelihood_takes_in_the_noise_of_the_published_means():
    """By hand: ln 1.1 = 0.0953 over sqrt(0.1^2 + 30^2 / 1000 / 110^2 + 2^2 / 110^2)."""
    found = Simulated(np.array([110.0, 50.0]), np.array([2.0, 0.0]), np.array([30.0, 0.0]))
    wanted = Published(np.array([100.0, 50.0]), np.array([1000.0, 1000.0]))
    unit = np.sqrt(0.01 + 0.9 / 110**2 + 4 / 110**2)
    assert distance(found, wanted, 0.1) == pytest.approx(np.log(1.1) / unit)
    both = found._replace(means=np.array([110.0, 55.0]))
    assert distance(both, wanted, 0.1) == pytest.approx(np.hypot(np.log(1.1) / unit, np.log(1.1) / 0.1))
    assert (likelihood(0.0), likelihood(1.0)) == pytest.approx((1.0, np.exp(-0.5)))


def test_the_screening_is_near_what_simulation_gives():
    """It only steers the search, but it must steer: kl-UCB within 15 %, TS within 40 %, for most instances."""
    ratios = []
    for draw in range(12):
        problem = problems.build("fourvar", family="uniform_cpt", draw=draw)
        simulated = calibration.simulated_regrets(problem, TARGETS, 5_000, 6, 1, "test").means
        ratios.append(np.abs(np.log(simulated / screening_regrets(problem, TARGETS, 5_000))))
    assert np.median(ratios, axis=0)[0] < np.log(1.4)
    assert np.median(ratios, axis=0)[1] < np.log(1.15)


def test_the_screening_takes_every_arm_to_the_level_at_which_the_plays_are_the_horizon():
    """By a root finder, with Bernoulli divergences written out; the search interpolates between 200 levels."""
    horizon = 2000
    problem = problems.build("frontdoor", family="uniform_cpt", draw=0)
    for target, found in zip(TARGETS.values(), screening_regrets(problem, TARGETS, horizon), strict=True):
        means = problem.with_arms(target["arms"]).means
        f = target["factor"] * np.log(horizon)

        def plays(level, means=means, f=f):
            return f / (means * np.log(means / level) + (1 - means) * np.log((1 - means) / (1 - level)))

        level = brentq(lambda level: plays(level).sum() - horizon, means.max() + 1e-9, 1 - 1e-9)
        assert found == pytest.approx((problem.optimal_mean - means) @ plays(level), rel=1e-3)


def test_where_a_horizon_is_too_short_for_any_level_the_largest_below_one_is_taken():
    """The last of 200 levels that divide six powers of ten between the best mean and 1."""
    assert calibration._level(np.array([0.2, 0.5]), 100.0, 2) == pytest.approx(0.5 + 0.5 * 10 ** (-6 / 200))


def test_simulated_regrets_are_those_of_runs_with_their_errors():
    problem = problems.build("frontdoor", family="uniform_cpt", draw=0)
    found = calibration.simulated_regrets(problem, TARGETS, 60, 3, 1, "test")
    for i, target in enumerate(TARGETS.values()):
        policy, variant = resolve(target["algorithm"])(), problem.with_arms(target["arms"])
        runs = [play(policy, variant, 60, generators(1, "calibration/test", seed)) for seed in range(3)]
        regrets, drawn = [run.regrets.sum() for run in runs], [run.rewards.sum() for run in runs]
        assert found.means[i] == pytest.approx(statistics.mean(regrets))
        assert found.errors[i] == pytest.approx(statistics.stdev(regrets) / 3**0.5)
        assert found.drawn_sds[i] == pytest.approx(statistics.stdev(drawn))


def test_the_screening_factor_of_kl_ucb_is_its_exploration():
    assert exploration(10_000.0, KLUCB().c) / np.log(10_000) == pytest.approx(TARGETS["kl_ucb"]["factor"], abs=0.005)


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    """Sixty candidates for made-up numbers; everything that a search writes."""
    folder = tmp_path_factory.mktemp("search")
    published = folder / "published.csv"
    columns = ",".join(COLUMNS)
    cells = {"ts": "20", "kl_ucb": "40"}
    rows = [f'{name},,,,,,{value},,,mean,,,,,,"{{trials: 1000}}",,,,' for name, value in cells.items()]
    published.write_text("\n".join([columns, *rows]) + "\n")
    job = {
        "problems": "replication.papers.lee2019.problems:PROBLEMS",
        "problem": "frontdoor",
        "families": ["uniform_cpt", "negated_xor"],
        "candidates": 30,
        "stages": [{"survivors": 12, "replicates": 2}, {"survivors": 8, "replicates": 6}],
        "tolerance": 0.3,
        "members": 2,
        "horizon": 1000,
        "targets": {name: target | {"claim": name} for name, target in TARGETS.items()},
        "root_seed": 1,
        "code": "",
        "versions": {},
    }
    for number in (1, 2):
        calibrate(job, published, folder / f"{number}.json", folder / f"{number}.parquet")
    return folder, job, published


def test_a_search_keeps_its_nearest_members_first_and_finds_them_again(search):
    folder, _, _ = search
    document = json.loads((folder / "1.json").read_text())
    assert (folder / "1.json").read_bytes() == (folder / "2.json").read_bytes()
    members = document["members"]
    assert 1 <= len(members) <= 2
    assert document["accepted"] >= len(members)
    distances = [member["distance"] for member in members]
    assert distances == sorted(distances)
    ranking = pq.read_table(folder / "1.parquet").to_pylist()
    last = [row for row in ranking if row["stage"] == 1]
    assert [len([r for r in ranking if r["stage"] == s]) for s in (0, 1)] == [12, 8]
    of = {(row["family"], row["draw"]): row for row in last}
    for member in members:
        row = of[member["family"], member["draw"]]
        assert (round(row["distance"], 4), round(row["ts"], 2)) == (member["distance"], member["baselines"]["ts"])


def test_candidates_are_accepted_by_lot_and_of_many_those_kept_that_won_it_by_most(search):
    """Twin: a uniform number of each candidate's own below its likelihood; the fixture accepts more than it keeps."""
    folder, job, _ = search
    document = json.loads((folder / "1.json").read_text())
    lots = {}
    for row in pq.read_table(folder / "1.parquet").to_pylist():
        if row["stage"] == 1:
            streams = generators(1, f"calibration/frontdoor/{row['family']}", row["draw"])
            lots[row["family"], row["draw"]] = streams.measures.random() / likelihood(row["distance"])
    won = sorted(lot for lot in lots.values() if lot < 1)
    assert document["accepted"] == len(won) > job["members"]
    kept = [lots[member["family"], member["draw"]] for member in document["members"]]
    assert sorted(kept) == won[: job["members"]]


def test_a_member_is_the_model_that_its_draw_is(search):
    folder, _, _ = search
    members = json.loads((folder / "1.json").read_text())["members"]
    for number, member in enumerate(members):
        built = problems.build("frontdoor", ensemble=folder / "1.json", draw=number).scm
        assert (
            built.to_dict() == problems.build("frontdoor", family=member["family"], draw=member["draw"]).scm.to_dict()
        )
    first = problems.build("frontdoor", ensemble=folder / "1.json")
    assert first.scm.to_dict() == problems.build("frontdoor", ensemble=folder / "1.json", draw=0).scm.to_dict()
    with pytest.raises(ValueError, match=f"no member 3 of {len(members)}"):
        problems.build("frontdoor", ensemble=folder / "1.json", draw=3)
    with pytest.raises(ValueError, match="instances of frontdoor, not of fourvar"):
        problems.build("fourvar", ensemble=folder / "1.json")


def test_a_search_that_accepts_none_has_no_members(search):
    folder, job, published = search
    impossible = {**job, "tolerance": 1e-6, "stages": [{"survivors": 1, "replicates": 2}], "horizon": 50}
    calibrate(impossible, published, folder / "none.json", folder / "none.parquet")
    assert json.loads((folder / "none.json").read_text())["members"] == []
    with pytest.raises(ValueError, match="no member 0 of 0"):
        problems.build("frontdoor", ensemble=folder / "none.json")
