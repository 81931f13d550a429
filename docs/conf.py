"""Sphinx configuration; build with ``sphinx-build -W -n docs docs/_build/html``."""

import structsvm

project = "structsvm"
author = copyright = "The structsvm developers"
version = release = structsvm.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_theme = "alabaster"
nitpicky = True

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
# The pages are the same where it is not installed.
autodoc_mock_imports = ["torch"]
# Types are in the numpydoc sections, with shapes.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    # Show what a class has from this package, and stop at the bases from elsewhere.
    "inherited-members": "BaseEstimator,ClassifierMixin,ClusterMixin,tuple,Enum,ValueError",
}
numpydoc_show_class_members = False


def skip_what_is_not_ours(app, what, name, obj, skip, options):
    """Skip what scikit-learn adds, and NamedTuple fields: their class describes them."""
    from_sklearn = (getattr(obj, "__module__", None) or "").startswith("sklearn")
    return True if from_sklearn or type(obj).__name__ == "_tuplegetter" else None


def separate_ensures(app, what, name, obj, options, lines):
    """Put the clause ``Ensures:`` of a contract method into a paragraph of its own."""
    lines[:] = "\n".join(lines).replace("\nEnsures: ", "\n\nEnsures: ").split("\n")


def setup(app):
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    app.connect("autodoc-process-docstring", separate_ensures)
