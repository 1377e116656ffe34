"""The arena's page: each of its numbers is computed from the committed tables, and each figure stands there once."""

import re

import pandas as pd
import pytest
import yaml
from described import alt_text
from whole_arena import CONFIG, ROOT, TABLES

PAGE = " ".join((ROOT / "docs/papers/arena.md").read_text(encoding="utf-8").split())
#: Numbers that the plan says, and no table; they may stand on the page as they are.
PLAN = {"0", "0.05", "0.1", "0.7071", "2", "3", "4", "5", "7", "8", "10", "20", "25", "95", "100", "243", "400", "500"}
PLAN |= {"1,000", "2,000", "2,187", "10,000", "100,000"}


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
    assert (larger["ratio, high"] < 1).all()
    assert (crowded["ratio, high"] > 1).all()
    yield f"{span(larger['ratio'])} times the regret of the best learner without one"
    yield f"the intervals lie between {larger['ratio, low'].min():.2f} and {larger['ratio, high'].max():.2f}"
    for pairs in (0, 2, 4):
        yield f"with {pairs} pairs {said(one(long, pairs=pairs, variables=5))} among 5 variables"
        yield f"and {said(one(long, pairs=pairs, variables=7))} among 7"
    yield "; ".join(f"{said(one(small, pairs=pairs))} with {pairs}" for pairs in (0, 2, 4))
    yield f"{', '.join(said(one(crowded, variables=n)) for n in (3, 5, 7))} among 3, 5 and 7 variables"
    without = best["without"]
    yield f"in {(without.isin(['UCB+', 'UCB, all variables'])).sum()} of {len(best)} sizes"
    yield f"{(best['with'].isin(['UCB', 'UCB+'])).sum()} times"
    yield f"{span(old['ratio'])} times the regret that it has on all interventions"
    both = more.merge(long, on=["pairs", "variables"], suffixes=("", " best"))
    less = (both["regret with"] < both["regret with best"]).sum()
    yield f"C-TS has less regret than the best learner with the diagram alone in {less} of {len(both)} sizes"
    share = best["less regret"]
    yield f"on {percent(share.min())} to {percent(share.max())} of the problems"


def of_wrong():
    rows = table("wrong")
    mixed, kinds = rows[rows["kind"] == "mixed"], rows[rows["kind"] != "mixed"].set_index("kind")
    right = mixed[mixed["wrong edges"] == 0]
    for nodes in (3, 5, 7):
        short, long = (one(right, variables=nodes, rounds=rounds) for rounds in (1000, 10_000))
        yield f"| {nodes} variables | {said(short, 'pays up to')} | {said(long, 'pays up to')} |"
    for nodes in (5, 7):
        yield said(one(mixed, variables=nodes, rounds=10_000, **{"wrong edges": 1}))
    first = one(mixed, variables=5, rounds=10_000, **{"wrong edges": 1})
    yield f"on {100 * first['best intervention lost']:.1f} % of the problems"
    lost, over = kinds.loc["cause_lost"], kinds.loc["overlooked"]
    others = kinds.drop("cause_lost")
    assert (others["ratio, high"] < 1).all()
    assert lost["ratio, low"] > 1
    yield f"{said(lost)} times the rival's regret"
    yield f"loses the best intervention on {percent(lost['best intervention lost'])} of the problems"
    chance = [lost[f"pays up to a chance of{end}"] for end in ("", ", low", ", high")]
    yield "a chance of {} ({} to {})".format(*map(percent, chance))
    yield f"an overlooked hidden cause has {said(over)}"
    yield f"the other five {span(others.drop('overlooked')['ratio'])}"


def of_networks():
    rows = table("networks")
    best, more = (rows[rows["comparison"] == name] for name in ("best", "C-TS"))
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    many = best[best["task"].str.startswith(("insurance", "alarm"))]
    own = few[~few["redrawn"]]
    assert (own["ratio, high"] < 1).all()
    yield f"{span(own['ratio'])} times the regret with the networks' own probabilities"
    drawn = few[few["redrawn"]]
    yield ", ".join(said(one(drawn, task=task)) for task in ("asia", "asia_smoke", "sachs"))
    yield f"{span(many['ratio'])} times"
    above, below = (many["ratio, low"] > 1).sum(), (many["ratio, high"] < 1).sum()
    yield f"{above} of {len(many)} intervals lie above one, and {below} below"
    assert (one(best, task="child", redrawn=True)["ratio"], (more["ratio, high"] < 1).all()) == (1, True)
    yield f"C-TS has {span(more['ratio'])} times the rival's regret"
    yield f"the ends of its intervals lie between {more['ratio, low'].min():.2f} and {more['ratio, high'].max():.2f}"


def of_best_arm():
    rows = table("best_arm")
    sure, rejects = rows[rows["budget"].isna()], rows[rows["budget"].notna()]
    right, wrong = (sure[sure["wrong edges"] == number] for number in (0, 8))
    assert (pd.concat([right, wrong])["ratio, low"] > 1).all()
    for nodes in (5, 10, 20):
        row = one(right, variables=nodes, plays="CCPE-General")
        yield f"{said(row)} times with {nodes} variables"
    yield f"{span(right[right['plays'] != 'CCPE-General']['ratio'])} times"
    yield f"{span(wrong['ratio'])} times with eight wrong edges"
    yield f"right on {percent(sure['right'].min())} of the problems or more"
    watching = rejects[rejects["plays"].str.endswith("watching")]
    for budget, nodes in ((500, 20), (500, 5), (2000, 20)):
        cell = {"budget": budget, "variables": nodes}
        alone = one(rejects, plays="Successive Rejects", **cell)
        row, other = (one(watching, **cell, **{"wrong edges": number}) for number in (0, 8))
        yield f"{percent(row['right'])} instead of {percent(alone['right'])}"
        if nodes == 20:
            low, high = (100 * row[f"more, {end}"] for end in ("low", "high"))
            yield f"({low:.0f} to {high:.0f} points more)"
            yield f"{percent(other['right'])} with eight wrong edges"


def of_limit():
    rows = table("limit")
    for name in ("TS", "kl-UCB", "UCB", "z2-TS", "C-TS", "C-UCB", "HAC-UCB", "TS, all interventions", "UCB+"):
        row = one(rows, plays=name)
        yield f"{row['over']:.2f} ({row['over, low']:.2f} to {row['over, high']:.2f})"
    ucb = one(rows, plays="UCB")
    yield f"{ucb['first quartile']:.2f} to {ucb['third quartile']:.2f}"
    yield f"{rows['problems'].iloc[0]} of the 400 problems"


@pytest.mark.parametrize("facts", [of_worth, of_wrong, of_networks, of_best_arm, of_limit])
def test_the_page_says_what_the_tables_say(facts):
    for fact in facts():
        assert fact in PAGE, fact


def test_no_other_number_stands_on_the_page():
    text = PAGE
    for facts in (of_worth, of_wrong, of_networks, of_best_arm, of_limit):
        for fact in sorted(facts(), key=len, reverse=True):
            text = text.replace(fact, "")
    text = re.sub(
        r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|`[^`]*`|\bL\d+|[a-z]+ 20\d\d", "", text
    )  # figures, links, code, ids
    assert set(re.findall(r"\d[\d,.]*\d|\d", text)) <= PLAN


def test_the_page_is_short_and_opens_with_the_answer():
    assert len(PAGE.split()) <= 1500
    text = (ROOT / "docs/papers/arena.md").read_text(encoding="utf-8")
    assert re.findall("^## (.*)", text, re.MULTILINE)[0] == "What should I play?"
    assert text.count("\n## ") == 8


@pytest.mark.parametrize("name", yaml.safe_load((CONFIG / "arena.yaml").read_text())["figures"])
def test_every_figure_stands_once_with_its_description(name):
    assert PAGE.count(f"![{alt_text('arena', name)}](../../src/arena/figures/arena/{name}.png)") == 1
    assert (TABLES / f"{name}.png").stat().st_size > 20_000
