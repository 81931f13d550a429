"""The site: built without a warning, no link is broken, every page fits a screen and a phone."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
HTML = DOCS / "_build" / "html"
FAULTS = (Path(__file__).parent / "site_faults.js").read_text()
SCREEN, PHONE = 1280, 390
#: Chromium asks hosts of its own unless told not to.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--hide-scrollbars",
)  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of the site, brought up to date."""
    for module in ("furo", "myst_parser", "numpydoc", "sphinx_gallery", "sphinx_design"):
        pytest.importorskip(module, reason="the site needs: pip install -e '.[docs]'")
    # Pages of sources are kept where the source is older, even if other names are documented now.
    shutil.rmtree(HTML / "_modules", ignore_errors=True)
    flags = ["-q", "-W", "--keep-going", "--write-all"]
    command = [sys.executable, "-m", "sphinx", *flags, str(DOCS), str(HTML)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return HTML


def pages(site: Path) -> list[Path]:
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.anchors, self.links, self.loads = path, {""}, set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if "href" in values:
            (self.links if tag == "a" else self.loads).add(values["href"])
        if "src" in values:
            self.loads.add(values["src"])

    def broken(self, parsed: dict[Path, "Page"]) -> Iterator[str]:
        """The addresses of the site that lead nowhere."""
        for address in self.links | self.loads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (self.path.parent / unquote(parts.path)).resolve() if parts.path else self.path
            if not target.is_file():
                yield f"{self.path.name}: {address}"
            elif target in parsed and unquote(parts.fragment) not in parsed[target].anchors:
                yield f"{self.path.name}: {address} has no such anchor"


def test_every_link_of_the_site_leads_somewhere(site):
    parsed = {path.resolve(): Page(path.resolve()) for path in pages(site)}
    assert len(parsed) > 100
    assert [fault for page in parsed.values() for fault in page.broken(parsed)] == []


def test_nothing_is_loaded_from_another_host(site):
    for path in pages(site):
        assert not [load for load in Page(path).loads if urlsplit(load).netloc], path


def test_a_broken_link_is_found(tmp_path):
    path = tmp_path / "page.html"
    path.write_text('<a href="#here"><a href="none.html"><p id="there"><img src="no.png">')
    assert len(list(Page(path).broken({path: Page(path)}))) == 3


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def driver(tmp_path_factory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install -e '.[site]'")
    chromium, chromedriver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if chromium is None or chromedriver is None:
        pytest.skip("the pages are opened in Chromium: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def served() -> Iterator[Any]:
    """A function that serves a folder on this machine and returns its address."""
    servers = []

    def serve(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def resize(driver: Any, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def faults(driver: Any, address: str, width: int) -> list[str]:
    driver.get(address)
    return [f"{address}: {fault}" for fault in driver.execute_async_script(FAULTS, width)]


@pytest.mark.parametrize("width", [SCREEN, PHONE])
def test_every_page_fits_and_is_complete(site, driver, served, width):
    address = served(site)
    resize(driver, width)
    paths = [path.relative_to(site).as_posix() for path in pages(site)]
    # Pages of sources are alike, and those of classes too: every tenth will do.
    alike = [path for path in paths if path.startswith(("_modules/", "generated/"))]
    paths = [path for path in paths if path not in alike] + alike[::10]
    assert [fault for path in paths for fault in faults(driver, f"{address}/{path}", width)] == []


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (SCREEN, "wider than the text"),
        (PHONE, "pixels wide|PRE ends at|table wider than its box|no picture at|raw TeX|not drawn|"
         "asks another host|no menu"),
    ],
)  # fmt: skip
def test_the_faults_of_a_page_are_found(driver, served, tmp_path, width, expected):
    (tmp_path / "page.html").write_text(
        r"""<article><p>A raw \lambda.</p><pre style="width: 900px">wide</pre>
        <div class="math" style="overflow-x: auto"><p style="width: 1500px">x</p></div>
        <div style="overflow: auto"><table class="docutils" style="width: 900px"><td>x</table></div>
        <img src="no.png"><img src="http://localhost/"></article>"""
    )
    resize(driver, width)
    found = " ".join(faults(driver, served(tmp_path) + "/page.html", width))
    assert [fault for fault in expected.split("|") if fault not in found] == []


@pytest.mark.parametrize("width", [SCREEN, PHONE])
def test_the_menu_leads_to_a_page_and_the_search_finds_one(site, driver, served, width):
    from selenium.webdriver.support.wait import WebDriverWait

    resize(driver, width)
    address = served(site)

    def menu() -> None:
        driver.get(f"{address}/faq.html")
        if width == PHONE:
            driver.find_element("css selector", ".mobile-header label[for=__navigation]").click()

    menu()
    link = driver.find_element("css selector", ".sidebar-tree a[href='problems.html']")
    WebDriverWait(driver, 20).until(lambda _: link.is_displayed() and link.rect["x"] >= 0)
    link.click()
    WebDriverWait(driver, 20).until(lambda d: "problems.html" in d.current_url)
    menu()
    field = driver.find_element("css selector", ".sidebar-search")
    WebDriverWait(driver, 20).until(lambda _: field.is_displayed() and field.rect["x"] >= 0)
    field.send_keys("Frank-Wolfe\n")
    found = "#search-results a[href*='BlockCoordinateFrankWolfe']"
    WebDriverWait(driver, 20).until(lambda d: d.find_elements("css selector", found))


ANSWERS = {
    "crf": "sequences", "confidence of an entity": "sequences", "legal BIO tags": "sequences",
    "gpu": "networks", "hinge": "conventions", "F1": "multivariate_svm",
    "continue training": "experience", "one-to-one linking": "matching",
    "how many clusters": "mmc",
}  # fmt: skip


def test_the_first_result_of_a_search_is_the_page_that_answers(site, driver, served):
    from selenium.webdriver.support.wait import WebDriverWait

    address = served(site)
    # The results move while more are found.
    done = "return document.querySelector('.search-summary')?.textContent.includes('found')"
    for word, page in ANSWERS.items():
        driver.get(f"{address}/search.html?q={word}")
        WebDriverWait(driver, 20).until(lambda _: driver.execute_script(done))
        first = driver.find_element("css selector", "#search-results li a")
        assert f"/{page}.html" in first.get_attribute("href"), word
