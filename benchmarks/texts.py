"""Optional files of texts: newsgroup articles and web pages, one JSON object per line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from structsvm.datasets.files import how_to_supply, locate, read_arrays

#: All newsgroups.
GROUPS = (
    *("alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware"),
    *("comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles"),
    *("rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med"),
    *("sci.space", "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast"),
    *("talk.politics.misc", "talk.religion.misc"),
)
University = Literal["cornell", "texas", "washington", "wisconsin", "misc"]


def newsgroups(
    groups: Sequence[str], folder: str | Path | None = None
) -> tuple[list[str], np.ndarray]:
    """Load the articles of some of the 20 newsgroups, from ``<folder>/20news_bydate.jsonl.gz``.

    Parameters
    ----------
    groups : sequence of str
        Names of newsgroups, such as ``['rec.autos', 'rec.motorcycles']``.
    folder : path, optional
        Default: the folder named by the environment variable STRUCTSVM_DATA.

    Returns
    -------
    texts : list of str
        The articles as posted, with headers, in the order of the file.
    y : ndarray of int
        The index of each article's group in `groups`.

    Raises
    ------
    FileNotFoundError
        No folder or no such file; the message says how to get the data from scikit-learn.
    """
    source = (
        "Its fields are group and text. sklearn.datasets.fetch_20newsgroups(subset='all') "
        "downloads the articles (its data) and the indices of their groups (its target)."
    )
    records = _records("20news_bydate.jsonl.gz", source, folder)
    index = {group: i for i, group in enumerate(groups)}
    chosen = [record for record in records if record["group"] in index]
    y = np.array([index[record["group"]] for record in chosen])
    return [record["text"] for record in chosen], y


def webkb(
    university: University, folder: str | Path | None = None
) -> tuple[list[str], np.ndarray, list[str]]:
    """Load the WebKB pages of a computer science department, from ``<folder>/webkb_raw.jsonl.gz``.

    Parameters
    ----------
    university : {'cornell', 'texas', 'washington', 'wisconsin', 'misc'}
        University of the department; 'misc' is for pages from elsewhere.
    folder : path, optional
        Default: the folder named by the environment variable STRUCTSVM_DATA.

    Returns
    -------
    pages : list of str
        The pages as served, HTTP header and HTML, in the order of the file.
    y : ndarray of int
        The index of each page's class in `classes`.
    classes : list of str
        The names of the seven classes, in alphabetical order.

    Raises
    ------
    FileNotFoundError
        No folder or no such file; the message says what is missing and how to supply it.
    """
    source = (
        "Its fields are university, cls and html. The pages come from the World Wide Knowledge "
        "Base (Craven et al. 1998)."
    )
    records = _records("webkb_raw.jsonl.gz", source, folder)
    classes = sorted({record["cls"] for record in records})
    pages = [record for record in records if record["university"] == university]
    y = np.array([classes.index(record["cls"]) for record in pages])
    return [record["html"] for record in pages], y, classes


def webkb_links(university: University, folder: str | Path | None = None) -> np.ndarray:
    """Load the links among the pages of a department, from ``<folder>/webkb_raw_links.npz``.

    Parameters
    ----------
    university : {'cornell', 'texas', 'washington', 'wisconsin', 'misc'}
        University of the department; 'misc' is for pages from elsewhere.
    folder : path, optional
        Default: the folder named by the environment variable STRUCTSVM_DATA.

    Returns
    -------
    links : ndarray of int of shape (n_links, 2)
        Source and target page of each link, as indices into the list that :func:`webkb` returns.

    Raises
    ------
    FileNotFoundError
        No folder or no such file; the message says what is missing and how to supply it.
    """
    contents = (
        "with numpy.savez, arrays university and universities (each page's and their names) and "
        "edges (pairs of pages), in the order of the pages in webkb_raw.jsonl.gz"
    )
    remedy = how_to_supply("webkb_raw_links.npz", contents)
    path = locate("webkb_raw_links.npz", folder, remedy)
    arrays = read_arrays(path, ("university", "universities", "edges"), remedy)
    pages, names, edges = (arrays[name] for name in ("university", "universities", "edges"))
    inside = pages == names.tolist().index(university)
    among = inside[edges].all(axis=1)
    # The cumulative sum turns an index into all pages into an index into the university's pages.
    return (np.cumsum(inside) - 1)[edges[among]]


def _records(filename: str, source: str, folder: str | Path | None) -> list[dict[str, Any]]:
    """The JSON objects of a file, one per line."""
    remedy = f"{how_to_supply(filename, 'with gzip, a JSON object in each line')} {source}"
    with gzip.open(locate(filename, folder, remedy), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
