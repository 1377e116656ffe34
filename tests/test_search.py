"""The search of the documentation shows excerpts where its pages are opened from disk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import browser as support
import excerpts
import pytest
from browser import wait

EXTENSIONS = Path(__file__).parents[1] / "docs/extensions"
CONF = """\
project = "Small"
extensions = ["excerpts"]
html_theme = "pydata_sphinx_theme"
html_copy_source = False
"""
PAGES = {
    "index": "Small\n=====\n\n.. toctree::\n\n   arms\n\nNothing of note.\n",
    "arms": "Arms\n====\n\n{words}Some <arms> are *minimal* & no others.\n\nBorders\n-------\n\nThe border of a set.\n",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A small documentation, as built."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "conf.py").write_text(CONF)
    for name, text in PAGES.items():
        (folder / f"{name}.rst").write_text(text.format(words="Minima come first. " * 20))
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(EXTENSIONS)})
    return folder / "html"


def test_the_script_has_the_main_text_of_each_page_and_the_places_in_it(built):
    text = (built / "_static" / excerpts.NAME).read_text(encoding="utf-8")
    pages = json.loads(text[text.index("{") : text.index("};") + 1])
    assert set(pages) == {"arms.html", "index.html"}
    assert pages["arms.html"].startswith('<div role="main"><div id="arms"> Arms Minima come first.')
    assert "Some &lt;arms&gt; are minimal &amp; no others." in pages["arms.html"]
    assert '<div id="borders"> Borders The border of a set. </div>' in pages["arms.html"]


def test_only_the_page_of_the_search_loads_it(built):
    loaded = {path.stem for path in built.glob("*.html") if excerpts.NAME in path.read_text(encoding="utf-8")}
    assert loaded == {"search"}


def test_elements_that_never_end_and_ends_of_nothing_do_no_harm():
    page = '<body><div role="main"><p>one<br>two<img src="a"></i><p>three<script>no</script></div>four</body>'
    assert excerpts.main_text(page) == '<div role="main">onetwothree</div>'


@pytest.mark.browser
@pytest.mark.skipif(bool(support.missing()), reason=support.missing() or "Chromium is there")
def test_a_result_has_an_excerpt_with_its_words_marked(built):
    """A result by a word of a page's text, though its stem comes earlier, and one by a heading, of its section."""
    with support.chromium() as driver:
        for word, kind, excerpt in (
            ("minimal", "text", "...e first. Minima come first. "),
            ("borders", "title", "Borders The border of a set."),
        ):
            driver.get(f"{(built / 'search.html').as_uri()}?q={word}")
            wait(driver, f"document.querySelector('.kind-{kind} .context .highlighted')")
            shown, *marked = driver.execute_script(
                f"const shown = document.querySelector('.kind-{kind} .context');"
                "return [shown, ...shown.querySelectorAll('.highlighted')].map((e) => e.textContent)"
            )
            assert shown.startswith(excerpt)
            assert [text.lower() for text in marked] == [word]
            assert "On this page" not in shown
        told = [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
        assert [message for message in told if "theme mode" not in message] == []  # the theme's first visit
