"""Render Markdown of this repository as HTML for the report, with formulas typeset.

Nothing is loaded from elsewhere, and links stay on the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from replication.tools.report.formulas import formula

#: Ids of the ledger's entries; "E.2" or "L1" are not ids.
_ENTRY = re.compile(r"\b[LE]\d{2,3}\b")
#: Returns the HTML of the picture at a path; None for a picture that the report lacks.
Pictures = Callable[[str], Markup | None]


def to_html(text: str, entries: Collection[str] = (), pictures: Pictures | None = None) -> Markup:
    """Render Markdown that may hold pictures of the study.

    Parameters
    ----------
    text : str
        CommonMark with tables and formulas (``$x_1$``). HTML in it is shown as text.
    entries : collection of str
        Ids of the ledger that have a place on the page; they become links, as do links to their sections.
    pictures : callable, optional
        Shows a picture that is a paragraph of its own. A picture that it does not know, or a picture within a text,
        becomes its alternative text, because the report loads nothing from the network.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.use(dollarmath_plugin, allow_space=False)
    markdown.add_render_rule("math_inline", lambda _, tokens, i, *__: convert(tokens[i].content))
    markdown.core.ruler.push("entries", lambda state: _link_entries(state.tokens, entries))
    if pictures is not None:
        markdown.core.ruler.push("pictures", lambda state: _show_pictures(state.tokens, pictures))

    def image(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
        return escape(renderer.renderInlineAsText(tokens[i].children, options, env))

    def set_text(_: RendererHTML, tokens: Sequence[Token], i: int, *__: object) -> str:
        return formula(tokens[i].content)

    markdown.add_render_rule("image", image)
    markdown.add_render_rule("text", set_text)
    markdown.add_render_rule("table_open", lambda *_: '<div class="wide" tabindex="0"><table class="plain">\n')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return Markup(markdown.render(text).replace("<th></th>", "<td></td>"))  # an empty cell is not a header


def _show_pictures(tokens: list[Token], pictures: Pictures) -> None:
    """Replace each paragraph that is only a picture with the picture shown."""
    for i in range(len(tokens) - 3, -1, -1):
        inside = tokens[i + 1].children or []
        if tokens[i].type == "paragraph_open" and [child.type for child in inside] == ["image"]:
            shown = pictures(str(inside[0].attrGet("src")))
            if shown is not None:
                tokens[i : i + 3] = [Token("html_block", "", 0, content=str(shown))]


def _link_entries(tokens: Sequence[Token], entries: Collection[str]) -> None:
    """Turn links to files of the repository into links on the page, or into text, and ids into links."""
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = _linked(token.children, entries)


def _linked(tokens: Sequence[Token], entries: Collection[str]) -> list[Token]:
    found: list[Token] = []
    kept: list[bool] = []  # for every open link, whether it leads somewhere
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrGet("href")), entries)
            kept.append(target is not None)
            if target is None:
                continue
            token.attrSet("href", target)
        elif token.type == "link_close":
            if not kept.pop():
                continue
        elif token.type == "text" and not any(kept):
            found += _parts(token, entries)
            continue
        found.append(token)
    return found


def _target(address: str, entries: Collection[str]) -> str | None:
    """Return where a link leads from the report; None for a file that may not be next to it."""
    if address.startswith(("https://", "http://")):
        return address
    anchor = address.partition("#")[2]
    if anchor.upper() in entries:
        return f"#{anchor.upper()}"
    return address if address.startswith("#") else None


def _parts(token: Token, entries: Collection[str]) -> list[Token]:
    """Split a text, with a link around each id that has a place on the page."""
    parts: list[Token] = []
    end = 0

    def text(content: str) -> None:
        attributes: dict[str, Any] = {"level": token.level, "content": content}
        parts.append(Token("text", "", 0, **attributes))

    for found in _ENTRY.finditer(token.content):
        if found[0] in entries:
            text(token.content[end : found.start()])
            parts.append(Token("link_open", "a", 1, attrs={"href": f"#{found[0]}"}))
            text(found[0])
            parts.append(Token("link_close", "a", -1))
            end = found.end()
    text(token.content[end:])
    return parts
