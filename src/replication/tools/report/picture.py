"""A PNG as an image of the page.

Its bytes stand in the address, and its size beside it, so that nothing moves when it appears.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class PictureError(ValueError):
    """A file that is no PNG; the message names it."""


@dataclass(frozen=True)
class Picture:
    """The address of an image that holds its bytes, and its width and height in pixels."""

    address: str
    width: int
    height: int


def read_picture(path: Path) -> Picture:
    """Read a PNG.

    Raises
    ------
    PictureError
        If the file is no PNG.
    OSError
        If it is missing.
    """
    content = path.read_bytes()
    if len(content) < 24 or not content.startswith(_SIGNATURE) or content[12:16] != b"IHDR":
        raise PictureError(f"{path}: no PNG; expected a figure as the study draws it")
    width, height = struct.unpack(">II", content[16:24])
    return Picture(f"data:image/png;base64,{b64encode(content).decode()}", width, height)
