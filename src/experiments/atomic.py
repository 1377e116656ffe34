"""Write files atomically: completely or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(output: str | Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which is renamed to ``output`` if the block succeeds.

    Temporary files for this output are deleted if killed processes of this machine left them behind.
    """
    output = Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    left = re.compile(rf"\.(\d+)\.{re.escape(output.name)}")
    for path in output.parent.iterdir():
        if (writer := left.fullmatch(path.name)) and not _runs(int(writer[1])):
            path.unlink(missing_ok=True)
    temporary = output.with_name(f".{os.getpid()}.{output.name}")
    try:
        yield temporary
        temporary.replace(output)
    finally:
        temporary.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)  # signal 0 only checks that the process exists
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
