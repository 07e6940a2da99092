"""Reading tables of all formats, as programs and people write them: values are exact, and inferred
settings are reported.
"""

import csv
import gzip
import io
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from coordboost import read_table
from coordboost.data import Table

X = np.array([[1.0, -2.5, 0.0], [4.0, 0.1, 1e-300]])
Y = np.array([1.0, -1.0])
CSV = "a,y,b,c\n1,1,-2.5,0\n4,-1,0.1,1e-300\n"
SVM = "1 1:1 2:-2.5\n-1 1:4 2:0.1 3:1e-300\n"


def lines(*rows, end="\n"):
    return end.join(rows) + end


def write(path, content):
    """Write text or bytes, gzipped if the name ends in .gz; return the path."""
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


def same(table, X=X, y=Y, names=("a", "b", "c")):
    """Whether a dense table has these values, bit for bit, these names, float64 and Fortran
    order.
    """
    right_kind = table.X.dtype == table.y.dtype == np.float64 and table.X.flags.f_contiguous
    return (
        right_kind
        and np.array_equal(table.X, X)
        and np.array_equal(table.y, y)
        and table.feature_names == names
    )


TWO = [[1, 2], [4, 5]]
#: name: (content, options, names, X); the target is 3 and 6.
READ = {
    "comma": (lines("a,b,y", "1,2,3", "4,5,6"), {}, "a b", TWO),
    "semicolon": (lines("a;b;y", "1;2;3", "4;5;6"), {}, "a b", TWO),
    "tab": (lines("a\tb\ty", "1\t2\t3", "4\t5\t6"), {}, "a b", TWO),
    "bar": (lines("a|b|y", "1|2|3", "4|5|6"), {}, "a b", TWO),
    "spaces": (lines("  a   b y", " 1 2   3", "4  5 6"), {}, "a b", TWO),
    "commented header": (lines("# a b y", "1 2 3", "4 5 6"), {}, "a b", TWO),
    "own separator": (lines("a~b~y", "1~2~3", "4~5~6"), {"sep": "~"}, "a b", TWO),
    "decimal comma": (lines("a;b;y", "1,5;2;3", "-,25;5;6,0"), {}, "a b", [[1.5, 2], [-0.25, 5]]),
    "quoted decimal comma": (lines("a,y", '"1,5",3', '"2,75",6'), {}, "a", [[1.5], [2.75]]),
    "one mark for both": (
        lines("a,b,y", '"1,5",2,3', '"2,5",3,6'),
        {"sep": ",", "decimal": ","},
        "a b",
        [[1.5, 2], [2.5, 3]],
    ),
    "thousands": (
        lines("a;y", "1,234.5;3", "12,000,000;6"),
        {"thousands": ","},
        "a",
        [[1234.5], [12e6]],
    ),
    "german thousands and dates": (
        lines("a;d;y", "1.234,5;31.01.1970;3", "12.000.000;02.01.1970;6"),
        {"thousands": "."},
        "a d",
        [[1234.5, 30], [12e6, 1]],
    ),
    "spaces between thousands": (
        lines("a;y", "1 234,5;3", "12 000 000;6"),
        {"thousands": " ", "decimal": ","},
        "a",
        [[1234.5], [12e6]],
    ),
    "spaces that do not break": (
        lines("a;y", "1\u00a0234,5;3", "12\u00a0000,0;6"),
        {"thousands": "\u00a0", "decimal": ","},
        "a",
        [[1234.5], [12e3]],
    ),
    "apostrophes": (
        lines("a;y", "1'234.5;3", "12'000;6"),
        {"thousands": "'"},
        "a",
        [[1234.5], [12e3]],
    ),
    "lakhs": (
        lines("a;y", "12,34,567.5;3", "1,00,000;6"),
        {"thousands": ","},
        "a",
        [[1234567.5], [1e5]],
    ),
    "byte order mark": ("\ufeff" + lines("a;y", "1,5;3", "4;6"), {}, "a", [[1.5], [4]]),
    "UTF-16": (lines("ä,y", "1,3", "4,6").encode("utf-16"), {}, "ä", [[1], [4]]),
    "cp1252": (lines("Größe,y", "1,3", "4,6").encode("cp1252"), {}, "Größe", [[1], [4]]),
    "told encoding": (
        lines("Ж,y", "1,3", "4,6").encode("koi8-r"),
        {"encoding": "koi8-r"},
        "Ж",
        [[1], [4]],
    ),
    "Windows lines": (lines("a,y", "1,3", "4,6", end="\r\n"), {}, "a", [[1], [4]]),
    "lines of an old Mac": (lines("a,b,y", "1,2,3", "4,5,6", end="\r"), {}, "a b", TWO),
    "lines of two systems": ("a,b,y\r\n1,2,3\n4,5,6\r\n", {}, "a b", TWO),
    "blank lines": (lines("", "a,y", "", "1,3", "", "", "4,6", ""), {}, "a", [[1], [4]]),
    "spaces behind separators": (
        lines("a, b, y", "1, NA, 3", '4, "5",  6'),
        {"impute": "median"},
        "a b",
        [[1, 5], [4, 5]],
    ),
    "quoted newlines": (lines('"a', 'b",y', "1,3", "4,6"), {}, "a\nb", [[1], [4]]),
    "all in quotes": (
        lines('"a";"b";"y"', '"1,5";"2";"3"', '"4";"5";"6"'),
        {},
        "a b",
        [[1.5, 2], [4, 5]],
    ),
    "quotes between spaces": (lines('"a"  "b" y', '"1" 2 3', "4   5 6"), {}, "a b", TWO),
    "inches": (
        lines("a,t,y", '1,5" pipe,3', '4,6" pipe,6'),
        {},
        'a t=6"\xa0pipe',
        [[1, 0], [4, 1]],
    ),
    "row names": (lines(",a,y", "x,1,3", "z,4,6"), {}, "a", [[1], [4]]),
    "R's write.table": (
        lines('"a" "t" "y"', '"1" 1 "u v" 3', '"2" 4 "w" 6'),
        {},
        "a t=w",
        [[1, 0], [4, 1]],
    ),
    "R's rows with names": (lines("a\tb\ty", "Ulm\t1\t2\t3", "Jena\t4\t5\t6"), {}, "a b", TWO),
    "separator at the end": (lines("a;y;", "1;3;", "4;6;"), {}, "a", [[1], [4]]),
    "separators behind rows": (lines("a,b,y", "1,2,3,", "4,5,6,"), {}, "a b", TWO),
    "two commas each": (lines("a,,b,,y", "1,,2,,3", "4,,5,,6"), {}, "a b", TWO),
    "empty rows of a spreadsheet": (lines("a,y", "1,3", "4,6", ",", ","), {}, "a", [[1], [4]]),
    "empty column": (lines("a,b,y", "1,,3", "4,NA,6"), {}, "a", [[1], [4]]),
    "words for gaps only": (lines("a,b,y", "1,?,3", "4,-,6"), {}, "a", [[1], [4]]),
    "booleans": (lines("a,y", "True,3", "False,6"), {}, "a", [[1], [0]]),
    "booleans with a gap": (
        lines("a,y", "True,3", ",5", "False,6"),
        {"impute": "drop"},
        "a",
        [[1], [0]],
    ),
    "ISO dates": (lines("a,y", "1970-01-03,3", "1970-01-01T12:00:00,6"), {}, "a", [[2], [0.5]]),
    "dates and a time zone": (
        lines("a,y", "1970-01-03T01:00:00+01:00,3", "1970-01-01T00:00:00Z,6"),
        {},
        "a",
        [[2], [0]],
    ),
    "months by name": (
        lines("a,b,y", "31-Jan-1970,2 Jan 1970,3", "01-Feb-1970,1 Mar 1970,6"),
        {},
        "a b",
        [[30, 1], [31, 59]],
    ),
    "half days": (
        lines("a,y", "01/31/1970 6:00 PM,3", "01/02/1970 12:00 AM,6"),
        {},
        "a",
        [[30.75], [1]],
    ),
    "told dates": (
        lines("a,y", "3/4/1970,3", "1/1/1970,6"),
        {"date_format": "%m/%d/%Y"},
        "a",
        [[62], [0]],
    ),
    "dates and a word": (
        lines("a,y", "1970-01-03,3", "unknown,4", "1970-01-02,6"),
        {"impute": "drop"},
        "a",
        [[2], [1]],
    ),
    "no dates": (lines("a,y", "2020-01,3", "2020-02,6"), {}, "a=2020-02", [[0], [1]]),
    "two categories": (lines("a,y", "yes,3", "no,6"), {}, "a=yes", [[1], [0]]),
    "three categories": (
        lines("a,y", "r,3", "g,6", "b ,9"),
        {},
        "a=b a=g a=r",
        [[0, 0, 1], [0, 1, 0], [1, 0, 0]],
    ),
    "numbers as text": (lines("a,y", "007,3", "012,6"), {"text": "a"}, "a=012", [[0], [1]]),
    "left out": (lines("a,b,y", "1,x,3", "4,z,6"), {"drop": "b"}, "a", [[1], [4]]),
    "NA words": (
        lines("a,b,y", "1,?,3", "NA,-,4", "4,2,6", "5,3,3"),
        {"impute": "drop"},
        "a b",
        [[4, 2], [5, 3]],
    ),
    "own NA word": (
        lines("a,y", "1,3", "-999,4", "4,6"),
        {"impute": "drop", "na": "-999"},
        "a",
        [[1], [4]],
    ),
    "indicator": (
        lines("a,y", "1,3", ",6"),
        {"impute": "indicator"},
        "a a\xa0(missing)",
        [[1, 0], [1, 1]],
    ),
    "gap in text": (
        lines("a,y", "p,3", "NA,4", "p,5", "q,6"),
        {"impute": "median"},
        "a=q",
        [[0], [0], [0], [1]],
    ),
    "gaps here and there": (
        lines("a,y", "1,3", ",5", "2,", "4,6"),
        {"impute": "drop"},
        "a",
        [[1], [4]],
    ),
    "large whole numbers": (
        lines("a,y", "9007199254740993,3", "9107199254740993,6"),
        {},
        "a",
        [[2.0**53], [9107199254740993.0]],
    ),
    "a long header": (
        lines(",".join([*(f"c{j}" for j in range(500)), "y"]), "1," * 500 + "3", "2," * 500 + "6"),
        {},
        " ".join(f"c{j}" for j in range(500)),
        [[1] * 500, [2] * 500],
    ),
    "odd names": (lines("--target,<a>,y", "1,2,3", "4,5,6"), {}, "--target <a>", TWO),
}


@pytest.mark.parametrize("name", READ)
def test_awkward_tables_are_read_right(tmp_path, name):
    content, options, names, expected = READ[name]
    for path in (write(tmp_path / "t.csv", content), write(tmp_path / "t.txt.gz", content)):
        table = read_table(path, **options)
        assert [one.replace("\xa0", " ") for one in names.split(" ")] == list(table.feature_names)
        np.testing.assert_array_equal(table.X, np.array(expected, dtype=float))
        assert {3.0, 6.0} <= set(table.y) and len(table.y) == len(expected)


def test_two_words_make_a_target_and_keys_are_left_out(tmp_path):
    rows = [f"{i},id{i},{'yes' if i % 3 else 'no'}" for i in range(12)]
    table = read_table(write(tmp_path / "t.csv", lines("a,k,y", *rows)))
    assert table.feature_names == ("a",) and table.y.tolist() == [
        float(i % 3 > 0) for i in range(12)
    ]
    assert table.said == (
        "left out: 'k' (a different text in every row)",
        "target 'y': 0 is 'no', 1 is 'yes'",
        "'a' only numbers the rows, so you may want to leave it out (drop='a')",
    )


def test_inferred_settings_are_reported_and_given_ones_are_not(tmp_path):
    path = write(
        tmp_path / "t.csv",
        lines("Höhe;job;y", "1,5;a;3", "NA;b;4", "2,5;c;5", ";;").encode("cp1252"),
    )
    assert read_table(path, impute="median").said == (
        "read with encoding cp1252, semicolons between cells, a decimal comma",
        "1 empty row(s) left out",
        "text as 0/1 columns: 'job' (a, b, c)",
        "missing values imputed: 'Höhe'",
    )
    told = read_table(path, impute="median", sep=";", decimal=",", encoding="cp1252", drop="job")
    assert told.said == ("1 empty row(s) left out", "missing values imputed: 'Höhe'")


@pytest.mark.parametrize(
    ("sep", "decimal", "encoding"),
    list(itertools.product(";\t|", ",.", ["utf-8-sig", "utf-16", "latin-1"])),
)
def test_the_dialect_does_not_change_the_table(tmp_path, sep, decimal, encoding):
    values = (
        np.random.default_rng(5).standard_normal((20, 3)) * 10.0 ** np.arange(-95, 5, 5)[:, None]
    )
    rows = [sep.join(repr(float(one)).replace(".", decimal) for one in row) for row in values]
    path = write(tmp_path / "t.csv", lines(sep.join(["Höhe", "b", "y"]), *rows).encode(encoding))
    assert same(read_table(path), values[:, :2], values[:, 2], ("Höhe", "b"))


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_leading_zeros_are_reported(tmp_path, sep, encoding, place):
    """Codes, for any position of their column and any separator; not dates, decimals, or columns
    read as text.
    """
    names = ["d", "t", "y"]
    cells = [
        ["01.02.2020", "08:30", "0.5"],
        ["02.02.2020", "09:30", "0"],
        ["31.12.2020", "08:30", "00.5"],
    ]
    codes = ["12345", "01234", "01234"]
    text = io.StringIO()
    rows = zip(["zip", *codes], [names, *cells], strict=True)
    csv.writer(text, delimiter=sep).writerows(
        [[*row[:place], code, *row[place:]] for code, row in rows]
    )
    path = write(tmp_path / "t.csv", text.getvalue().encode(encoding))
    note = (
        "leading zeros of numbers dropped: 'zip' (01234); codes should be read as text (text='zip')"
    )
    assert note in read_table(path).said and note not in read_table(path, drop="zip").said
    told = read_table(path, text="zip")
    assert note not in told.said and next(
        variable.levels for variable in told.recipe.variables if variable.name == "zip"
    ) == ("01234", "12345")


LATE = {
    "a gap": (" NA, 2", {"impute": "median"}),
    "a gap of one's own": (" -999, 2", {"impute": "drop", "na": "-999"}),
    "quotes around a separator": (' "7,5",  2', {"decimal": ","}),
    "text": ('" r, s",1', {}),
    "another encoding": ("x\xe9,1".encode("latin-1"), {"drop": "a"}),
}


@pytest.mark.parametrize("name", LATE)
def test_late_rows_are_read_like_early_rows(tmp_path, name):
    late, options = LATE[name]
    late = late if isinstance(late, bytes) else late.encode()
    rows = [
        f"{'pq'[i % 2] if name == 'text' else i % 9},{i % 5},{i % 5}".encode()
        for i in range(40_000)
    ]
    late += b",3"
    first, last = (
        write(tmp_path / f"{k}.csv", b"\n".join([b"a,b,y", *some]))
        for k, some in enumerate(([late, *rows], [*rows, late]))
    )
    soon, late = (read_table(path, **options) for path in (first, last))
    assert sorted(soon.X.tolist()) == sorted(late.X.tolist()) and soon.said == late.said


def test_a_column_that_turns_to_text_late_keeps_its_zeros(tmp_path):
    rows = [f"00{i % 3},{i % 7}" for i in range(60_000)] + ["x0,1", "x1,1"] * 45_000
    assert set(read_table(write(tmp_path / "t.csv", lines("a,y", *rows))).feature_names) == {
        "a=000",
        "a=001",
        "a=002",
        "a=x0",
        "a=x1",
    }


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@given(
    rows=st.lists(
        st.lists(st.text('",;0 a\n', max_size=6), min_size=2, max_size=2), min_size=2, max_size=5
    ),
    sep=st.sampled_from(",;"),
)
def test_whatever_is_quoted_well_is_read(tmp_path_factory, quoting, rows, sep):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    words = [[f"x{cell}x" for cell in row] for row in rows]
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=sep, quoting=quoting).writerows(
            [["a", "b", "y"], *([*row, k % 2] for k, row in enumerate(words))]
        )
    levels = [
        variable.levels for variable in read_table(path, sep=sep, text=["a", "b"]).recipe.variables
    ]
    assert levels == [tuple(sorted({row[j].strip() for row in words})) for j in (0, 1)]


# ------------------------------------------------------------------------------------------- names,
# arrays, manners


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz", "t.v2.csv", "a,b.csv"])
def test_a_table_has_a_name_and_any_column_is_its_target(tmp_path, name):
    path = write(tmp_path / name, CSV)
    table = read_table(str(path))
    assert same(table) and same(
        read_table(path, target="b"),
        np.column_stack([X[:, 0], Y, X[:, 2]]),
        X[:, 1],
        ("a", "y", "c"),
    )
    table.X[0, 0], table.y[0] = 7.0, 8.0  # the table owns its memory
    assert isinstance(table, Table) and (name.endswith(".gz") or path.read_text() == CSV)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, np.bool_])
def test_npz(tmp_path, dtype):
    whole = np.array([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    np.savez(tmp_path / "t.npz", X=whole, y=np.zeros(7), price=whole[:, 0], other=np.arange(5))
    assert same(read_table(tmp_path / "t.npz", target="price"), whole, whole[:, 0], None)
    np.savez_compressed(tmp_path / "t.npz", X=X, y=Y, feature_names=np.array(["a", "b", "c"]))
    assert same(read_table(tmp_path / "t.npz"))


def test_npy_pairs(tmp_path):
    for name, factor in (("", 1), ("train_", 2)):
        np.save(tmp_path / f"{name}X.npy", factor * X)
        np.save(tmp_path / f"{name}y.npy", factor * Y)
    assert same(read_table(tmp_path / "X.npy"), names=None)
    assert same(read_table(tmp_path / "train_X.npy"), 2 * X, 2 * Y, None)
    assert same(read_table(f"{tmp_path / 'X.npy'}, {tmp_path / 'train_y.npy'}"), X, 2 * Y, None)


@pytest.mark.parametrize("name", ["t.svm", "t.svmlight", "t.libsvm", "t.svm.gz", "t.SVM"])
def test_svmlight(tmp_path, name):
    table = read_table(write(tmp_path / name, SVM))
    assert table.X.format == "csc" and table.X.dtype == np.float64 and table.feature_names is None
    assert (table.X.toarray() == X).all() and (table.y == Y).all() and table.X.has_sorted_indices


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_round_trip(tmp_path, zero_based):
    dense = np.random.default_rng(1).integers(-3, 4, (20, 6)).astype(float)
    # the first and last features occur, so that counting from 0 and from 1 can be told apart
    dense[0] = 1.0
    dump_svmlight_file(
        scipy.sparse.csr_array(dense),
        np.arange(20.0),
        str(tmp_path / "t.svm"),
        zero_based=zero_based,
    )
    table = read_table(tmp_path / "t.svm")
    assert (table.X.toarray() == dense).all() and (table.y == np.arange(20.0)).all()


def test_large_whole_numbers_that_stay_apart_are_read(tmp_path):
    np.savez(
        tmp_path / "t.npz",
        X=np.array([[1 << 60], [1 << 61], [1 << 60]], dtype=np.uint64),
        y=np.arange(3.0),
    )
    assert read_table(tmp_path / "t.npz").X[:, 0].tolist() == [2.0**60, 2.0**61, 2.0**60]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xlsx"])
def test_words_for_missing_in_files_with_types(tmp_path, kind):
    write_typed(pd.DataFrame({"a": ["x", "gone", "z"], "y": [1.0, 2, 3]}), tmp_path / f"t.{kind}")
    assert read_table(tmp_path / f"t.{kind}", na="gone", impute="drop").X.tolist() == [[0], [1]]


def write_typed(frame, path):
    """Write a typed file, if the library that pandas needs for it is installed."""
    pytest.importorskip("openpyxl" if path.suffix == ".xlsx" else "pyarrow")
    write = {".parquet": frame.to_parquet, ".xlsx": lambda path: frame.to_excel(path, index=False)}
    write.get(path.suffix, frame.to_feather)(path)


def test_numbers_without_gaps_need_pandas_and_nothing_heavier(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    heavy = ("sklearn", "matplotlib", "cvxpy", "pyarrow.parquet")
    code = (
        "import sys; from coordboost import read_table; print('pandas' in sys.modules); "
        f"read_table({str(path)!r}); print(*(name for name in {heavy!r} if name in sys.modules))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
