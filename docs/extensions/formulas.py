"""Typeset formulas that pages on papers and the ledger write in ASCII."""

from typing import Any

from docutils import nodes
from entry_links import within
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from replication.tools.report.formulas import parts

#: Folders whose text contains formulas; elsewhere "alpha" is the name of a parameter.
FOLDERS = ("papers/", "ledger/")
_SET = {"sub": nodes.subscript, "sup": nodes.superscript}
#: Where text is left as it is: code, formulas, and headings, from which addresses are made.
_NOT_IN = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.title, nodes.raw)


class Formulas(SphinxTransform):
    """Replace text nodes by their parts."""

    default_priority = 710  # after the links to the ledger

    def apply(self, **_: Any) -> None:
        """Visit every text node of a page that may have formulas."""
        if not self.env.docname.startswith(FOLDERS):
            return
        for text in list(self.document.findall(nodes.Text)):
            if not within(text, _NOT_IN):
                found = [_SET[how]("", part) if how else nodes.Text(part) for how, part in parts(text)]
                text.parent.replace(text, found)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Formulas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
