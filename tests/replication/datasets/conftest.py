"""Raw files for the tests: the real ones where there are any, and small ones of the same layouts."""

import os
from pathlib import Path

import pytest
from raw_samples import person, video

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def raw_data():
    """The folder of the real raw files; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("CAUSAL_BANDITS_RAW_DATA") or ROOT.parent / "shared/data")
    for file in ("adult/adult.data", "adult/adult.test", "youtube/0303/0.txt", "youtube/0303/1.txt"):
        if not (folder / file).is_file():
            pytest.skip(f"no raw file {file}; CAUSAL_BANDITS_RAW_DATA names the folder that has it")
    return folder


@pytest.fixture
def small_raw(tmp_path):
    """A folder of raw data of the right layout and other content."""
    folder = tmp_path / "raw"
    (folder / "adult").mkdir(parents=True)
    (folder / "youtube/0303").mkdir(parents=True)
    people = [person(age=age, sex=sex) for age in (20, 40) for sex in ("Male", "Female")]
    (folder / "adult/adult.data").write_text("\n".join(people) + "\n")
    for depth in (0, 1):
        videos = [video(f"{depth}{i}", views=i, category=" UNA " if i == 2 else "Music") for i in range(4)]
        (folder / f"youtube/0303/{depth}.txt").write_text("\n".join(videos) + "\n")
    return folder


@pytest.fixture
def adult_file(tmp_path):
    """A function that writes lines as ``adult.data`` and gives its path."""

    def write(*lines, end="\n", last_end=True, name="adult.data"):
        path = tmp_path / name
        path.write_bytes((end.join(lines) + (end if last_end else "")).encode())
        return path

    return write


@pytest.fixture
def crawl(tmp_path):
    """A function that writes the depth files of a crawl and gives its folder."""

    def write(*depths, end="\n", last_end=True):
        folder = tmp_path / "0303"
        folder.mkdir(exist_ok=True)
        for depth, lines in enumerate(depths):
            text = end.join(lines) + (end if last_end else "")
            (folder / f"{depth}.txt").write_bytes(text.encode())
        return folder

    return write
