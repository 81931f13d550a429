"""Make the relative links and pictures of README.md absolute, for the page on a package index.

    python docs/absolute_links.py    # before a release is built, in a clean clone

Links lead to the repository in setup.cfg, at the tag of the version.
"""

import configparser
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Markdown and HTML: what comes before an address, and the address.
LINK = re.compile(r"""(\]\(|\b(?:href|src|srcset)=")(?!\w+:|#|/)([^\s)"]+)""")
PICTURE = re.compile(r"\.(png|svg|gif|jpg)$")


def repository() -> str:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    return dict(
        line.split(" = ") for line in config["metadata"]["project_urls"].strip().splitlines()
    )["Source"]


def version() -> str:
    return re.search(r'"(.*)"$', (ROOT / "structsvm" / "version.py").read_text().strip())[1]


def absolute(text: str) -> str:
    """The text with links to files of the repository; code is left as it is."""

    def replaced(match: re.Match) -> str:
        kind = "raw" if PICTURE.search(match[2]) else "blob"
        return f"{match[1]}{repository()}/{kind}/v{version()}/{match[2]}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(replaced, part) for part in parts)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(absolute(readme.read_text()))
