"""Read files to data frames and arrays with pandas, NumPy and scikit-learn.

Report inferred settings; an error is one sentence.

For a text file the encoding is inferred, and from its first rows the separator and the decimal
mark. A pickle is never read.
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
from coordboost.data.frames import as_pandas
from coordboost.data.memory import check_room, in_words
from coordboost.data.recipe import IMPUTE

TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xlsm", ".xls", ".ods")
NAMED = (*TEXT, *(f"{end}.gz" for end in TEXT), *PARQUET, *ARROW, *EXCEL)
SVM = (".svm", ".svmlight", ".libsvm")
#: Bytes that a fit needs for a feature without stored entries: the index of its first entry, mean,
#: norm, a coefficient, ...
PER_FEATURE = 80
PART = "use a machine with more memory, or split the file"
SPACES = r"\s+"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", SPACES: "spaces"}
ENCODINGS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
#: Cells separated by spaces, quoted or not; numbers with a decimal comma or point; those whose mark
#: may also be one of thousands.
SPACED = re.compile(r'"([^"]*)"|(\S+)')
COMMA, POINT = (
    re.compile(rf"[+-]?(\d*|\d{{1,3}}([{x}]\d{{3}})+)[{mark}]\d+([eE][+-]?\d+)?")
    for mark, x in (",.", ".,")
)
EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")


class Options(NamedTuple):
    r"""Options for reading a table.

    Parameters
    ----------
    sep : str, optional
        The separator of cells, one character, or ``\s+`` for spaces; guessed by default.
    decimal : str, optional
        The decimal mark, guessed by default.
    thousands : str, optional
        The thousands separator, none by default.
    encoding : str, optional
        Encoding, such as cp1252; guessed by default.
    na : sequence of str
        A word for missing values, as NA. Those of pandas count as well.
    text : sequence of str
        A column to take as text.
    drop : sequence of str
        A column to leave out.
    weights : str, optional
        The column of the weights, none by default.
    date_format : str, optional
        Format, as "%d/%m/%Y"; guessed by default.
    sheet : str or int, optional
        The sheet of a workbook, by default the first.
    impute : str, optional
        Missing values: median, indicator, drop (rows). By default they are refused, or kept for
        trees. Of text the most frequent category takes the place of the median; the indicator is
        the same, and 0/1 columns that mark them.
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na: tuple = ()
    text: tuple = ()
    drop: tuple = ()
    weights: str | None = None
    date_format: str | None = None
    sheet: str | int | None = None
    impute: str | None = None


MARK = r'(?![+"\r\n-])[\W_]', "one character that is not a letter, digit, sign or quote"
#: The pattern that a given option must match, and its description in messages.
FITS = {
    "sep": (
        r'\\s\+|[^"\r\n]',
        f"one character that occurs in no number or name, or {SPACES!r} for spaces",
    ),
    "decimal": MARK,
    "thousands": MARK,
    "encoding": (".+", "a string or None"),
    "weights": (".+", "the name of a column or None"),
    "date_format": (".+", "a string or None"),
    "sheet": (".*", "the name of a sheet, or its number from 0 on"),
    "impute": ("|".join(IMPUTE), f"one of {', '.join(IMPUTE)} or None"),
}


def options_of(given):
    """Check a dictionary of options and return it as ``Options``.

    Raises
    ------
    ValueError
        For an unknown name, and a value that does not fit.
    """
    if unknown := [name for name in given if name not in Options._fields]:
        raise ValueError(
            f"the options of a table are {', '.join(Options._fields)}, got {unknown[0]!r}."
        )
    options = Options(**given)
    for name in ("na", "text", "drop"):
        value = getattr(options, name)
        value = (
            (value,)
            if isinstance(value, str | dict) or not hasattr(value, "__iter__")
            else tuple(value)
        )
        if not all(isinstance(text, str) for text in value):
            raise ValueError(
                f"{name} must be a string or a sequence of strings, got {shown(value)}."
            )
        options = options._replace(**{name: value})
    for name, (pattern, expected) in FITS.items():
        value = getattr(options, name)
        fits = isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL)
        if not (value is None or fits or (name == "sheet" and type(value) is int)):
            raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    if options.decimal is not None and options.decimal == options.thousands:
        raise ValueError(
            f"decimal and thousands must be different characters, got {options.decimal!r} for both."
        )
    return options


class Read(NamedTuple):
    """A file with named columns, read.

    frame : pandas DataFrame
    cells : formats of its cells, and where a row is
    marks : (decimal, thousands or "") for the recipe, () if neither cells nor options show them
    said : notes on what was inferred
    """

    frame: Any
    cells: Cells
    marks: tuple = ()
    said: tuple = ()


def frame_of(path, suffix, options, text=(), before=()):
    """Read a file with named columns; `text` : columns to read as text.

    `before` : the `marks` of the table of the fit, or ().

    Raises
    ------
    ValueError
        One sentence that begins with the path.
    """
    foreign = (
        ("sheet",)
        if suffix in TEXT
        else ("sep", "decimal", "thousands", "encoding") + ("sheet",) * (suffix not in EXCEL)
    )
    _refuse_options(path, options, foreign)
    return (
        _text(path, suffix, options, text, before)
        if suffix in TEXT
        else _typed(path, suffix, options, text)
    )


def of_frame(name, frame, options):
    """Take a data frame of any library as a file with typed columns, called `name` in messages.

    Raises
    ------
    ValueError
        One sentence that begins with the name.
    """
    _refuse_options(name, options, ("sep", "decimal", "thousands", "encoding", "sheet"))
    frame = as_pandas(frame)
    frame = _without_words(
        frame.set_axis([str(of).strip() for of in frame.columns], axis=1), options
    )
    if twice := repeated(list(frame.columns)):
        raise ValueError(f"{name}: two columns are called {twice!r}: give each its own name")
    return Read(frame, Cells())


def _refuse_options(path, options, names):
    """Refuse the options of these names, which are for files of another kind."""
    for name in names:
        if (value := getattr(options, name)) is not None:
            what = "workbooks" if name == "sheet" else "text files"
            raise ValueError(f"{path}: {name}={shown(value)} is for {what}: leave it out")


def _without_words(frame, options):
    """The frame with missing values in place of the words of the option `na`."""
    na = list(options.na)
    for j, dtype in enumerate(frame.dtypes if na else ()):
        if getattr(dtype, "kind", "O") == "O":
            frame.isetitem(j, frame.iloc[:, j].mask(frame.iloc[:, j].isin(na)))
    return frame


def _typed(path, suffix, options, text):
    """Read a file with typed columns: Parquet, Arrow, or a sheet of a workbook."""
    import pandas as pd

    frame = None
    first_row = 2 if suffix in EXCEL else 1
    with opened(path, f"a {suffix} file", Exception) as raw, suppress(ImportError):
        if suffix in EXCEL:
            sheet = 0 if options.sheet is None else options.sheet
            frame = pd.read_excel(raw, sheet_name=sheet, dtype=dict.fromkeys(text, str))
        else:
            frame = pd.read_parquet(raw) if suffix in PARQUET else pd.read_feather(raw)
    if frame is None:
        needs = {".xls": "xlrd", ".ods": "odfpy"}.get(
            suffix, "openpyxl" if suffix in EXCEL else "pyarrow"
        )
        raise ValueError(f"{path}: pandas needs {needs} to read it: python -m pip install {needs}")
    frame = _without_words(frame, options)
    frame.columns = [str(name).strip() for name in frame.columns]
    return Read(frame, Cells(lambda row: f"row {row + first_row}"))


def _text(path, suffix, options, text, before):
    """Read a text file."""
    with opened(path, "a table of text") as raw:
        data = raw.read()
    data, encoding = _in_utf8(path, data, options.encoding)
    file = _Text(path, data[re.match(rb"(# *)?", data).end() :])  # NumPy writes # before names
    sep = options.sep or _separator(file, suffix)
    rows = file.first(sep)
    if not rows:
        raise ValueError(
            f"{path}: expected a header row and rows of cells, got an empty file: check the file"
        )
    cells = [cell.strip() for row in rows[1:] for cell in row]
    if sep == options.decimal and b'"' not in data:
        raise ValueError(
            f"{path}: sep and decimal are both {sep!r}, and no cell is quoted: pass another sep "
            "or decimal"
        )
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
    unusual = [description for given, usual, description in guessed if not (given or usual)]
    notes = [f"read with {', '.join(unusual)}"] if unusual else []
    codes = {
        name: cell
        for row in rows[:0:-1]
        for name, cell in zip(names, row, strict=False)
        if re.fullmatch(r" *0\d+ *", cell)
    }
    codes = {
        name: cell.strip()
        for name, cell in codes.items()
        if name not in (*text, *options.drop) and frame[name].dtype.kind in "iuf"
    }
    if codes:
        examples = ", ".join(f"{name!r} ({cell})" for name, cell in [*codes.items()][:8])
        notes.append(
            f"leading zeros of numbers dropped: {examples}; codes should be read as text "
            f"(text={next(iter(codes))!r})"
        )
    marks = (decimal, thousands) if shows or options.decimal or thousands else ()
    return Read(frame, Cells(file.where(sep), decimal, thousands), marks, tuple(notes))


def _in_utf8(path, data, given):
    """Convert the bytes of a text to UTF-8 without a byte-order mark.

    Return them and their original encoding.
    """
    marked = next((encoding for mark, encoding in ENCODINGS.items() if data.startswith(mark)), None)
    if not (given or marked) and b"\0" in data:
        raise ValueError(
            f"{path}: cannot be read as a table (it holds zero bytes, so it is not text): check "
            "the suffix of its name"
        )
    for encoding in [given] if given else [marked or "utf-8", "cp1252", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        except LookupError:
            raise ValueError(
                f"{path}: there is no encoding {given!r}: utf-8, utf-16, cp1252 and latin-1 "
                "are common"
            ) from None
        return (data if encoding == "utf-8" else text.encode()).removeprefix(
            b"\xef\xbb\xbf"
        ), encoding
    raise ValueError(
        f"{path}: the text is not in {given}: leave --encoding out, or name the right one"
    )


class _Text(NamedTuple):
    """The bytes of a text file, in UTF-8."""

    path: Path
    data: bytes

    def records(self, sep):
        """Yield (number of the last line, cells) of each record that is not blank."""
        lines = io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline="")
        if sep == SPACES:
            numbered = (
                (k, [quoted or plain for quoted, plain in SPACED.findall(line)])
                for k, line in enumerate(lines, 1)
            )
        else:
            reader = csv.reader(lines, delimiter=sep, skipinitialspace=True, strict=True)
            numbered = ((reader.line_num, row) for row in reader)
        yield from ((k, row) for k, row in numbered if row)

    def first(self, sep, at_most=100):
        """The cells of the first records, up to one that cannot be read."""
        rows = []
        with suppress(csv.Error):
            rows.extend(row for _, row in itertools.islice(self.records(sep), at_most))
        return rows

    def where(self, sep):
        """Return a function from a row, counted from 0 after the header, to its line in words.

        *Cost* of a call: reading up to there.
        """

        def said(row):
            with suppress(csv.Error, StopIteration):  # pandas may find other records than Python
                return f"line {next(itertools.islice(self.records(sep), row + 1, None))[0]}"
            return f"row {row + 1}"

        return said

    def check(self, sep, names):
        """Refuse records with fewer or more cells than the header, and quotes that do not enclose a
        cell.
        """
        width = len(names)
        last = 0
        advice = unsplit(names) or (
            ": remove the lines above the column names" if width == 1 else ": correct that line"
        )
        try:
            for k, (last, row) in enumerate(self.records(sep)):
                if k and (len(row) < width or any(row[width:])):
                    cells = f"{len(row)} cell{'s' * (len(row) != 1)}"
                    raise ValueError(
                        f"{self.path}: line {last} has {cells}, the header has {width}{advice}"
                    )
        except csv.Error as error:
            fault = (
                f'a quote (") is not closed, or not followed by a separator ({error}): correct it'
            )
            if "field limit" in str(error):
                most = csv.field_size_limit()
                fault = (
                    f"a cell has more than {most:,} characters, or a quote is not closed: "
                    "correct it, or leave the column out"
                )
            raise ValueError(f"{self.path}: in the record after line {last} {fault}") from None


def _separator(file, suffix):
    """Infer the separator from the first records.

    Most have as many cells as the header, the more the better; spaces if no other one splits it.
    """
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
    """Whether rows begin with row names, as R writes them: then all have one cell more than the
    header, `rows[0]`.

    Row names all differ; they are 1, 2, 3, ..., or none of them begins like a number.
    """
    names = [row[0] for row in rows[1:]]
    plain = names == [str(k) for k in range(1, len(rows))] or not any(
        name[:1] in "+-.,0123456789" for name in names
    )
    return (
        {len(row) - len(rows[0]) for row in rows[1:]} == {1}
        and len(names) > 1
        and plain
        and len(set(names)) == len(names)
    )


def _header(path, rows):
    """Return the names of the columns.

    A column without a name gets the one that pandas gives it.
    """
    header = [name.strip() for name in rows[0]]
    if twice := repeated([name for name in header if name]):
        raise ValueError(
            f"{path}: the header repeats {quoted(twice)}: give every column its own name"
        )
    return [
        name or f"Unnamed: {j}"
        for j, name in enumerate([""] * _has_row_names([header, *rows[1:]]) + header)
    ]


def _decimal(cells, sep, before):
    """Infer the decimal mark, from unambiguous cells first (1,5, not 1,234).

    Return whether any cell has a mark, and the mark.
    """
    commas, points = (
        [cell for cell in cells if pattern.fullmatch(cell)] for pattern in (COMMA, POINT)
    )
    sure = [sum(not EITHER.fullmatch(cell) for cell in notation) for notation in (commas, points)]
    if sure[0] == sure[1] and before:
        return bool(commas or points), before[0]
    comma = sure[0] > sure[1] or (sure == [0, 0] and sep != "," and len(commas) > len(points))
    return bool(commas or points), "," if comma else "."


def _parsed(file, sep, decimal, names, na, text):
    """Parse the rows with pandas."""
    import pandas as pd

    precision = (
        {"float_precision": "round_trip"}
        if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
        else {}
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                io.BytesIO(file.data),
                sep=sep,
                decimal=decimal,
                names=names,
                header=0,
                index_col=False,
                na_values=na,
                dtype={name: str for name in text if name in names},
                skipinitialspace=True,
                low_memory=False,
                **precision,
            )
        except pd.errors.EmptyDataError:
            return pd.DataFrame({name: [] for name in names})
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            file.check(sep, names)
            raise ValueError(
                f"{file.path}: cannot be read as a table of text ({' '.join(str(error).split())}): "
                "check it"
            ) from None
    if b'"' in file.data or (
        len(frame) and frame.iloc[:, -1].isna().any()
    ):  # pandas fills up short rows, and reads "2"3 as 23
        file.check(sep, names)
    return frame


def unsplit(names):
    """Advice if all names of a table seem to be in one cell; "" if they are not."""
    marks = [mark for mark in SEPARATORS if len(names) == 1 and mark in names[0]]
    return (
        f"; the header looks as if {SEPARATORS[marks[0]]} separated its cells (sep={marks[0]!r})"
        if marks
        else ""
    )


def arrays_of(text, suffix, target=None, labelled=True, n_features=None):
    """Read X, y and names from a file of arrays (.npz, .npy or svmlight).

    Y is None if it is neither required nor there.

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
    what = f"{path}: a fit of {X.shape[1]:,} features (the largest index)"
    check_room(
        PER_FEATURE * X.shape[1],
        what,
        "renumber the features from 1 on, as most of them occur in no line",
    )
    return _checked(path, csc_array(X), y, None, "y")


def _npz(path, target, labelled):
    with opened(path, "an .npz file without pickles", ValueError) as raw:
        archive = np.lib.npyio.NpzFile(raw, allow_pickle=False)
        stored = archive.files
        arrays = {name: archive[name] for name in ("X", target, "feature_names") if name in stored}
    if lacking := [name for name in ("X", target)[: 1 + labelled] if name not in arrays]:
        raise ValueError(
            f"{path}: no array {lacking[0]!r}: expected 'X' and {target!r}, got {quoted(stored)}"
        )
    names = tuple(map(str, arrays["feature_names"].ravel())) if "feature_names" in arrays else None
    return _checked(path, arrays["X"], arrays.get(target), names, target)


def _npy(text, labelled):
    """Read X and y from two files: "X.npy,y.npy" names both.

    Of a single name the final ``X`` is replaced by ``y``.
    """
    left, comma, right = text.partition(".npy,")
    features = Path(left + ".npy" if comma else text)
    target = (
        Path(right.strip())
        if comma
        else features.with_name(f"{features.stem[:-1]}y{features.suffix}")
    )
    if labelled and not comma and not features.stem.endswith("X"):
        raise ValueError(
            f"{text}: expected a name ending with 'X.npy', or a pair 'X.npy,y.npy': name both files"
        )
    return _checked(
        features, _array(features), _array(target) if labelled or comma else None, None, str(target)
    )


def _array(path):
    with opened(path, "an .npy file without pickles", ValueError) as raw:
        return np.lib.format.read_array(raw, allow_pickle=False)


def _checked(path, X, y, names, target):
    """Check shapes, names and numbers; return X and y as float64, and the names."""
    if X.ndim != 2 or (y is not None and y.shape != X.shape[:1]):
        got = f"{X.shape} and {None if y is None else y.shape}"
        raise ValueError(f"{path}: expected X (m, p) and {target} (m,), got {got}: reshape them")
    if 0 in X.shape:
        raise ValueError(
            f"{path}: expected at least one row and one feature, got X {X.shape}: check the file"
        )
    if names is not None and (len(names) != X.shape[1] or repeated(names)):
        raise ValueError(
            f"{path}: expected {X.shape[1]} different feature_names, got {quoted(names)}: "
            "correct them"
        )
    for name, values in (("X", X), (target, y)):
        if values is not None:
            _check_numbers(path, name, values)
    dense = np.asfortranarray(X, dtype=np.float64) if isinstance(X, np.ndarray) else X
    return dense, None if y is None else np.array(y, dtype=np.float64), names


def _check_numbers(path, name, values):
    """Refuse numbers that are not finite, and whole numbers that float64 cannot tell apart."""
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: expected numbers in {name}, got dtype {values.dtype}: encode them as numbers"
        )
    bad = (
        ~np.isfinite(values)
        if isinstance(values, np.ndarray)
        else csc_array((~np.isfinite(values.data), values.indices, values.indptr))
    )
    if place := [*zip(*bad.nonzero(), strict=True)][:1]:
        where = ", column ".join(str(int(i)) for i in place[0])
        raise ValueError(
            f"{path}: {name} holds {values[place[0]]} in row {where}, counted from 0: fill in the "
            "number or drop the row"
        )
    for j, column in enumerate(
        np.atleast_2d(values.T) if values.dtype.kind in "iu" and values.dtype.itemsize == 8 else ()
    ):
        whole = column.tolist()
        if found := clash(whole):
            raise ValueError(
                f"{path}: {name}, column {j}, holds {whole[found[0]]} and {found[1]}, which are "
                "equal as float64: subtract a constant "
                "from the column, or leave it out"
            )


def repeated(names):
    """The names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def quoted(names, at_most=20):
    """The names in quotes, only the first `at_most` of many."""
    more = f" and {len(names) - at_most} more" if len(names) > at_most else ""
    return (", ".join(map(repr, names[:at_most])) or "nothing") + more


@contextmanager
def opened(path, kind, *also):
    """Open a file for reading bytes (through gzip for .gz) if memory suffices.

    Errors become a ValueError of one sentence.
    """
    if path.is_dir():
        raise ValueError(f"{path}: that is a folder: name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path}: that is a device or a pipe: write what it gives to a file, and name that file"
        )
    if not path.is_file():
        raise ValueError(f"{path}: no such file: check the path")
    size = _size(path)
    check_room(size, f"{path}: {kind} of {in_words(size)}", PART)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as raw:
            yield raw
    except MemoryError:
        raise ValueError(f"{path}: reading it takes more memory than is free: {PART}") from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, *also) as error:
        message = " ".join(str(error).split())  # libraries may write several lines
        raise ValueError(
            f"{path}: cannot be read as {kind} ({message}): check its format, and that it is "
            "complete"
        ) from error


def _size(path):
    """The size of a file in bytes, of an archive after unpacking."""
    n_bytes = path.stat().st_size
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    if path.suffix.lower() == ".gz" and n_bytes >= 4:
        with path.open("rb") as packed:
            packed.seek(-4, 2)  # gzip stores the unpacked size here, modulo 4 GiB
            n_bytes = max(n_bytes, int.from_bytes(packed.read(4), "little"))
    return n_bytes
