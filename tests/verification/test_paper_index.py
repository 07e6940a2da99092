"""The index from papers to code: every numbered result is listed, every listed name exists, and the
page equals the list.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import coordboost
from verification import calls, index, sets
from verification.__main__ import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "index-of-papers.md"
#: The notes on each paper.
NOTES = {
    "fgm": "boosting-linear-regression",
    "rgbm": "randomized-gbm",
    "agbm": "accelerated-gbm",
    "rgb": "regularized-gb",
    "sglb": "sglb",
}
WORDS = {
    "Theorem": r"(?:Theorem|Thm\.?|Th\.)",
    "Proposition": r"(?:Proposition|Prop\.)",
    "Definition": r"(?:Definition|Def\.)",
    "Figure": r"(?:Figure|Fig\.)",
    "Algorithm": r"(?:Algorithm|Alg\.)",
    "Example": r"(?:Example|Ex\.)",
    "Statement": r"(?:Statement|St\.)",
    **{word: word for word in ("Lemma", "Corollary", "Remark", "Assumption", "Table", "Appendix")},
}
NUMBER = r"(?:[A-D]\.)?\d+(?:\.\d+)*|[A-D](?![\w.])"
#: Numbers in the notes that do not belong to their paper, and why.
OTHER = {
    "fgm": {
        **dict.fromkeys(("(200)", "(500)", "(1000)", "(2000)"), "numbers of columns"),
        "Appendix B": "a part",
    },
    "rgbm": {"(1)": "the largest entry of a vector", "(3)": "a step of Algorithm 1"},
    "agbm": {
        "(2)": "a step of Algorithm 4",
        "(5)": "a step of Algorithm 4",
        "(50)": "a number of trees",
        "(2018)": "a year",
    },
    "rgb": {},
    "sglb": {
        **{f"Algorithm {k}": "an algorithm of the notes" for k in range(3, 10)},
        "Algorithm A": "an algorithm of the notes",
    },
}


@pytest.fixture(scope="module")
def rows():
    return index.claimed()


def numbers(text):
    """The numbered items that a text mentions."""
    several = rf"(?:{NUMBER})(?:(?:, and|,| and| to|/)[ ]?(?:{NUMBER}))*"
    named = [
        (kind, found)
        for kind, word in WORDS.items()
        for found in re.findall(rf"{word}s?[ ~]({several})", text)
    ]
    equations = re.findall(r"(?<![\w)\]}^_$\\=(,])(\(\d+\))(?![\w^])", text)
    return {f"{kind} {one}" for kind, found in named for one in re.findall(NUMBER, found)} | set(
        equations
    )


@pytest.mark.parametrize("key", NOTES)
def test_every_numbered_item_of_the_notes_is_in_the_list(key):
    data = sets.folder()
    if data is None or not (data.parent / "papers").is_dir():
        pytest.skip("the notes on the papers are not here")
    text = (data.parent / "papers" / f"{NOTES[key]}.md").read_text(encoding="utf-8")
    have = {
        re.sub(r" \([ivx]+\)$", "", number)
        for paper, _, (number, *_) in index.listed()
        if paper == key
    }
    found = numbers(text)
    assert len(found) > 5
    assert found - have - set(OTHER[key]) == set(), "put these numbers into verification/papers.txt"
    assert set(OTHER[key]) <= found - have, "these are no exceptions any more"


def test_every_row_function_and_experiment_of_the_list_is_there(rows):
    assert index.faults(rows) == []


@pytest.mark.slow
def test_every_line_of_the_list_runs_its_functions(rows):
    assert calls.uncalled(rows) == []


def test_a_function_that_no_row_calls_is_named(monkeypatch, rows):
    lines = [
        (
            "fgm",
            "A paper",
            ["(4)", "certificates.Unconstrained, methods.rcd", "FGM, certificates", ""],
        ),
        ("fgm", "A paper", ["(5)", "Problem.scan", "-", ""]),
    ]
    monkeypatch.setattr(index, "listed", lambda: iter(lines))
    monkeypatch.setattr(index, "experiments", dict)
    assert calls.uncalled(rows) == [
        "A paper, (4): none of its rows calls methods.rcd.",
        "A paper, (5): Problem.scan without a row or an experiment.",
    ]


def test_the_page_is_the_list(rows):
    again = "write it anew: python -m verification --index --table docs/index-of-papers.md"
    assert PAGE.read_text(encoding="utf-8") == index.page(rows), again


def test_the_links_of_the_page_lead_to_files():
    files = set(re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8")))
    assert len(files) > 60
    assert [file for file in files if not (PAGE.parent / file).is_file()] == []


def test_a_name_is_found_where_it_is_defined():
    known = {
        "theory.mca": "def mca(",
        "rules.RandomSubset.norm": "def norm(",
        "Problem.value": "def value(",
        "certificates.L1Ball": "class L1Ball(",
    }
    for name, text in known.items():
        file, line = index.place(name)
        lines = (
            (Path(coordboost.__file__).parents[1] / file).read_text(encoding="utf-8").splitlines()
        )
        assert any(text in one for one in lines[line - 1 : line + 2]), (name, file, line)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Lemma 99 | ls_boost | | faithful", "no row 'Lemma 99'"),
        ("Lemma 99 | ls_boost | (9); no such row | faithful", "no row 'no such row'"),
        ("Lemma 99 | no_such_function | - | faithful", "coordboost has no no_such_function"),
        ("Lemma 99 | methods._descent | - | faithful", "coordboost has no methods._descent"),
        ("Lemma 99 | ls_boost | - | finished", "must begin with faithful"),
        ("Lemma 99 | ls_boost | - | corrected", "say why or how"),
        ("Lemma 99 | | - | faithful", "yet it is not left out"),
        ("Remark A.1 | | | faithful", "refuted as printed"),
    ],
)
def test_a_line_of_the_list_that_is_wrong_is_named(monkeypatch, rows, line, fault):
    right = list(index.listed())
    wrong = [part.strip() for part in line.split("|")]
    monkeypatch.setattr(index, "listed", lambda: iter([*right, ("fgm", right[0][1], wrong)]))
    found = set(index.faults(rows))
    assert len(found) == 1 and fault in found.pop()


def test_a_number_or_an_experiment_without_a_line_is_named(monkeypatch, rows):
    right = list(index.listed())
    fewer = [one for one in right if one[0] != "fgm" or one[2][0] not in ("(9)", "Figure 4")]
    monkeypatch.setattr(index, "listed", lambda: iter(fewer))
    found = index.faults(rows)
    assert "(9) (fgm_eigenvalues): a number that is not in the list." in found
    assert any("fgm_figure4" in result and "no number" in result for result in found)


def test_the_command_prints_lines_and_writes_the_page(tmp_path):
    printed = CliRunner().invoke(main, ["--index"])
    assert printed.exit_code == 0 and re.search(
        r"mca \(coordboost/angles/angle.py:\d+\)", printed.output
    )
    written = CliRunner().invoke(main, ["--index", "--table", str(tmp_path / "page.md")])
    assert (written.exit_code, written.output) == (0, "")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
