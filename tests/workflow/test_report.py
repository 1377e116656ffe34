"""The report of a small study: one file, whose links lead somewhere (without logs: tools/report/test_contents.py)."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def page(finished):
    """The path of the small study's report."""
    command = [sys.executable, "-m", "replication.tools.report"]
    environment = finished.environment | {"PYTHONPATH": "src"}
    done = subprocess.run(command, cwd=finished.folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"results/report.html: [0-9.]+ MB\n", done.stdout)
    return finished.folder / "results/report.html"


class Addresses(HTMLParser):
    """Ids, links within the page, and what is loaded from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
        elif tag in ("img", "script", "link"):
            self.loaded += [given[name] for name in ("src", "href") if name in given]


def test_the_page_stands_alone_and_its_links_lead_somewhere(page, finished):
    found = Addresses(page.read_text(encoding="utf-8"))
    assert all(address.startswith("data:") for address in found.loaded)
    assert len(found.ids) == len(set(found.ids))
    assert {link[1:].split("?")[0] for link in found.links if link.startswith("#")} <= set(found.ids)
    verdicts = pd.read_csv(finished.folder / "results/verdicts.csv")
    assert set(verdicts["claim_id"]) <= set(found.ids)
    assert {f"lee2019-fig{n}" for n in range(1, 6)} | {"lee2019-table1"} <= set(found.ids)
    assert {path.stem.split("-")[0] for path in (finished.folder / "docs/ledger").glob("*/*.md")} <= set(found.ids)
