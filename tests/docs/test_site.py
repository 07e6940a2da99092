"""The documentation site: settings, the tree of pages, links between files, titles of examples. The
build itself is a slow test.
"""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from public import MODULES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PAGES = [
    page
    for page in PAGES
    if not {"_build", "auto_gallery", "auto_course"} & set(page.relative_to(DOCS).parts)
]
OTHERS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / ".github" / "CONTRIBUTING.md"]
EXAMPLES = sorted([*(DOCS / "gallery").glob("*/*.py"), *(DOCS / "course").glob("*.py")])


def toctrees(text):
    """The entries of all toctrees of a page in Markdown."""
    blocks = re.findall(r"^(`{3,}|:{3,})\{toctree\}[^\n]*\n(.*?)^\1", text, re.M | re.S)
    lines = [line.strip() for _, block in blocks for line in block.splitlines()]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and not line.startswith(":")]


def anchors(page):
    """The anchors of a page: of headings, as GitHub and MyST make them, and explicit targets."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {
        re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads
    } | set(re.findall(r"^\((.*)\)=$", text, re.M))


def test_settings_are_read_without_sphinx(monkeypatch):
    monkeypatch.setitem(sys.modules, "coordboost.plots", None)  # the settings add this module
    settings = runpy.run_path(str(DOCS / "conf.py"))
    assert settings["project"] == "coordboost" and settings["html_theme"] == "pydata_sphinx_theme"


def test_what_folds_out_on_a_page_folds_out_in_its_notebook():
    folded = runpy.run_path(str(DOCS / "conf.py"))["folded"]
    text = "**1**\n\n.. dropdown:: Solution\n\n   So.\n\n```python\nx = 1\n\ny = x\n```\n"
    head, *rest = folded(text + "**2**\n" + text).split("<details><summary>Solution</summary>\n")
    assert head == "**1**\n\n" and len(rest) == 2
    assert rest[0] == "\n   So.\n\n```python\nx = 1\n\ny = x\n```\n\n</details>\n\n**2**\n**1**\n\n"


def test_every_page_is_in_the_tree():
    seen = set()
    ahead = ["index"]
    while ahead:
        name = ahead.pop()
        if name not in seen and (page := DOCS / f"{name}.md").exists():
            folder = Path(name).parent
            ahead += [
                (folder / entry).as_posix() for entry in toctrees(page.read_text(encoding="utf-8"))
            ]
        seen.add(name)
    assert {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} <= seen
    assert {"api/index", "auto_gallery/index", "auto_course/index"} <= seen


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        generated = (
            target.relative_to(DOCS).parts[0] in ("auto_gallery", "auto_course", "api")
            if target.is_relative_to(DOCS)
            else False
        )
        assert target.exists() or generated, link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_the_api_has_every_module():
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    assert set(re.findall(r"^   coordboost\.(\w+)$", text, re.M)) == MODULES.keys()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_an_example_has_a_title(example):
    """Its file name makes the gallery run it, its docstring has a title and more text; it downloads
    nothing.
    """
    tree = ast.parse(text := example.read_text(encoding="utf-8"))
    title, line, *rest = ast.get_docstring(tree).splitlines()
    assert (
        example.name.startswith("plot_")
        and set(line) == {"="}
        and len(line) == len(title)
        and "".join(rest)
    )
    assert "coordboost" in text and not re.search(r"https?://|fetch_|load_dataset", text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_the_text_of_an_example_begins_below_its_mark(example):
    """Words on the line of the mark are shown nowhere."""
    assert not re.findall(r"^# %%.+$", example.read_text(encoding="utf-8"), re.M)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("sphinx_gallery")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        tmp_path / "trees",
        DOCS,
        tmp_path / "html",
    ]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    words = (tmp_path / "html" / "searchindex.js").read_text(encoding="utf-8")
    assert all(word in words for word in ("glmnet", "dualiti", "cosin"))
    # of these the section that explains them is found first
    entries = "SHAP", "missing values", "importance", "categories", "early stopping", "offset"
    assert all(f'"{entry.lower()}":[[' in words for entry in entries)
