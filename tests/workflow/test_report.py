"""The report opens from disk, without network, in a browser: filtered and opened by keyboard, curves toggled."""

import re
import shutil
import subprocess
import sys
import time
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
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    verdicts = pd.read_csv(finished.folder / "results/verdicts.csv")
    assert set(verdicts["claim_id"]) <= set(found.ids)
    assert {f"lee2019-fig{n}" for n in range(1, 6)} | {"lee2019-table1"} <= set(found.ids)
    assert {path.stem.split("-")[0] for path in (finished.folder / "docs/ledger").glob("*/*.md")} <= set(found.ids)


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium with its driver (Debian: chromium, chromium-driver)."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if not all(programs.values()):
        pytest.skip("needs Debian's chromium and chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs["chromedriver"]))
    yield driver
    driver.quit()


def wait(browser, script, *arguments):
    """What a script returns once that is true."""
    for _ in range(150):
        if found := browser.execute_script(f"return {script}", *arguments):
            return found
        time.sleep(0.1)
    raise AssertionError(f"never true: {script}")


@pytest.mark.parametrize("width", [390, 1400])
def test_a_reader_finds_a_verdict_and_its_reason(page, finished, browser, width):
    from selenium.webdriver.common.keys import Keys

    verdicts = pd.read_csv(finished.folder / "results/verdicts.csv", dtype=str, keep_default_na=False)
    browser.set_window_size(width, 900)
    browser.get(page.as_uri())
    wait(browser, "document.documentElement.dataset.ready")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width

    row = verdicts[(verdicts["outcome"] == "holds") & (verdicts["ledger"] != "")].iloc[-1]
    shown = "document.querySelectorAll('#board tbody tr[id]')"
    browser.find_element("css selector", "#filters select[data-column='5']").send_keys("holds")
    browser.find_element("css selector", "#board_wrapper select").send_keys("all")
    wait(browser, f"{shown}.length === {(verdicts['outcome'] == 'holds').sum()}")
    browser.find_element("css selector", "input[type=search]").send_keys(row["claim_id"])
    assert wait(browser, f"{shown}.length === 1 && {shown}[0].id") == row["claim_id"]

    button = browser.find_element("css selector", "#board button.open")
    assert button.get_attribute("aria-expanded") == "false"
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-expanded") == "true"
    detail = browser.find_element("css selector", ".detail").text
    for part in (row["reason"], row["published"], row["fact"], *row["ledger"].split()):
        assert part in detail
    browser.find_element("css selector", "#filters button[type=reset]").send_keys(Keys.ENTER)
    wait(browser, f"{shown}.length === {len(verdicts)}")
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "DEBUG"] == []


def test_curves_are_drawn_when_opened_and_toggle(page, browser):
    browser.set_window_size(1400, 900)
    browser.get(page.as_uri() + "#lee2019-table1")
    wait(browser, "document.documentElement.dataset.ready")
    assert browser.execute_script("return document.getElementById('lee2019-table1').open")
    curves = "document.querySelector('details.curves')"
    assert not browser.execute_script(f"return {curves}.querySelector('svg')")
    browser.execute_script(f"{curves}.open = true")
    wait(browser, f"{curves}.view && {curves}.querySelectorAll('.mark-line path').length === 8")
    opacities = f"[...{curves}.querySelectorAll('.mark-line path')].map(path => path.getAttribute('opacity') ?? '1')"
    assert set(browser.execute_script(f"return {opacities}")) == {"1"}
    symbol = browser.find_elements("css selector", "details.curves .role-legend-symbol path")[0]
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", symbol)
    faint = wait(browser, f"(found => found.includes('0.06') && found)({opacities})")
    assert sorted(faint) == ["0.06"] * 7 + ["1"]
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "DEBUG"] == []
