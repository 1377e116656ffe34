"""Turn ids of the ledger, such as L07 and E03, into links to their entries wherever they occur in prose."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from replication.tools.ledger import ID, read_entries

#: Where an id is not a citation: in an existing link, code, or a heading, which also appears in tables of contents.
_NOT_IN = (nodes.reference, addnodes.pending_xref, nodes.FixedTextElement, nodes.literal, nodes.title)


class EntryLinks(SphinxTransform):
    """Replace ids in text by links."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        """Visit every text that is not in a link, code or a heading."""
        for text in list(self.document.findall(nodes.Text)):
            if ID.search(text) and not _within(text.parent):
                text.parent.replace(text, self._parts(str(text), self.config.entry_pages))

    def _parts(self, text: str, pages: dict[str, str]) -> list[nodes.Node]:
        parts: list[nodes.Node] = []
        end = 0
        for found in ID.finditer(text):
            if page := pages.get(found[0]):
                address = "../" * self.env.docname.count("/") + f"{page}.html#{found[0].lower()}"
                parts += [nodes.Text(text[end : found.start()]), nodes.reference("", found[0], refuri=address)]
                end = found.end()
        return [*parts, nodes.Text(text[end:])]


def _within(node: nodes.Node | None) -> bool:
    return node is not None and (isinstance(node, _NOT_IN) or _within(node.parent))


def setup(app: Sphinx) -> dict[str, bool]:
    """Read the ledger once and register the transform."""
    pages = {name: f"ledger/{entry.page}" for name, entry in read_entries(Path(app.srcdir).parent).items()}
    app.add_config_value("entry_pages", pages, "env", types=frozenset({dict}))
    app.add_transform(EntryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
