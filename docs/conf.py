"""The documentation site: `python -m sphinx -W --keep-going -b html docs docs/_build/html`.

The site has everything that it needs: it can be read from the disk, without a network, search
included. Formulas become MathML.
"""

import inspect
import re
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import coordboost

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # animations.py, panels.py
sys.modules["coordboost.plots"] = (
    coordboost.plots
)  # its page has the name under which users find it

project = "coordboost"
author = "The coordboost developers"
copyright = "the coordboost developers"
version = release = coordboost.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "course", "**/README.txt"]
templates_path = ["_templates"]
default_role = "literal"  # names in `single backquotes`, in docstrings
highlight_language = "python"

# Pages in Markdown
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Docstrings
autosummary_ignore_module_all = False  # a module's page lists the names of its __all__
autosummary_imported_members = True
autosummary_context = {"top": dir(coordboost)}  # what stands at the top has its page there
autodoc_typehints = "none"  # the sections of a docstring have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# Examples and lessons
sphinx_gallery_conf = {
    "examples_dirs": ["gallery", "course"],
    "gallery_dirs": ["auto_gallery", "auto_course"],
    # those on a cluster are shown but not run without Dask, which is optional
    "filename_pattern": "/plot_" if find_spec("distributed") else "/plot_(?!.*cluster)",
    "image_scrapers": ("animations.as_gif", "panels.in_two_forms", "matplotlib"),
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("coordboost",),
    "reference_url": {"coordboost": None},
    "ignore_repr_types": "matplotlib|list|Display",  # what a last line about a picture returns
    "backreferences_dir": "api/examples",
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
}

# Other projects: their pages are linked where they can be reached.
OTHERS = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "sklearn": "https://scikit-learn.org/stable/",
}

html_theme = "pydata_sphinx_theme"
html_title = "coordboost"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_sidebars = {
    page: [] for page in ("index", "start", "phrase-book", "performance")
}  # pages without others below them
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "navbar_persistent": ["search-button"],
    "collapse_navigation": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def reachable(address: str) -> bool:
    """Whether another project's index can be read now."""
    try:
        with urllib.request.urlopen(address + "objects.inv", timeout=3) as answer:
            return answer.status == 200
    except OSError:
        return False


def link_others(app: Any, config: Any) -> None:
    """Link the pages of other projects, but for those that cannot be reached: without a network the
    build is the same.
    """
    config.intersphinx_mapping = {
        name: (address, None) for name, address in OTHERS.items() if reachable(address)
    }


def mathml(writer: Any, node: Any, display: bool) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    from docutils import nodes
    from docutils.utils.math import latex2mathml

    formula = latex2mathml.tex2mathml(node.astext(), as_block=display)
    writer.body.append(
        f'<div class="math">{formula}</div>' if display else f'<span class="math">{formula}</span>'
    )
    raise nodes.SkipNode


def skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn puts into every class."""
    module = getattr(obj, "__module__", None) or ""
    return True if module.startswith("sklearn") or name.endswith("_request") else None


def class_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Return the signature that `inspect` finds; autodoc stops at a `__new__` that takes
    anything.
    """
    from sphinx.util.inspect import stringify_signature

    try:
        return (
            (stringify_signature(inspect.signature(obj), show_annotation=False), "")
            if what == "class"
            else None
        )
    except (TypeError, ValueError):
        return None


def trim(app: Any, name: str, source: list[str]) -> None:
    """Take the empty line, by which a doctest ends, off the end of code."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def folded(text: str) -> str:
    """Text of a notebook with its dropdowns as ``<details>``, which Jupyter folds."""
    block = re.compile(r"^\.\. dropdown:: ([^\n]*)\n(.*?^```\w+\n.*?^```\n)", re.M | re.S)
    return block.sub(r"<details><summary>\1</summary>\n\2\n</details>\n\n", text)


def fold_notebooks() -> None:
    """Let sphinx-gallery, which has no word for it, fold dropdowns in notebooks."""
    from sphinx_gallery import notebook

    convert = notebook.rst2md
    notebook.rst2md = lambda *given: folded(convert(*given))


def setup(app: Any) -> None:
    """Register what is not an extension of its own."""
    fold_notebooks()
    app.connect("config-inited", link_others, priority=1)
    app.connect("source-read", trim)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-signature", class_signature)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda writer, node: mathml(writer, node, False), None),
        block_renderers=(lambda writer, node: mathml(writer, node, True), None),
    )
