"""The site: built without a warning, no link is broken, every page fits a screen and a phone."""

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import cache, partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
HTML, GALLERY = DOCS / "_build" / "html", DOCS / "auto_gallery"
FAULTS = (Path(__file__).parent / "site_faults.js").read_text()
SCREEN, PHONE = 1280, 390
#: The tags of a page, and their attributes.
TAG, ATTRIBUTE = re.compile(r"<(\w+)\s([^<>]*)"), re.compile(r"""([\w-]+)=(["'])(.*?)\2""", re.S)
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
    # Pages of sources are kept where the source is older, even if other names are documented now,
    # and what examples printed where they have not changed.
    for folder in (HTML / "_modules", GALLERY):
        shutil.rmtree(folder, ignore_errors=True)
    flags = ["-q", "-W", "--keep-going", "--write-all"]
    command = [sys.executable, "-m", "sphinx", *flags, str(DOCS), str(HTML)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return HTML


def pages(site: Path) -> list[Path]:
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


class Page:
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        self.path, self.anchors, self.links, self.loads = path, {""}, set(), set()
        for tag, given in TAG.findall(path.read_text()):
            values = {name: unescape(value) for name, _, value in ATTRIBUTE.findall(given)}
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
            target = found(self.path.parent, parts.path) if parts.path else self.path
            if target is None:
                yield f"{self.path.name}: {address}"
            elif target in parsed and unquote(parts.fragment) not in parsed[target].anchors:
                yield f"{self.path.name}: {address} has no such anchor"


@cache
def found(folder: Path, address: str) -> Path | None:
    """The file that an address leads to from a folder."""
    target = (folder / unquote(address)).resolve()
    return target if target.is_file() else None


@pytest.fixture(scope="module")
def parsed(site) -> dict[Path, Page]:
    return {path.resolve(): Page(path.resolve()) for path in pages(site)}


def test_every_link_of_the_site_leads_somewhere(parsed):
    assert len(parsed) > 100
    assert [fault for page in parsed.values() for fault in page.broken(parsed)] == []


def test_nothing_is_loaded_from_another_host(parsed):
    for path, page in parsed.items():
        assert not [load for load in page.loads if urlsplit(load).netloc], path


def test_examples_leave_no_file_behind(site):
    left = {path.suffix for path in GALLERY.rglob("*.*") if "images" not in path.parts}
    assert left == {".ipynb", ".json", ".md5", ".py", ".rst", ".zip"}


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


def faults(driver: Any, address: str, *widths: int) -> list[str]:
    found = []
    resize(driver, widths[0])
    driver.get(address)
    for width in widths:
        resize(driver, width)
        report = driver.execute_async_script(FAULTS, width)
        found += [f"{address} at {width}: {fault}" for fault in report]
    return found


def test_every_page_fits_a_screen_and_a_phone_and_is_complete(site, driver, served):
    address = served(site)
    paths = [path.relative_to(site).as_posix() for path in pages(site)]
    # Pages of sources are alike, and those of classes too: every tenth will do.
    alike = [path for path in paths if path.startswith(("_modules/", "generated/"))]
    paths = [path for path in paths if path not in alike] + alike[::10]
    addresses = [f"{address}/{path}" for path in paths]
    assert [fault for page in addresses for fault in faults(driver, page, SCREEN, PHONE)] == []


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
    "crf": "sequences", "confidence of an entity": "worth", "legal BIO tags": "sequences",
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
