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


def ends(rows):
    """The least and the largest end of some intervals."""
    return f"{rows['ratio, low'].min():.2f} and {rows['ratio, high'].max():.2f}"


def of_worth():
    rows = table("worth")
    kinds = ("best", "best, uniform tables", "best, exclusive ors", "C-TS", "TS")
    best, uniform, ors, more, old = (rows[rows["comparison"] == name] for name in kinds)
    long = best[best["rounds"] == 10_000]
    larger, small = long[long["variables"] > 3], long[long["variables"] == 3]
    crowded = best[(best["rounds"] == 1000) & (best["pairs"] == 4)]
    both = more.merge(long, on=["pairs", "variables"], suffixes=("", " best"))
    facts = {
        "larger": f"{span(larger['ratio'])} times",
        "larger_ends": ends(larger),
        "small": ", ".join(said(one(small, pairs=pairs)) for pairs in (0, 2, 4)),
        "crowded": ", ".join(said(one(crowded, variables=n)) for n in (3, 5, 7)),
        "rivals": f"{best['without'].nunique()} of the 14",
        "with": f"{best['with'].isin(['UCB', 'UCB+']).sum()} of {len(best)} times",
        "old": f"{span(old['ratio'])} times",
        "told_more": f"{(both['ratio'] < both['ratio best']).sum()} of {len(both)}",
    }
    for name, learners in RIVALS.items():
        facts[name] = f"{best['without'].isin(learners).sum()} of {len(best)} sizes"
    for pairs in (0, 2, 4):
        facts |= {f"best_{n}_{pairs}": said(one(long, pairs=pairs, variables=n)) for n in (5, 7)}
    for name, part in (("uniform", uniform), ("ors", ors)):
        part = part[(part["rounds"] == 10_000) & (part["variables"] > 3)]
        hidden, seen = part[part["pairs"] > 0], part[part["pairs"] == 0]
        facts |= {f"{name}_hidden": f"{span(hidden['ratio'])} times", f"{name}_hidden_ends": ends(hidden)}
        facts |= {f"{name}_seen": span(seen["ratio"])}
    return facts


def of_wrong():
    rows = table("wrong")
    mixed, kinds = rows[rows["kind"] == "mixed"], rows[rows["kind"] != "mixed"].set_index("kind")
    right = mixed[mixed["wrong edges"] == 0]
    lost, others = kinds.loc["cause_lost"], kinds.drop("cause_lost")
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
        "others_ends": ends(others.drop("overlooked")),
    }


def of_networks():
    rows = table("networks")
    best, more = (rows[rows["comparison"] == name] for name in ("best", "C-TS"))
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    insurance, alarm = (best[best["task"].str.startswith(name)] for name in ("insurance", "alarm"))
    own, drawn = few[~few["redrawn"]], few[few["redrawn"]]
    return {
        "own": ", ".join(said(one(own, task=task)) for task in ("asia", "asia_smoke", "sachs")),
        "drawn": ", ".join(said(one(drawn, task=task)) for task in ("asia", "asia_smoke", "sachs")),
        "insurance": f"{span(insurance['ratio'])} times",
        "insurance_ends": ends(insurance),
        "alarm": f"{span(alarm['ratio'])} times",
        "alarm_ends": ends(alarm),
        "told_more": f"{span(more['ratio'])} times",
        "told_more_ends": ends(more),
        "tasks": f"{more['task'].nunique()} of {best['task'].nunique()} tasks",
    }


def of_best_arm():
    rows = table("best_arm")
    sure, rejects = rows[rows["budget"].isna()], rows[rows["budget"].notna()]
    watching = rejects[rejects["plays"].str.endswith("watching")]
    names = {"right": "right", "wrong": "eight wrong edges", "other": "another problem's", "empty": "no edges"}
    facts = {"right_answers": f"{math.floor(1000 * sure['right'].min()) / 10} %"}
    for name, diagram in names.items():
        told = sure[sure["diagram"] == diagram]
        facts[f"ccpe_{name}"] = ", ".join(said(one(told, variables=n, plays="CCPE-General")) for n in (5, 10, 20))
        facts[f"observe_{name}"] = span(told[told["plays"] != "CCPE-General"]["ratio"])
        facts[f"sure_{name}"] = f"{span(told['ratio'])} times"
        facts[f"named_{name}"] = percent(one(watching, budget=500, variables=20, diagram=diagram)["right"])
    for budget, nodes in ((500, 20), (500, 5), (2000, 20)):
        cell = {"budget": budget, "variables": nodes}
        alone = one(rejects, plays="Successive Rejects", **cell)
        for name in ("right", "empty"):
            row = one(watching, **cell, diagram=names[name])
            more, low, high = (100 * row[f"more{end}"] for end in ("", ", low", ", high"))
            share = f"{percent(row['right'])} instead of {percent(alone['right'])}"
            facts[f"{name}_{budget}_{nodes}"] = f"{share}, {more:.0f} points more ({low:.0f} to {high:.0f})"
    return facts


def of_limit():
    rows = table("limit")
    assert (rows["problems"] == 400).all()
    facts = {f"median {name}": said(one(rows, plays=name), "over") for name in rows["plays"]}
    return facts | {f"mean {name}": said(one(rows, plays=name), "mean") for name in rows["plays"]}


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
