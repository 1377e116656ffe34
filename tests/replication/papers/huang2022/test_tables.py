"""Tables and figures of huang2022 on made-up results, cell by cell, and those that are computed."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from made_huang2022 import NOTHING, f_ucb, learnt_graphs, made, results
from scipy import stats

from causal_bandits.play.run import play
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.fair.f_ucb import FUCB
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from causal_bandits.problems.huang2022 import email
from causal_bandits.seeding import generators
from replication.papers.huang2022 import tables
from replication.papers.huang2022.policies import printed_counts, printed_regret
from replication.papers.huang2022.stages import theorem_2
from replication.papers.huang2022.tables import MEANS, fitted, implied
from replication.papers.huang2022.theory import d_ucb_bound, f_ucb_bound


def mean_of(cell):
    """What stands before the half width."""
    value, _, half = cell.partition(" ± ")
    assert 0 < float(half) < 3
    return float(value)


def test_bounds_stand_beside_the_regret_that_they_are_about():
    table = tables.theory(results()).to_dict("records")
    safe = max(min(abs(d) for d in row) for row in email().discrepancies)
    expected = [d_ucb_bound(5000, 12), *(f_ucb_bound(5000, 12, tau, safe) for tau in THRESHOLDS for _ in range(2))]
    measured = [12_000, *(f_ucb(tau, reading=reading) for tau in THRESHOLDS for reading in (7, 5))]
    for row, bound, regret in zip(table, expected, measured, strict=True):
        assert row["bound on regret"] == f"{bound.regret:.0f}"
        assert row["holds with probability at least"] == f"{bound.probability:.4f}"
        assert float(row["bound by the proof"]) >= float(row["bound on regret"])
        assert mean_of(row["regret measured"]) == pytest.approx(regret, abs=2)
        assert row["rounds"] == 5000
    assert [row["statement"] for row in table][:2] == ["Theorem 1", "Theorem 3, tau = 0.1"]


def test_what_is_printed_is_found_by_what_its_claim_is_bound_to():
    found = results()
    assert printed_regret(found, "email", 0.2) == "363.55"
    assert printed_regret(found, "adult", 0.2) == printed_regret(found, "adult_bounds", 0.2) == "332.10"
    with pytest.raises(ValueError, match=r"email: no regret of F-UCB is published at tau = 0.25"):
        printed_regret(found, "email", 0.25)
    assert printed_counts(found, "email")["d_ucb"][0.5] == 47
    assert printed_counts(found, "adult")["fair_lin_ucb"][0.5] == 6
    assert set(printed_counts(found, "adult")) == {"f_ucb", "fair_lin_ucb"}


def test_what_fairness_costs_is_exact_beside_what_is_paid():
    table = tables.price(
        made(lambda _, s: 2000.0 + 100 * bool(s.get("stochastic")), seeds=5, experiments=("straddling",))
    )
    exact = table[table["policy"] == "best fair arm, exact"].set_index("tau")["regret"]
    # The best arm is worth (0.35 + 0.90) / 2 a round, the best at tau = 0.1 (0.20 + 0.25) / 2.
    assert exact["0.1"] == "8000"
    assert exact.astype(float).tolist() == sorted(exact.astype(float), reverse=True)
    mixes = table[table["policy"] == "best fair mix of arms, exact"].set_index("tau")["regret"].astype(float)
    assert (mixes < exact.astype(float)).all()
    assert table.groupby(["tau", "policy"]).size()["0.3"].to_dict() == {
        "best fair arm, exact": 1,
        "best fair mix of arms, exact": 1,
        "F-UCB, safest arm": 2,
        "F-UCB, best arm": 2,
        "F-UCB, safest arm, arms mixed": 2,
    }
    paid = table[(table["policy"] == "F-UCB, safest arm, arms mixed") & (table["alpha_c"] == "0.5")].set_index("tau")
    assert set(paid["alpha_r"]) == {"theorem_3"}
    assert mean_of(paid.loc["0.3", "regret"]) == pytest.approx(2100, abs=2)
    assert paid.loc["0.3", "regret against the best fair arm"] == "1800.00 ± 0.00"


def test_the_scale_of_the_bonus_that_comes_nearest_to_each_printed_regret():
    """Regrets of 200 times the scale on the email campaign, and 400 times on Adult-Video."""

    def regret(experiment, settings):
        return settings["alpha_r"] * (200 if experiment == "email_bonus" else 400)

    table = tables.bonus(made(regret, seeds=20, experiments=("email_bonus", "adult_bonus")))
    assert len(table) == 2 * 2 * 5 + 6
    d_ucb = table[table["policy"] == "D-UCB"].set_index(["task", "tau"])
    assert d_ucb.loc["email", "nearest scale"].tolist() == ["2", "1.8", "1.8", "1.6", "1.6", "1.8"]
    assert d_ucb.loc[("adult", "0.1"), ["published", "nearest scale", "scale 1"]].tolist() == ["361.43", "0.9", "400"]
    both = table[table["task"] == "both"]
    assert [float(cell.rstrip(" %")) > 10 for cell in both["mean miss at it"]] == [True, True]


def test_with_an_empty_set_and_the_best_arm_f_ucb_is_d_ucb():
    """So table `bonus` scales D-UCB's bonus by F-UCB's alpha_r."""
    problem = email()
    f_ucb, d_ucb = (
        play(policy, problem, 500, generators(1, "same", 0)) for policy in (FUCB(tau=0.0, fallback="best"), DUCB())
    )
    np.testing.assert_array_equal(f_ucb.arms, d_ucb.arms)


def test_learnt_edges_and_what_came_out(graphs):
    table = tables.discovery(graphs)
    cells = {key: value for learner, key, value in table.to_numpy().tolist() if learner == "PC"}
    assert cells["age -> reward"] == "1.00"
    assert cells["views -> reward"] == cells["sex -> income"] == cells["race - sex"] == "0.50"
    assert cells["parents of the reward exactly as stated"] == cells["minimal d-separation set as stated"] == "0.50"
    assert (cells["their mean precision"], cells["their mean recall"]) == ("1.00", "0.88")
    assert cells["income descends from sex"] == "0.50"
    assert cells["pairs of nodes joined differently, between seeds"] == "3.0"
    assert table["learner"].tolist() == ["PC"] * len(cells) + ["GES"] * len(cells)


@pytest.fixture
def graphs(tmp_path):
    return replace(NOTHING, files=learnt_graphs(tmp_path))


def test_theorem_2_misses_only_where_z_descends_from_s(tmp_path):
    path = tmp_path / "models.parquet"
    pq.write_table(theorem_2(range(150), np.random.default_rng), path)
    descends, none = tables.theorem_2(replace(NOTHING, files={"bounds_theorem_2": str(path)})).to_dict("records")
    assert descends["models"] + none["models"] == 150
    assert none["models"] > 20
    assert descends["missed by Theorem 2"] > descends["models"] / 2
    assert float(descends["by at most"]) > 0.3
    assert (none["missed by Theorem 2"], none["by at most"]) == (0, "0.000")
    assert descends["missed by the corrected bounds"] == none["missed by the corrected bounds"] == 0


TAUS = (0.1, 0.2, 0.3, 0.4, 0.5)


def beyond(tau, mean, sd):
    return stats.norm.sf(tau, mean, sd) + stats.norm.cdf(-tau, mean, sd)


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 0.18), (0.1, 0.15), (0.3, 0.4)])
def test_known_noise_is_found(mean, sd):
    shares = {tau: beyond(tau, mean, sd) for tau in TAUS}
    assert fitted(shares, MEANS) == pytest.approx((mean, sd, 0), abs=1e-9)
    if mean == 0:
        assert [implied(tau, share) for tau, share in shares.items()] == pytest.approx([sd] * 5)
        assert fitted(shares, np.zeros(1))[1:] == pytest.approx((sd, 0), abs=1e-9)
