"""The report in headless Chromium: at three widths, light and dark, by keyboard, with Back, without a network."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import browser as support
import pytest
from browser import look, open_all, visit, wait
from made_report import made_results

from replication.judging.judges import Outcome
from replication.tools.report.contents import gather
from replication.tools.report.formulas import parts
from replication.tools.report.page import FEW, write

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(support.missing()), reason=support.missing() or "Chromium is there"),
]
WIDTHS = (390, 768, 1400)
ROOT = Path(__file__).parents[4]
SHOWN = "[...document.querySelectorAll('#verdicts .cards tbody')].filter((row) => !row.hidden)"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The path of a report of made-up results on all published claims, and its verdicts."""
    folder = tmp_path_factory.mktemp("made") / "results"
    (folder.parent / "figures").symlink_to(ROOT / "figures")
    rows = made_results(folder)
    write(gather(folder), folder / "report.html")
    return folder / "report.html", rows


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The same of one paper and the ledger's entries that it cites: axe-core takes a minute for the whole."""
    folder = tmp_path_factory.mktemp("small") / "results"
    (folder.parent / "figures").symlink_to(ROOT / "figures")
    rows = made_results(folder, papers=["lee2019"])
    contents, cited = gather(folder), {entry for row in rows for entry in row["ledger"].split()}
    ledger = {name: entry for name, entry in contents.ledger.items() if name in cited}
    write(replace(contents, ledger=ledger), folder / "report.html")
    return folder / "report.html", rows


@pytest.fixture(scope="module")
def driver():
    with support.chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def _quiet(driver):
    """No test leaves an error in the console."""
    yield
    assert [entry for entry in driver.get_log("browser") if entry["level"] != "DEBUG"] == []


def ids(driver):
    return driver.execute_script(f"return {SHOWN}.map((row) => row.id)")


def press(driver, selector, keys):
    driver.find_element("css selector", selector).send_keys(keys)


@pytest.mark.parametrize("width", [*WIDTHS, 600])
def test_nothing_is_wider_than_the_page_and_no_badge_wraps(made, driver, width):
    look(driver, width)
    visit(driver, made[0])
    assert driver.execute_script("return innerWidth") == width
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    badges = "[...document.querySelectorAll('.badge:not(.counts *)')]"  # there they stand upright on a telephone
    heights = f"{badges}.filter((b) => b.offsetWidth).map((b) => b.offsetHeight)"
    assert len(set(driver.execute_script(f"return {heights}"))) == 1
    open_all(driver)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width


def test_no_two_regions_have_one_name(made, driver):
    visit(driver, made[0])
    names = driver.execute_script(
        "return [...document.querySelectorAll('[role=region]')].map((e) => e.getAttribute('aria-label'))"
    )
    assert names
    assert [name for name, times in Counter(names).items() if times > 1] == []


def test_rows_are_cards_where_there_is_no_room(made, driver):
    look(driver, 390)
    visit(driver, made[0], "#verdicts")
    first = f"{SHOWN}[0].querySelector('td')"
    assert driver.execute_script(f"return {first}.offsetWidth") > 300
    assert driver.execute_script(f"return {first}.offsetHeight") < 200  # words in lines, not letters
    basis = f"{SHOWN}[0].querySelector('td.only-wide').offsetWidth"
    assert driver.execute_script(f"return {basis}") == 0
    look(driver, 1400)
    assert driver.execute_script(f"return {basis}") > 0


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.skipif(not support.AXE.exists(), reason="needs axe-core: npm install axe-core, or AXE=/path/axe.min.js")
def test_axe_finds_nothing(small, driver, width, mode):
    page, rows = small
    look(driver, width, mode)
    visit(driver, page, f"#{rows[0]['claim_id']}")  # with a row that is open
    driver.execute_script("document.getElementById('glossary').open = true")
    driver.execute_script("document.querySelector('details.curves').open = true")
    wait(driver, "document.querySelector('.chart svg')")
    assert support.violations(driver) == []
    driver.execute_script("document.querySelector('.printed a.peek').click()")
    assert support.violations(driver) == []


def test_filters_stand_in_the_address_and_back_undoes_them(made, driver):
    page, rows = made
    look(driver, 1400)
    visit(driver, page, "#verdicts")
    assert len(ids(driver)) == FEW
    failed = [row["claim_id"] for row in rows if row["outcome"] == Outcome.FAILS]
    press(driver, "#filters [name=outcome]", Outcome.FAILS)
    wait(driver, f"{SHOWN}.length === {min(FEW, len(failed))}")
    press(driver, "#all-rows", "\ue007")
    wait(driver, f"{SHOWN}.length === {len(failed)}")
    assert ids(driver) == failed
    assert unquote(driver.current_url).endswith("#verdicts?outcome=fails&rows=all")
    driver.back()
    driver.back()
    wait(driver, f"{SHOWN}.length === {FEW} && !location.hash.includes('outcome')")
    assert driver.find_element("css selector", "#filters [name=outcome]").get_property("value") == ""
    driver.forward()
    wait(driver, f"{SHOWN}.length === {min(FEW, len(failed))} && location.hash.includes('outcome')")
    visit(driver, page, "#verdicts?paper=lu2021&outcome=holds&rows=all")
    assert ids(driver) == [r["claim_id"] for r in rows if (r["paper"], r["outcome"]) == ("lu2021", Outcome.HOLDS)]


def test_a_count_leads_to_its_rows(made, driver):
    visit(driver, made[0], "#verdicts")
    rows = [row["claim_id"] for row in made[1] if row["paper"] == "lu2021"]
    press(driver, ".counts a[href='#verdicts?paper=lu2021']", "\ue007")
    wait(driver, f"{SHOWN}.length === {min(FEW, len(rows))}")
    assert ids(driver) == rows[:FEW]


def test_the_way_a_paper_is_read_moves_the_outcomes_of_its_headlines(made, driver):
    visit(driver, made[0])
    strip = driver.find_element("css selector", ".strip[data-paper=lu2021]")
    before = [item.text for item in strip.find_elements("css selector", ".story .under")]
    choice = strip.find_element("css selector", ".read")

    def read(value):
        told = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
        driver.execute_script(told, choice, value)

    read("0")  # all defaults
    shown = [item.text for item in strip.find_elements("css selector", ".story .under")]
    by_id = {row["claim_id"]: row for row in made[1]}
    own = [by_id[a.get_attribute("href").split("#")[1]] for a in strip.find_elements("css selector", ".story a")]
    assert shown == [row["outcome"] for row in own]
    read("combined")
    assert [item.text for item in strip.find_elements("css selector", ".story .under")] == before


def test_published_and_replicated_sort_as_numbers(made, driver):
    look(driver, 1400)
    visit(driver, made[0], "#verdicts?rows=all")

    def numbers(sort):
        driver.execute_script("location.hash = arguments[0]", f"#verdicts?sort={sort}&rows=all")
        wait(driver, f"document.querySelector('[aria-sort]')?.dataset.sort === '{sort.strip('-')}'")
        values = driver.execute_script(f"return {SHOWN}.map((row) => row.dataset.published.replaceAll(',', ''))")
        found = driver.execute_script("return arguments[0].map((v) => Number.parseFloat(v))", values)
        assert len(found) == len(made[1])
        return found

    press(driver, "th[data-sort=published] button", "\ue007")
    wait(driver, "location.hash.includes('sort=published')")
    for sort, sign in (("published", 1), ("-published", -1)):
        found = numbers(sort)
        known = [value for value in found if value is not None]
        assert known == sorted(known, key=lambda value: sign * value)
        assert len(known) > 100
        assert found[: len(known)] == known  # words last


def test_search_finds_ids_of_the_ledger_statements_and_reasons(made, driver):
    page, rows = made
    visit(driver, page)
    field = "[name=search]"

    def found(text):
        driver.execute_script("location.hash = arguments[0]", f"#verdicts?search={text}&rows=all")
        wait(driver, f'document.querySelector("{field}").value === arguments[0]', text)
        return set(ids(driver))

    assert {r["claim_id"] for r in rows if "L16" in r["ledger"].split()} <= found("L16")
    assert not {r["claim_id"] for r in rows if r["ledger"].split() == ["L160"]} & found("L16")
    assert found("l16") == found("L16") != set()
    statement = rows[3]["statement"].split()[-2]
    assert rows[3]["claim_id"] in found(statement)
    for typed in ("tau = 0.1", "X_R", "(log n)^2", "sqrt(nKT)"):  # and shown as τ = 0.1, ...
        assert {r["claim_id"] for r in rows if typed in r["statement"]} <= found(typed), typed
    assert found("nothing here was simulated") == {row["claim_id"] for row in rows}
    visit(driver, page)
    press(driver, field, "nonsense7")
    wait(driver, f"{SHOWN}.length === 0")
    driver.back()
    wait(driver, f"{SHOWN}.length === {FEW}")  # what is typed is one step


def test_a_row_opens_by_keyboard_and_shows_its_details(made, driver):
    look(driver, 390)
    visit(driver, made[0], "#verdicts")
    row = made[1][0]
    button = driver.find_element("css selector", "#verdicts tbody:not([hidden]) button.open")
    assert button.text.endswith("".join(part for _, part in parts(row["statement"])))
    button.send_keys("\ue007")
    assert button.get_attribute("aria-expanded") == "true"
    detail = driver.find_element("css selector", ".detail-row:not([hidden])").text
    for part in (row["reason"], *row["ledger"].split()):
        assert part in detail
    button.send_keys(" ")
    assert button.get_attribute("aria-expanded") == "false"


def test_an_address_of_a_claim_opens_its_row_though_filters_hide_it(made, driver):
    page, rows = made
    visit(driver, page, "#verdicts?search=nonsense7")
    claim = rows[-1]["claim_id"]
    driver.execute_script("location.hash = arguments[0]", claim)
    wait(driver, f"{SHOWN}.some((row) => row.id === arguments[0])", claim)
    assert driver.execute_script("return document.activeElement.closest('tbody').id") == claim
    top = driver.execute_script("return document.activeElement.getBoundingClientRect().top")
    assert 0 <= top < 900


@pytest.mark.parametrize("address", ["#%", "#no-such-place", "#verdicts?search=%&sort=%E0%A4%A"])
def test_an_address_that_names_nothing_breaks_nothing(made, driver, address):
    visit(driver, made[0], address)
    shown = "[...document.querySelectorAll('main > section')].filter((view) => !view.hidden).map((view) => view.id)"
    assert driver.execute_script(f"return {shown}") == ["verdicts" if "verdicts" in address else "summary"]
    press(driver, "nav a[href='#lu2021']", "\ue007")
    wait(driver, "!document.getElementById('lu2021').hidden && document.getElementById('summary').hidden")
    assert driver.execute_script("return document.querySelector('nav [aria-current]').hash") == "#lu2021"


def test_back_returns_to_the_row_and_to_the_cell(made, driver):
    look(driver, 1400)
    visit(driver, made[0], "#verdicts?paper=lee2019&rows=all")
    button = driver.find_elements("css selector", "#verdicts tbody:not([hidden]) button.open")[40]
    button.send_keys("\ue007")
    link = driver.find_element("css selector", "#verdicts .detail-row:not([hidden]) dd a[href^='#lee2019-']")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    place = "arguments[0].getBoundingClientRect().top"
    before = driver.execute_script(f"return {place}", link)
    link.send_keys("\ue007")
    wait(driver, "!document.getElementById('lee2019').hidden")
    driver.back()
    wait(driver, f"document.activeElement === arguments[0] && Math.abs({place} - {before}) < 2", link)
    visit(driver, made[0], "#huang2024")
    cell = driver.find_elements("css selector", "#huang2024-printed-table-1 a")[50]
    cell.send_keys("\ue007")
    before = driver.execute_script(f"return {place}", cell)
    driver.find_element("css selector", "dialog[open] .where a").send_keys("\ue007")
    wait(driver, "!document.getElementById('verdicts').hidden")
    driver.back()
    wait(driver, f"document.activeElement === arguments[0] && Math.abs({place} - {before}) < 2", cell)


def test_a_link_to_a_figure_does_not_overshoot(made, driver):
    look(driver, 1400)
    visit(driver, made[0])
    for figure in ("huang2022-readings", "lu2021-nodes", "lee2019-fig5"):
        driver.execute_script("location.hash = arguments[0]", figure)
        place = "document.getElementById(arguments[0]).getBoundingClientRect().top"
        under = "document.querySelector('header').offsetHeight"
        assert wait(driver, f"Math.abs({place} - {under}) < 40 && 'there'", figure) == "there"
    sizes = "[...document.images].map((i) => i.hasAttribute('width') && i.hasAttribute('height') && i.alt.length > 20)"
    assert set(driver.execute_script(f"return {sizes}")) == {True}


def test_a_cell_of_a_printed_table_shows_its_readings(made, driver):
    page, rows = made
    visit(driver, page, "#huang2024")
    by_id = {row["claim_id"]: row for row in rows}
    cell = driver.find_elements("css selector", "#huang2024-printed-table-1 tbody tr:nth-child(7) a")[1]
    claim = cell.get_attribute("href").split("#")[1]
    assert claim == "huang2024.table1.7.biased"
    assert by_id[claim]["published"] in cell.text
    assert by_id[claim]["outcome"] in cell.get_attribute("textContent")
    cell.send_keys("\ue007")
    dialog = driver.find_element("css selector", "dialog[open]").text
    assert by_id[claim]["statement"] in dialog
    assert "Eq. 2 given the context" in dialog
    press(driver, "dialog button", "\ue00c")  # Escape
    assert driver.find_elements("css selector", "dialog[open]") == []
    assert driver.execute_script("return document.activeElement === arguments[0]", cell)


def test_the_switch_goes_from_the_system_s_colours_to_the_others(made, driver):
    ground = "getComputedStyle(document.body).backgroundColor"
    for mode, other in (("light", "dark"), ("dark", "light")):
        look(driver, 390, mode)
        visit(driver, made[0])
        driver.execute_script("localStorage.clear()")
        visit(driver, made[0])
        before = driver.execute_script(f"return {ground}")
        press(driver, "#theme", "\ue007")
        after = driver.execute_script(f"return {ground}")
        assert before != after
        assert driver.find_element("css selector", "#theme").get_attribute("aria-pressed") == json.dumps(
            other == "dark"
        )
    driver.execute_script("localStorage.clear()")


def test_curves_are_drawn_when_opened_told_when_pointed_at_and_switched_off(made, driver):
    from selenium.webdriver import ActionChains

    look(driver, 1400)
    visit(driver, made[0], "#lee2019")
    assert driver.find_elements("css selector", ".chart svg") == []
    driver.execute_script("document.querySelector('details.curves').open = true")
    lines = "document.querySelectorAll('.chart .mark-line path').length"
    wait(driver, f"{lines} === 10 && document.querySelectorAll('.policies input').length === 10")
    point = driver.find_elements("css selector", ".chart .mark-symbol path")[150]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(driver).move_to_element(point).perform()
    told = wait(driver, "document.querySelector('#vg-tooltip-element.visible')?.innerText").split()
    assert {"policy", "round", "mean", "interval", "seeds", "100"} <= set(told)
    assert "undefined" not in told
    box = driver.find_elements("css selector", ".policies input")[3]
    box.send_keys(" ")
    wait(driver, f"{lines} === 9")
    box.send_keys(" ")
    wait(driver, f"{lines} === 10")


def test_nothing_is_asked_of_any_network(made, driver):
    page, _ = made
    visit(driver, page)
    driver.execute_script("document.querySelectorAll('img').forEach((i) => (i.loading = 'eager'))")
    loaded = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in loaded if not name.startswith(("data:", "blob:"))] == []
    assert page.stat().st_size < 15e6
