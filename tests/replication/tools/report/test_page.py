"""The page of a report shows all of its contents: pictures, values on a line, words explained."""

import re
from base64 import b64decode, b64encode
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import yaml

from replication.judging.judges import Outcome, Why
from replication.tools.report import page
from replication.tools.report.contents import Item
from replication.tools.report.interval import Place, places

#: What the figure of the small study draws.
NUMBERS = "x\r\n1\r\n"


def test_the_page_shows_it(gathered, monkeypatch):
    monkeypatch.setattr(page.vl_convert, "javascript_bundle", lambda code: f"{code}</script>")  # takes a second
    quick, found = gathered
    text = page.render(found)
    row = re.search(r'<a href="#verdicts\?paper=x">Owl &amp; Cat, Night 2020</a></th>(.*?)</tr>', text)[1]
    held = f"{1 if quick else 2} of 3"
    assert re.findall(r">([^<]+)</td>", row) == [held, "none", "none", "none"]
    assert re.findall(r'<tbody id="(.+?)"', text) == ["x.b", "x.a", "x.c"]
    for part in (
        '<a href="https://doi.org/10.1/owl">DOI</a> <a href="https://arxiv.org/abs/1">arXiv</a>',
        f"<b>{held}</b> numbers hold",
        'href="#x.b" tabindex="-1" title="holds: All owls sleep.">✓</a>',
        f"<dt>the paper</dt><dd>2</dd><dt>this {'run' if quick else 'study'}</dt><dd>2.5</dd>",
        "&lt;1&gt;",
        'If &lt;i&gt; &gt; 2, <a href="#E01">E01</a>.',
        "<td>night owl</td>",
        '<a class="png" download="x_fig1.png">PNG</a> · numbers of these runs: <a href="#x-fig1-numbers">fig1</a>',
        '<details id="x-fig1-numbers">',
        f'<a download="x_fig1.csv" href="data:text/csv;base64,{b64encode(NUMBERS.encode()).decode()}">CSV</a>',
        "<p>It has 0 errors.</p>",
        'width="640" height="480" alt="Two owls, asleep."',
        "<h3>Part</h3>",
        "of x.a",
        '<a class="peek" href="#x.b">All owls sleep.</a>',
        '<span class="claim-text searched">All owls sleep.</span>',
        ">as printed</td>",
        ">by night</td>",
        '<td class="v-fails"><a class="peek" href="#x.a">',
        '<option value="1">by night</option>',
        '{"x":[[["v-holds","holds","2.5"],["v-fails","fails","3"]],[["v-holds","holds","2.5"],["v-fails","fails","3"]]]}',
    ):
        assert part in text
    # In their rows, in what these unfold, and for a headline on two other pages; the first claim has the same outcome.
    assert text.count('<small class="committed">committed run: holds</small>') == 6 * quick
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert text.count("</script>") == text.count("<script")
    for name in (
        "style.css",
        "scripts/theme.js",
        "scripts/verdicts.js",
        "scripts/pictures.js",
        "scripts/peek.js",
        "scripts/strips.js",
        "scripts/curves.js",
    ):
        assert (Path(page.__file__).parent / name).read_text() in text
    assert text.count('<svg class="interval"') == 1  # x.b has two values; of x.a one is no number


def test_the_size_is_the_picture_s_and_the_address_holds_it(tmp_path):
    path = tmp_path / "a.png"
    plt.figure(figsize=(3, 2), dpi=100).savefig(path)
    plt.close()
    picture = page._picture(Item("a", "figure", "", "", (), path))
    assert (picture["width"], picture["height"]) == (300, 200)
    assert b64decode(picture["address"].removeprefix("data:image/png;base64,")) == path.read_bytes()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            (0.0, 5.0, 2.5, 10.0),
            {"published": (8, "0"), "replicated": (50, "5"), "low": (29, "2.5"), "high": (92, "10"), "zero": (8, "0")},
        ),
        ((3.0, 1.0, None, None), {"published": (92, "3"), "replicated": (36, "1"), "zero": (8, "0")}),
        ((30.0, 10.0, None, None), {"published": (92, "30"), "replicated": (36, "10"), "zero": (8, "0")}),
        ((1030.0, 1010.0, None, None), {"published": (92, "1,030"), "replicated": (8, "1,010")}),  # zero is far
        (
            (None, -1.0, -2.0, 2.0),
            {"replicated": (29, "-1"), "low": (8, "-2"), "high": (92, "2"), "zero": (50, "0")},
        ),
        (
            (None, 5.0, 4.9, 9.0),  # the low end would cover our value
            {"replicated": (54.67, "5"), "low": (53.73, ""), "high": (92, "9"), "zero": (8, "0")},
        ),
        ((None, 35.0, 30.0, 40.0), {"replicated": (81.5, "35"), "low": (71, ""), "high": (92, ""), "zero": (8, "0")}),
        ((2.0, 2.0, None, 2.0), {}),
        ((None, 2.0, None, None), {}),
        ((None, None, None, None), {}),
    ],
)
def test_a_line_holds_all_values_with_a_margin(values, expected):
    found = places(**dict(zip(("published", "replicated", "low", "high"), values, strict=True)))
    assert found == {name: Place(*place) for name, place in expected.items()}


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        ("OUTCOMES", Outcome),
        ("MARKS", Outcome),
        ("WHY", Why),
    ],
)
def test_every_word_is_explained(known, kind):
    meanings = yaml.safe_load((Path(page.__file__).parent / "words.yaml").read_text(encoding="utf-8"))[known]
    assert list(meanings) == list(kind)
    assert len(set(meanings.values())) == len(meanings)
