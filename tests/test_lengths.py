"""Rows with fewer cells than the header are found; where there are none, a quick look is enough."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coordboost.readers import lengths, read_table
from coordboost.readers.lengths import all_even
from coordboost.readers.text import TextFile

LINES = st.lists(st.text("1,", max_size=4), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 3), st.integers(1, 6))
def test_even_lines_are_those_of_python(lines, end, last, width, block):
    text = "a" + end + end.join(lines) + end * last
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lengths, "BLOCK", block)
        assert all_even(io.BytesIO(text.encode()), ",", width) == all(len(row or [""]) == width for row in rows)


@given(st.text('1,\r\n"', max_size=12), st.integers(1, 3))
@example("1\r1,\n", 2)  # two rows, one of them short
@example('"1\n",1\n', 2)
@example("1,\n\n1,\n", 2)
def test_lines_that_are_called_even_are(text, width):
    if all_even(io.BytesIO(b"a\n" + text.encode()), ",", width):
        assert all(len(row or [""]) == width for row in csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    ("sep", "encoding", "above"), [(",", "utf-8", ""), ("|", "cp1252", ""), (";", "utf-16", ""), (";", "utf-8", "sep=;\n")]
)
def test_gaps_in_the_last_column(tmp_path, monkeypatch, sep, encoding, above):
    lines = ["y,ä,b", *["1,2,3", "2,5,"] * 9]
    (tmp_path / "t.csv").write_text(above + "\n".join(lines).replace(",", sep), encoding=encoding)
    parted = []
    monkeypatch.setattr(TextFile, "_refuse_ragged", lambda *_, shorter: parted.append(shorter))
    assert read_table(tmp_path / "t.csv", impute="median").X.tolist() == [[2.0, 3.0], [5.0, 3.0]] * 9
    assert parted == [True] * (encoding == "utf-16" or bool(above))
    monkeypatch.undo()
    (tmp_path / "t.csv").write_text(above + "\n".join([*lines, "1,2"]).replace(",", sep), encoding=encoding)
    with pytest.raises(ValueError, match=f"line {20 + bool(above)} has 2 cells, the header has 3: mend that line"):
        read_table(tmp_path / "t.csv", impute="median")
