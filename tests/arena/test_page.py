"""The arena's page: each of its numbers is computed from the committed tables, and each figure stands there once."""

import math
import re

import pandas as pd
import pytest
import yaml
from described import alt_text
from whole_arena import CONFIG, ROOT, TABLES

TEXT = (ROOT / "docs/papers/arena.md").read_text(encoding="utf-8")
PAGE = " ".join(TEXT.split())
#: Numbers that the plan says, and no table; they may stand on the page as they are.
PLAN = {"0", "0.05", "0.1", "2", "3", "4", "5", "7", "8", "10", "14", "20", "25", "95", "100", "400", "500"}
PLAN |= {"1,000", "2,000", "10,000", "100,000"}


def table(name):
    return pd.read_csv(TABLES / f"{name}.csv")


def said(row, name="ratio"):
    """An estimate with its interval."""
    low, high = row[f"{name}, low"], row[f"{name}, high"]
    return f"{row[name]:.2f} ({low:.2f} to {high:.2f})"


def one(rows, **cells):
    """The one row that has some cells."""
    for column, cell in cells.items():
        rows = rows[rows[column] == cell]
    (found,) = rows.to_dict("records")
    return found


def span(values, digits=2):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def percent(share):
    return f"{100 * share:.0f} %"


def ends(rows):
    """The least and the largest end of some intervals."""
    return f"{rows['ratio, low'].min():.2f} and {rows['ratio, high'].max():.2f}"


def of_worth():
    rows = table("worth")
    kinds = ("best", "best, uniform tables", "best, exclusive ors", "UCB", "TS")
    best, uniform, ors, advised, old = (rows[rows["comparison"] == name] for name in kinds)
    long, late = best[best["rounds"] == 10_000], advised[advised["rounds"] == 10_000]
    larger, small = late[late["variables"] > 3], late[late["variables"] == 3]
    crowded = advised[(advised["rounds"] == 1000) & (advised["pairs"] == 4)]
    most = best[best["variables"] == 7]
    facts = {
        "larger": f"{span(larger['ratio'])} times",
        "larger_ends": ends(larger),
        "small": f"{span(small['ratio'])} times",
        "crowded": f"{span(crowded['ratio'])} times",
        "few_7": f"{(most['without'] == 'UCB+').sum()} of {len(most)} sizes",
        "old": f"{span(old['ratio'])} times",
        "wins": f"{percent(one(long, pairs=4, variables=5)['less regret'])} of the problems",
    }
    for n in (5, 7):
        cells = " | ".join(said(one(long, pairs=pairs, variables=n)) for pairs in (0, 2, 4))
        facts[f"best_{n}"] = f"| {n} variables | {cells} |"
    for name, part in (("uniform", uniform), ("ors", ors)):
        part = part[(part["rounds"] == 10_000) & (part["variables"] > 3)]
        hidden = part[part["pairs"] > 0]
        assert len(hidden) == 4
        facts |= {f"{name}_hidden": span(hidden["ratio"]), f"{name}_hidden_ends": ends(hidden)}
    few = uniform[(uniform["rounds"] == 10_000) & (uniform["variables"] > 3) & (uniform["pairs"] > 0)]
    assert (larger["ratio, high"] < 1).all()
    assert (ors[(ors["rounds"] == 10_000) & (ors["variables"] > 3)]["ratio, high"] < 1).all()
    assert few[few["ratio, high"] < 1][["pairs", "variables"]].to_numpy().tolist() == [[2, 7]]
    assert few[few["ratio"] > 1][["pairs", "variables"]].to_numpy().tolist() == [[4, 5]]
    assert (crowded["ratio"] > 1).all()
    return facts


def long_best():
    rows = table("worth")
    return rows[(rows["comparison"] == "best") & (rows["rounds"] == 10_000)]


def of_wrong():
    rows = table("wrong")
    mixed, kinds = rows[rows["kind"] == "mixed"], rows[rows["kind"] != "mixed"].set_index("kind")
    right = mixed[mixed["wrong edges"] == 0]
    lost, others = kinds.loc["cause_lost"], kinds.drop("cause_lost")
    assert (others["ratio, high"] < 1).all()
    assert lost["ratio, low"] > 1
    facts = {}
    for nodes in (3, 5, 7):
        pays = " | ".join(said(one(right, variables=nodes, rounds=r), "pays up to") for r in (1000, 10_000))
        facts[f"pays_{nodes}"] = f"| {nodes} variables | {pays} |"
    chance = [lost[f"pays up to a chance of{end}"] for end in ("", ", low", ", high")]
    return facts | {
        "without_losses": f"{one(long_best(), pairs=2, variables=5)['ratio']:.2f} above",
        "one": said(one(mixed, variables=5, rounds=10_000, **{"wrong edges": 1})),
        "lost": said(lost),
        "lost_share": f"{percent(lost['best intervention lost'])} of the problems",
        "chance": "{} ({} to {})".format(*map(percent, chance)),
        "others": span(others["ratio"]),
        "right": said(one(mixed, variables=5, rounds=10_000, **{"wrong edges": 0})),
    }


def of_networks():
    rows = table("networks")
    best, advised, more = (rows[rows["comparison"] == name] for name in ("best", "UCB", "C-TS"))
    many = advised[advised["task"].str.contains("insurance|alarm")]
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    own, drawn = few[~few["redrawn"]], few[few["redrawn"]]
    assert (own["ratio, high"] < 1).all()
    assert (many["ratio, low"] > 1).all()
    assert (more["ratio, high"] < 1).all()
    assert (best[best["task"] == "child"]["ratio"] == 1).all()
    tasks = ("asia", "asia_smoke", "sachs")
    return {
        "own": " | ".join(said(one(own, task=task)) for task in tasks),
        "drawn": " | ".join(said(one(drawn, task=task)) for task in tasks),
        "many": f"{span(many['ratio'])} times",
        "many_ends": ends(many),
        "told_more": f"{span(more['ratio'])} times",
        "told_more_ends": ends(more),
        "tasks": f"{more['task'].nunique()} of {best['task'].nunique()} tasks",
    }


def of_best_arm():
    rows = table("best_arm")
    sure, rejects = rows[rows["budget"].isna()], rows[rows["budget"].notna()]
    ccpe = sure[sure["plays"] == "CCPE-General"].set_index(["diagram", "variables"])
    right, wrong, empty = (ccpe.loc[name] for name in ("right", "eight wrong edges", "no edges"))
    assert (right["ratio, low"] > 1).all()
    assert (right["ratio"] > wrong["ratio"]).all()
    assert (empty["ratio, high"] < right["ratio, low"]).all()
    of_few = sure[(sure["variables"] == 5) & (sure["plays"] != "LUCB")]
    assert (of_few["ratio, low"] > 1).all()  # until sure among few arms, do not watch
    facts = {"right_answers": f"{math.floor(1000 * sure['right'].min()) / 10} %"}
    for name, found in (("right", right), ("empty", empty)):
        assert found["ratio"].is_monotonic_decreasing  # in the number of variables
        facts[f"ccpe_{name}"] = f"{span(found['ratio'])} times"
    short = rejects[(rejects["budget"] == 500) & (rejects["variables"] == 20)].set_index("diagram")
    own, alone, none = (short.loc[name] for name in ("right", "none", "no edges"))
    assert own["right, high"] < none["right, low"]
    more, low, high = (100 * own[f"more{end}"] for end in ("", ", low", ", high"))
    share = f"{percent(own['right'])} of the problems instead of {percent(alone['right'])}"
    facts["right_500_20"] = f"{share}, a gain of {more:.0f} percentage points ({low:.0f} to {high:.0f})"
    for name, diagram in (("wrong", "eight wrong edges"), ("empty", "no edges")):
        facts[f"named_{name}"] = percent(short.loc[diagram]["right"])
    return facts


def of_limit():
    rows = table("limit")
    assert (rows["problems"] == 400).all()
    facts = {}
    for name, told in (
        ("TS", "times this limit"),
        ("UCB", "times the limit"),
        ("TS, all interventions", "times the limit"),
    ):
        facts[f"median {name}"] = said(one(rows, plays=name), "over").replace(" (", f" {told} (").rstrip(")")
    for name in ("TS", "UCB"):
        facts[f"mean {name}"] = said(one(rows, plays=name), "mean").replace(" (", " times (")
    return facts


ANSWERS = {"worth": of_worth, "wrong": of_wrong, "networks": of_networks, "best_arm": of_best_arm, "limit": of_limit}


@pytest.mark.parametrize("question", ANSWERS)
def test_the_page_says_what_the_tables_say(question):
    for name, fact in ANSWERS[question]().items():
        assert fact in PAGE, name


def test_no_other_number_stands_on_the_page():
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|`[^`]*`|\bL\d+", " ", PAGE)
    facts = [" ".join(fact.split()) for facts in ANSWERS.values() for fact in facts().values()]
    for fact in sorted(facts, key=len, reverse=True):
        text = text.replace(fact, " ")
    assert set(re.findall(r"\d[\d,.]*\d|\d", text)) <= PLAN


@pytest.mark.parametrize("name", yaml.safe_load((CONFIG / "arena.yaml").read_text())["figures"])
def test_every_figure_stands_once_with_its_description(name):
    assert PAGE.count(f"![{alt_text('arena', name)}](../../src/arena/figures/arena/{name}.png)") == 1
    assert (TABLES / f"{name}.png").stat().st_size > 20_000
