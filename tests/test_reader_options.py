"""Options and sizes of every reader: one sentence each, before memory is taken, and a note where numbers lose what was written."""

import csv
import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bad_tables import refuse

import coordboost as cb
from coordboost import read_table

TABLE = "zip,b,y\n01234,2,3\n1235,3,4\n00007,5,6\n"
#: name: (content, options, sentence)
OPTIONS = {
    "text": (TABLE, {"text": "zpi"}, "no column 'zpi' to take as text: choose among 'zip', 'b', 'y'"),
    "one text of two": (TABLE, {"text": ["zip", "c"]}, "no column 'c' to take as text"),
    "format without dates": (TABLE, {"date_format": "%d.%m.%Y"}, r"no column holds dates that are written as date_format='%d.%m.%Y'"),
    "format of no date": (TABLE, {"date_format": "%Q"}, "no column holds dates"),
    "decimal is sep": (TABLE, {"sep": ",", "decimal": ","}, "sep and decimal are both ',', and no cell stands in quotes"),
    "sheet of text": (TABLE, {"sheet": "one"}, "sheet='one' is for workbooks"),
    "quote in a number": ('a,b,y\n1,"2"3,3\n2,3,4\n', {}, r"after line 1 a quote \(\"\) is not closed, or not followed by a separator"),
    "quotes of nothing": ('a,b,y\n1,2,3\n1,""3,3\n', {}, "after line 2 a quote"),
    "quotes between spaces": ('a b y\n1 "2"3 3\n2 3 4\n', {"sep": r"\s+"}, "line 2 has 4 cells, the header has 3"),
    "quotes in UTF-16": ('a,b,y\n1,"2"3,3\n2,3,4\n'.encode("utf-16"), {}, "a quote"),
}
#: Values that no option takes, and those that some do.
WRONG = (5.0, [5], {"a": 1}, b"x", object(), True, (None,))
NEVER = {name: WRONG for name in ("sep", "decimal", "thousands", "encoding", "na", "text", "drop", "date_format", "sheet", "impute")}
MARKS = ("", "xx", '"', "\n", 5)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_that_does_not_fit_is_refused(tmp_path, name):
    content, options, expected = OPTIONS[name]
    (tmp_path / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    refuse(tmp_path / "t.csv", expected, **options)


@pytest.mark.parametrize("option", NEVER)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_no_option_takes_values_of_another_kind(tmp_path, option, suffix):
    (tmp_path / f"t{suffix}").write_text(TABLE)
    marks = {"sep": (), "decimal": ("1", "e", "-"), "thousands": ("1", "e", "-")}
    for value in (*NEVER[option], *((*MARKS, *marks[option]) if option in marks else ())):
        with pytest.raises(ValueError, match=f"^{option} must be .*, got "):
            read_table(tmp_path / f"t{suffix}", **{option: value})


def test_marks_differ_where_cells_cannot():
    with pytest.raises(ValueError, match=r"decimal and thousands must be different characters, got '\.' for both"):
        read_table("t.csv", decimal=".", thousands=".")


@pytest.mark.parametrize("path", [5, None, b"t.csv", "a\0.csv", ["t.csv"], np.zeros(3)])
def test_a_path_is_the_name_of_a_file(path):
    with pytest.raises(ValueError, match="path must be the name of a file, got"):
        read_table(path)


@pytest.mark.parametrize("target", [5, ["y"], b"y", ("y",)])
def test_a_target_is_the_name_of_a_column(tmp_path, target):
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(ValueError, match="target must be the name of a column, got"):
        read_table(tmp_path / "t.csv", target)


def test_sep_and_decimal_may_be_one_mark_beside_quotes(tmp_path):
    (tmp_path / "t.csv").write_text('a,b,y\n"1,5",2,3\n"2,5",3,4\n')
    assert read_table(tmp_path / "t.csv", sep=",", decimal=",").X.tolist() == [[1.5, 2], [2.5, 3]]


def write(frame, path):
    """Write a file with types, where the library that pandas asks for is installed."""
    pytest.importorskip("openpyxl" if path.suffix == ".xlsx" else "pyarrow")
    write = {".parquet": frame.to_parquet, ".arrow": frame.to_feather, ".xlsx": lambda path: frame.to_excel(path, index=False)}
    write[path.suffix](path)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xlsx"])
def test_options_of_files_with_types(tmp_path, kind):
    """Marks of text say nothing there; words for "missing" do."""
    path, frame = tmp_path / f"t.{kind}", pd.DataFrame({"a": ["x", "gone", "z"], "y": [1.0, 2, 3]})
    write(frame, path)
    for option, value in (("sep", ";"), ("decimal", ","), ("thousands", "."), ("encoding", "utf-8")):
        refuse(path, f"{option}={value!r} is for files of text: leave it out", **{option: value})
    assert read_table(path, na="gone", impute="drop").X.tolist() == [[0], [1]]


def array_file(shape, dtype="<f8", data=b"", fortran=False):
    raw = io.BytesIO()
    np.lib.format.write_array_header_1_0(raw, {"descr": dtype, "fortran_order": fortran, "shape": shape})
    return raw.getvalue() + data


def test_an_array_that_claims_more_than_its_file_holds(tmp_path):
    (tmp_path / "X.npy").write_bytes(array_file((10**7, 10**6), data=b"12345678"))
    np.save(tmp_path / "y.npy", np.zeros(10**7, dtype=np.int8))
    refuse(tmp_path / "X.npy", r"its head says \(10000000, 1000000\), 80 TB, but there are 136 bytes in all")
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", array_file((10**7, 10**6), data=b"12345678"))
        archive.writestr("y.npy", array_file((10**7,), "|i1", bytes(10**7)))
    refuse(tmp_path / "t.npz", r"its head says \(10000000, 1000000\), 80 TB")


@pytest.mark.parametrize("fault", ["no target", "another length", "one-dimensional", "words"])
def test_what_an_archive_holds_is_known_before_it_is_unpacked(tmp_path, fault):
    """A table of 80 MB, all zeros, that cannot be read."""
    big = {"X": np.zeros((100, 10**5)), "y": np.zeros(100)}
    spoil = {"no target": {"y": None}, "another length": {"y": np.zeros(99)}, "one-dimensional": {"X": np.zeros(10**7)}}
    big |= spoil.get(fault, {"X": np.zeros((100, 10**5), dtype="S8")})
    np.savez_compressed(tmp_path / "t.npz", **{name: array for name, array in big.items() if array is not None})
    tracemalloc.start()
    refuse(tmp_path / "t.npz", "no array 'y'|expected X|expected numbers in X")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5e6


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.svm", "t.parquet", "t.xlsx", "t.npz", "X.npy"])
def test_large_files_are_refused_before_they_are_read(tmp_path, monkeypatch, name):
    """Every format, on a machine where next to nothing is free."""
    frame = pd.DataFrame({name: np.arange(400.0) for name in "aby"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    (tmp_path / "t.svm").write_text("1 1:2 7:3\n" * 400)
    if name in ("t.parquet", "t.xlsx"):
        write(frame, tmp_path / name)
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((400, 2)), y=np.zeros(400))
    np.save(tmp_path / "X.npy", np.zeros((400, 2)))
    np.save(tmp_path / "y.npy", np.zeros(400))
    assert len(read_table(tmp_path / name).X.shape) == 2
    monkeypatch.setattr("coordboost.data.memory.free_memory", lambda: 1500)
    refuse(tmp_path / name, r" takes .* of memory, and 1\.5 kB are free: take a machine with more, or part the file")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (10**20, "cannot be read as an svmlight file"),
        (1 << 63, "cannot be read as an svmlight file"),
        ("1e20", "cannot be read as an svmlight file"),
        ((1 << 31) - 1, r"a fit of 2,147,483,647 features, as the largest index says, takes 172 GB of memory, and 8 GB are free"),
    ],
)
def test_an_index_of_svmlight_that_is_too_large(tmp_path, monkeypatch, index, expected):
    monkeypatch.setattr("coordboost.data.memory.free_memory", lambda: 8 * 10**9)
    (tmp_path / "t.svm").write_text(f"1 1:2 {index}:3\n")
    refuse(tmp_path / "t.svm", expected)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@given(rows=st.lists(st.lists(st.text('",;0 a\n', max_size=6), min_size=2, max_size=2), min_size=2, max_size=5), sep=st.sampled_from(",;"))
def test_whatever_is_quoted_well_is_read(tmp_path_factory, quoting, rows, sep):
    """Text that looks like quotes within cells, in quotes as it must be, is what was written."""
    path = tmp_path_factory.mktemp("t") / "t.csv"
    words = [[f"x{cell}x" for cell in row] for row in rows]
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=sep, quoting=quoting).writerows([["a", "b", "y"], *([*row, k % 2] for k, row in enumerate(words))])
    table = read_table(path, sep=sep, text=["a", "b"])
    levels = [variable.levels for variable in table.recipe.variables]
    assert levels == [tuple(sorted({row[j].strip() for row in words})) for j in (0, 1)][: len(levels)]


@given(before=st.text("12", min_size=0, max_size=2), after=st.text("345.", min_size=1, max_size=3), sep=st.sampled_from(",;\t|"))
def test_no_number_is_read_across_a_quote(tmp_path_factory, before, after, sep):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("\n".join([sep.join("aby"), sep.join(["1", f'"{before}"{after}', "3"]), sep.join("234"), ""]))
    refuse(path, "a quote")


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_numbers_with_zeros_in_front_are_said(tmp_path, sep, quoting, encoding, place):
    """Codes, wherever their column stands and however cells are parted; not dates, decimals, or what is taken as text."""
    rng, n = np.random.default_rng(place), 300
    columns = {"a": rng.normal(size=n), "b": rng.choice(["x 0 1", "0 07"] if sep != " " else ["x", "z"], n), "y": rng.integers(0, 9, n)}
    codes = [f"{code:05d}" for code in rng.integers(0, 99_999, n - 1)] + ["00000"]
    codes[0] = codes[1]  # else each is another one, and they are left out
    names = list(columns)
    names.insert(place, "zip")
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=sep, quoting=quoting, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*[(columns | {"zip": codes})[name] for name in names], strict=True))
    (tmp_path / "t.csv").write_text(lines.getvalue(), encoding=encoding)
    first = next(code for code in codes if code[0] == "0")
    said = "; ".join(read_table(tmp_path / "t.csv").said)
    assert f"zeros in front of numbers left out: 'zip' ({first}); codes are to be taken as text (text='zip')" in said
    assert "zeros" not in "; ".join(read_table(tmp_path / "t.csv", drop="zip").said)
    told = read_table(tmp_path / "t.csv", text="zip")
    assert "zeros" not in "; ".join(told.said) and next(one.levels for one in told.recipe.variables if one.name == "zip") == tuple(
        sorted(set(codes))
    )


def test_dates_times_and_decimals_have_no_zeros_to_lose(tmp_path):
    (tmp_path / "t.csv").write_text("d;t;a;b;y\n01.02.2020;08:30;0,5;0;1\n02.02.2020;09:30;0,05;10;2\n31.12.2020;08:30;00,5;-1;0\n")
    assert "zeros" not in "; ".join(read_table(tmp_path / "t.csv").said)


def test_durations_are_no_dates(tmp_path):
    days = pd.Series(pd.date_range("2024-01-01", periods=4))
    frame = pd.DataFrame({"day": days, "stay": days - days[0] + pd.Timedelta(hours=12), "y": range(4)})
    write(frame, tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.said == ("dates in days since 1970: 'day'", "durations in days: 'stay'")
    assert table.X[:, 1].tolist() == [0.5, 1.5, 2.5, 3.5]
    new = frame.assign(y=0)
    assert table.frame(new).to_numpy().tolist() == table.X.tolist()
    with pytest.raises(ValueError, match="column 'stay' holds dates where the fit had durations: give it as durations"):
        table.frame(new.assign(stay=frame["day"]))


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
@pytest.mark.parametrize("kind", ["npz", "npy", "parquet", "csv"])
def test_whole_numbers_that_become_one_are_named(tmp_path, dtype, kind):
    top = np.iinfo(dtype).max
    whole = np.array([[1, top], [2, top - 1], [3, 5]], dtype=dtype)
    frame, name = pd.DataFrame({"a": whole[:, 0], "b": whole[:, 1], "y": [1.0, 2, 3]}), {"npy": "X.npy"}.get(kind, f"t.{kind}")
    np.savez(tmp_path / "t.npz", X=whole, y=np.arange(3.0))
    np.save(tmp_path / "X.npy", whole)
    np.save(tmp_path / "y.npy", np.arange(3.0))
    frame.to_csv(tmp_path / "t.csv", index=False)
    if kind == "parquet":
        write(frame, tmp_path / name)
    refuse(tmp_path / name, f"{top - 1}.* which float64 cannot tell (apart|from)|{top}.*which float64 cannot tell")


def test_large_whole_numbers_that_stay_apart_are_read(tmp_path):
    whole = np.array([[1 << 60], [1 << 61], [1 << 60]], dtype=np.uint64)
    np.savez(tmp_path / "t.npz", X=whole, y=np.arange(3.0))
    assert read_table(tmp_path / "t.npz").X[:, 0].tolist() == [2.0**60, 2.0**61, 2.0**60]
    assert cb.read_table is read_table
