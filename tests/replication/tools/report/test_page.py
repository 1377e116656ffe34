"""The page of a report shows all of its contents."""

import re
from pathlib import Path

from replication.tools.report import page


def test_the_page_shows_it(gathered, monkeypatch):
    monkeypatch.setattr(page.vl_convert, "javascript_bundle", lambda code: f"{code}</script>")  # takes a second
    _, found = gathered
    text = page.render(found)
    counts = re.findall(r'aria-label="(\d+) facts: (\w+), ([\w ]+)"', text)
    expected = {"holds": "2", "fails": "1"}
    of_paper = [*((n, outcome) for outcome, n in expected.items()), ("3", "all outcomes")]
    assert counts == [(n, paper, outcome) for paper in ("x", "all") for n, outcome in of_paper]
    assert re.findall(r'<tbody id="(.+?)"', text) == ["x.b", "x.a", "x.c"]
    for part in (
        "&lt;1&gt;",
        'If &lt;i&gt; &gt; 2, <a href="#E01">E01</a>.',
        "<td>night owl</td>",
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
    assert text.count("</script>") == text.count("<script")
    for name in ("style.css", "scripts/theme.js", "scripts/board.js", "scripts/peek.js", "scripts/curves.js"):
        assert (Path(page.__file__).parent / name).read_text() in text
    assert text.count('<svg class="interval"') == 1  # x.b has two values; of x.a one is no number
