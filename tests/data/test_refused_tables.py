"""Bad tables and options: each is refused in one sentence, with the file, what was found, and what
to do.
"""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_tables import CSV, SVM, X, Y, lines, write, write_typed

from coordboost import read_table


def refuse(path, expected, target=None, **options):
    """Check that the file is refused by a ValueError in one line that starts with its name."""
    with pytest.raises(ValueError, match=expected) as caught:
        read_table(path, target, **options)
    message = str(caught.value)
    assert (
        type(caught.value) is ValueError
        and message.startswith(str(path).partition(",")[0])
        and "\n" not in message
    )


#: name: (content, options, a part of the error message).
REFUSED = {
    "empty file": ("", {}, "expected a header row and rows of cells, got an empty file: check"),
    "no rows": (
        "a,y\n",
        {},
        r"at least one row and one feature, got 0 row\(s\) and 1 column\(s\) besides 'y': check",
    ),
    "no features": ("y\n1\n2\n", {}, r"at least one row and one feature"),
    "no column left": (
        "a,y\n1,2\n",
        {"drop": ["a", "y"]},
        r"every column lacks a name or is left out by drop",
    ),
    "no target": ("a,b\n1,2\n", {}, "no column 'y': choose the target among 'a', 'b'$"),
    "no header": ("1,2\n3,4\n", {}, "holds numbers only: add a line with the names"),
    "wrong separator": (
        "a,y\n1,2\n",
        {"sep": ";"},
        "no column 'y': choose the target among 'a,y'; .* commas .*sep=','",
    ),
    "wrong separator, decimal commas": (
        "a;y\n1,5;2\n",
        {"sep": ","},
        "line 2 has 2 cells, the header has 1; .* semicolons .*sep=';'",
    ),
    "a line for Excel": (
        lines("sep=;", "a;b;y", "1;2,5;3"),
        {},
        "line 2 has 3 cells, the header has 2",
    ),
    "a title": (
        lines("Houses of Ulm", "a,b,y", "1,2,3"),
        {},
        "line 2 has 3 cells, the header has 1: remove the lines above the column names",
    ),
    "comments": (
        lines("# by hand", "# in May", "a,b,y", "1,2,3"),
        {},
        "line 3 has 3 cells, .* 1: remove the lines above",
    ),
    "a title and commas": (
        lines("Houses of Ulm,,", "a,b,y", "1,2,3"),
        {},
        "column 2 has no name in the header: name it",
    ),
    "repeated name": (
        "a,y,a \n1,2,3\n",
        {},
        "the header repeats 'a': give every column its own name",
    ),
    "nameless column": ("a,y,\n1,2,3\n", {}, "column 3 has no name in the header: name it"),
    "a separator too many": (
        lines("a,b,y,", "1,2,3", "4,5,6"),
        {},
        "line 2 has 3 cells, the header has 4: correct that line",
    ),
    "short row": (
        "a,y\n1,2\n3\n",
        {"impute": "drop"},
        "line 3 has 1 cell, the header has 2: correct that line",
    ),
    "short row after a quoted newline": (
        'a,y\n"1\n",2\n3\n',
        {},
        "line 4 has 1 cell, the header has 2",
    ),
    "short row beside gaps": (
        lines("y,a,b", *["1,2,3", "2,5,"] * 9, "1,2"),
        {"impute": "median"},
        "line 20 has 2 cells, the header has 3",
    ),
    "short row between bars": (
        lines("y|a|b", "1|2|3", "1|2"),
        {"impute": "median"},
        "line 3 has 2 cells, the header has 3",
    ),
    "long row": ("a,y\n\n1,2,3\n", {}, "line 3 has 3 cells, the header has 2: correct that line"),
    "long row later": ("a,y\n1,2\n\n1,2,3\n", {}, "line 4 has 3 cells, the header has 2"),
    "rows too long": (
        lines("a,y", "7,1,3", "9,4,6"),
        {},
        "line 2 has 3 cells, the header has 2: correct that line",
    ),
    "rows too long, one key": (
        lines("a,y", "u,1,3", "u,4,6"),
        {},
        "line 2 has 3 cells, the header has 2: correct that line",
    ),
    "a note at the end": (
        lines("a,y", "1,3", "4,6", "", "Source: me"),
        {},
        "line 5 has 1 cell, the header has 2: correct that line",
    ),
    "open quote": (
        'a,y\n1,2\n"1,2\n',
        {},
        r"in the record after line 2 a quote \(\"\) is not closed",
    ),
    "long cell": (
        'a,b,y\n1,"' + "x" * 140_000 + '",3\n',
        {},
        r"after line 1 a cell has more than 131,072 characters",
    ),
    "quote in a number": (
        'a,b,y\n1,"2"3,3\n2,3,4\n',
        {},
        r"after line 1 a quote \(\"\) is not closed, or not followed by a separator",
    ),
    "quotes of nothing": ('a,b,y\n1,2,3\n1,""3,3\n', {}, "after line 2 a quote"),
    "quotes between spaces": (
        'a b y\n1 "2"3 3\n2 3 4\n',
        {"sep": r"\s+"},
        "line 2 has 4 cells, the header has 3",
    ),
    "quotes in UTF-16": ('a,b,y\n1,"2"3,3\n2,3,4\n'.encode("utf-16"), {}, "a quote"),
    "a quote behind a backslash": (
        lines("a,b,y", '"x \\" z",2,3', '"z",5,6'),
        {},
        "after line 1 a quote",
    ),
    "mixed": (
        "a,y\n1,2\n2,2\nhigh,3\n",
        {},
        r"line 4, column 'a' holds 'high' among numbers: correct .* \(na='high'\); .*\(text='a'\)",
    ),
    "mixed behind a quoted newline": (
        'a,b,y\n1,"u\nv",2\n2,w,2\nhigh,w,3\n',
        {},
        "line 5, column 'a' holds 'high' among numbers",
    ),
    "mixed target": ("a,y\n1,2\n2,2\n2,?!\n", {}, r"line 4, column 'y' holds '\?!' among numbers"),
    "the header again": (
        lines("a,y", "1,3", "a,y", "4,6"),
        {},
        "line 3, column 'y' holds 'y' among numbers: correct the cell or leave it empty",
    ),
    "late text": (
        lines("a,y", *["1,2"] * 60_000).encode() + b"x\xe9,1\n",
        {},
        "line 60002, column 'a' holds 'xé' among numbers",
    ),
    "thousands": (
        lines("a;y", "1,234.5;3", "12,000;6"),
        {},
        r".* '1,234.5' among numbers: .*name the mark \(.* or thousands=\",\"\)",
    ),
    "german thousands": (
        lines("a;y", "1.234,5;3", "12.000.000;6"),
        {},
        r"line 2, column 'a' holds '1.234,5' .* or thousands=\"\.\"\)",
    ),
    "a point that parts no thousands": (
        lines("a;y", "1.234,5;3", "-2,5;6", "1.5;9"),
        {"thousands": "."},
        "line 4, column 'a' holds '1.5' among numbers",
    ),
    "a comma that parts no thousands": (
        lines("a;y", "1,234.5;3", "12,34;6", "5;7"),
        {"thousands": ","},
        "line 3, column 'a' holds '12,34' among numbers",
    ),
    "points beside decimal commas": (
        lines("a;b;y", "1,5;1.362;3", "-2,5;2.450;6", "3,5;1.5;9"),
        {},
        "line 2, column 'b' holds '1.362' among .* or thousands=\".\"",
    ),
    "commas in numbers": (
        "a;y\n1,5;3\n2,75;4\n",
        {"decimal": "."},
        r"line 2, .* or name the mark \(decimal=\",\" or",
    ),
    "marks beside gaps": (
        lines("a,y", *['"109.362,53",1', "-,2", "-,3"]),
        {"impute": "drop"},
        "line 2, .* '109.362,53' among numbers",
    ),
    "apostrophes": (
        lines("a;y", "1'234.5;3", "12'000;6"),
        {},
        r"holds \"1'234.5\" among numbers: .* thousands=\"'\"\)",
    ),
    "thin spaces": (
        lines("a;y", "1\u202f234;3", "12\u202f000;6"),
        {},
        'among numbers: .* thousands="\u202f"',
    ),
    "underscore": (
        "a,y\n1_000,2\n2_000,3\n",
        {},
        "line 2, column 'a' holds '1_000' among numbers: .* write it without a mark",
    ),
    "percent": ("a,y\n45%,2\n50 %,3\n", {}, "line 2, column 'a' holds '45%' among numbers"),
    "prices that differ": (
        lines("a,y", *(f"${k + 1}.50,{k}" for k in range(11))),
        {},
        r"line 2, column 'a' holds '\$1.50' among numbers",
    ),
    "Fortran": (
        lines("a,y", "1.5D+03,3", "2.5D-01,6"),
        {},
        r"line 2, column 'a' holds '1.5D\+03' among numbers",
    ),
    "no date among dates": (
        "a,y\n31.01.2024,1\n31.02.2024,2\n05.03.2024,3\n",
        {},
        "line 3, column 'a' holds '31.02.2024' among dates",
    ),
    "dates in two ways": (
        lines("a,y", "31.01.2024,1", "2024-02-13,2", "05.03.2024,3", "2024-03-07,4"),
        {},
        "line 3, .* '2024-02-13' among dates: .*text='a'",
    ),
    "some dates with the time": (
        lines("a,y", "13.02.2024,3", "14.02.2024 12:30,6"),
        {},
        "line 3, column 'a' .* among dates",
    ),
    "day or month": (
        "a,y\n01/02/2024,1\n03/04/2024,2\n",
        {},
        r"line 2, .* '01/02/2024', a date that can be read in two ways.*date_format=\"%d/%m/%Y\"",
    ),
    "text target": (
        "a,y\n1,p\n2,q\n2,r\n",
        {},
        "the target 'y' holds text with 3 .*: expected numbers, or two classes "
        ".*ForwardStagewiseClassifier",
    ),
    "gap": (
        "a,y\n1,2\n\n,2\n",
        {},
        r"line 4: no value in column 'a': fill it in, .*impute=\"median\"",
    ),
    "gaps": (
        "a,b,y\n1,2,3\n,,2\n",
        {},
        r"line 3: no value in column 'a' \(missing values in 2 columns: 'a', 'b'\)",
    ),
    "blank cell": (
        "a,y\n1,  \n1,1\n",
        {},
        "line 2: no value in column 'y': fill it in, .*leaves the row out",
    ),
    "infinite": (
        "a,y\n1,1\n,2\n-inf,1\n",
        {"impute": "median"},
        "line 4, column 'a' holds '-inf', not a finite float64 number: correct it",
    ),
    "overflow": (
        "a,y\n1e999,1\n",
        {},
        "line 2, column 'a' holds '(inf|1e999)', not a finite float64 number",
    ),
    "321 digits": (
        f"a,y\n{'7' * 321},1\n",
        {},
        r"line 2, column 'a' holds '7{28}\.\.\.7{8} \(321 characters\)', not a finite",
    ),
    "near 1e30": (
        f"a,y\n{10**30},1\n{10**30 + 1},2\n",
        {},
        r"line 3, .* '10{29}1', which as float64 equals '10{30}' in",
    ),
    "near 2^53": (
        "a,y\n9007199254740993,1\n9007199254740992,2\n",
        {},
        "line 3, .* '9007199254740992', .* equals '9007199254740993'",
    ),
    "zero bytes": (b"a,y\n\x00\x01\x02\x00\x00\xff", {}, "zero bytes, so it is not text"),
    "UTF-16 without a mark": (
        lines("a,y", "1,3").encode("utf-16-le"),
        {},
        "zero bytes, so it is not text",
    ),
    "a workbook": (
        b"PK\x03\x04\x14\x00\x06\x00",
        {},
        "zero bytes, so it is not text.*: check the suffix of its name",
    ),
    "JSON": (b'[{"a": 1, "y": 2}]', {}, "expected at least one row"),
    "wrong encoding": (
        "ä,y\n1,2\n".encode("cp1252"),
        {"encoding": "utf-8"},
        "the text is not in utf-8: leave",
    ),
    "unknown encoding": ("a,y\n1,2\n", {"encoding": "utf-80"}, "there is no encoding 'utf-80'"),
    "nothing to leave out": (
        "a,y\n1,2\n",
        {"drop": "b"},
        "no column 'b' to leave out: choose among 'a', 'y'",
    ),
    "one text of two": (
        "a,y\n1,2\n",
        {"text": ["a", "c"]},
        "no column 'c' to take as text: choose among 'a', 'y'",
    ),
    "format without dates": (
        "a,y\n1,2\n",
        {"date_format": "%d.%m.%Y"},
        r"no column holds dates in the format .*'%d.%m.%Y'",
    ),
    "format of no date": ("a,y\nu,2\n", {"date_format": "%Q"}, "no column holds dates"),
    "decimal is sep": (
        "a,y\n1,2\n",
        {"sep": ",", "decimal": ","},
        "sep and decimal are both ',', and no cell is quoted",
    ),
    "sheet of text": ("a,y\n1,2\n", {"sheet": "one"}, "sheet='one' is for workbooks"),
    "all rows have gaps": (
        "a,b,y\n1,,2\n,1,2\n",
        {"impute": "drop"},
        "no row is without missing values",
    ),
    "empty columns only": (
        "a,y\n,2\n,3\n",
        {},
        "no column is left to predict from, as all are empty",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path, name):
    content, options, sentence = REFUSED[name]
    for path in (tmp_path / "t.csv", tmp_path / "t.csv.gz"):
        refuse(write(path, content), sentence, **options)


@given(
    before=st.text("12", min_size=0, max_size=2),
    after=st.text("345.", min_size=1, max_size=3),
    sep=st.sampled_from(",;\t|"),
)
def test_no_number_is_read_across_a_quote(tmp_path_factory, before, after, sep):
    rows = [[*"aby"], ["1", f'"{before}"{after}', "3"], [*"234"]]
    refuse(write(tmp_path_factory.mktemp("t") / "t.csv", lines(*map(sep.join, rows))), "a quote")


# ------------------------------------------------------------------------------------------------
# options and paths

#: Values of types that no option takes, and values that one option takes and others do not.
WRONG = (5.0, [5], {"a": 1}, b"x", object(), True, (None,))
MARKS = {"sep": (), "decimal": ("1", "e", "-"), "thousands": ("1", "e", "-")}
NAMES = (
    "sep",
    "decimal",
    "thousands",
    "encoding",
    "na",
    "text",
    "drop",
    "date_format",
    "sheet",
    "impute",
)


@pytest.mark.parametrize("option", NAMES)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_no_option_takes_values_of_another_kind(tmp_path, option, suffix):
    more = (
        ("", "xx", '"', "\n", 5, *MARKS[option])
        if option in MARKS
        else ("mean",)
        if option == "impute"
        else ()
    )
    for value in (*WRONG, *more):
        with pytest.raises(ValueError, match=f"^{option} must be .*, got "):
            read_table(write(tmp_path / f"t{suffix}", CSV), **{option: value})


def test_marks_differ_and_options_have_names():
    with pytest.raises(
        ValueError, match=r"decimal and thousands must be different characters, got '\.' for both"
    ):
        read_table("t.csv", decimal=".", thousands=".")
    with pytest.raises(
        ValueError, match=r"the options of a table are sep, decimal, .*, got 'separator'"
    ):
        read_table("t.csv", separator=";")


@pytest.mark.parametrize("path", [5, None, b"t.csv", "a\0.csv", ["t.csv"], np.zeros(3)])
def test_a_path_is_the_name_of_a_file(path):
    with pytest.raises(ValueError, match="path must be the name of a file, got"):
        read_table(path)


@pytest.mark.parametrize("target", [5, ["y"], b"y", ("y",)])
def test_a_target_is_the_name_of_a_column(tmp_path, target):
    with pytest.raises(ValueError, match="target must be the name of a column, got"):
        read_table(write(tmp_path / "t.csv", CSV), target)


@pytest.mark.parametrize("name", ["t.npy", "X.npy", "t.svm"])
def test_target_without_names(tmp_path, name):
    refuse(tmp_path / name, r"no named columns, got target 'y': leave the target out", target="y")


@pytest.mark.parametrize(
    "name", ["t.json", "t", "t.pkl", "t.npz.gz", "X.npy.gz", "t.gz", "csv", ".csv.zip"]
)
def test_unknown_suffix(tmp_path, name):
    refuse(
        write(tmp_path / name, CSV),
        r"expected a name ending with one of \.csv, .*\.libsvm\.gz: rename or convert",
    )


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.npz", "X.npy", "t.svm", "t.svm.gz"])
def test_missing_files_and_folders(tmp_path, name):
    refuse(tmp_path / name, r"no such file")
    (tmp_path / name).mkdir()
    refuse(tmp_path / name, r"that is a folder: name a file in it")


@pytest.mark.parametrize(
    "name", ["t.csv.gz", "t.npz", "X.npy", "t.svm.gz", "t.parquet", "t.feather", "t.xlsx"]
)
def test_damaged_and_truncated_files(tmp_path, name):
    if name in ("t.parquet", "t.feather", "t.xlsx"):
        pytest.importorskip("openpyxl" if name == "t.xlsx" else "pyarrow")
    path = tmp_path / name
    wide = np.random.default_rng(2).standard_normal((50, 50))
    for content in (
        b"",
        b"garbage",
        b"\x1f\x8b\x08\x00",
        b"PK\x03\x04rest",
        b"\x93NUMPY\x01\x00",
        b"PAR1",
    ):
        path.write_bytes(content)
        if not (name == "t.csv.gz" and content == b""):  # gzip accepts an empty file, and so do we
            refuse(path, r"cannot be read|at least one row")
    if name == "t.npz":
        np.savez_compressed(path, X=wide, y=wide[:, 0])
    elif name == "X.npy":
        np.save(path, wide)
    elif name.endswith(".gz"):
        write(path, CSV if "csv" in name else SVM)
    else:
        write_typed(pd.DataFrame(wide, columns=map(str, range(50))), path)
    path.write_bytes(path.read_bytes()[:-9])
    refuse(path, r"cannot be read")


# ------------------------------------------------------------------------------------------------
# arrays and types

BAD_ARRAYS = {
    "no X": ({"A": X, "y": Y}, r"no array 'X': expected 'X' and 'y', got 'A', 'y'"),
    "no y": ({"X": X}, r"no array 'y'"),
    "nothing": ({}, r"got nothing"),
    "one-dimensional X": (
        {"X": Y, "y": Y},
        r"expected X \(m, p\) and y \(m,\), got \(2,\) and \(2,\)",
    ),
    "column y": ({"X": X, "y": Y[:, None]}, r"got \(2, 3\) and \(2, 1\)"),
    "another length": ({"X": X, "y": np.zeros(3)}, r"got \(2, 3\) and \(3,\)"),
    "no rows": ({"X": X[:0], "y": Y[:0]}, r"at least one row"),
    "no features": ({"X": X[:, :0], "y": Y}, r"at least one row and one feature"),
    "text": ({"X": X.astype(str), "y": Y}, r"expected numbers in X, got dtype <U"),
    "text labels": (
        {"X": X, "y": np.array(["no", "yes"])},
        r"expected numbers in y, got dtype <U3",
    ),
    "complex": ({"X": X + 1j, "y": Y}, r"got dtype complex128"),
    "pickle": ({"X": X.astype(object), "y": Y}, r"cannot be read as an .npz file without pickles"),
    "nan in X": (
        {"X": np.where(X == 0.1, np.nan, X), "y": Y},
        r"X holds nan in row 1, column 1, counted from 0",
    ),
    "infinite y": ({"X": X, "y": np.array([1, np.inf])}, r"y holds inf in row 1, counted from 0"),
    "few names": (
        {"X": X, "y": Y, "feature_names": np.array(["a"])},
        r"expected 3 different feature_names, got 'a'",
    ),
    "repeated names": (
        {"X": X, "y": Y, "feature_names": np.array(["a", "b", "a"])},
        r"expected 3 different",
    ),
}


@pytest.mark.parametrize(("arrays", "expected"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_bad_npz(tmp_path, arrays, expected):
    np.savez(tmp_path / "t.npz", **arrays)
    refuse(tmp_path / "t.npz", expected)


def test_half_a_pair_and_pickles(tmp_path):
    for name, array in (
        ("X.npy", X),
        ("data.npy", X),
        ("P_X.npy", X.astype(object)),
        ("P_y.npy", Y),
    ):
        np.save(tmp_path / name, array)
    refuse(tmp_path / "data.npy", r"ending with 'X.npy', or a pair")
    refuse(tmp_path / "P_X.npy", r"npy file without pickles")
    for text, missing in (
        (tmp_path / "X.npy", "y"),
        (f"{tmp_path / 'X.npy'},{tmp_path / 'z.npy'}", "z"),
    ):
        with pytest.raises(ValueError, match=rf"{missing}\.npy: no such file"):
            read_table(text)


BAD_SVM = {
    "empty": ("", r"at least one row"),
    "text": ("hello world\n", r"cannot be read as an svmlight file"),
    "unsorted": ("1 2:1 1:1\n", r"cannot be read as an svmlight file"),
    "several labels": ("1,2 1:1\n", r"cannot be read as an svmlight file"),
    "nan": ("1 1:1\n1 1:1 3:nan\n", r"X holds nan in row 1, column 2, counted from 0"),
    "infinite label": ("inf 1:1\n", r"y holds inf in row 0, counted from 0"),
    "beyond int64": (f"1 1:2 {1 << 63}:3\n", "cannot be read as an svmlight file"),
    "no whole number": ("1 1:2 1e20:3\n", "cannot be read as an svmlight file"),
    "beyond memory": (
        f"1 1:2 {(1 << 31) - 1}:3\n",
        r"a fit of 2,147,483,647 features \(the largest index\) takes 172 GB of memory, and 8 GB "
        r"are free",
    ),
}


@pytest.mark.parametrize(("content", "expected"), BAD_SVM.values(), ids=BAD_SVM)
def test_bad_svmlight(tmp_path, monkeypatch, content, expected):
    monkeypatch.setattr("coordboost.data.memory.free_memory", lambda: 8 * 10**9)
    refuse(write(tmp_path / "t.svm", content), expected)


def test_an_array_that_claims_more_than_its_file_holds(tmp_path):
    raw = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        raw, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**6)}
    )
    write(tmp_path / "X.npy", raw.getvalue() + b"12345678")
    np.save(tmp_path / "y.npy", np.zeros(10**7, dtype=np.int8))
    refuse(tmp_path / "X.npy", "cannot be read as an .npy file|more memory than is free")


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.svm", "t.parquet", "t.xlsx", "t.npz", "X.npy"]
)
def test_large_files_are_refused_before_they_are_read(tmp_path, monkeypatch, name):
    """Every format, with almost no free memory."""
    frame = pd.DataFrame({name: np.arange(400.0) for name in "aby"})
    text = frame.to_csv(index=False)
    write(tmp_path / "t.csv", text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    write(tmp_path / "t.svm", "1 1:2 7:3\n" * 400)
    if name in ("t.parquet", "t.xlsx"):
        write_typed(frame, tmp_path / name)
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((400, 2)), y=np.zeros(400))
    np.save(tmp_path / "X.npy", np.zeros((400, 2)))
    np.save(tmp_path / "y.npy", np.zeros(400))
    assert len(read_table(tmp_path / name).X.shape) == 2
    monkeypatch.setattr("coordboost.data.memory.free_memory", lambda: 1500)
    refuse(
        tmp_path / name,
        r" takes .* of memory, and 1\.5 kB are free: use a machine with more memory, or split "
        r"the file",
    )


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xlsx"])
def test_options_for_text_are_refused_for_typed_files(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    write_typed(pd.DataFrame({"a": ["x", "z"], "y": [1.0, 2]}), path)
    for option, value in (
        ("sep", ";"),
        ("decimal", ","),
        ("thousands", "."),
        ("encoding", "utf-8"),
    ):
        refuse(path, f"{option}={value!r} is for text files: leave it out", **{option: value})
    sheet = (
        "cannot be read as a .xlsx file .*two" if kind == "xlsx" else "sheet='two' is for workbooks"
    )
    refuse(path, sheet, sheet="two")


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
@pytest.mark.parametrize("kind", ["npz", "npy", "parquet", "csv"])
def test_whole_numbers_that_become_equal_as_floats_are_named(tmp_path, dtype, kind):
    top = np.iinfo(dtype).max
    whole = np.array([[1, top], [2, top - 1], [3, 5]], dtype=dtype)
    frame = pd.DataFrame({"a": whole[:, 0], "b": whole[:, 1], "y": [1.0, 2, 3]})
    name = {"npy": "X.npy"}.get(kind, f"t.{kind}")
    np.savez(tmp_path / "t.npz", X=whole, y=np.arange(3.0))
    np.save(tmp_path / "X.npy", whole)
    np.save(tmp_path / "y.npy", np.arange(3.0))
    frame.to_csv(tmp_path / "t.csv", index=False)
    if kind == "parquet":
        write_typed(frame, tmp_path / name)
    refuse(tmp_path / name, f"{top - 1}.* which (are equal as float64|as float64 equals)")


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([[1, 2], [3]], "lists or the like"),
        (pd.to_timedelta([1, 2], "h"), "durations: convert them"),
    ],
)
def test_columns_of_another_kind_are_refused(tmp_path, values, what):
    write_typed(pd.DataFrame({"a": values, "y": [1.0, 2.0]}), tmp_path / "t.parquet")
    refuse(tmp_path / "t.parquet", f"column 'a' holds {what}.* leave it out")


@pytest.mark.parametrize(
    ("name", "reader", "library"),
    [("t.parquet", "read_parquet", "pyarrow"), ("t.xlsx", "read_excel", "openpyxl")],
)
def test_a_library_that_is_missing_is_named(tmp_path, monkeypatch, name, reader, library):
    def lacking(*args, **kwargs):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, reader, lacking)
    refuse(
        write(tmp_path / name, "PAR1"),
        f"pandas needs {library} to read it: python -m pip install {library}$",
    )
