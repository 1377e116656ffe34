"""Markdown in the report: pictures of the study alone, links that lead somewhere, no HTML of its own."""

import pytest
from markupsafe import Markup

from replication.tools.report.prose import to_html


@pytest.mark.parametrize(
    "address",
    ["https://example.org/a.png", "//example.org/a.png", "http://example.org/a.png", "../secret.png", "a.svg"],
)
@pytest.mark.parametrize("text", ["![an owl]({})", "![an owl][1]\n\n[1]: {}"])
def test_a_picture_from_elsewhere_becomes_its_alternative_text(address, text):
    html = to_html(text.format(address))
    assert html == "<p>an owl</p>\n" or html == "<p>an owl</p>"
    assert "example.org" not in html


def test_a_picture_of_the_study_takes_the_place_of_its_paragraph():
    asked = []

    def pictures(path):
        asked.append(path)
        return Markup("<figure></figure>\n")

    text = "One.\n\n![an\nowl](../../figures/x/fig1.png)\n\nTwo, ![a cat](../../figures/x/fig2.png)."
    html = to_html(text, ["L07"], pictures)
    assert html == "<p>One.</p>\n<figure></figure>\n<p>Two, a cat.</p>\n"
    assert asked == ["../../figures/x/fig1.png"]


def test_html_and_scripts_are_shown_and_not_obeyed():
    html = to_html("<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](javascript:alert(1))")
    assert "<img" not in html
    assert "href" not in html
    assert "&lt;img" in html


def test_ids_and_sections_of_the_ledger_become_links_on_the_page_and_other_files_none():
    known = ["L07", "E03"]
    assert to_html("See L07, L16 and (E03).", known) == (
        '<p>See <a href="#L07">L07</a>, L16 and (<a href="#E03">E03</a>).</p>\n'
    )
    assert to_html("[the noise](../ledger/x.md#l07)", known) == '<p><a href="#L07">the noise</a></p>\n'
    assert to_html("[the **guide**](../guide/index.md) `L07`", known) == (
        "<p>the <strong>guide</strong> <code>L07</code></p>\n"
    )
    assert to_html("[L07 there](https://example.org)", known) == '<p><a href="https://example.org">L07 there</a></p>\n'


def test_code_and_tables_stay():
    assert "<pre><code" in to_html("```python\nx\n```")
    assert "<table>" in to_html("| a |\n| --- |\n| b |")
