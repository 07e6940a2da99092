"""Files to data frames and arrays: pandas, NumPy and scikit-learn read them; what is guessed is said, what they refuse is one sentence.

What is guessed of a text file, from its beginning, is the encoding, the separator and the decimal mark. A pickle is never read.
"""

import csv
import gzip
import io
import itertools
import re
import warnings
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from coordboost._utils.checks import shown
from coordboost.data.columns import Cells, clash
from coordboost.data.memory import check_room, in_words
from coordboost.data.recipe import IMPUTE

TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
PARQUET, ARROW, EXCEL = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".xlsx", ".xlsm", ".xls", ".ods")
NAMED, SVM = (*TEXT, *(f"{end}.gz" for end in TEXT), *PARQUET, *ARROW, *EXCEL), (".svm", ".svmlight", ".libsvm")
#: Bytes that a fit keeps of a feature in which nothing is stored: where its entries begin, mean, norm, a coefficient, ...
PER_FEATURE = 80
PART = "take a machine with more, or part the file"
SPACES = r"\s+"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", SPACES: "spaces"}
ENCODINGS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
#: Cells between spaces, in quotes or not; numbers with a decimal comma and a decimal point; those that may have marks of thousands instead.
SPACED = re.compile(r'"([^"]*)"|(\S+)')
COMMA, POINT = (re.compile(rf"[+-]?(\d*|\d{{1,3}}([{x}]\d{{3}})+)[{mark}]\d+([eE][+-]?\d+)?") for mark, x in (",.", ".,"))
EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")


class Options(NamedTuple):
    """How a table is to be read.

    sep, decimal, thousands : one character each (sep also ``SPACES``);  encoding : a codec; None: guessed, no mark between thousands
    na : words (one or several) that mean "missing", besides those of pandas;  text : names of columns of text, whatever is in them
    drop : names of columns to leave out;  date_format : how dates are written, as for ``datetime.strptime``;  sheet : of a workbook
    impute : None refuses gaps; "median" (text: the most frequent category); "indicator" (the same, and a 0/1 column where gaps were);
    "drop" (rows with gaps are left out)
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na: tuple = ()
    text: tuple = ()
    drop: tuple = ()
    date_format: str | None = None
    sheet: str | int | None = None
    impute: str | None = None


MARK = r'(?![+"\r\n-])[\W_]', "one character that stands in no number or name"
#: What an option must match where it is given, and how that is said.
FITS = {
    "sep": (r'\\s\+|[^"\r\n]', f"one character that stands in no number or name, or {SPACES!r} for spaces"),
    "decimal": MARK, "thousands": MARK, "encoding": (".+", "a string or None"), "date_format": (".+", "a string or None"),
    "sheet": (".*", "the name of a sheet, or its number from 0 on"), "impute": ("|".join(IMPUTE), f"one of {', '.join(IMPUTE)} or None"),
}  # fmt: skip


def options_of(given):
    """The ``Options`` of a dictionary.

    Raises
    ------
    ValueError
        For a name that is none, and a value that does not fit.
    """
    if unknown := [name for name in given if name not in Options._fields]:
        raise ValueError(f"a table is read with {', '.join(Options._fields)}, got {unknown[0]!r}.")
    made = Options(**given)
    for name in ("na", "text", "drop"):
        value = getattr(made, name)
        value = (value,) if isinstance(value, str | dict) or not hasattr(value, "__iter__") else tuple(value)
        if not all(isinstance(one, str) for one in value):
            raise ValueError(f"{name} must be a string or a sequence of strings, got {shown(value)}.")
        made = made._replace(**{name: value})
    for name, (pattern, expected) in FITS.items():
        value = getattr(made, name)
        fits = isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL)
        if not (value is None or fits or (name == "sheet" and type(value) is int)):
            raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    if made.decimal is not None and made.decimal == made.thousands:
        raise ValueError(f"decimal and thousands must be different characters, got {made.decimal!r} for both.")
    return made


class Read(NamedTuple):
    """A file with named columns that was read.

    frame : pandas DataFrame;  cells : how its cells are written, and in words where a row is
    marks : (decimal, thousands or "") as a recipe keeps them, () where no cell shows them and nobody told;  said : what was guessed
    """

    frame: Any
    cells: Cells
    marks: tuple = ()
    said: tuple = ()


def frame_of(path, suffix, options, text=(), before=()):
    """The file as a ``Read``; `text` : names of columns of text; `before` : the marks of a table that this one is like.

    Raises
    ------
    ValueError
        One sentence that begins with the path.
    """
    foreign = ("sheet",) if suffix in TEXT else ("sep", "decimal", "thousands", "encoding") + ("sheet",) * (suffix not in EXCEL)
    for name in foreign:
        if (value := getattr(options, name)) is not None:
            what = "workbooks" if name == "sheet" else "files of text"
            raise ValueError(f"{path}: {name}={shown(value)} is for {what}: leave it out")
    return _text(path, suffix, options, text, before) if suffix in TEXT else _typed(path, suffix, options, text)


def _typed(path, suffix, options, text):
    """A file with typed columns: Parquet, Arrow, or a sheet of a workbook."""
    import pandas as pd

    frame, na, first = None, list(options.na), 2 if suffix in EXCEL else 1
    with opened(path, f"a {suffix} file", Exception) as raw, suppress(ImportError):
        if suffix in EXCEL:
            sheet = 0 if options.sheet is None else options.sheet
            frame = pd.read_excel(raw, sheet_name=sheet, dtype=dict.fromkeys(text, str))
        else:
            frame = pd.read_parquet(raw) if suffix in PARQUET else pd.read_feather(raw)
    if frame is None:
        needs = {".xls": "xlrd", ".ods": "odfpy"}.get(suffix, "openpyxl" if suffix in EXCEL else "pyarrow")
        raise ValueError(f"{path}: pandas needs {needs} to read it: python -m pip install {needs}")
    for j, dtype in enumerate(frame.dtypes if na else ()):
        if getattr(dtype, "kind", "O") == "O":
            frame.isetitem(j, frame.iloc[:, j].mask(frame.iloc[:, j].isin(na)))
    frame.columns = [str(name).strip() for name in frame.columns]
    return Read(frame, Cells(lambda row: f"row {row + first}"))


def _text(path, suffix, options, text, before):
    """A file of text."""
    with opened(path, "a table of text") as raw:
        data = raw.read()
    data, encoding = _in_utf8(path, data, options.encoding)
    file = _Text(path, data[re.match(rb"(# *)?", data).end() :])  # NumPy writes # before names
    sep = options.sep or _separator(file, suffix)
    rows = file.first(sep)
    if not rows:
        raise ValueError(f"{path}: expected a header row and rows of cells, got an empty file: check the file")
    cells = [cell.strip() for row in rows[1:] for cell in row]
    if sep == options.decimal and b'"' not in data:
        raise ValueError(f"{path}: sep and decimal are both {sep!r}, and no cell stands in quotes: say which of them it is")
    shows, guess = _decimal(cells, sep, before)
    decimal = options.decimal or guess
    thousands = options.thousands or (before[1] if before[:1] == (decimal,) else "")
    names = _header(path, rows)
    frame = _parsed(file, sep, decimal, names, [*options.na], text)
    guessed = (
        (options.encoding, encoding.startswith("utf-8"), f"encoding {encoding}"),
        (options.sep, sep == ",", f"{SEPARATORS.get(sep)} between cells"),
        (options.decimal, decimal == ".", "a decimal comma"),
    )
    odd = [words for told, usual, words in guessed if not (told or usual)]
    said = [f"read with {', '.join(odd)}"] if odd else []
    codes = {name: cell for row in rows[:0:-1] for name, cell in zip(names, row, strict=False) if re.fullmatch(r" *0\d+ *", cell)}
    codes = {name: cell.strip() for name, cell in codes.items() if name not in (*text, *options.drop) and frame[name].dtype.kind in "iuf"}
    if codes:
        few = ", ".join(f"{name!r} ({cell})" for name, cell in [*codes.items()][:8])
        said.append(f"zeros in front of numbers left out: {few}; codes are to be taken as text (text={next(iter(codes))!r})")
    marks = (decimal, thousands) if shows or options.decimal or thousands else ()
    return Read(frame, Cells(file.where(sep), decimal, thousands), marks, tuple(said))


def _in_utf8(path, data, told):
    """The bytes of a text in UTF-8, without a mark at the beginning, and the encoding that they were in."""
    marked = next((encoding for mark, encoding in ENCODINGS.items() if data.startswith(mark)), None)
    if not (told or marked) and b"\0" in data:
        raise ValueError(f"{path}: cannot be read as a table (it holds zero bytes, so it is no text): check the suffix of its name")
    for encoding in [told] if told else [marked or "utf-8", "cp1252", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        except LookupError:
            raise ValueError(f"{path}: there is no encoding {told!r}: utf-8, utf-16, cp1252 and latin-1 are common") from None
        return (data if encoding == "utf-8" else text.encode()).removeprefix(b"\xef\xbb\xbf"), encoding
    raise ValueError(f"{path}: the text is not in {told}: leave --encoding out, or name the right one")


class _Text(NamedTuple):
    """A file of text in UTF-8."""

    path: Path
    data: bytes

    def records(self, sep):
        """Yield (number of the last line, cells) of each record that is not blank."""
        lines = io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline="")
        if sep == SPACES:
            found = ((k, [quoted or plain for quoted, plain in SPACED.findall(line)]) for k, line in enumerate(lines, 1))
        else:
            reader = csv.reader(lines, delimiter=sep, skipinitialspace=True, strict=True)
            found = ((reader.line_num, row) for row in reader)
        yield from ((k, row) for k, row in found if row)

    def first(self, sep, at_most=100):
        """The cells of the first records, up to one that cannot be read."""
        found = []
        with suppress(csv.Error):
            found.extend(row for _, row in itertools.islice(self.records(sep), at_most))
        return found

    def where(self, sep):
        """A function from a row, counted from 0 after the header, to its line, in words. *Cost*: the file is read up to there."""

        def said(row):
            with suppress(csv.Error, StopIteration):  # where pandas finds other records than Python
                return f"line {next(itertools.islice(self.records(sep), row + 1, None))[0]}"
            return f"row {row + 1}"

        return said

    def check(self, sep, names):
        """Refuse the first record that is not as wide as the header, and quotes that do not enclose a cell."""
        width, last = len(names), 0
        way = unsplit(names) or (": take out what stands above the names of the columns" if width == 1 else ": mend that line")
        try:
            for k, (last, row) in enumerate(self.records(sep)):
                if k and (len(row) < width or any(row[width:])):
                    cells = f"{len(row)} cell{'s' * (len(row) != 1)}"
                    raise ValueError(f"{self.path}: line {last} has {cells}, the header has {width}{way}")
        except csv.Error as error:
            fault = f'a quote (") is not closed, or not followed by a separator ({error}): mend it'
            if "field limit" in str(error):
                most = csv.field_size_limit()
                fault = f"a cell has more than {most:,} characters, or a quote is not closed: mend it, or leave the column out"
            raise ValueError(f"{self.path}: in the record after line {last} {fault}") from None


def _separator(file, suffix):
    """The separator by which most of the first records have as many cells as the first, most of all; spaces where no other one will do."""
    usual = "\t" if suffix == ".tsv" else ","

    def score(sep):
        widths = [len(row) for row in file.first(sep)] or [0]
        return 2 * widths.count(widths[0]) > len(widths) and widths[0] > 1, widths[0], sep == usual

    best = max([sep for sep in SEPARATORS if sep != SPACES], key=score)
    if score(best)[1] > 1:
        return best
    rows = file.first(SPACES)
    widths = {len(row) for row in rows}
    return SPACES if (len(widths) == 1 and widths != {1}) or _has_row_names(rows) else usual


def _has_row_names(rows):
    """Whether rows begin with names of their own, as R writes them: all have one cell more than the first, `rows[0]`.

    Names all differ, and none is a number, or they are 1, 2, 3, ...
    """
    names = [row[0] for row in rows[1:]]
    plain = names == [str(k) for k in range(1, len(rows))] or not any(name[:1] in "+-.,0123456789" for name in names)
    return {len(row) - len(rows[0]) for row in rows[1:]} == {1} and len(names) > 1 and plain and len(set(names)) == len(names)


def _header(path, rows):
    """The names of the columns; those that lack one are called as pandas calls them."""
    header = [name.strip() for name in rows[0]]
    if twice := repeated([name for name in header if name]):
        raise ValueError(f"{path}: the header repeats {quoted(twice)}: give every column its own name")
    return [name or f"Unnamed: {j}" for j, name in enumerate([""] * _has_row_names([header, *rows[1:]]) + header)]


def _decimal(cells, sep, before):
    """Whether cells show the decimal mark, and the mark: from those that are written in one way only, 1,5 and 1.5, not 1,234 and 1.234."""
    commas, points = ([cell for cell in cells if one.fullmatch(cell)] for one in (COMMA, POINT))
    sure = [sum(not EITHER.fullmatch(cell) for cell in found) for found in (commas, points)]
    if sure[0] == sure[1] and before:
        return bool(commas or points), before[0]
    comma = sure[0] > sure[1] or (sure == [0, 0] and sep != "," and len(commas) > len(points))
    return bool(commas or points), "," if comma else "."


def _parsed(file, sep, decimal, names, na, text):
    """The rows as a pandas DataFrame."""
    import pandas as pd

    words = {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                io.BytesIO(file.data), sep=sep, decimal=decimal, names=names, header=0, index_col=False, na_values=na,
                dtype={name: str for name in text if name in names}, skipinitialspace=True, low_memory=False, **words,
            )  # fmt: skip
        except pd.errors.EmptyDataError:
            return pd.DataFrame({name: [] for name in names})
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            file.check(sep, names)
            raise ValueError(f"{file.path}: cannot be read as a table of text ({' '.join(str(error).split())}): check it") from None
    if b'"' in file.data or (len(frame) and frame.iloc[:, -1].isna().any()):  # cells that lack are gaps to pandas, "2"3 is 23
        file.check(sep, names)
    return frame


def unsplit(names):
    """The remedy where all names of a table seem to stand in one cell; "" where they do not."""
    marks = [mark for mark in SEPARATORS if len(names) == 1 and mark in names[0]]
    return f"; the header looks as if {SEPARATORS[marks[0]]} separated its cells (sep={marks[0]!r})" if marks else ""


def arrays_of(text, suffix, target=None, labelled=True, n_features=None):
    """X, y and names of a file without columns that have names of their own; y is None where it is not wanted and not there.

    Raises
    ------
    ValueError
        One sentence that begins with the path.
    """
    if suffix == ".npz":
        return _npz(Path(text), target, labelled)
    if suffix == ".npy":
        return _npy(text, labelled)
    from sklearn.datasets import load_svmlight_file

    path = Path(text)
    with opened(path, "an svmlight file", ValueError, OverflowError) as raw:
        X, y = load_svmlight_file(raw, dtype=np.float64, n_features=n_features)
    what = f"{path}: a fit of {X.shape[1]:,} features, by its largest index,"
    check_room(PER_FEATURE * X.shape[1], what, "number the features from 1 on, as most of them are in no line")
    return _checked(path, csc_array(X), y, None, "y")


def _npz(path, target, labelled):
    with opened(path, "an .npz file without pickles", ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        there = archive.files
        found = {name: archive[name] for name in ("X", target, "feature_names") if name in there}
    if lacking := [name for name in ("X", target)[: 1 + labelled] if name not in found]:
        raise ValueError(f"{path}: no array {lacking[0]!r}: expected 'X' and {target!r}, got {quoted(there)}")
    names = tuple(map(str, found["feature_names"].ravel())) if "feature_names" in found else None
    return _checked(path, found["X"], found.get(target), names, target)


def _npy(text, labelled):
    """A file, and the other one that is named after a comma, or has ``y`` in its name where this one ends with ``X``."""
    left, comma, right = text.partition(".npy,")
    first = Path(left + ".npy" if comma else text)
    second = Path(right.strip()) if comma else first.with_name(f"{first.stem[:-1]}y{first.suffix}")
    if labelled and not comma and not first.stem.endswith("X"):
        raise ValueError(f"{text}: expected a name ending with 'X.npy', or a pair 'X.npy,y.npy': name both files")
    return _checked(first, _array(first), _array(second) if labelled or comma else None, None, str(second))


def _array(path):
    with opened(path, "an .npy file without pickles", ValueError) as raw:
        return np.lib.format.read_array(raw, allow_pickle=False)


def _checked(path, X, y, names, target):
    """X, y and names once shapes agree, names are sound and every number is finite."""
    if X.ndim != 2 or (y is not None and y.shape != X.shape[:1]):
        got = f"{X.shape} and {None if y is None else y.shape}"
        raise ValueError(f"{path}: expected X (m, p) and {target} (m,), got {got}: reshape them")
    if 0 in X.shape:
        raise ValueError(f"{path}: expected at least one row and one feature, got X {X.shape}: check the file")
    if names is not None and (len(names) != X.shape[1] or repeated(names)):
        raise ValueError(f"{path}: expected {X.shape[1]} different feature_names, got {quoted(names)}: mend them")
    for name, values in (("X", X), (target, y)):
        if values is not None:
            _check_numbers(path, name, values)
    dense = np.asfortranarray(X, dtype=np.float64) if isinstance(X, np.ndarray) else X
    return dense, None if y is None else np.array(y, dtype=np.float64), names


def _check_numbers(path, name, values):
    """Refuse what is no number, not finite, or one float64 number with another."""
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{path}: expected numbers in {name}, got dtype {values.dtype}: encode them as numbers")
    bad = ~np.isfinite(values) if isinstance(values, np.ndarray) else csc_array((~np.isfinite(values.data), values.indices, values.indptr))
    if place := [*zip(*bad.nonzero(), strict=True)][:1]:
        where = ", column ".join(str(int(i)) for i in place[0])
        raise ValueError(f"{path}: {name} holds {values[place[0]]} in row {where}, counted from 0: fill in the number or drop the row")
    for j, column in enumerate(np.atleast_2d(values.T) if values.dtype.kind in "iu" and values.dtype.itemsize == 8 else ()):
        whole = column.tolist()
        if found := clash(whole):
            raise ValueError(
                f"{path}: {name}, column {j}, holds {whole[found[0]]} and {found[1]}, which float64 cannot tell apart: subtract a constant "
                "from the column, or leave it out"
            )


def repeated(names):
    """The names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def quoted(names, at_most=20):
    """The names in quotes, the first of them where there are many."""
    more = f" and {len(names) - at_most} more" if len(names) > at_most else ""
    return (", ".join(map(repr, names[:at_most])) or "nothing") + more


@contextmanager
def opened(path, kind, *also):
    """Open a file for reading bytes (through gzip for .gz) where there is room for it; damage becomes one ValueError sentence."""
    if path.is_dir():
        raise ValueError(f"{path}: that is a folder: name a file in it")
    if not path.is_file():
        raise ValueError(f"{path}: no such file: check the path")
    size = _size(path)
    check_room(size, f"{path}: {kind} of {in_words(size)}", PART)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as raw:
            yield raw
    except MemoryError:
        raise ValueError(f"{path}: reading it takes more memory than there is: {PART}") from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, *also) as error:
        said = " ".join(str(error).split())  # one line, whatever the library thought
        raise ValueError(f"{path}: cannot be read as {kind} ({said}): check that it is one, and whole") from error


def _size(path):
    """The bytes in a file, those in an archive once they are unpacked."""
    n_bytes = path.stat().st_size
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    if path.suffix.lower() == ".gz" and n_bytes >= 4:
        with path.open("rb") as packed:
            packed.seek(-4, 2)  # where gzip says how much there was, whole 4 GiB left out
            n_bytes = max(n_bytes, int.from_bytes(packed.read(4), "little"))
    return n_bytes
