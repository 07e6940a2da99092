"""What 1.362 means in a new table, where no cell tells: what it meant in the table of the fit."""

import pytest
from test_bad_tables import refuse

from coordboost import read_table


def lines(*rows):
    return "\n".join(rows) + "\n"


COMMAS, POINTS = lines("a;y", "1,5;3", "-2,75;6", "10,125;9"), lines("a,y", "1.5,3", "-2.75,6", "10.125,9")


@pytest.mark.parametrize(
    ("fit", "new", "expected"),
    [
        (COMMAS, lines("a", "1.362", "2.450"), [1362, 2450]),
        (COMMAS, lines("a;b", "1,362;x"), [1.362]),
        (COMMAS, lines("a", "1.362", "0.5"), [1.362, 0.5]),  # 0.5 is written in one way only
        (COMMAS, lines("a", "7"), [7]),
        (POINTS, lines("a;b", "1,362;x", "2,450;x"), [1362, 2450]),
        (POINTS, lines("a;b", "1,5;x"), [1.5]),
        (lines("a;y", "1;3", "2;6"), lines("a;b", "1,362;x"), [1.362]),  # nothing is known from the fit
        (lines("a;y", "1.234,5;3", "2;6"), lines("a", "1.362"), [1362]),
    ],
)
def test_what_new_rows_leave_open_is_read_as_in_the_fit(tmp_path, fit, new, expected):
    (tmp_path / "fit.csv").write_text(fit)
    (tmp_path / "new.csv").write_text(new)
    table = read_table(tmp_path / "fit.csv")
    assert table.frame(tmp_path / "new.csv").iloc[:, 0].tolist() == expected


def test_the_mark_between_thousands_that_was_told_is_known_to_the_model(tmp_path):
    (tmp_path / "fit.csv").write_text(lines("a;y", "1 234,5;3", "2;6"))
    (tmp_path / "new.csv").write_text(lines("a", "1 362"))
    table = read_table(tmp_path / "fit.csv", thousands=" ", decimal=",")
    assert table.frame(tmp_path / "new.csv", sep=";").iloc[:, 0].tolist() == [1362]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            lines("a;b;y", "1,5;1.362;3", "-2,5;2.450;6", "3,5;1.5;9"),
            r"line 2, column 'b' holds '1.362', a number with a mark: .*, say what the point is \(.* or thousands=\".\"\), or take",
        ),
        (lines("a;y", "1,5;3", "-2,5;6", "1.362;9"), "line 4, column 'a' holds '1.362' among numbers: mend the cell"),
    ],
)
def test_a_point_beside_decimal_commas_is_no_decimal_point(tmp_path, content, sentence):
    (tmp_path / "t.csv").write_text(content)
    refuse(tmp_path / "t.csv", sentence)
    (tmp_path / "t.csv").write_text(content.replace("1.5", "1.500"))
    assert 1362 in read_table(tmp_path / "t.csv", thousands=".").X


LATE = {
    "a gap": (" NA, 2", {"impute": "median"}),
    "a blank cell": ("  , 2", {"impute": "median"}),
    "a gap of one's own": (" -999, 2", {"impute": "drop", "na": "-999"}),
    "quotes": (' "7",  2', {}),
    "quotes around a separator": (' "7,5",  2', {"decimal": ","}),
    "numbers": (" 7,  2", {}),
}


@pytest.mark.parametrize("name", LATE)
def test_spaces_before_cells_are_skipped_wherever_they_begin(tmp_path, name):
    """As they are where the first cell has them: the beginning of the file decides how the rest is read."""
    late, options = LATE[name]
    rows = [f"{i % 9},{i % 5}" for i in range(70_000)] + [late, "3,1"]
    (tmp_path / "late.csv").write_text(lines("a,y", *rows))
    (tmp_path / "soon.csv").write_text(lines("a,y", rows[0].replace(",", ", "), *rows[1:]))
    late, soon = (read_table(tmp_path / f"{one}.csv", **options) for one in ("late", "soon"))
    assert (late.X == soon.X).all() and (late.y == soon.y).all() and late.said == soon.said


def test_words_with_spaces_before_them_are_the_words(tmp_path):
    rows = [f"{'pq'[i % 2]},{i % 5}" for i in range(70_000)]
    (tmp_path / "t.csv").write_text(lines("a,y", *rows, " q,2", ' "r, s",1'))
    assert read_table(tmp_path / "t.csv").feature_names == ("a=p", "a=q", "a=r, s")
