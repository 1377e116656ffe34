"""The configuration reference: tables of every key, from the JSON schemas that the configuration is checked against.

``python docs/extensions/schema_keys.py`` (a part of `make docs`) writes them into config/README.md, between marks that
name a schema; a test fails if they no longer match the schemas.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
README = ROOT / "config/README.md"
SCHEMAS = ROOT / "src/experiments/schemas"

_MARKED = re.compile(r"(<!-- keys of (?P<schema>[a-z]+\.yaml) -->\n).*?(<!-- /keys -->\n)", re.DOTALL)
_TYPES = {"boolean": "`true` or `false`", "null": "`null`", "object": "mapping"}
_PLURALS = {"integer": "integers", "number": "numbers", "string": "strings", "array": "lists"}

Schema = Mapping[str, Any]


def keys(schema: Schema, definitions: Schema | None = None, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yield every key of a schema: its dotted name, what the schema says about it, and whether it is required."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:  # the definition, in which the schema's own values take precedence
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **schema}
    for name, entry in schema.get("properties", {}).items():
        named = definitions[entry["$ref"].rpartition("/")[2]] if "$ref" in entry else {}
        yield prefix + name, {**named, **entry}, name in schema.get("required", ())
        yield from keys(entry, definitions, f"{prefix}{name}.")
    for key, place in (("additionalProperties", f"{prefix}<name>."), ("items", prefix)):
        if isinstance(schema.get(key), Mapping):
            yield from keys(schema[key], definitions, place)


def value(entry: Schema) -> str:
    """Return what the value of a key may be, as Markdown."""
    if "enum" in entry:
        said = ", ".join(f"`{word}`" for word in entry["enum"])
    else:
        kinds = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
        said = " or ".join(_kind(kind, entry) for kind in kinds)
    default = entry.get("default")
    shown = str(default).lower() if isinstance(default, bool) else default
    return said + ("" if default is None else f"; default `{shown}`")


def _kind(kind: str, entry: Schema) -> str:
    inside = entry.get("additionalProperties")
    if kind == "array":
        return f"list of {_plural(entry.get('items', {}))}"
    if kind == "object" and isinstance(inside, Mapping) and "type" in inside and "properties" not in inside:
        return f"mapping of names to {_plural(inside)}"
    limits = {"minimum": ">=", "exclusiveMinimum": ">"} if kind != "null" else {}
    return _TYPES.get(kind, kind) + "".join(
        f" {sign} {entry[limit]}" for limit, sign in limits.items() if limit in entry
    )


def _plural(items: Schema) -> str:
    kind = items.get("type", "object")
    return "values" if isinstance(kind, list) else _PLURALS.get(kind, "entries")


def table(schema: Schema) -> str:
    """Return the keys of a schema as a Markdown table; identical keys of several sections share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for key, entry, required in keys(schema):
        section, dot, rest = key.partition(".")
        must = "**" if required else ""
        cells = (dot + rest, " ".join(entry["description"].split()), must + value(entry) + must)
        rows.setdefault(cells, []).append(section)
    lines = ["| key | meaning | value |", "| --- | --- | --- |"]
    for (rest, *others), sections in rows.items():
        lines.append(f"| {', '.join(f'`{section}{rest}`' for section in sections)} | {' | '.join(others)} |")
    return "\n".join(lines) + "\n"


def filled(text: str) -> str:
    """Return the README with the tables between its marks made anew from the schemas."""

    def made(found: re.Match[str]) -> str:
        schema = yaml.safe_load((SCHEMAS / found["schema"]).read_text(encoding="utf-8"))
        return f"{found[1]}\n{table(schema)}\n{found[3]}"

    return _MARKED.sub(made, text)


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
