"""Forty awkward tables and more: each is read right, or refused in one sentence that says where and what to do."""

import gzip
import itertools

import numpy as np
import pytest
from test_bad_tables import refuse

from coordboost import read_table

NAN = float("nan")


def lines(*rows, end="\n"):
    return end.join(rows) + end


#: name: (content, options, names, X, y), the target being y.
READ = {
    "comma": (lines("a,b,y", "1,2,3", "4,5,6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "semicolon": (lines("a;b;y", "1;2;3", "4;5;6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "tab": (lines("a\tb\ty", "1\t2\t3", "4\t5\t6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "bar": (lines("a|b|y", "1|2|3", "4|5|6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "spaces": (lines("  a   b y", " 1 2   3", "4  5 6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "commented header": (lines("# a b y", "1 2 3", "4 5 6"), {}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "own separator": (lines("a~b~y", "1~2~3", "4~5~6"), {"sep": "~"}, "a b", [[1, 2], [4, 5]], [3, 6]),
    "decimal comma": (lines("a;b;y", "1,5;2;3", "-,25;5;6,0"), {}, "a b", [[1.5, 2], [-0.25, 5]], [3, 6]),
    "quoted decimal comma": (lines("a,y", '"1,5",3', '"2,75",6'), {}, "a", [[1.5], [2.75]], [3, 6]),
    "thousands": (lines("a;y", "1,234.5;3", "12,000,000;6"), {}, "a", [[1234.5], [12e6]], [3, 6]),
    "german thousands": (lines("a;y", "1.234,5;3", "12.000.000;6"), {}, "a", [[1234.5], [12e6]], [3, 6]),
    "german thousands and dates": (
        lines("a;d;y", "1.234,5;31.01.1970;3", "12.000.000;02.01.1970;6", "-1,5;01.01.1970;9"), {},
        "a d", [[1234.5, 30], [12e6, 1], [-1.5, 0]], [3, 6, 9],
    ),
    "spaces between thousands": (
        lines("a;y", "1 234,5;3", "12 000 000;6"), {"thousands": " ", "decimal": ","}, "a", [[1234.5], [12e6]], [3, 6],
    ),
    "lakhs": (lines("a;y", "12,34,567.5;3", "1,00,000;6"), {"thousands": ","}, "a", [[1234567.5], [1e5]], [3, 6]),
    "quoted thousands": (lines("a,y", '"1,234",3', '"12,000,000",6'), {"thousands": ","}, "a", [[1234], [12e6]], [3, 6]),
    "byte order mark": ("\ufeff" + lines("a,y", "1,3", "4,6"), {}, "a", [[1], [4]], [3, 6]),
    "UTF-16": (lines("ä,y", "1,3", "4,6").encode("utf-16"), {}, "ä", [[1], [4]], [3, 6]),
    "UTF-16 without a mark": (lines("ä,y", "1,3", "4,6").encode("utf-16-le"), {}, "ä", [[1], [4]], [3, 6]),
    "cp1252": (lines("Größe,y", "1,3", "4,6").encode("cp1252"), {}, "Größe", [[1], [4]], [3, 6]),
    "told encoding": (lines("Ж,y", "1,3", "4,6").encode("koi8-r"), {"encoding": "koi8-r"}, "Ж", [[1], [4]], [3, 6]),
    "Windows lines": (lines("a,y", "1,3", "4,6", end="\r\n"), {}, "a", [[1], [4]], [3, 6]),
    "blank lines": (lines("", "a,y", "", "1,3", "", "", "4,6", ""), {}, "a", [[1], [4]], [3, 6]),
    "quoted newlines": (lines('"a', 'b",y', "1,3", "4,6"), {}, "a b", [[1], [4]], [3, 6]),
    "row names": (lines(",a,y", "x,1,3", "z,4,6"), {}, "a", [[1], [4]], [3, 6]),
    "separator at the end": (lines("a;y;", "1;3;", "4;6;"), {}, "a", [[1], [4]], [3, 6]),
    "empty rows of a spreadsheet": (lines("a,y", "1,3", "4,6", ",", ","), {}, "a", [[1], [4]], [3, 6]),
    "empty column": (lines("a,b,y", "1,,3", "4,NA,6"), {}, "a", [[1], [4]], [3, 6]),
    "words for gaps only": (lines("a,b,y", "1,?,3", "4,-,6"), {}, "a", [[1], [4]], [3, 6]),
    "booleans": (lines("a,y", "True,3", "False,6"), {}, "a", [[1], [0]], [3, 6]),
    "booleans with a gap": (lines("a,y", "True,3", ",5", "False,6"), {"impute": "drop"}, "a", [[1], [0]], [3, 6]),
    "ISO dates": (lines("a,y", "1970-01-03,3", "1970-01-01T12:00:00,6"), {}, "a", [[2], [0.5]], [3, 6]),
    "dates and a time zone": (lines("a,y", "1970-01-03T01:00:00+01:00,3", "1970-01-01T00:00:00Z,6"), {}, "a", [[2], [0]], [3, 6]),
    "dates with points": (lines("a;y", "31.01.1970;3", "02.01.1970;6"), {}, "a", [[30], [1]], [3, 6]),
    "told dates": (lines("a,y", "3/4/1970,3", "1/1/1970,6"), {"date_format": "%m/%d/%Y"}, "a", [[62], [0]], [3, 6]),
    "dates and a word": (lines("a,y", "1970-01-03,3", "unknown,4", "1970-01-02,6"), {"impute": "drop"}, "a", [[2], [1]], [3, 6]),
    "two categories": (lines("a,y", "yes,3", "no,6", "yes,9"), {}, "a=yes", [[1], [0], [1]], [3, 6, 9]),
    "three categories": (lines("a,y", "r,3", "g,6", "b ,9"), {}, "a=b a=g a=r", [[0, 0, 1], [0, 1, 0], [1, 0, 0]], [3, 6, 9]),
    "numbers as text": (lines("a,y", "007,3", "012,6"), {"text": "a"}, "a=012", [[0], [1]], [3, 6]),
    "keys": (lines("a,k,y", *(f"{i},id{i},3" for i in range(12))), {}, "a", [[i] for i in range(12)], [3] * 12),
    "left out": (lines("a,b,y", "1,x,3", "4,z,6"), {"drop": "b"}, "a", [[1], [4]], [3, 6]),
    "NA words": (lines("a,b,y", "1,?,3", "NA,-,4", "4,2,6"), {"impute": "drop"}, "a b", [[4, 2]], [6]),
    "own NA word": (lines("a,y", "1,3", "-999,4", "4,6"), {"impute": "drop", "na": "-999"}, "a", [[1], [4]], [3, 6]),
    "median": (lines("a,y", "1,3", ",4", "4,6", "7,8"), {"impute": "median"}, "a", [[1], [4], [4], [7]], [3, 4, 6, 8]),
    "indicator": (lines("a,y", "1,3", ",4", "4,6"), {"impute": "indicator"}, "a a|(missing)", [[1, 0], [2.5, 1], [4, 0]], [3, 4, 6]),
    "gap in text": (lines("a,y", "p,3", "NA,4", "p,5", "q,6"), {"impute": "median"}, "a=q", [[0], [0], [0], [1]], [3, 4, 5, 6]),
    "gap in the target": (lines("a,y", "1,3", "2,", "4,6"), {"impute": "median"}, "a", [[1], [4]], [3, 6]),
    "gaps here and there": (lines("a,y", "1,3", ",5", "2,", "4,6"), {"impute": "drop"}, "a", [[1], [4]], [3, 6]),
    "target of two words": (lines("a,y", "1,yes", "4,no"), {}, "a", [[1], [4]], [1, 0]),
    "large whole numbers": (lines("a,y", "9007199254740993,3", "9107199254740993,6"), {}, "a", [[2.0**53], [9107199254740993.0]], [3, 6]),
    "one row": (lines("a,y", "1,3"), {}, "a", [[1]], [3]),
}  # fmt: skip

#: name: (content, options, what the sentence says).
REFUSED = {
    "empty file": ("", {}, "expected a header row and rows of cells, got an empty file: check"),
    "no rows": ("a,y\n", {}, r"at least one row and one feature, got 0 row\(s\) and 1 column\(s\) beside 'y': check"),
    "no features": ("y\n1\n2\n", {}, r"at least one row and one feature"),
    "no target": ("a,b\n1,2\n", {}, "no column 'y': choose the target among 'a', 'b'$"),
    "no header": ("1,2\n3,4\n", {}, "holds numbers only: add one with the names"),
    "wrong separator": ("a,y\n1,2\n", {"sep": ";"}, "no column 'y': choose the target among 'a,y'; .* commas .*sep=','"),
    "wrong separator, decimal commas": (
        "a;y\n1,5;2\n",
        {"sep": ","},
        "line 2 has 2 cells, the header has 1; the header looks as if semicolons separated its cells .*sep=';'",
    ),
    "commas in numbers": ("a;y\n1,5;3\n2,75;4\n", {"decimal": "."}, "a number with a mark: .*, say what the comma is .*, or take"),
    "repeated name": ("a,y,a \n1,2,3\n", {}, "the header repeats 'a': give every column its own name"),
    "nameless column": ("a,y,\n1,2,3\n", {}, "column 3 has no name in the header: name it"),
    "short row": ("a,y\n1,2\n3\n", {}, "line 3 has 1 cell, the header has 2: mend that line"),
    "short row after a quoted newline": ('a,y\n"1\n",2\n3\n', {}, "line 4 has 1 cell, the header has 2"),
    "long row": ("a,y\n\n1,2,3\n", {}, "line 3 has 3 cells, the header has 2: mend that line"),
    "long row later": ("a,y\n1,2\n\n1,2,3\n", {}, "line 4 has 3 cells, the header has 2"),
    "open quote": ('a,y\n1,2\n"1,2\n', {}, r"in the record after line 2 a quote \(\"\) is not closed"),
    "mixed": ("a,y\n1,2\n2,2\nhigh,3\n", {}, r"line 4, column 'a' holds 'high' among numbers: mend .* \(na='high'\); .*\(text='a'\)"),
    "mixed behind a quoted newline": ('a,b,y\n1,"u\nv",2\n2,w,2\nhigh,w,3\n', {}, "line 5, column 'a' holds 'high' among numbers"),
    "a point that parts no thousands": (lines("a;y", "1.234,5;3", "-2,5;6", "1.5;9"), {}, "line 4, column 'a' holds '1.5' among numbers"),
    "mixed target": ("a,y\n1,2\n2,2\n2,?!\n", {}, r"line 4, column 'y' holds '\?!' among numbers"),
    "no date among dates": ("a,y\n31.01.2024,1\n31.02.2024,2\n05.03.2024,3\n", {}, "line 3, column 'a' holds '31.02.2024' among dates"),
    "text target": (
        "a,y\n1,p\n2,q\n2,r\n",
        {},
        "the target 'y' holds text with 3 .*: expected numbers, or two classes .*; for more of them .* ForwardStagewiseClassifier",
    ),
    "underscore": (
        "a,y\n1_000,2\n2_000,3\n",
        {},
        "line 2, column 'a' holds '1_000', a number with a mark: write the numbers without it, or take",
    ),
    "percent": ("a,y\n45%,2\n50 %,3\n", {}, "line 2, column 'a' holds '45%', a number with a mark"),
    "prices that all differ": (
        lines("a,y", *(f"${k + 1}.50,{k}" for k in range(11))),
        {},
        r"line 2, column 'a' holds '\$1.50', a number with a mark",
    ),
    "gap": ("a,y\n1,2\n\n,2\n", {}, r"line 4: no value in column 'a': fill it in, .*impute=\"median\""),
    "gaps": ("a,b,y\n1,2,3\n,,2\n", {}, r"line 3: no value in column 'a' \(gaps in 2 columns: 'a', 'b'\)"),
    "blank cell": ("a,y\n1,  \n1,1\n", {}, "line 2: no value in column 'y': fill it in, .*leaves the row out"),
    "infinite": ("a,y\n1,1\n-inf,1\n", {}, "line 3, column 'a' holds -inf, or .*: write a finite number"),
    "infinite beside a gap": ("a,y\n1,1\n,2\n-inf,1\n", {"impute": "median"}, "line 4, column 'a' holds -inf, or"),
    "overflow": ("a,y\n1e999,1\n", {}, "line 2, column 'a' holds inf, or a number beyond float64: write a finite number"),
    "321 digits": (f"a,y\n{'7' * 321},1\n", {}, r"line 2, column 'a' holds '7{28}\.\.\.7{8} \(321 characters\)', beyond float64"),
    "near 1e30": (
        f"a,y\n{10**30},1\n{10**30 + 1},2\n",
        {},
        r"line 3, column 'a' holds '10{29}1', which float64 cannot tell from '10{30}' in .*: subtract a constant",
    ),
    "near 2^53": (
        "a,y\n9007199254740993,1\n9007199254740992,2\n",
        {},
        "line 3, column 'a' holds '9007199254740992', .* from '9007199254740993'",
    ),
    "day or month": (
        "a,y\n01/02/2024,1\n03/04/2024,2\n",
        {},
        r"line 2, column 'a' holds '01/02/2024', a date that can be read in two ways.*date_format=\"%d/%m/%Y\"",
    ),
    "zero bytes": (b"a,y\n\x00\x01\x02\x00\x00\xff", {}, "zero bytes, so it is no text"),
    "wrong encoding": ("ä,y\n1,2\n".encode("cp1252"), {"encoding": "utf-8"}, "the text is not in utf-8: leave"),
    "unknown encoding": ("a,y\n1,2\n", {"encoding": "utf-80"}, "there is no encoding 'utf-80'"),
    "nothing to leave out": ("a,y\n1,2\n", {"drop": "b"}, "no column 'b' to leave out: choose among 'a', 'y'"),
    "all rows have gaps": ("a,b,y\n1,,2\n,1,2\n", {"impute": "drop"}, "no row is left once those with gaps are out"),
    "empty columns only": ("a,y\n,2\n,3\n", {}, "no column is left to predict from, as all are empty"),
    "a word that is no way to impute": ("a,y\n1,2\n", {"impute": "mean"}, "impute must be one of median, indicator, drop or None"),
}


def bytes_of(content):
    return content if isinstance(content, bytes) else content.encode()


@pytest.mark.parametrize("name", READ)
def test_awkward_tables_are_read_right(tmp_path, name):
    content, options, names, X, y = READ[name]
    for path, data in ((tmp_path / "t.csv", bytes_of(content)), (tmp_path / "t.txt.gz", gzip.compress(bytes_of(content), mtime=0))):
        path.write_bytes(data)
        table = read_table(path, **options)
        wanted = [one.replace("|", " ") for one in names.split()] if name != "quoted newlines" else ["a\nb"]
        assert list(table.feature_names) == wanted
        np.testing.assert_array_equal(table.X, np.array(X, dtype=float))
        np.testing.assert_array_equal(table.y, np.array(y, dtype=float))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path, name):
    content, options, sentence = REFUSED[name]
    for path, data in ((tmp_path / "t.csv", bytes_of(content)), (tmp_path / "t.csv.gz", gzip.compress(bytes_of(content), mtime=0))):
        path.write_bytes(data)
        if name.startswith("a word"):
            with pytest.raises(ValueError, match=sentence):
                read_table(path, **options)
        else:
            refuse(path, sentence, **options)


def test_what_was_guessed_is_said_and_what_was_told_is_not(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(lines("Höhe;job;y", "1,5;a;3", "NA;b;4", "2,5;c;5").encode("cp1252"))
    assert read_table(path, impute="median").said == (
        "read with encoding cp1252, semicolons between cells, a decimal comma",
        "text as 0/1 columns: 'job' (a, b, c)", "gaps filled: 'Höhe'",
    )  # fmt: skip
    told = read_table(path, impute="median", sep=";", decimal=",", encoding="cp1252", drop="job")
    assert told.said == ("gaps filled: 'Höhe'",)


@pytest.mark.parametrize(("sep", "decimal", "encoding"), list(itertools.product(";\t|", ",.", ["utf-8-sig", "utf-16", "latin-1"])))
def test_the_dialect_does_not_change_the_table(tmp_path, sep, decimal, encoding):
    values = np.round(np.random.default_rng(5).standard_normal((20, 3)), 4)
    rows = [sep.join(str(one).replace(".", decimal) for one in row) for row in values]
    (tmp_path / "t.csv").write_bytes(lines(sep.join(["Höhe", "b", "y"]), *rows).encode(encoding))
    table = read_table(tmp_path / "t.csv")
    assert (values[:, :2] == table.X).all() and (table.y == values[:, 2]).all() and table.feature_names == ("Höhe", "b")


def test_an_encoding_that_shows_late_is_found(tmp_path):
    rows = [f"{i},{i % 7}" for i in range(60_000)]
    (tmp_path / "t.csv").write_bytes(lines("a,y", *rows).encode() + "x\xe9,1\n".encode("latin-1"))
    refuse(tmp_path / "t.csv", r"line 60002, column 'a' holds 'xé' among numbers")


def test_a_column_that_turns_to_text_late_keeps_its_zeros(tmp_path):
    rows = [f"00{i % 3},{i % 7}" for i in range(60_000)] + [f"x{i},1" for i in range(3)] * 30_000
    (tmp_path / "t.csv").write_text(lines("a,y", *rows))
    assert set(read_table(tmp_path / "t.csv").feature_names) == {"a=000", "a=001", "a=002", "a=x0", "a=x1", "a=x2"}
