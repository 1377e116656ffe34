"""Show excerpts in search results also for pages opened from disk.

Sphinx's search fetches the page of each result for its excerpt, which browsers do not allow for pages opened from disk.
One script, loaded only by the search page, contains the main text of every page (2 MB for 19 MB of pages) and answers
instead of the fetch. Sphinx then makes the excerpt and marks the words, as it does with a fetched page.
"""

import html
import json
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

NAME = "excerpts.js"
SCRIPT = """\
// Made by docs/extensions/excerpts.py: the main text of every page, which the search reads in place of the pages.
const PAGES = %s;
const elsewhere = window.fetch;
window.fetch = (address, ...options) => {
  const page = PAGES[String(address).slice(document.documentElement.dataset.content_root.length)];
  return page === undefined ? elsewhere(address, ...options) : Promise.resolve(new Response(page));
};
// An excerpt shows and marks the words as they were typed, and their stems only if none of the words occurs.
document.addEventListener("DOMContentLoaded", () => {
  const typed = splitQuery((new URLSearchParams(location.search).get("q") ?? "").toLowerCase());
  const { makeSearchSummary } = Search;
  Search.makeSearchSummary = (page, stems, anchor) => {
    const text = Search.htmlToText(page, anchor).toLowerCase();
    const words = typed.filter((word) => text.includes(word) && !stopwords.has(word));
    return makeSearchSummary(page, words.length ? words : stems, anchor);
  };
});
"""
#: Elements without an end tag.
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
#: Elements that belong to the page rather than to its text.
_LEFT_OUT = {"footer", "nav", "script", "style"}
#: Classes of elements that also belong to the page: link symbols, links to source, and the heading of the page's
#: contents.
_CLASSES_LEFT_OUT = {"headerlink", "page-toc", "viewcode-link"}
#: Elements that a result may point to.
_PLACES = {"dt", "section"}


class _MainText(HTMLParser):
    """Collect the text of a page's main element, with only those elements that a result may point to."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        #: Open elements: the name, whether text inside is collected, and what ends the element in `parts`.
        self._open: list[tuple[str, bool, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        given = dict(attrs)
        inside = given.get("role") == "main" or (bool(self._open) and self._open[-1][1])
        classes = (given.get("class") or "").split()
        inside = inside and tag not in _LEFT_OUT and _CLASSES_LEFT_OUT.isdisjoint(classes)
        is_place = inside and tag in _PLACES and bool(given.get("id"))
        if is_place:
            self.parts.append(f'<div id="{html.escape(given["id"] or "")}">')
        self._open.append((tag, inside, "</div>" if is_place else ""))

    def handle_endtag(self, tag: str) -> None:
        if any(tag == name for name, _, _ in self._open):
            name = ""
            while name != tag:
                name, _, end = self._open.pop()
                self.parts.append(end)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1]:
            self.parts.append(html.escape(data, quote=False))


def main_text(page: str) -> str:
    """Return the main text of a page, as HTML that has only the elements that a result may point to.

    Parameters
    ----------
    page : str
        The page as HTML.
    """
    parser = _MainText()
    parser.feed(page)
    parser.close()
    text = " ".join("".join(parser.parts).split())
    return f'<div role="main">{text}</div>'


def _write(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Write the script once the pages exist; add no page."""
    builder, folder = app.builder, Path(app.outdir)
    if builder.name == "html":
        files = {
            builder.get_target_uri(name): Path(builder.get_outfilename(name)) for name in sorted(app.env.found_docs)
        }
        pages = {address: main_text(file.read_text(encoding="utf-8")) for address, file in files.items()}
        text = SCRIPT % json.dumps(pages, ensure_ascii=False, indent=0)
        (folder / "_static" / NAME).write_text(text, encoding="utf-8")
    return ()


def _load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if page == "search":
        app.add_js_file(NAME)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the script after the pages, and load it on the search page."""
    app.connect("html-collect-pages", _write)
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
