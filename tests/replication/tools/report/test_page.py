"""The page of a report shows all of its contents."""

import re
from base64 import b64encode
from pathlib import Path

from replication.tools.report import page

#: What the figure of the small study draws.
NUMBERS = "x\r\n1\r\n"


def test_the_page_shows_it(gathered, monkeypatch):
    monkeypatch.setattr(page.vl_convert, "javascript_bundle", lambda code: f"{code}</script>")  # takes a second
    quick, found = gathered
    text = page.render(found)
    counts = re.findall(r'aria-label="(\d+) findings: ([\w &;,]+), ([\w ]+)"', text)
    expected = {"holds": "2", "fails": "1"}
    of_paper = [*((n, outcome) for outcome, n in expected.items()), ("3", "all outcomes")]
    assert counts == [
        (n, paper, outcome) for paper in ("Owl &amp; Cat, Night 2020", "all papers") for n, outcome in of_paper
    ]
    assert re.findall(r'<tbody id="(.+?)"', text) == ["x.b", "x.a", "x.c"]
    for part in (
        '<a href="https://doi.org/10.1/owl">DOI</a> <a href="https://arxiv.org/abs/1">arXiv</a>',
        "<b>2 of 3</b> findings hold",
        'href="#x.b" tabindex="-1" title="holds: All owls sleep.">✓</a>',
        f"<dt>the paper</dt><dd>2</dd><dt>this {'run' if quick else 'study'}</dt><dd>2.5</dd>",
        "&lt;1&gt;",
        'If &lt;i&gt; &gt; 2, <a href="#E01">E01</a>.',
        "<td>night owl</td>",
        '<a class="png" download="x_fig1.png">PNG</a> · numbers of these runs: <a href="#x-fig1-numbers">fig1</a>',
        '<details id="x-fig1-numbers">',
        f'<a download="x_fig1.csv" href="data:text/csv;base64,{b64encode(NUMBERS.encode()).decode()}">CSV</a>',
        f"<p>Of 3 findings {3 if quick else 2} hold.</p>",
        'width="640" height="480" alt="Two owls, asleep."',
        "<h3>Part</h3>",
        "of x.a",
        '<a class="peek" href="#x.b">All owls sleep.</a>',
        '<span class="claim-text searched">All owls sleep.</span>',
        ">as printed</td>",
        ">by night</td>",
        '<td class="v-fails"><a class="peek" href="#x.a">',
    ):
        assert part in text
    assert text.count("at published scale; too few seeds here") == 2 * quick  # its row, and what that unfolds
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert text.count("</script>") == text.count("<script")
    for name in (
        "style.css",
        "scripts/theme.js",
        "scripts/verdicts.js",
        "scripts/pictures.js",
        "scripts/peek.js",
        "scripts/curves.js",
    ):
        assert (Path(page.__file__).parent / name).read_text() in text
    assert text.count('<svg class="interval"') == 1  # x.b has two values; of x.a one is no number
