"""Sphinx configuration; ``make docs`` builds the site into docs/_build/html.

Nothing on a page comes from another host: the theme, the search and MathJax are files of the site.
"""

import logging
import re
import sys
from importlib.resources import files
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path

import structsvm

# Last on the path: an installed structsvm comes before the one of the clone.
sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import search_terms
import writers

from benchmarks.tables import pages

PYTORCH = find_spec("torch") is not None

project = "structsvm"
author = copyright = "The structsvm developers"
version = release = structsvm.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# Of the gallery and of sources with figures only what is made of them.
exclude_patterns = ["_build", "gallery", "sources"]
templates_path = ["_templates"]

html_theme = "furo"
html_title = f"structsvm {version}"
html_css_files = ["site.css"]
html_logo = html_favicon = "_static/logo.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f9e", "color-brand-content": "#1f5f9e"},
    "dark_css_variables": {"color-brand-primary": "#6fb1ea", "color-brand-content": "#6fb1ea"},
}
html_show_sourcelink = False
# A doctest ends with an empty line, which pytest needs and readers do not.
highlight_options = {"pycon": {"stripnl": True}}
# All of MathJax in one file, which draws formulas as SVG: it loads no fonts and nothing else.
MATHJAX = files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg.js"
html_static_path = ["_static", str(MATHJAX)]
mathjax_path = MATHJAX.name

nitpicky = True
# Other projects' names have no page here, since their inventories would need a network.
# Types that only the engine and the bundled problems use among themselves have none either.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!structsvm\b).*"),
    (r"py:class", r"structsvm\.(objective|solvers|problems)\.\w+\..+"),
    # Properties of estimators are described in their lists of attributes.
    (r"py:obj", r"structsvm\..*_"),
]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
# The layer is described where PyTorch is not installed, too.
autodoc_mock_imports = [] if PYTORCH else ["torch"]
# Signatures have names and defaults; types are in the list of parameters.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "extra_repr"}
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"


sphinx_gallery_conf = {
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "examples_dirs": "gallery",
    # The output of examples that need PyTorch, gigabytes on some machines, is stored.
    "filename_pattern": "/plot_(?!network|map)",
    "gallery_dirs": "auto_gallery",
    "backreferences_dir": "generated/examples",
    "doc_module": ("structsvm",),
    "subsection_order": [
        f"gallery/{folder}"
        for folder in ("sequences", "classes", "graphs", "clusters", "training", "coming_from")
    ],
    "min_reported_time": float("inf"),
    "show_signature": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "write_computation_times": False,
}
# What the theme imports shows the log of everything; examples show their own output only.
logging.getLogger("structsvm").setLevel(logging.WARNING)


def link_gallery(app, docname, source):
    """Lead links to examples to their pages; on a plain view of the repository they are files."""
    examples = re.sub(r"\(gallery/(\w+/plot_\w+)\.py\)", r"(auto_gallery/\1.rst)", source[0])
    source[0] = examples.replace("(gallery/GALLERY_HEADER.rst)", "(auto_gallery/index.rst)")


def write_tables(app):
    """Write the tables that the pages include."""
    pages.write()
    writers.write()


def write_texts(app, exception):
    """Write the files of plain text that tools ask a site for."""
    if app.builder.name == "html":
        writers.publish(Path(app.outdir))


def skip_what_is_not_ours(app, what, name, obj, skip, options):
    """Skip what scikit-learn adds, and NamedTuple fields: their class describes them."""
    from_sklearn = (getattr(obj, "__module__", None) or "").startswith("sklearn")
    return True if from_sklearn or type(obj).__name__ == "_tuplegetter" else None


def separate_ensures(app, what, name, obj, options, lines):
    """Put the clause ``Ensures:`` of a contract method into a paragraph of its own."""
    lines[:] = "\n".join(lines).replace("\nEnsures: ", "\n\nEnsures: ").split("\n")


def describe_groups(app, what, name, obj, options, lines):
    """Append the optional methods of a problem by group, with the paragraph of each group."""
    for group in obj.__bases__[:-1] if obj is structsvm.Problem else ():
        methods = ", ".join(f":meth:`{method}`" for method in vars(group) if method[0] != "_")
        lines += ["", f"**{group.__name__}**: {methods}", "", *cleandoc(group.__doc__).split("\n")]


def point_back(app, pagename, templatename, context, doctree):
    """Point sources back to the names they are documented by: viewcode has one prefix a module."""
    if pagename.startswith("_modules/"):
        page, member = r"(generated/([\w.]+\.(\w+))\.html)", r"((?:\.\w+)*)"
        context["body"] = re.sub(rf'{page}#[\w.]*?\.\3{member}"', r'\1#\2\4"', context["body"])


#: The menu of the pages of each folder, with no page marked as current.
MENUS = {}


def reuse_menus(app, pagename, templatename, context, doctree):
    """Make the menu once for each folder, and mark the page: Sphinx's takes a third of a second."""
    make, pathto, env = context["toctree"], context["pathto"], app.env
    folder, _, name = pagename.rpartition("/")
    if pagename not in env.all_docs:  # a source, whose menu depends on its depth alone
        folder = pagename.count("/")
    own, item = f'<a class="reference internal" href="{name}.html"', '"><a class="reference'
    parents = {child: page for page, pages in env.toctree_includes.items() for child in pages}

    def menu(**options):
        if folder not in MENUS:
            marks = '(?<=")current (?=reference)| current(?=")| class="current"'
            unmarked = re.sub(marks, "", make(**options))
            MENUS[folder] = unmarked.replace('internal" href="#"', f'internal" href="{name}.html"')
        marked = MENUS[folder].replace(f'">{own}', f' current">{own}')
        marked = marked.replace(own, '<a class="current reference internal" href="#"')
        page = pagename
        while page := parents.get(page):
            link = f'{item} internal" href="{pathto(page)}"'
            marked = marked.replace(link, f" current{link}")
        return marked

    context["toctree"] = menu


def leave_out_modules_without_source(app):
    """Leave modules without a page, such as PyTorch's, out of viewcode's list of pages."""
    modules = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, entry in modules.items() if not entry]:
        del modules[name]
    return []


def setup(app):
    app.connect("builder-inited", write_tables)
    app.connect("source-read", link_gallery)
    app.connect("doctree-read", search_terms.add)
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    app.connect("autodoc-process-docstring", separate_ensures)
    app.connect("autodoc-process-docstring", describe_groups)
    app.connect("html-page-context", point_back)
    app.connect("html-page-context", reuse_menus, priority=400)  # before the theme asks for it
    app.connect("build-finished", write_texts)
    app.connect("html-collect-pages", leave_out_modules_without_source, priority=100)
