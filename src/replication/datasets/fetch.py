"""Download files; a download can be interrupted, resumed and trusted."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from causal_bandits.datasets import DataError

CHUNK = 1 << 16


class DownloadError(OSError):
    """A file could not be had; the message says why and how to go on."""


def download(
    url: str, target: str | Path, sha256: str, *, schemes: Sequence[str] = ("https",), timeout: float = 30.0
) -> Path:
    """Get a file of known content. It appears at ``target`` whole and checked, or not at all.

    What an interrupted download got stays beside it as ``<target>.part``; the next call goes on from there where the
    server can (HTTP Range) and starts again where it cannot. A file that is already there is checked, not fetched.

    Parameters
    ----------
    url : str
    target : path
    sha256 : str
        Of the whole content.
    schemes : sequence of str
        The schemes that ``url`` may have.
    timeout : float
        Seconds without an answer after which the server counts as silent.

    Returns
    -------
    Path
        ``target``.

    Raises
    ------
    ValueError
        If the scheme is another.
    DataError
        If ``target`` is there with another content, or what came has another hash (it is deleted).
    DownloadError
        Without network, or if the server fails or stops in the middle (then the part is kept).
    """
    target = Path(target)
    if url.partition(":")[0] not in schemes:
        raise ValueError(f"{url}: expected an address that begins with {' or '.join(schemes)}")
    if target.exists():
        if (found := _hash(target)) != sha256:
            raise DataError(f"{target}: SHA-256 {found}, expected {sha256}; delete the file to download it anew")
        return target
    part = target.with_name(target.name + ".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        _append(url, part, timeout)
    except (OSError, http.client.HTTPException) as error:
        kept = f" {part.stat().st_size} bytes are kept for the next attempt." if part.exists() else ""
        raise DownloadError(
            f"could not download {url}: {error}.{kept} Without a network use `source: table` (the counts that come "
            f"with the study), or put the file anywhere and use `source: file` with its path"
        ) from error
    if (found := _hash(part)) != sha256:
        part.unlink()
        raise DataError(f"{url}: SHA-256 {found}, expected {sha256}; the download was deleted")
    part.replace(target)
    return target


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _append(url: str, part: Path, timeout: float) -> None:
    """Get what ``part`` still lacks."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.code == 416 and have:
            return  # nothing lies beyond what is there: the part is whole, or its hash will tell
        raise
    with response:
        resumed = have and response.status == 206
        if resumed:
            start = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
            if not start or int(start[1]) != have:
                part.unlink()
                raise ConnectionError("the server resumed at another place than asked; the part was deleted")
        with part.open("ab" if resumed else "wb") as file:
            received = 0
            while chunk := response.read(CHUNK):
                file.write(chunk)
                received += len(chunk)
        length = response.headers.get("Content-Length")
        # http.client does not report a connection that ends early when it is read in chunks.
        if length is not None and received < int(length):
            raise ConnectionError(f"the connection ended after {received} of {length} bytes")
