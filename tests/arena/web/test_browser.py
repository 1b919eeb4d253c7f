"""The arena in a real Chromium: invitation, upload, board, comparison; keyboard, phone, axe.

Chromium and chromedriver are found on PATH, axe-core is fetched by npm into a temporary folder
(or found in the folder that RANKWISE_AXE names); where one is not to be had, its tests are skipped
with the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.arena import (
    OPERATOR,
    Listening,
    RequestRate,
    WebSettings,
    export_site,
    make_application,
)
from rankwise.arena.web import serving
from tests.arena.serving import served

from .conftest import HOSTILE, TASK, Made, make_arena

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.common.exceptions import (  # noqa: E402
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--window-size=1280,900",
)  # fmt: skip
AXE = "return axe.run(document, {resultTypes: ['violations']})"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium and chromedriver are not on PATH: the pages are not driven")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=chromedriver)
    driver = webdriver.Chrome(options=options, service=service)
    # A click may come back before the page that it leads to is there.
    driver.implicitly_wait(600)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """An arena of the browser's own, with two entries and a baseline."""
    made = make_arena(tmp_path_factory.mktemp("browsed"), board_measures=("MAP", "P@5"))
    made.submit("One", "By BM25", made.scores(4), seconds=3.0, code="https://example.org/code")
    made.submit("Two", HOSTILE, made.scores(6), seconds=40.0, description=HOSTILE, paper=HOSTILE)
    yield made
    made.arena.close()


@pytest.fixture(scope="module")
def address(own: Made) -> Iterator[str]:
    """The arena on a port of this machine."""
    often = RequestRate(10_000, 1000.0)
    settings = WebSettings(reading=often, computing=often, knocking=often)
    servers: list[Any] = []
    ready, origins = threading.Event(), []

    def told(origin: str) -> None:
        origins.append(origin)
        ready.set()

    thread = threading.Thread(
        target=serving.run_server,
        args=(make_application(own.arena, settings), Listening(port=0), told),
        kwargs={"started": servers.append},
    )
    thread.start()
    assert ready.wait(600)
    yield origins[0]
    servers[0].should_exit = True
    thread.join(600)


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of axe-core."""
    folder = Path(os.environ.get("RANKWISE_AXE") or tmp_path_factory.mktemp("axe"))
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.exists() and npm is not None:
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*command, "axe-core"], capture_output=True, timeout=600, check=False)
    if not script.exists():
        pytest.skip("axe-core cannot be had: npm is not here, or has no registry")
    return script.read_text("utf-8")


@pytest.fixture
def page(browser: Any, address: str) -> Any:
    """The browser as nobody: without cookies, at the first page."""
    browser.get(f"{address}/health")
    browser.delete_all_cookies()
    browser.get_log("browser")
    browser.get(f"{address}/")
    return browser


def find(page: Any, selector: str) -> Any:
    return page.find_element(By.CSS_SELECTOR, selector)


def await_text(page: Any, selector: str, wanted: str) -> str:
    """The text of an element once it has this in it: the page that a click leads to is there."""
    gone = (StaleElementReferenceException, NoSuchElementException)
    waiting = WebDriverWait(page, 600, ignored_exceptions=gone)
    return str(waiting.until(lambda one: wanted in (t := find(one, selector).text) and t))


def press(page: Any, selector: str) -> None:
    made = find(page, selector)
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", made)
    made.click()


def accept(page: Any, address: str, own: Made, team: str) -> str:
    """Accept an invitation in the page; the token that is shown."""
    page.get(f"{address}/invitations/{own.arena.invite('participant', team, OPERATOR)}")
    find(page, "#name").send_keys("Grace")
    press(page, "main button[type=submit]")
    return await_text(page, "#token", "rwt_")


def upload(page: Any, address: str, file: Path, title: str) -> None:
    page.get(f"{address}/tasks/{TASK}/submit")
    find(page, "#file").send_keys(str(file))
    find(page, "#title").send_keys(title)
    find(page, "#description").send_keys("From a browser.")
    find(page, "#training_data").send_keys("none")
    press(page, "main button[type=submit]")


def test_from_an_invitation_to_a_comparison(
    page: Any, address: str, own: Made, tmp_path: Path
) -> None:
    assert accept(page, address, own, "Browsers").startswith("rwt_")
    broken = tmp_path / "Fold1.scores"
    broken.write_bytes(own.scores(1).replace(b"\n", b"\nx\n", 1))
    upload(page, address, broken, "Mine")
    await_text(page, "[role=alert]", "score")
    assert find(page, "#title").get_attribute("value") == "Mine"
    broken.write_bytes(own.scores(1))
    upload(page, address, broken, "By a browser")
    await_text(page, "[role=status]", "was checked, evaluated and kept")
    page.get(f"{address}/tasks/{TASK}/board")
    names = [one.text for one in page.find_elements(By.CSS_SELECTOR, "tbody th a")]
    assert "By a browser" in names and HOSTILE in names
    for label in ("Compare By a browser", "Compare By BM25"):
        press(page, f'input[aria-label="{label}"]')
    press(page, "form[data-two] button[type=submit]")
    heading = await_text(page, "h1", " against ")
    assert set(heading.split(" against ")) == {"By a browser", "By BM25"}
    assert "separate" in find(page, ".notice").text or "better" in find(page, ".notice").text
    assert page.execute_script("return window.hurt") is None


def test_choosing_a_tool_is_asking_for_it(page: Any, revealed: Made) -> None:
    with served(revealed.arena) as address:
        page.get(f"{address}/tasks/{TASK}/board?measure=MAP")
        press(page, "select[name=tool] option:nth-child(3)")
        WebDriverWait(page, 600).until(lambda one: "tool=" in one.current_url)
        assert "measure=MAP" in page.current_url


def test_a_third_tick_lets_the_first_go(page: Any, address: str, own: Made) -> None:
    own.submit("One", "By in-links", own.scores(9))
    page.get(f"{address}/tasks/{TASK}/board")
    boxes = page.find_elements(By.CSS_SELECTOR, "input[type=checkbox]")[:3]
    for box in boxes:
        box.click()
    assert [box.is_selected() for box in boxes] == [False, True, True]


def test_sorting_is_announced(page: Any, address: str) -> None:
    page.get(f"{address}/tasks/{TASK}/board")
    press(page, "th[data-sort=number] button")
    head = find(page, "th[aria-sort]")
    values = "return [...document.querySelectorAll('td[data-value]')].map((c) => +c.dataset.value)"
    assert head.get_attribute("aria-sort") == "descending" and page.execute_script(values)


def test_all_can_be_done_with_the_keyboard(
    page: Any, address: str, own: Made, tmp_path: Path
) -> None:
    accept(page, address, own, "Keys")
    page.get(f"{address}/tasks/{TASK}")
    scores = tmp_path / "Fold1.scores"
    scores.write_bytes(own.scores(3))
    walk_to(page, "Submit")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    await_text(page, "h1", "Submit")
    walk_to(page, "file", "id").send_keys(str(scores))
    walk_to(page, "title", "id").send_keys("By keyboard", Keys.ENTER)
    await_text(page, "[role=status]", "kept")
    walk_to(page, "board")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    await_text(page, "h1", "Board")
    for name in ("Compare By keyboard", "Compare By BM25"):
        walk_to(page, name, "aria-label").send_keys(Keys.SPACE)
    walk_to(page, "Compare two ticked methods").send_keys(Keys.ENTER)
    await_text(page, "h1", " against ")


def walk_to(page: Any, wanted: str, attribute: str = "textContent") -> Any:
    """Press Tab until an element with this text, or attribute, has the focus, which is seen."""
    seen = "const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none'"
    for _ in range(80):
        webdriver.ActionChains(page).send_keys(Keys.TAB).perform()
        active = page.switch_to.active_element
        # Past the last element comes the browser's own bar, then the first again.
        assert active.tag_name == "body" or page.execute_script(seen), active.text
        if (active.get_attribute(attribute) or "").strip() == wanted:
            return active
    raise LookupError(f"the Tab key does not reach {wanted!r}")


PATHS = (
    "/", f"/tasks/{TASK}", f"/tasks/{TASK}/board", f"/entries/{TASK}-1", f"/entries/{TASK}-2",
    f"/compare?first={TASK}-1&second={TASK}-2", "/log", "/organise", f"/tasks/{TASK}/submit",
    "/nothing", f"/tasks/{TASK}/board?measure=wrong",
)  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_axe_finds_nothing_and_pages_fit(
    page: Any, address: str, own: Made, axe: str, width: int, scheme: str
) -> None:
    sign_in(page, address, own)
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        for path in PATHS:
            page.get(f"{address}{path}")
            assert page.execute_script("return document.documentElement.scrollWidth") <= width
            assert check_with_axe(page, axe) == [], path
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def sign_in(page: Any, address: str, own: Made) -> None:
    """As an organiser, who sees most."""
    page.get(f"{address}/sign-in")
    find(page, "#token").send_keys(own.tokens["organiser"])
    press(page, "main button[type=submit]")
    await_text(page, ".who", "organiser")


def check_with_axe(page: Any, axe: str) -> list[Any]:
    """What axe finds wrong, with where; the driver's own script is not under the page's policy."""
    page.execute_script(axe)
    violations = page.execute_script(AXE)["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in violations]


def test_the_policy_stops_a_script_that_got_in(page: Any, address: str) -> None:
    page.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.hurt = 1';"
        "document.body.append(s);"
        "const i = new Image(); i.src = 'https://example.org/x.png'; document.body.append(i);"
    )
    assert page.execute_script("return window.hurt") is None
    refused = [entry["message"] for entry in page.get_log("browser")]
    assert any("Content Security Policy" in message for message in refused)


def test_nothing_is_complained_of(page: Any, address: str) -> None:
    for path in ("/", f"/tasks/{TASK}/board", f"/entries/{TASK}-2"):
        page.get(f"{address}{path}")
    assert page.get_log("browser") == []


def test_the_site_in_files_is_read_from_a_disk(page: Any, own: Made, tmp_path: Path) -> None:
    written = export_site(own.arena, tmp_path, measures=("MAP",), tools=("letor4",))
    page.get_log("browser")
    page.get(written.first_page.as_uri())
    press(page, "a[href^=board]")
    await_text(page, "h1", "Board")
    paper = "return getComputedStyle(document.querySelector('.scroll')).borderRadius"
    assert page.execute_script(paper) == "8px", "its own style sheet"
    press(page, "tbody th a")
    await_text(page, ".trail", "board")
    assert page.execute_script("return window.hurt") is None
    assert page.get_log("browser") == []


def test_pages_work_without_a_script(page: Any, address: str, own: Made) -> None:
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(f"{address}/tasks/{TASK}/board")
        find(page, "input[name=measure]").clear()
        find(page, "input[name=measure]").send_keys("P@5")
        find(page, "form.choice button").click()
        await_text(page, ".caption", "P@5 by the tool")
        sign_in(page, address, own)
        page.get(f"{address}/organise")
        find(page, "#team").send_keys("No script")
        find(page, "main button[type=submit]").click()
        await_text(page, "#invitation", "/invitations/rwi_")
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
