"""Write ``codecheck.yml``, or check the files of a release.

Call: ``python -m replication.tools.archive manifest|check``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from replication.tools.archive.manifest import MANIFEST, write_manifest
from replication.tools.archive.release import check


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; returns 0, or 1 if a file is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.archive", description=__doc__)
    parser.add_argument("what", choices=("manifest", "check"))
    parser.add_argument("--release", type=Path, default=Path("dist"), help="folder of the release (dist)")
    known = parser.parse_args(arguments)
    if known.what == "manifest":
        write_manifest(Path.cwd())
        print(f"manifest: {MANIFEST}")
        return 0
    problems = check(known.release)
    for problem in problems:
        print(f"check: {problem}", file=sys.stderr)
    if not problems:
        print(f"check: wheel, documentation and report in {known.release} are whole")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
