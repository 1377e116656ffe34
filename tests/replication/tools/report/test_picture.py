"""A PNG as an image of the page: its own size, and nothing else."""

from base64 import b64decode

import matplotlib.pyplot as plt
import pytest

from replication.tools.report.picture import PictureError, read_picture


def test_the_size_is_the_picture_s_and_the_address_holds_it(tmp_path):
    path = tmp_path / "a.png"
    plt.figure(figsize=(3, 2), dpi=100).savefig(path)
    plt.close()
    picture = read_picture(path)
    assert (picture.width, picture.height) == (300, 200)
    assert b64decode(picture.address.removeprefix("data:image/png;base64,")) == path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a" + bytes(40)])
def test_what_is_no_png_is_told(tmp_path, content):
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(PictureError, match=r"a\.png: no PNG"):
        read_picture(path)
