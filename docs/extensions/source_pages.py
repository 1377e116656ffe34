"""Make source pages link to where their objects are documented.

Sphinx assumes one module for all objects of a source page. If a package documents some of a module's objects outside
the module's own page, Sphinx writes links to places that do not exist. It also lists modules without a source page.
"""

import re
from collections.abc import Collection
from typing import Any

from sphinx.application import Sphinx

_BACK = re.compile(r'<a class="viewcode-back" href="[^"]*#([^"]+)">\[docs\]</a>')
_BUILTINS = '<li><a href="builtins.html">builtins</a></li>'


def mended(body: str, module: str, known: Collection[str], address: Any) -> str:
    """Point every link to the name under which its object is documented; remove links to undocumented objects.

    Parameters
    ----------
    body : str
        HTML of a source page.
    module : str
        Its module.
    known : collection of str
        Names of all objects that are documented.
    address : callable
        Returns the address of a documented name.
    """

    def link(found: re.Match[str]) -> str:
        parts = found[1].split(".")
        names = [found[1], *(f"{module}.{'.'.join(parts[i:])}" for i in range(1, len(parts)))]
        name = next((name for name in names if name in known), None)
        return f'<a class="viewcode-back" href="{address(name)}">[docs]</a>' if name else ""

    return _BACK.sub(link, body).replace(_BUILTINS, "")


def _mend(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    folder, _, path = page.partition("/")
    if folder == "_modules":
        objects = app.env.domains.python_domain.objects

        def address(name: str) -> str:
            place = objects[name]
            return f"{app.builder.get_relative_uri(page, place.docname)}#{place.node_id}"

        context["body"] = mended(context["body"], path.replace("/", "."), objects, address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Correct the links on every source page when it is written."""
    app.connect("html-page-context", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
