"""Make each figure on a page a link to its file, so that a click shows it at full size."""

import re
from typing import Any

from sphinx.application import Sphinx

#: A picture from a file, and the link around it if there is one.
_PICTURE = re.compile(r'(<a [^>]*>\s*)?(<img [^>]*src="([^"]*_images/[^"]+)"[^>]*>)')


def linked(body: str) -> str:
    """Put a link to its file around every picture that is not in a link."""
    return _PICTURE.sub(lambda found: found[0] if found[1] else f'<a href="{found[3]}">{found[2]}</a>', body)


def _link(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if "body" in context:
        context["body"] = linked(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Link the figures on every page when it is written."""
    app.connect("html-page-context", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
