"""Files of saved models, changed as one who tampers would."""

import json
import zipfile

from structsvm.saving.archive import read


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, changed, compression=zipfile.ZIP_STORED):
    """Write the members again, as one who tampers would."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in changed.items():
            archive.writestr(name, data)


def edited(path, edit):
    """The file with its description edited."""
    found = members(path)
    content = json.loads(found["content.json"])
    edit(content)
    found["content.json"] = json.dumps(content).encode()
    rewrite(path, found)


def only(kind):
    """An edit that makes the model a description of this kind."""

    def edit(content):
        content["table"].append(kind)
        content["root"] = {"object": len(content["table"]) - 1}

    return edit


def names_in(path):
    """The classes and functions that a file names."""
    content = read(path)
    return {content.header["class"], *_names_in([content.root, content.table])}


def _names_in(node):
    if isinstance(node, dict):
        for kind, value in node.items():
            if kind in ("instance", "enum", "tuple of"):
                yield value[0]
            elif kind == "name":
                yield value
    for inner in node.values() if isinstance(node, dict) else node:
        if isinstance(inner, (dict, list)):
            yield from _names_in(inner)
