"""Downloads against a server in this process: whole, interrupted, resumed, wrong, absent."""

import hashlib
import socket

import pytest
from raw_samples import CONTENT

from causal_bandits.datasets import DataError
from replication.datasets import DownloadError, download

SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "cache" / "adult.data"


def fetch(server, target, sha256=SHA256):
    return download(server.url, target, sha256, schemes=("http",), timeout=10)


def files(target):
    return sorted(path.name for path in target.parent.iterdir()) if target.parent.exists() else []


def test_a_download_is_whole_and_made_once(server, target):
    assert fetch(server, target) == target
    assert target.read_bytes() == CONTENT
    assert fetch(server, target) == target
    assert server.asked == [None]
    assert files(target) == ["adult.data"]


def test_an_interrupted_download_goes_on_where_it_stopped(server, target):
    server.cut = 70_000
    with pytest.raises(DownloadError, match=r"ended after 70000 of 200000 bytes.*70000 bytes are kept.*source: table"):
        fetch(server, target)
    assert files(target) == ["adult.data.part"]
    with pytest.raises(DownloadError, match="140000 bytes are kept"):
        fetch(server, target)
    server.cut = None
    fetch(server, target)
    assert target.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=70000-", "bytes=140000-"]
    assert files(target) == ["adult.data"]


def test_a_server_without_ranges_begins_again(server, target):
    server.cut, server.ranges = 70_000, "no"
    with pytest.raises(DownloadError):
        fetch(server, target)
    server.cut = None
    fetch(server, target)
    assert target.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=70000-"]


def test_a_part_that_is_already_whole_is_taken(server, target):
    target.parent.mkdir()
    target.with_name("adult.data.part").write_bytes(CONTENT)
    fetch(server, target)
    assert target.read_bytes() == CONTENT
    assert files(target) == ["adult.data"]


@pytest.mark.parametrize("part", [b"something else", CONTENT + b"more"])
def test_a_wrong_part_is_deleted_and_the_next_attempt_succeeds(server, target, part):
    target.parent.mkdir()
    target.with_name("adult.data.part").write_bytes(part)
    with pytest.raises(DataError, match=f"SHA-256 .*, expected {SHA256}; the download was deleted"):
        fetch(server, target)
    assert files(target) == []
    fetch(server, target)
    assert target.read_bytes() == CONTENT


def test_a_server_that_resumes_elsewhere_is_not_trusted(server, target):
    server.cut = 70_000
    with pytest.raises(DownloadError):
        fetch(server, target)
    server.cut, server.ranges = None, "wrong"
    with pytest.raises(DownloadError, match="resumed at another place"):
        fetch(server, target)
    assert files(target) == []


def test_a_wrong_content_is_not_kept(server, target):
    server.content = CONTENT[:-1] + b"x"
    with pytest.raises(DataError, match=f"SHA-256 .*, expected {SHA256}"):
        fetch(server, target)
    assert files(target) == []


def test_a_file_of_another_content_is_left_alone(server, target):
    target.parent.mkdir()
    target.write_bytes(b"mine")
    with pytest.raises(DataError, match=f"expected {SHA256}; delete the file"):
        fetch(server, target)
    assert target.read_bytes() == b"mine"
    assert server.asked == []


def test_without_an_answer_the_message_says_how_to_go_on(target):
    with socket.socket() as taken:  # bound but not listening: nobody else gets the port, and nobody answers on it
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/adult.data"
        with pytest.raises(DownloadError, match=r"could not download .*source: table.*source: file"):
            download(url, target, SHA256, schemes=("http",), timeout=10)
    assert files(target) == []


def test_an_address_that_is_gone_is_named(server, target):
    with pytest.raises(DownloadError, match=r"could not download .*/moved: HTTP Error 404"):
        download(server.url.replace("adult.data", "moved"), target, SHA256, schemes=("http",))


def test_plain_http_is_refused_unless_allowed(target):
    with pytest.raises(ValueError, match="expected an address that begins with https"):
        download("http://127.0.0.1/adult.data", target, SHA256)
