"""Tables as programs and people write them by accident: read right, or one sentence with row, column and remedy."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from test_awkward_tables import lines
from test_bad_tables import refuse

from coordboost import read_table
from coordboost.cli import main

#: name: (content, options, names, X), the target being 3 and 6.
READ = {
    "a line for Excel": (lines("sep=;", "a;b;y", "1;2,5;3", "4;5;6"), {}, "a b", [[1, 2.5], [4, 5]]),
    "a line for Excel, told": (lines("sep=;", "a~b~y", "1~2~3", "4~5~6"), {"sep": "~"}, "a b", [[1, 2], [4, 5]]),
    "lines of an old Mac": (lines("a,b,y", "1,2,3", "4,5,6", end="\r"), {}, "a b", [[1, 2], [4, 5]]),
    "lines of two systems": ("a,b,y\r\n1,2,3\n4,5,6\r\n", {}, "a b", [[1, 2], [4, 5]]),
    "mark, semicolons, commas": ("\ufeff" + lines("a;y", "1,5;3", "4;6"), {}, "a", [[1.5], [4]]),
    "all in quotes": (lines('"a";"b";"y"', '"1,5";"2";"3"', '"4";"5";"6"'), {}, "a b", [[1.5, 2], [4, 5]]),
    "quotes between spaces": (lines('"a"  "b" y', '"1" 2 3', "4   5 6"), {}, "a b", [[1, 2], [4, 5]]),
    "two commas each": (lines("a,,b,,y", "1,,2,,3", "4,,5,,6"), {}, "a b", [[1, 2], [4, 5]]),
    "separators behind rows": (lines("a,b,y", "1,2,3,", "4,5,6,"), {}, "a b", [[1, 2], [4, 5]]),
    "names of options": (lines("--target,text,y", "1,2,3", "4,5,6"), {}, "--target text", [[1, 2], [4, 5]]),
    "spaces that do not break": (
        lines("a;y", "1\u00a0234,5;3", "12\u00a0000,0;6"), {"thousands": "\u00a0", "decimal": ","}, "a", [[1234.5], [12e3]],
    ),
    "apostrophes": (lines("a;y", "1'234.5;3", "12'000;6"), {"thousands": "'"}, "a", [[1234.5], [12e3]]),
    "a long header": (
        lines(",".join([*(f"c{j}" for j in range(5000)), "y"]), "1," * 5000 + "3", "2," * 5000 + "6"), {},
        " ".join(f"c{j}" for j in range(5000)), [[1] * 5000, [2] * 5000],
    ),
    "R's write.table": (lines('"a" "t" "y"', '"1" 1 "u v" 3', '"2" 4 "w" 6'), {}, "a t=w", [[1, 0], [4, 1]]),
    "R's rows with names": (lines("a\tb\ty", "Ulm\t1\t2\t3", "Jena\t4\t5\t6"), {}, "a b", [[1, 2], [4, 5]]),
    "months by name": (lines("a,b,y", "31-Jan-1970,2 Jan 1970,3", "01-Feb-1970,1 Mar 1970,6"), {}, "a b", [[30, 1], [31, 59]]),
    "half days": (lines("a,y", "01/31/1970 6:00 PM,3", "01/02/1970 12:00 AM,6"), {}, "a", [[30.75], [1]]),
    "names in angles": (lines("<a>,<b>,y", "1,2,3", "4,5,6"), {}, "<a> <b>", [[1, 2], [4, 5]]),
    "a quote in a quote": (lines("a,b,y", '"x \\" z",2,3', '"z",5,6'), {}, "a=z b", [[0, 2], [1, 5]]),
}  # fmt: skip

#: name: (content, what the sentence says).
REFUSED = {
    "a title": (lines("Houses of Ulm", "a,b,y", "1,2,3"), "line 2 has 3 cells, .* 1: the names .* must be the first line, so take out"),
    "comments": (lines("# by hand", "# in May", "a,b,y", "1,2,3"), "line 3 has 3 cells, .*: the names .* must be the first line"),
    "blank cells above": (lines("  ", "a,b,y", "1,2,3"), "line 2 has 3 cells, .*: the names .* must be the first line"),
    "a title and commas": (lines("Houses of Ulm,,", "a,b,y", "1,2,3"), "column 2 has no name in the header: name it"),
    "a separator too many": (lines("a,b,y,", "1,2,3", "4,5,6"), "line 2 has 3 cells, .* 4: take out the separator at the end of the h"),
    "the header again": (lines("a,y", "1,3", "a,y", "4,6"), "line 3, column 'y' .*; if the line repeats the header, take it out; if"),
    "a note at the end": (lines("a,y", "1,3", "4,6", "", "Source: me"), "line 5 has 1 cell, the header has 2: mend that line"),
    "apostrophes": (lines("a;y", "1'234.5;3", "12'000;6"), r"holds \"1'234.5\", a number with a mark: .* \(thousands=\"'\"\), or"),
    "thin spaces": (lines("a;y", "1\u202f234;3", "12\u202f000;6"), r"a number with a mark: .* between thousands \(thousands='.u202f'\)"),
    "rows too long": (lines("a,y", "7,1,3", "9,4,6"), "line 2 has 3 cells, the header has 2: mend that line"),
    "rows too long, one key": (lines("a,y", "u,1,3", "u,4,6"), "line 2 has 3 cells, the header has 2: mend that line"),
    "dates in two ways": (
        lines("a,y", "31.01.2024,1", "2024-02-13,2", "05.03.2024,3", "2024-03-07,4"),
        "line 3, column 'a' holds '2024-02-13' among dates: mend .*; write all dates in one way; .*text='a'",
    ),
    "some dates with the time": (lines("a,y", "13.02.2024,3", "14.02.2024 12:30,6"), "line 3, column 'a' .* among dates"),
    "Fortran": (lines("a,y", "1.5D+03,3", "2.5D-01,6"), "line 2, column 'a' holds '1.5D.03', .*: write the numbers with E for D, or"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_odd_tables_are_read_right(tmp_path, name):
    content, options, names, X = READ[name]
    (tmp_path / "t.csv").write_bytes(content.encode())
    table = read_table(tmp_path / "t.csv", **options)
    assert " ".join(table.feature_names) == names
    np.testing.assert_array_equal(table.X, np.array(X, dtype=float))
    np.testing.assert_array_equal(table.y, [3.0, 6.0])


@pytest.mark.parametrize("name", REFUSED)
def test_the_sentence_says_what_went_wrong(tmp_path, name):
    (tmp_path / "t.csv").write_bytes(REFUSED[name][0].encode())
    refuse(tmp_path / "t.csv", REFUSED[name][1])


OTHERS = {
    "JSON": (b'\n [{"a": 1, "y": 2}]', r"it is JSON: pandas reads it \(read_json\) and writes tables \(to_csv\)$"),
    "a page": (b"\xef\xbb\xbf<!DOCTYPE html><table><tr><td>a", "it is a page of the web, or XML: save the table as CSV$"),
    "a workbook": (b"PK\x03\x04\x14\x00\x06\x00", "it is an Excel workbook or a zip archive: let its name end with .xlsx, or"),
    "gzip": (gzip.compress(b"a,y\n1,2\n"), "it is compressed by gzip: let its name end with .gz$"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_another_kind_are_called_so(tmp_path, name):
    content, sentence = OTHERS[name]
    (tmp_path / "t.csv").write_bytes(content)
    refuse(tmp_path / "t.csv", sentence)


def test_a_folder_is_called_a_folder(tmp_path):
    (tmp_path / "t.csv").mkdir()
    refuse(tmp_path / "t.csv", "that is a folder: name a file in it$")


def test_lines_are_counted_below_a_line_for_excel(tmp_path):
    (tmp_path / "t.csv").write_text(lines("sep=;", "a;y", "1;3", "5;8", "x;6"))
    refuse(tmp_path / "t.csv", "line 5, column 'a' holds 'x' among numbers")


def test_a_large_standard_error_is_written_as_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    (tmp_path / "t.csv").write_text(lines("a,y", *(f"{a:.3f},{1e2 * a + 2e2 * e:.3f}" for a, e in rng.normal(size=(40, 2)))))
    words = ["cv", "t.csv", "--method", "ls_boost", "--eps", "0.1", "--steps", "20"]
    said = CliRunner().invoke(main, words).stdout
    error = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["rows"][0]["cv_standard_error"]
    assert 100 < error < 9999.5 and f"+- {error:.4g} (standard error)" in " ".join(said.split())
