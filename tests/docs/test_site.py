"""The documentation site: settings, the tree of pages, links between files, titles of examples. The
build itself is a slow test.
"""

import ast
import inspect
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from public import HOME, MODULES, PUBLIC

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


@pytest.mark.parametrize("page", PAGES + OTHERS, ids=lambda page: page.name)
def test_every_column_of_a_table_has_a_heading(page):
    text = page.read_text(encoding="utf-8")
    for heading in re.findall(r"^\|(.*)\|\n\|(?: *:?-+:? *\|)+$", text, re.M):
        assert all(cell.strip() for cell in heading.split("|")), heading


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


class Page(HTMLParser):
    """What people who hear a page, or use it by keyboard, need: alternative texts, labels, names of
    links, the order of headings, the language.
    """

    def __init__(self, text):
        super().__init__()
        self.language = None
        self.levels = []  # of the headings, in order
        self.labels = set()  # ids of the fields that a label names
        self.fields = []
        self.faults = []
        self.open = []  # links and buttons: (tag, attributes, texts inside)
        self.feed(text)
        for field in self.fields:
            named = {"aria-label", "aria-labelledby", "title", "placeholder"} & field.keys()
            if not named and field.get("id") not in self.labels:
                self.faults.append(f"a field without a label: {field}")
        jumps = [pair for pair in pairwise([0, *self.levels]) if pair[1] > pair[0] + 1]
        if jumps or self.levels.count(1) != 1:
            self.faults.append(f"headings of the levels {self.levels}")
        if not self.language:
            self.faults.append("no language")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.language = attrs.get("lang")
        elif tag == "img":
            if "alt" not in attrs:
                self.faults.append(f"a picture without a text: {attrs.get('src')}")
            self.handle_data(attrs.get("alt") or "")
        elif re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        elif tag in ("input", "select", "textarea") and attrs.get("type") != "hidden":
            self.fields.append(attrs)
        elif tag == "label":
            self.labels.add(attrs.get("for"))
        elif tag in ("a", "button"):
            self.open.append((tag, attrs, [attrs.get("aria-label", ""), attrs.get("title", "")]))

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)

    def handle_endtag(self, tag):
        if tag in ("a", "button") and self.open:
            _, attrs, texts = self.open.pop()
            if not "".join(texts).strip() and (tag == "button" or "href" in attrs):
                self.faults.append(f"a link or button without a name: {attrs}")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<h1>a</h1><img src='b.png'>", "a picture without a text: b.png"),
        ("<h1>a</h1><a href='b'><i></i></a>", "a link or button without a name"),
        ("<h1>a</h1><input id='b'>", "a field without a label"),
        ("<h1>a</h1><h3>b</h3>", "headings of the levels [1, 3]"),
        ("<h1>a</h1><h1>b</h1>", "headings of the levels [1, 1]"),
    ],
)
def test_faults_of_a_page_are_found(body, fault):
    (found,) = Page(f"<html lang='en'>{body}</html>").faults
    assert found.startswith(fault)
    assert Page("<h1>a</h1>").faults == ["no language"]
    sound = "<h1>a</h1><label for='b'>c</label><input id='b'><a href='d'><img alt='e'></a>"
    assert Page(f"<html lang='en'>{sound}</html>").faults == []


def brightness(colour):
    """The relative luminance of a colour #rrggbb or #rgb (WCAG 2)."""
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """The ratio of contrast of two colours, from 1 to 21."""
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_of_reports_stand_out_in_light_and_dark():
    assert contrast("#000", "#ffffff") == pytest.approx(21) and contrast("#777", "#777") == 1
    style = (ROOT / "coordboost" / "reporting" / "pages" / "style.css").read_text(encoding="utf-8")
    themes = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root \{[^}]*\}", style)
    ]
    themes = [theme for theme in themes if "ink" in theme]
    assert len(themes) == 2
    for theme in themes:
        for text in ("ink", "soft", "link"):
            assert contrast(theme[text], theme["paper"]) >= 4.5, (text, theme)


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
    faults_of_the_site(tmp_path / "html")


def faults_of_the_site(site):
    """Look at the pages of a site that was built, and at its contents list of the API."""
    pages = [
        page
        for page in sorted(site.rglob("*.html"))
        if not {"_static", "_downloads"} & set(page.relative_to(site).parts)
    ]
    assert len(pages) > 300
    faults = {page.name: Page(page.read_text(encoding="utf-8")).faults for page in pages}
    assert {name: found for name, found in faults.items() if found} == {}
    listed = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    for name, thing in PUBLIC.items():
        home = f"coordboost.{HOME[name]}.{name}" if HOME[name] else f"coordboost.{name}"
        assert inspect.ismodule(thing) or home in listed, f"{home} is on no page of the API"
    # muted text of the cards, in both themes
    theme = (site / "_static" / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    muted = re.findall(r"pst-color-text-muted: *(#[0-9a-f]+)", theme)
    ground = re.findall(r"pst-color-background: *(#[0-9a-f]+)", theme)
    assert all(max(contrast(text, paper) for paper in ground) >= 4.5 for text in muted)
