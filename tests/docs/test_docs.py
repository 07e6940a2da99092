"""The README and the pages of docs/ are doctests."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    if ">>>" in path.read_text()
)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_page(page):
    outcome = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert outcome.attempted > 0
    assert outcome.failed == 0
