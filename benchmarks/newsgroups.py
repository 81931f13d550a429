"""The articles of the 20 newsgroups as TF-IDF vectors, divided by date."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from structsvm.datasets.files import locate


def articles(min_df: int = 1) -> dict[str, tuple[Any, Any]]:
    """Vectors and groups of the parts 'train' and 'test'.

    Words in fewer than ``min_df`` articles of the first are left out.
    """
    with gzip.open(locate("20news_bydate.jsonl.gz", None, ""), "rt") as file:
        records = [json.loads(line) for line in file]
    vectorizer, parts = TfidfVectorizer(sublinear_tf=True, min_df=min_df, dtype=np.float32), {}
    for part in ("train", "test"):
        own = [record for record in records if record["split"] == part]
        texts = [record["text"] for record in own]
        X = vectorizer.fit_transform(texts) if part == "train" else vectorizer.transform(texts)
        parts[part] = X, np.array([record["group"] for record in own])
    return parts
