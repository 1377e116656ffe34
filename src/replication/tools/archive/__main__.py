"""Write ``codecheck.yml`` or an RO-Crate of the results, or check the files of a release.

Call: ``python -m replication.tools.archive manifest|crate|check``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from replication.tools.archive.crate import CrateError, crate
from replication.tools.archive.manifest import MANIFEST, write_manifest
from replication.tools.archive.release import check


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; returns 0, or 1 if there is nothing to pack or a file is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.archive", description=__doc__)
    parser.add_argument("what", choices=("manifest", "crate", "check"))
    parser.add_argument("--into", type=Path, default=Path("results/crate"), help="folder of the crate")
    parser.add_argument("--release", type=Path, default=Path("dist"), help="folder of the release (dist)")
    known = parser.parse_args(arguments)
    if known.what == "manifest":
        write_manifest(Path.cwd())
        print(f"manifest: {MANIFEST}")
        return 0
    if known.what == "check":
        problems = check(known.release)
        for problem in problems:
            print(f"check: {problem}", file=sys.stderr)
        if not problems:
            print(f"check: wheel, archive, documentation and report in {known.release} are whole")
        return 1 if problems else 0
    try:
        print(f"crate: {crate(Path.cwd(), known.into)} results into {known.into}")
    except CrateError as error:
        print(f"crate: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
