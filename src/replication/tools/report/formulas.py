"""Typeset formulas written in ASCII, such as ``sqrt(nKT) / 8`` or ``X_R``, with symbols and subscripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

#: Greek letters by their names.
LETTERS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "Delta": "Δ",
    "eps": "ε",
    "epsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "mu": "μ",
    "pi": "π",
    "sigma": "σ",
    "tau": "τ",
    "omega": "ω",
}
_NAMES = "|".join(LETTERS)
#: Other symbols, by what is typed for them.
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "sqrt": "√", "sum": "∑"}
_PART = re.compile(
    rf"(?<![\w.-])(?:(?P<base>[A-Za-z]|sum|{_NAMES})_(?P<sub>\{{[^{{}}^]*\}}|\w(?:'(?!\w))?|{_NAMES})(?!\w)"
    rf"|(?P<letter>{_NAMES})(?!\w|\.\w| (?:distribution|method)\b)"
    r"|(?P<sign>sqrt(?=\()|sqrt (?=\w\b)|(?<= )[<>!]=(?= ))"
    r"|log(?P<binary>2)\b)"
    r"|\^(?P<sup>\{[^{}^]*\}|\d+(?:\.\d+)?|[A-Za-z]\b)"
)


def parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text with formulas, each preceded by how it is set: ``""``, ``"sub"`` or ``"sup"``.

    Examples
    --------
    >>> list(parts("T_1 >= sqrt(KT log T)"))
    [('', 'T'), ('sub', '1'), ('', ' ≥ √(KT log T)')]
    """
    end, plain = 0, ""
    for found in _PART.finditer(text):
        plain += text[end : found.start()]
        end = found.end()
        how = "sup" if found["sup"] else "sub"
        inside = found["sub"] or found["sup"] or found["binary"]
        base = found["base"] or found["letter"] or ("log" if found["binary"] else "")
        plain += SIGNS.get((found["sign"] or base).strip(), LETTERS.get(base, base))
        if inside:
            if plain:
                yield "", plain
            yield how, "".join(part for _, part in parts(inside[1:-1] or inside if inside[0] == "{" else inside))
            plain = ""
    if plain + text[end:]:
        yield "", plain + text[end:]


def formula(text: str) -> Markup:
    """Typeset the formulas of a text as HTML."""
    return Markup("").join(
        Markup("<{0}>{1}</{0}>").format(how, part) if how else escape(part) for how, part in parts(text)
    )
