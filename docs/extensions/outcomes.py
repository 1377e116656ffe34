"""Give table cells that state an outcome its class, so that the style sheet can add a mark and a colour."""

import re
from typing import Any

from sphinx.application import Sphinx

from replication.judging.judges import Outcome

#: A cell that begins with an outcome: `holds`, `depends (holds under 1 of 2 readings) †`.
_CELL = re.compile(rf"<td([^>]*)>(<p>(?:<code[^>]*>(?:<span[^>]*>)?)?({'|'.join(Outcome)})\b)")


def marked(body: str) -> str:
    """Give every cell that begins with an outcome the classes ``outcome`` and the outcome's name."""
    return _CELL.sub(lambda found: f'<td class="outcome {found[3]}">{found[2]}', body)


def _mark(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if "body" in context:
        context["body"] = marked(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Mark the outcomes on every page when it is written."""
    app.connect("html-page-context", _mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
