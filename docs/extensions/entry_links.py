"""Turn ids of the ledger, such as L07 and E03, into links to their entries wherever they occur in prose."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

from replication.tools.ledger import ID, read_entries

#: Where an id is not a citation: in an existing link, code, or a heading, which also appears in tables of contents.
_NOT_IN = (nodes.reference, addnodes.pending_xref, nodes.FixedTextElement, nodes.literal, nodes.title)


class EntryLinks(SphinxTransform):
    """Replace ids in text by links."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        """Visit every text that is not in a link, code or a heading."""
        pages: dict[str, str] = self.config.entry_pages
        for text in list(self.document.findall(nodes.Text)):
            if ID.search(text) and not within(text, _NOT_IN):
                text.parent.replace(text, self._parts(str(text), pages))

    def _parts(self, text: str, pages: dict[str, str]) -> list[nodes.Node]:
        parts: list[nodes.Node] = []
        end = 0
        for found in ID.finditer(text):
            page = pages.get(found[0])
            if page is None:
                continue
            parts.append(nodes.Text(text[end : found.start()]))
            link = make_refnode(self.app.builder, self.env.docname, page, found[0].lower(), nodes.Text(found[0]))
            parts.append(link)
            end = found.end()
        return [*parts, nodes.Text(text[end:])]


def within(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    """Return whether a node is inside one of these kinds."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, kinds):
            return True
        parent = parent.parent
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Read the ledger once and register the transform."""
    root = Path(app.srcdir).parent
    pages = {name: f"ledger/{entry.page}" for name, entry in read_entries(root).items()}
    app.add_config_value("entry_pages", pages, "env", types=frozenset({dict}))
    app.add_transform(EntryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
