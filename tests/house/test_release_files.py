"""The files for the host of the repository and for the index: they agree with setup.cfg."""

import configparser
import re
import runpy
from pathlib import Path

import pytest
import yaml

import structsvm

ROOT = Path(__file__).parents[2]
LINKS = runpy.run_path(str(ROOT / "docs" / "absolute_links.py"))
HOST = ROOT / ".github"
needs_a_clone = pytest.mark.skipif(not HOST.exists(), reason="not in the source distribution")


@pytest.fixture(scope="module")
def config():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def loaded(name):
    return yaml.safe_load((ROOT / name).read_text())


def commands(workflow, job):
    steps = loaded(f".github/workflows/{workflow}.yml")["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step]


@needs_a_clone
def test_the_workflows_run_the_commands_of_the_readme_with_every_python(config):
    versions = re.findall(r":: Python :: (3\.\d+)$", config["metadata"]["classifiers"], re.M)
    job = loaded(".github/workflows/tests.yml")["jobs"]["tests"]
    assert job["strategy"]["matrix"]["python"] == versions
    readme = (ROOT / "README.md").read_text()
    assert commands("tests", "tests") == ["make demo", "make test"]
    assert all(command in readme for command in commands("tests", "tests"))
    # Wheels have a readme with absolute links.
    for workflow, job, kind in (("tests", "wheel", ""), ("release", "publish", " --sdist")):
        build = ["python docs/absolute_links.py", f"python -m build{kind}"]
        build += ["twine check --strict dist/*"]
        assert [step for step in commands(workflow, job) if step in build] == build
    assert [*loaded(".github/workflows/release.yml")[True]] == ["workflow_dispatch"]  # by hand


@needs_a_clone
def test_hooks_and_the_site_use_what_setup_cfg_installs(config):
    (repository,) = loaded(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"].split()[0] for hook in repository["hooks"]] == ["ruff", "ruff", "mypy"]
    installed = re.findall(r"^\w+", config["options.extras_require"]["test"], re.MULTILINE)
    assert {"ruff", "mypy"} <= {*installed}
    site = loaded(".readthedocs.yaml")
    assert site["python"]["install"][0]["extra_requirements"] == ["docs"]
    assert (ROOT / site["sphinx"]["configuration"]).is_file()


@needs_a_clone
def test_the_forms_ask_for_what_helps():
    bug, mine = (loaded(f".github/ISSUE_TEMPLATE/{name}.yml") for name in ("bug", "my_problem"))
    asked = {part["id"]: part for part in bug["body"]}
    assert "`structsvm versions`" in asked["versions"]["attributes"]["label"]
    assert all(part["validations"]["required"] for part in asked.values())
    assert mine["name"] == "My problem" and {"example", "loss"} <= {p["id"] for p in mine["body"]}


def test_the_address_of_the_repository_is_written_once(config):
    address = LINKS["repository"]()
    assert loaded("CITATION.cff")["repository-code"] == address
    names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "recipe/recipe.yaml", "docs/conf.py"]
    names += [str(path.relative_to(ROOT)) for path in HOST.rglob("*.yml")]
    assert [name for name in names if address in (ROOT / name).read_text()] == []


def test_the_citation_has_the_version_and_a_date():
    citation = loaded("CITATION.cff")
    assert citation["version"] == structsvm.__version__
    page = (ROOT / "docs" / "cite.md").read_text()
    assert f"year    = {{{citation['date-released'].year}}}" in page
    heading = re.search(r"^## [\d.]+ \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading[1] in ("unreleased", str(citation["date-released"]))


def test_the_bibliography_of_the_paper_is_that_of_its_citations():
    paper, bibliography = ((ROOT / "paper" / f"paper.{end}").read_text() for end in ("md", "bib"))
    entries = re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE)
    assert sorted(entries) == sorted({*re.findall(r"@(\w+)[\];]", paper)})


def test_links_of_the_readme_work_elsewhere():
    text = LINKS["absolute"]((ROOT / "README.md").read_text())
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(([^)]+)\)|(?:href|src|srcset)=\"([^\"]+)\"", outside)
    addresses = [first or second for first, second in found]
    assert addresses and not [a for a in addresses if not re.match(r"https://|#", a)]
    start = f"{LINKS['repository']()}/(?:raw|blob)/v{re.escape(structsvm.__version__)}/"
    for address in addresses:
        if match := re.match(start, address):
            assert (ROOT / address[match.end() :].partition("#")[0]).exists(), address


def test_relative_links_are_made_absolute_and_others_are_left():
    start = f"{LINKS['repository']()}"
    version = f"v{structsvm.__version__}"
    text = '[a](docs/a.md#b) ![p](docs/p.png) <img src="q.svg"> [c](https://x.org/) [d](#d)'
    assert LINKS["absolute"](text) == (
        f"[a]({start}/blob/{version}/docs/a.md#b) ![p]({start}/raw/{version}/docs/p.png) "
        f'<img src="{start}/raw/{version}/q.svg"> [c](https://x.org/) [d](#d)'
    )
    code = "```python\nnames[0](relative)\n```"
    assert LINKS["absolute"](code) == code


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_pages_for_the_host_have_links_that_exist(name):
    text = (ROOT / name).read_text()
    assert "privately" in text.lower() and "security" in text.lower()
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / target).is_file(), target
