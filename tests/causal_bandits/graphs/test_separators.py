from itertools import chain, combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.separators import reward_separator

EIGHT = ("A", "B", "C", "D", "E", "F", "G", "Y")

EMAIL = ADMG(
    [(x, "I4") for x in ("X1", "X2", "X3")]
    + [(v, "I2") for v in ("A1", "A2", "I4")]
    + [(v, "I1") for v in ("A1", "A2", "I2")]
    + [("I2", "I3")]
    + [(v, "R") for v in ("I1", "I2", "I3", "A3")]
)
EMAIL_SIZES = {"X1": 2, "X2": 2, "X3": 2, "A1": 3, "A2": 4, "A3": 3, "I1": 2, "I2": 2, "I3": 2, "I4": 4}
VIDEO = ADMG(
    [("age", "income"), ("sex", "income"), ("race", "income"), ("views", "ratings"), ("views", "comments")]
    + [(v, "R") for v in ("age", "income", "ratings", "views")],
    nodes=["length"],
)
VIDEO_ARMS, VIDEO_CONTEXT = ("length", "ratings", "views", "comments"), ("age", "sex", "race", "income")


def subsets(nodes):
    nodes = sorted(nodes)
    return (frozenset(s) for s in chain.from_iterable(combinations(nodes, k) for k in range(len(nodes) + 1)))


def cost(members, sizes):
    return prod(sizes[v] for v in members)


def enumerated_reward_separators(graph, reward, features):
    """Every W that d-separates the reward from the features outside W."""
    return [w for w in subsets(set(graph) - {reward}) if graph.is_d_separated(reward, features - w, w)]


@st.composite
def bandit_graphs(draw):
    """An ADMG with reward Y, and disjoint arms and context among what does not descend from Y."""
    graph = draw(admgs(min_nodes=3, max_nodes=8, names=EIGHT[:-1]))
    free = sorted(set(graph) - graph.descendants("Y"))
    roles = {v: draw(st.sampled_from("AXI")) for v in free}
    arms, context = (frozenset(v for v in free if roles[v] == role) for role in "AX")
    return graph, arms, context, {v: draw(st.integers(2, 4)) for v in graph if v != "Y"}


@settings(deadline=None, max_examples=250)
@given(bandit_graphs())
def test_reward_separator_equals_enumeration(bandit):
    graph, arms, context, sizes = bandit
    features = arms | context
    if not features:
        with pytest.raises(ValueError, match="arms, context: "):
            reward_separator(graph, outcome="Y", arms=arms, context=context, sizes=sizes)
        return
    found = enumerated_reward_separators(graph, "Y", features)
    by_w = min(found, key=lambda w: (cost(w, sizes), len(w), sorted(w)))
    assert reward_separator(graph, outcome="Y", arms=arms, context=context, sizes=sizes, objective="W") == by_w
    by_z = min(found, key=lambda w: (cost(w - features, sizes), cost(w, sizes), len(w), sorted(w)))
    assert reward_separator(graph, outcome="Y", arms=arms, context=context, sizes=sizes, objective="Z") == by_z
    assert by_z <= features  # line 2 as printed never takes an intermediate variable (L41)


def test_email_campaign():
    arms, context = ("A1", "A2", "A3"), ("X1", "X2", "X3")
    assert reward_separator(EMAIL, outcome="R", arms=arms, context=context, sizes=EMAIL_SIZES) == {"A3", "I1", "I2"}
    exchanged = EMAIL_SIZES | {"I3": 4, "I4": 2}  # Table 4's domains
    assert reward_separator(EMAIL, outcome="R", arms=arms, context=context, sizes=exchanged) == {"A3", "I1", "I2"}
    found = enumerated_reward_separators(EMAIL, "R", frozenset(arms + context))
    assert [w for w in found if cost(w, EMAIL_SIZES) <= 12] == [{"A3", "I1", "I2"}]  # no tie
    assert reward_separator(EMAIL, outcome="R", arms=arms, context=context, sizes=EMAIL_SIZES, objective="Z") == {
        *arms,
        *context,
    }


def test_email_campaign_with_the_policys_edges():
    arms, context = ("A1", "A2", "A3"), ("X1", "X2", "X3")
    played = ADMG([*EMAIL.directed, *((x, a) for x in context for a in arms)])
    assert reward_separator(played, outcome="R", arms=arms, context=context, sizes=EMAIL_SIZES) == {"A3", "I1", "I2"}


def test_adult_video():
    sizes = dict.fromkeys(VIDEO_ARMS + VIDEO_CONTEXT, 2)
    for objective in ("W", "Z"):
        chosen = reward_separator(
            VIDEO, outcome="R", arms=VIDEO_ARMS, context=VIDEO_CONTEXT, sizes=sizes, objective=objective
        )
        assert chosen == {"age", "income", "ratings", "views"}


def test_near_products_are_told_apart():
    # 2^53 and 2^53 + 1 have the same logarithm in floating point.
    graph = ADMG([("X", "A"), ("A", "B"), ("B", "Y")])
    for small, large in ("AB", "BA"):
        sizes = {"X": 2**60, small: 2**53, large: 2**53 + 1}
        assert reward_separator(graph, outcome="Y", arms="X", context=(), sizes=sizes) == {small}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arms": ["A9"]}, "arms: A9 "),
        ({"context": ["A1", "X1"]}, "A1: .*arms.*context"),
        ({"context": ["X1", "R"]}, "R: .*outcome.*context"),
        ({"outcome": "I2", "arms": ["A1"], "context": ["I3"]}, "I3 .*outcome I2"),
        ({"sizes": {}}, "sizes: .*A1, I2"),
        ({"sizes": EMAIL_SIZES | {"A1": 0}}, "sizes: A1 .*0"),
        ({"objective": "V"}, "objective 'V': .*W, Z"),
    ],
)
def test_reward_separator_refuses(change, message):
    query = {"outcome": "R", "arms": ["A1"], "context": ["X1"], "sizes": EMAIL_SIZES}
    if change == {"sizes": {}}:
        query["outcome"] = "I1"
        change = {"sizes": {v: 2 for v in EMAIL if v not in ("A1", "I2")}}
    with pytest.raises(ValueError, match=message):
        reward_separator(EMAIL, **(query | change))


def test_ties_go_to_fewer_members_and_then_to_the_first_names():
    """X -> {A, B} -> D -> Y and X -> C -> E -> Y: all four separators have eight joint states."""
    graph = ADMG([("X", "A"), ("X", "B"), ("X", "C"), ("A", "D"), ("B", "D"), ("C", "E"), ("D", "Y"), ("E", "Y")])
    sizes = {"A": 2, "B": 2, "C": 2, "D": 4, "E": 2, "X": 9}

    def found(**other):
        return reward_separator(graph, outcome="Y", arms="X", context=(), sizes=sizes | other)

    assert found() == {"C", "D"}  # not {D, E}, nor three members
    assert found(C=3) == {"D", "E"}
    assert found(D=5) == {"A", "B", "C"}  # before {A, B, E}
    assert found(X=8) == {"X"}
