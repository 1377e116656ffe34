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
#: How the run went, which its logs say.
RUN = ("36 jobs took 5,092 CPU seconds, and none more than 419 MB",)
#: The tables of the run with fresh random problems, and its command.
FRESH_TABLES, FRESH_RUN = TABLES.parent / "fresh_problems", ("draw + 1_000_000", "WHOLE=1")
#: What the page says of the run with the first root seed (`git show 1d50bc2a:src/arena/figures/arena/<table>.csv`).
FIRST = (
    "20190127",
    "with the first root seed, had 871",
    "instead of 0.09",
    "0.73 (0.55 to 1.00); 0.81 (0.60 to 1.08)",
    "0.87 (0.74 to 1.00)",
    "0.94 (0.77 to 1.15)",
    "1.03 (0.77 to 1.40)",
    "5 of 6 sizes",
)


def table(name, folder=TABLES):
    return pd.read_csv(folder / f"{name}.csv")


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
    larger = late[late["variables"] > 3]
    small = {pairs: one(late, pairs=pairs, variables=3) for pairs in (0, 2, 4)}
    crowded = advised[(advised["rounds"] == 1000) & (advised["pairs"] == 4)]
    most = best[best["variables"] == 7]
    facts = {
        "larger": f"{span(larger['ratio'])} times",
        "larger_ends": ends(larger),
        "small_0": f"it is {said(small[0])} without confounded pairs",
        "small_2": f"{said(small[2])} with two",
        "small_4": said(small[4]).replace(" (", " times ("),
        "small_again": f"| {said(small[0])}; {said(small[2])} |",
        "uniform_again": f"| {said(one(uniform, rounds=10_000, pairs=2, variables=5))} |",
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
    assert few[few["ratio, high"] < 1][["pairs", "variables"]].to_numpy().tolist() == [[2, 5], [2, 7]]
    assert (few["ratio, low"][few["pairs"] == 4] < 1).all()
    assert few[few["ratio"] > 1][["pairs", "variables"]].to_numpy().tolist() == [[4, 5]]
    assert (crowded["ratio"] > 1).all()
    assert crowded[crowded["ratio, low"] > 1]["variables"].tolist() == [3]
    assert max(small[0]["ratio, high"], small[2]["ratio, high"]) < 1
    assert small[4]["ratio, low"] < 1 < small[4]["ratio, high"]
    assert set(most["without"]) == {"UCB+", "UCB+ guessing two causes"}
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
        "one_7": said(one(mixed, variables=7, rounds=10_000, **{"wrong edges": 1})).replace(" (", ", "),
        "one_7_again": f"| {said(one(mixed, variables=7, rounds=10_000, **{'wrong edges': 1}))} |",
        "lost": said(lost),
        "lost_share": f"{percent(lost['best intervention lost'])} of the problems",
        "chance": "{} ({} to {})".format(*map(percent, chance)),
        "others": span(others["ratio"]),
        "right": said(one(mixed, variables=5, rounds=10_000, **{"wrong edges": 0})),
    }


def of_networks():
    rows = table("networks")
    best, advised, more = (rows[rows["comparison"] == name] for name in ("best", "UCB", "C-TS"))
    case = {"task": "alarm_catecholamine", "redrawn": False}
    large = advised[advised["task"].str.contains("insurance|alarm")]
    many = large[(large["task"] != case["task"]) | large["redrawn"]]
    spared, pays = one(large, **case), one(best, **case)
    assert len(large) == 8
    assert spared["ratio, high"] < 1
    at_large = best[best["task"].str.contains("insurance|alarm")]
    assert at_large[at_large["ratio, high"] < 1][["task", "redrawn"]].to_dict("records") == [case]
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    own, drawn = few[~few["redrawn"]], few[few["redrawn"]]
    assert (own["ratio, high"] < 1).all()
    assert (many["ratio, low"] > 1).all()
    assert (more["ratio, high"] < 1).all()
    assert drawn[drawn["ratio, high"] < 1]["task"].tolist() == ["asia"]
    assert pays["without"] == "UCB+ guessing two causes"
    tasks = ("asia", "asia_smoke", "sachs")
    return {
        "own": " | ".join(said(one(own, task=task)) for task in tasks),
        "drawn": " | ".join(said(one(drawn, task=task)) for task in tasks),
        "spared": "{:.2f} times, with an interval from {:.2f} to {:.2f}".format(
            *(spared[f"ratio{end}"] for end in ("", ", low", ", high"))
        ),
        "pays": f"the ratio is {said(pays)}",
        "pays_again": f"| {said(pays)} |",
        "rival": f"a regret of {pays['regret without']:,.0f} in this case",
        "asia": f"on asia the ratio is {one(own, task='asia')['ratio']:.2f}",
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
    share = f"{100 * own['right']:.1f} % of the problems instead of {100 * alone['right']:.1f} %"
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


def of_fresh():
    worth, wrong, networks, best_arm = (
        table(name, FRESH_TABLES) for name in ("worth", "wrong", "networks", "best_arm")
    )
    late = worth[worth["rounds"] == 10_000]
    ucb, uniform = (late[late["comparison"] == name] for name in ("UCB", "best, uniform tables"))
    larger, (none, two) = ucb[ucb["variables"] > 3], (one(ucb, pairs=pairs, variables=3) for pairs in (0, 2))
    chosen = worth[(worth["comparison"] == "best") & (worth["variables"] == 7)]["without"]
    best, more = (networks[networks["comparison"] == name] for name in ("best", "C-TS"))
    few = best[best["task"].isin(["asia", "asia_smoke", "sachs"])]
    mixed = wrong[(wrong["kind"] == "mixed") & (wrong["variables"] == 7) & (wrong["rounds"] == 10_000)]
    kinds = wrong[wrong["kind"] != "mixed"].set_index("kind")
    right, spoilt = (one(mixed, **{"wrong edges": edges}) for edges in (0, 1))
    before = one(table("wrong"), kind="mixed", variables=7, rounds=10_000, **{"wrong edges": 0})
    assert (right["without"], before["without"]) == ("UCB+", "UCB+ guessing two causes")
    # The conclusions that were the same with both seeds.
    assert (larger["ratio, high"] < 1).all()
    assert kinds.loc["cause_lost", "ratio, low"] > kinds.drop("cause_lost")["ratio, high"].max()
    assert (few[~few["redrawn"]]["ratio, high"] < 1).all()
    assert (more["ratio, high"] < 1).all()
    short = best_arm[(best_arm["budget"] == 500) & (best_arm["variables"] == 20)].set_index("diagram")
    assert short.loc["right", "more, low"] > 0
    sure = best_arm[best_arm["budget"].isna() & (best_arm["variables"] == 5) & (best_arm["plays"] != "LUCB")]
    assert (sure["ratio, low"] > 1).all()
    assert (few[few["redrawn"]]["ratio, high"] > 1).all()
    return {
        "asia": f"asia the ratio is {one(few, task='asia', redrawn=False)['ratio']:.2f}",
        "small": f"{said(none)}; {said(two)}",
        "uniform": f"{said(one(uniform, pairs=2, variables=5))}",
        "one_7": f"{said(spoilt)}",
        "pays": f"{said(one(best, task='alarm_catecholamine', redrawn=False))}",
        "few_7": f"{(chosen == 'UCB+').sum()} of {len(chosen)} sizes",
        "pays_7": f"{said(right, 'pays up to')}",
        "larger": span(larger["ratio"]),
        "pays_7, second seed": said(before, "pays up to"),
        "larger, second seed": of_worth()["larger"].removesuffix(" times"),
    }


ANSWERS = {
    "worth": of_worth,
    "wrong": of_wrong,
    "networks": of_networks,
    "best_arm": of_best_arm,
    "limit": of_limit,
    "fresh": of_fresh,
}


@pytest.mark.parametrize("question", ANSWERS)
def test_the_page_says_what_the_tables_say(question):
    for name, fact in ANSWERS[question]().items():
        assert fact in PAGE, name


def test_no_other_number_stands_on_the_page():
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|`[^`]*`|\bL\d+", " ", PAGE)
    facts = [" ".join(fact.split()) for facts in ANSWERS.values() for fact in facts().values()]
    facts += [*RUN, *FIRST, *FRESH_RUN, str(yaml.safe_load((CONFIG / "config.yaml").read_text())["seed"])]
    assert [fact for fact in facts if fact not in PAGE] == []
    for fact in sorted(facts, key=len, reverse=True):
        text = text.replace(fact, " ")
    assert set(re.findall(r"\d[\d,.]*\d|\d", text)) <= PLAN


@pytest.mark.parametrize("name", yaml.safe_load((CONFIG / "arena.yaml").read_text())["figures"])
def test_every_figure_stands_once_with_its_description(name):
    assert PAGE.count(f"![{alt_text('arena', name)}](../../src/arena/figures/arena/{name}.png)") == 1
    assert (TABLES / f"{name}.png").stat().st_size > 20_000
