"""``python -m replication.tools.archive manifest|crate``: write ``codecheck.yml`` or an RO-Crate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from replication.tools.archive.crate import CrateError, crate
from replication.tools.archive.manifest import MANIFEST, write_manifest


def main(arguments: Sequence[str] | None = None) -> int:
    """Write; returns 0, or 1 if there is nothing to pack."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.archive", description=__doc__)
    parser.add_argument("what", choices=("manifest", "crate"))
    parser.add_argument("--into", type=Path, default=Path("results/crate"), help="folder of the crate")
    known = parser.parse_args(arguments)
    if known.what == "manifest":
        write_manifest(Path.cwd())
        print(f"manifest: {MANIFEST}")
        return 0
    try:
        print(f"crate: {crate(Path.cwd(), known.into)} results into {known.into}")
    except CrateError as error:
        print(f"crate: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
