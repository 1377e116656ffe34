"""Markdown of this repository as HTML of the report.

Nothing is loaded from elsewhere, links stay on the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

#: Ids of the ledger's entries; "E.2" or "L1" are none.
_ENTRY = re.compile(r"\b[LE]\d{2,3}\b")
#: A figure as the documentation has it.
_FIGURE = re.compile(r"\{figure\}\s+(?P<path>\S+)")
_OPTION = re.compile(r"^:(?P<name>\w+):\s*(?P<value>.*)$")

#: Gives the HTML of the picture at a path, under a caption in HTML; None for a picture that the report lacks.
Pictures = Callable[[str, Markup], Markup | None]


def to_html(text: str, entries: Collection[str] = (), pictures: Pictures | None = None) -> Markup:
    """Render Markdown that may hold the documentation's figures.

    Parameters
    ----------
    text : str
        CommonMark with tables. HTML in it is shown, not obeyed.
    entries : collection of str
        Ids of the ledger that have a place on the page; they become links, as do links to their files.
    pictures : callable, optional
        Shows a picture of the repository. A picture that it does not know, or one that stands anywhere else, becomes
        its alternative text: the report asks no network for anything.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.core.ruler.push("entries", lambda state: _link_entries(state.tokens, entries))
    shown = pictures or (lambda path, caption: None)

    def image(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
        alt = renderer.renderInlineAsText(tokens[i].children, options, env)
        return shown(str(tokens[i].attrGet("src")), Markup("")) or escape(alt)

    def fence(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
        figure = _FIGURE.match(tokens[i].info)
        if figure is None:
            return renderer.fence(tokens, i, options, env)
        given, caption = _options(tokens[i].content)
        inside = to_html(caption, entries).removeprefix("<p>").rstrip().removesuffix("</p>")
        return shown(figure["path"], Markup(inside)) or Markup("<p>{}</p>").format(given.get("alt", ""))

    markdown.add_render_rule("image", image)
    markdown.add_render_rule("fence", fence)
    return Markup(markdown.render(text))


def _options(directive: str) -> tuple[dict[str, str], str]:
    """The options of a directive, and its text."""
    options: dict[str, str] = {}
    lines = directive.splitlines()
    while lines and (found := _OPTION.match(lines[0])):
        options[found["name"]] = found["value"]
        lines.pop(0)
    return options, "\n".join(lines).strip()


def _link_entries(tokens: Sequence[Token], entries: Collection[str]) -> None:
    """Turn links to files of the repository into links on the page, or into text, and ids into links."""
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = _linked(token.children, entries)


def _linked(tokens: Sequence[Token], entries: Collection[str]) -> list[Token]:
    found: list[Token] = []
    kept: list[bool] = []  # of every link that is open: whether it leads somewhere
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
    """Where a link leads from the report; None for a file that may not stand beside it."""
    if address.startswith(("https://", "http://", "#")):
        return address
    name = PurePosixPath(address.partition("#")[0]).name.partition("-")[0]
    return f"#{name}" if name in entries else None


def _parts(token: Token, entries: Collection[str]) -> list[Token]:
    """A text with a link around each id that has a place."""
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
