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
PLAN = {"0", "0.05", "0.1", "2", "3", "4", "5", "7", "8", "10", "20", "25", "95", "100", "400", "500"}
PLAN |= {"52", "200", "1,000", "2,000", "10,000", "100,000"}


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


def of_worth():
    rows = table("worth")
    best, more, old = (rows[rows["comparison"] == name] for name in ("best", "C-TS", "TS"))
    long = best[best["rounds"] == 10_000]
    larger, small = long[long["variables"] > 3], long[long["variables"] == 3]
    crowded = best[(best["rounds"] == 1000) & (best["pairs"] == 4)]
    both = more.merge(long, on=["pairs", "variables"], suffixes=("", " best"))
    few = best["without"] == "UCB+"
    assert (larger["ratio, high"] < 1).all()
    assert (crowded["ratio, high"] > 1).all()
    facts = {
        "larger": f"{span(larger['ratio'])} times",
        "ends": f"{larger['ratio, low'].min():.2f} and {larger['ratio, high'].max():.2f}",
        "small": " and ".join(said(one(small, pairs=pairs)) for pairs in (0, 4)),
        "crowded": ", ".join(said(one(crowded, variables=n)) for n in (3, 5, 7)),
        "few": f"{few.sum()} of {len(best)} sizes",
        "all_set": f"{(best['without'] == 'UCB, all variables').sum()} times",
        "with": f"{best['with'].isin(['UCB', 'UCB+']).sum()} of {len(best)} times",
        "old": f"{span(old['ratio'])} times",
        "told_more": f"{(both['ratio'] < both['ratio best']).sum()} of {len(both)}",
    }
    for pairs in (0, 2, 4):
        facts[f"five_{pairs}"], facts[f"seven_{pairs}"] = (said(one(long, pairs=pairs, variables=n)) for n in (5, 7))
    return facts


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
        facts[f"one_{nodes}"] = said(one(mixed, variables=nodes, rounds=10_000, **{"wrong edges": 1}))
    first = one(mixed, variables=5, rounds=10_000, **{"wrong edges": 1})
    chance = [lost[f"pays up to a chance of{end}"] for end in ("", ", low", ", high")]
    return facts | {
        "ruled_out": f"{percent(first['best intervention lost'])} of the problems",
        "lost": said(lost),
        "lost_share": f"{percent(lost['best intervention lost'])} of the problems",
        "chance": "{} ({} to {})".format(*map(percent, chance)),
        "overlooked": said(kinds.loc["overlooked"]),
        "others": span(others.drop("overlooked")["ratio"]),
    }


def of_networks():
    rows = table("networks")
    best, more = (rows[rows["comparison"] == name] for name in ("best", "C-TS"))
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    insurance, alarm = (best[best["task"].str.startswith(name)] for name in ("insurance", "alarm"))
    own, drawn = few[~few["redrawn"]], few[few["redrawn"]]
    assert (own["ratio, high"] < 1).all()
    assert (insurance["ratio, low"] > 1).all()
    assert (more["ratio, high"] < 1).all()
    assert (best[best["task"] == "child"]["ratio"] == 1).all()
    return {
        "own": f"{span(own['ratio'])} times",
        "drawn": ", ".join(said(one(drawn, task=task)) for task in ("asia", "asia_smoke", "sachs")),
        "insurance": f"{span(insurance['ratio'])} times",
        "insurance_ends": f"{insurance['ratio, low'].min():.2f} and {insurance['ratio, high'].max():.2f}",
        "alarm": f"{span(alarm['ratio'])} times",
        "alarm_ends": f"{alarm['ratio, low'].min():.2f} and {alarm['ratio, high'].max():.2f}",
        "told_more": f"{span(more['ratio'])} times",
        "told_more_ends": f"{more['ratio, low'].min():.2f} and {more['ratio, high'].max():.2f}",
        "tasks": f"{more['task'].nunique()} of {best['task'].nunique()} tasks",
    }


def of_best_arm():
    rows = table("best_arm")
    sure, rejects = rows[rows["budget"].isna()], rows[rows["budget"].notna()]
    right, wrong = (sure[sure["wrong edges"] == number] for number in (0, 8))
    watching = rejects[rejects["plays"].str.endswith("watching")]
    assert (pd.concat([right, wrong])["ratio, low"] > 1).all()
    facts = {
        "ccpe": ", ".join(said(one(right, variables=n, plays="CCPE-General")) for n in (5, 10, 20)),
        "observe": span(right[right["plays"] != "CCPE-General"]["ratio"]),
        "wrong": span(wrong["ratio"]),
        "right": f"{math.floor(1000 * sure['right'].min()) / 10} %",
    }
    for budget, nodes in ((500, 20), (500, 5), (2000, 20)):
        cell = {"budget": budget, "variables": nodes}
        alone = one(rejects, plays="Successive Rejects", **cell)
        row = one(watching, **cell, **{"wrong edges": 0})
        more, low, high = (100 * row[f"more{end}"] for end in ("", ", low", ", high"))
        facts[f"named_{budget}_{nodes}"] = f"{percent(row['right'])} instead of {percent(alone['right'])}"
        facts[f"more_{budget}_{nodes}"] = f"{more:.0f} points more ({low:.0f} to {high:.0f})"
    other = one(watching, budget=500, variables=20, **{"wrong edges": 8})
    return facts | {"eight": percent(other["right"])}


def of_limit():
    rows = table("limit")
    names = ("TS", "kl-UCB", "UCB", "C-UCB", "HAC-UCB", "z2-TS", "z2-kl-UCB", "UCB+", "TS, all interventions")
    assert (rows["problems"] == 400).all()
    own, cells = one(rows, plays="TS"), one(rows, plays="C-TS")
    assert own | {"plays": ""} == cells | {"plays": ""}
    return {name: said(one(rows, plays=name), "over") for name in names}


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


def test_the_page_is_short_and_opens_with_the_answer():
    assert len(re.sub(r"!\[[^\]]*\]\([^)]*\)", "", PAGE).split()) <= 1500  # without the words that stand for figures
    assert re.findall("^## (.*)", TEXT, re.MULTILINE)[0] == "What should I play?"


@pytest.mark.parametrize("name", yaml.safe_load((CONFIG / "arena.yaml").read_text())["figures"])
def test_every_figure_stands_once_with_its_description(name):
    assert PAGE.count(f"![{alt_text('arena', name)}](../../src/arena/figures/arena/{name}.png)") == 1
    assert (TABLES / f"{name}.png").stat().st_size > 20_000
