"""The configuration reference: tables of every key, from the JSON schemas that the configuration is checked against.

``python docs/extensions/schema_keys.py`` (a part of `make docs`) writes them into config/README.md, between marks that
name a schema; a test fails if they no longer match the schemas.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
README = ROOT / "config/README.md"
SCHEMAS = ROOT / "src/experiments/schemas"

_MARKED = re.compile(r"(<!-- keys of (?P<schema>[a-z]+\.yaml) -->\n).*?(<!-- /keys -->\n)", re.DOTALL)
_TYPES = {
    "integer": "integer",
    "number": "number",
    "string": "string",
    "boolean": "`true` or `false`",
    "null": "`null`",
}

Schema = Mapping[str, Any]


def keys(schema: Schema) -> Iterator[tuple[str, Schema, bool]]:
    """Yield every key of a schema: its dotted name, what the schema says about it, and whether it is required."""
    yield from _below("", schema, schema.get("$defs", {}))


def _below(prefix: str, schema: Schema, definitions: Schema) -> Iterator[tuple[str, Schema, bool]]:
    for name, entry in schema.get("properties", {}).items():
        known = _resolved(entry, definitions)
        yield prefix + name, known, name in schema.get("required", ())
        yield from _below(f"{prefix}{name}.", known, definitions)
    for inside in (schema.get("additionalProperties"), schema.get("items")):
        if isinstance(inside, Mapping):
            known = _resolved(inside, definitions)
            place = f"{prefix}<name>." if inside is schema.get("additionalProperties") else prefix
            yield from _below(place, known, definitions)


def _resolved(entry: Schema, definitions: Schema) -> Schema:
    """Return an entry merged with the definition to which it refers; its own values take precedence."""
    if "$ref" not in entry:
        return entry
    return {**_resolved(definitions[entry["$ref"].rpartition("/")[2]], definitions), **entry}


def value(entry: Schema) -> str:
    """Return what the value of a key may be, as Markdown."""
    if "enum" in entry:
        said = ", ".join(f"`{word}`" for word in entry["enum"])
    else:
        kinds = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
        said = " or ".join(_kind(kind, entry) for kind in kinds)
    default = entry.get("default")
    shown = {True: "true", False: "false"}.get(default, default) if isinstance(default, bool) else default
    return said + ("" if default is None else f"; default `{shown}`")


def _kind(kind: str, entry: Schema) -> str:
    if kind == "array":
        return f"list of {_plural(entry.get('items', {}))}"
    if kind == "object":
        inside = entry.get("additionalProperties")
        if isinstance(inside, Mapping) and "type" in inside and "properties" not in inside:
            return f"mapping of names to {_plural(inside)}"
        return "mapping"
    if "minimum" in entry and kind != "null":
        return f"{_TYPES[kind]} >= {entry['minimum']}"
    if "exclusiveMinimum" in entry:
        return f"{_TYPES[kind]} > {entry['exclusiveMinimum']}"
    return _TYPES[kind]


def _plural(items: Schema) -> str:
    kind = items.get("type", "object")
    if isinstance(kind, list):
        return "values"
    return {"integer": "integers", "number": "numbers", "string": "strings", "array": "lists"}.get(kind, "entries")


def table(schema: Schema) -> str:
    """Return the keys of a schema as a Markdown table; identical keys of several sections share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for key, entry, required in keys(schema):
        section, dot, rest = key.partition(".")
        must = "**" if required else ""
        cell = (dot + rest, " ".join(entry["description"].split()), must + value(entry) + must)
        if dot and cell in rows:
            rows[cell].append(section)
        else:
            rows.setdefault(cell, []).append(section)
    lines = ["| key | meaning | value |", "| --- | --- | --- |"]
    lines += [
        f"| {', '.join(f'`{section}{rest}`' for section in sections)} | {meaning} | {values} |"
        for (rest, meaning, values), sections in rows.items()
    ]
    return "\n".join(lines) + "\n"


def filled(text: str) -> str:
    """Return the README with the tables between its marks made anew from the schemas."""

    def made(found: re.Match[str]) -> str:
        schema = yaml.safe_load((SCHEMAS / found["schema"]).read_text(encoding="utf-8"))
        return f"{found[1]}\n{table(schema)}\n{found[3]}"

    return _MARKED.sub(made, text)


def main() -> int:
    """Write the tables; returns the exit status."""
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(f"{README.relative_to(ROOT)}: the keys of {', '.join(sorted(path.name for path in SCHEMAS.iterdir()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
