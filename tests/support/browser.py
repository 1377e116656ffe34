"""Headless Chromium for tests of the report: opened without a network, at a true width, and asked by axe-core."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

#: Where axe-core lies: `npm install axe-core` in the checkout, or the variable AXE with the path of axe.min.js.
AXE = Path(os.environ.get("AXE", "node_modules/axe-core/axe.min.js"))
PROGRAMS = ("chromium", "chromedriver")


def missing():
    """Why no browser can be started; nothing if it can."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"needs Debian's chromium and chromium-driver; not on PATH: {', '.join(absent)}" if absent else ""


@contextmanager
def chromium():
    """A driver of headless Chromium that resolves no name of any network and keeps what the console says."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(300)
    try:
        yield driver
    finally:
        driver.quit()


def look(driver, width, mode="light", height=900):
    """Set the width of the page, which a window would not let fall below 500 px, and what the system prefers."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": mode}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def wait(driver, script, *arguments):
    """What a script returns once that is true."""
    for _ in range(300):
        if found := driver.execute_script(f"return {script}", *arguments):
            return found
        time.sleep(0.1)
    raise AssertionError(f"never true: {script}")


def visit(driver, page, hash_=""):
    """Open a page from disk anew and wait for its scripts."""
    driver.get("about:blank")
    driver.get(page.as_uri() + hash_)
    wait(driver, "document.documentElement.dataset.ready")


def open_all(driver):
    """Show every view, open every part of the page and every row in sight, and wait for the curves."""
    driver.execute_script(
        "for (const view of document.querySelectorAll('main > section')) view.hidden = false;"
        "for (const part of document.querySelectorAll('details')) part.open = true;"
        "for (const row of document.querySelectorAll('.open')) if (row.offsetWidth) row.click();"
    )
    wait(driver, "[...document.querySelectorAll('.chart')].every((chart) => chart.querySelector('svg'))")


def violations(driver):
    """What axe-core finds wrong with the page as it stands: rule, and the first element of each."""
    driver.execute_script(AXE.read_text(encoding="utf-8"))
    return driver.execute_async_script(
        "const done = arguments[0];"
        "const told = (v) => `${v.id}: ${v.nodes.length}, ${v.nodes[0].html}`;"
        "axe.run(document).then((r) => done(r.violations.map(told)));"
    )
