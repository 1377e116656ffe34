"""Which omitted parameter decides the gain: strengths by hand, shares and chance by simulation."""

import json

import numpy as np
import pandas as pd

from causal_bandits import provenance
from replication.papers.lee2019.sensitivity import IDLE, chance, shares, strengths

INSTANCES = provenance.SOURCE.parent / "data/instances/lee2019"


def test_strengths_are_those_of_the_noise_bits():
    found = strengths(INSTANCES / "frontdoor.json")
    member = json.loads((INSTANCES / "frontdoor.json").read_text())["members"][0]["ones"]
    assert list(found.columns) == ["U_XY", "X", "Z", "Y", IDLE]
    assert np.isclose(found.loc[0, "X"], abs(1 - 2 * member["X"][0]))
    assert np.isclose(found.loc[0, "Y"], abs(1 - 2 * member["Y"][0][0]))


def test_doing_nothing_is_best_where_the_product_of_biases_says_so():
    """Y under do() is the parity of all three noises: X's confounder cancels."""
    members = json.loads((INSTANCES / "frontdoor.json").read_text())["members"]
    for idle, member in zip(strengths(INSTANCES / "frontdoor.json")[IDLE], members, strict=True):
        bias = {name: 1 - 2 * np.ravel(table)[0] for name, table in member["ones"].items()}
        under_nothing = (1 - bias["X"] * bias["Z"] * bias["Y"]) / 2
        other = abs(bias["U_XY"] * bias["Y"])
        assert idle == (under_nothing >= (1 + other) / 2)


def test_shares_find_what_decides_and_nothing_else():
    rng = np.random.default_rng(1)
    parameters = pd.DataFrame(rng.uniform(size=(40, 4)), columns=list("abcd")).assign(e=1.0)
    found = shares(parameters, np.exp(3 * parameters["b"].to_numpy()))
    assert found["b"] == 1.0
    assert found["e"] == 0.0
    assert found.drop("b").max() < chance(40, 5) < 0.3


def test_chance_exceeds_its_line_in_five_percent():
    rng = np.random.default_rng(2)
    above = [
        shares(pd.DataFrame(rng.uniform(size=(40, 5))), rng.uniform(size=40)).max() > chance(40, 5) for _ in range(400)
    ]
    assert 0.01 < np.mean(above) < 0.08
