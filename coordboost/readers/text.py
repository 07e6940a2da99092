"""Text files to data frames: pandas does the reading; what it cannot say, which line, is found by reading once more."""

import codecs
import csv
import gzip
import io
import itertools
import re
import warnings
from contextlib import suppress

from coordboost._numba.threads import in_order
from coordboost.data.dates import Cells, misplaced
from coordboost.data.frames import is_number
from coordboost.readers.arrays import check_text, opened, quoted, repeated
from coordboost.readers.dialect import (
    BLOCK,
    BYTES,
    SAMPLE,
    SPACES,
    all_even,
    dialect_of,
    encoding_of,
    first_rows,
    named_rows,
    other_kind,
    records,
    remedy,
    strange_cells,
    unsplit,
    western,
)

TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
KIND = "a table of text"
#: What Excel takes for a separator, in a line above the names.
ABOVE = re.compile(r"\ufeff?sep=(.)\r?\n", re.IGNORECASE)


class TextFile:
    """A text file whose dialect is known: its header, its data frame, and the line of each of its rows.

    path : Path;  options : ``Options``;  text : names of columns that are text whatever is in them
    before : the marks of a table that this one is like, as a ``Recipe`` keeps them
    """

    def __init__(self, path, suffix, options, text=(), before=()):
        self.path, self.text = path, text
        told = {name: getattr(options, name) for name in ("sep", "decimal", "thousands") if getattr(options, name) is not None}
        check_text(path)
        with opened(path, KIND) as raw:
            sample = raw.read(SAMPLE) + raw.readline()
        if not sample.strip():
            raise ValueError(f"{path}: expected a header row and rows of cells, got an empty file: check the file")
        if other := other_kind(sample):
            raise ValueError(f"{path}: cannot be read as {KIND}: {other}")
        if None is not options.sep == options.decimal and b'"' not in sample:
            raise ValueError(
                f"{path}: sep and decimal are both {options.sep!r}, and no cell stands in quotes: say which of them it is"
            )
        try:
            encoding = options.encoding or encoding_of(sample)
            text = self._decoded(sample, encoding)
        except LookupError:
            raise ValueError(
                f"{path}: there is no encoding {options.encoding!r}: utf-8, utf-16, cp1252 and latin-1 are common"
            ) from None
        except UnicodeDecodeError:
            raise ValueError(
                f"{path}: the text is not in {options.encoding}: leave --encoding out, or name the right one"
            ) from None
        except ValueError as error:
            raise ValueError(f"{path}: cannot be read as a table ({error}): check that it is one") from None
        self.above = ABOVE.match(text)
        if self.above:
            text, told = text[self.above.end() :], {"sep": self.above[1], **told}
        self.dialect = dialect_of(text, suffix, encoding, **told, before=before)
        self.told = {*told, *(["encoding"] if options.encoding else [])}
        self.na, self.zeros = list(options.na), {}
        self.spaced = bool(self.na) or self.dialect.sep == SPACES or f"{self.dialect.sep} " in text or _old()
        self.header = self._header(text)

    @staticmethod
    def _decoded(sample, encoding):
        """The text of a sample whose last character may be cut."""
        return codecs.getincrementaldecoder(encoding)().decode(sample)

    def _header(self, text):
        try:
            header = next(records(io.StringIO(text, newline=""), self.dialect.sep), (0, [""]))[1]
            named = named_rows(first_rows(io.StringIO(text, newline=""), self.dialect.sep))
        except csv.Error:
            self._refuse_quote()
        header = [name.strip().lstrip("\ufeff") for name in header]
        if header[0].startswith("#"):
            header = header[1:] if header[0] == "#" else [header[0].lstrip("# "), *header[1:]]
        if twice := repeated([name for name in header if name]):
            raise ValueError(f"{self.path}: the header repeats {quoted(twice)}: give every column its own name")
        return [name or f"Unnamed: {j}" for j, name in enumerate([""] * named + header)]

    @property
    def marks(self):
        """How numbers are written, for a recipe."""
        return self.dialect.marks

    @property
    def said(self):
        """What was guessed, in words."""
        return self.dialect.said(self.told)

    def frame(self):
        """The rows as a pandas DataFrame, with the names of the header.

        Raises
        ------
        ValueError
            For rows of another length than the header, and quotes that never end.
        """
        try:
            frame = self._read()
        except UnicodeDecodeError:
            if "encoding" in self.told:
                raise ValueError(
                    f"{self.path}: the text is not in {self.dialect.encoding}: name the right --encoding"
                ) from None
            self.dialect = self.dialect._replace(encoding=self._western())
            frame = self._read()
        if len(frame) and frame.iloc[:, -1].isna().any() and not self._even():
            self._refuse_ragged(shorter=True)
        misquoted, places = strange_cells(self._blocks(), self.dialect.sep)
        if misquoted:
            self._refuse_ragged(shorter=True)
        names = {self.header[place]: text for place, text in places.items() if place < len(self.header)}
        self.zeros = {name: text for name, text in names.items() if is_number(frame[name].dtype)}
        return frame

    def _blocks(self):
        """The bytes of the rows, some lines at a time, in an encoding whose first 128 characters are those of ASCII."""
        with opened(self.path, KIND) as raw:
            lines, plain = raw, self.dialect.encoding in BYTES
            if not plain:
                lines = io.TextIOWrapper(raw, encoding=self.dialect.encoding, newline="")
            for _ in range(1 + int(self.above is not None)):
                lines.readline()
            while block := lines.read(BLOCK):
                block += lines.readline()
                yield block if plain else block.encode()

    def _even(self):
        """Whether a quick look is enough to know that no row is shorter than the header."""
        sep, encoding = self.dialect.sep, self.dialect.encoding
        if self.above or len(sep.encode()) > 1 or encoding not in BYTES:
            return False
        with opened(self.path, KIND) as raw:
            return all_even(raw, sep, len(self.header))

    def _western(self):
        with opened(self.path, KIND) as raw:
            return western(raw.read())

    def _read(self):
        """The frame, its text as categories. Spaces before cells are skipped where there are some, as it takes pandas a third more time."""
        if not self.spaced:
            frame = self._parsed(False)
            if frame is not None and not _coded(frame):
                return frame
        frame = self._parsed(True)
        _coded(frame)
        return frame

    def _parsed(self, skip):
        """The frame; None where lines do not fit and no spaces were skipped."""
        import pandas as pd

        dialect = self.dialect
        words = {
            "sep": dialect.sep, "decimal": dialect.decimal, "thousands": self._thousands(), "encoding": dialect.encoding,
            "names": self.header, "header": 0, "skiprows": int(self.above is not None), "index_col": False, "na_values": self.na,
            "dtype": {name: str for name in self.text if name in self.header}, "skipinitialspace": skip,
        }  # fmt: skip
        if _old():
            words["float_precision"] = "round_trip"
        with warnings.catch_warnings():
            for kind in (pd.errors.DtypeWarning, pd.errors.ParserWarning):
                warnings.filterwarnings("error", category=kind)
            try:
                return self._csv(words)
            except pd.errors.DtypeWarning:  # a column is text in some parts of the file only: all of it at once
                return self._csv(words, low_memory=False)
            except pd.errors.EmptyDataError:
                return pd.DataFrame({name: [] for name in self.header})
            except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
                if not skip:
                    return None
                self._refuse_ragged(shorter=False)
                raise ValueError(f"{self.path}: cannot be read as {KIND} ({' '.join(str(error).split())}): check it") from None

    def _csv(self, words, **more):
        """What pandas reads: of a file that is not packed by its name, as pandas has several threads for it then."""
        import pandas as pd

        with opened(self.path, KIND) as raw:
            return pd.read_csv(raw if isinstance(raw, gzip.GzipFile) else self.path, **words, **more)

    def _thousands(self):
        """The mark between thousands, for pandas, which would take it out of 31.12.2020, too; None where it stands in other places.

        Then ``Cells.number`` looks at every cell, in eight times the time.
        """
        mark = self.dialect.thousands
        if mark is None:
            return None
        wrong = misplaced(mark)
        with opened(self.path, KIND) as raw, io.TextIOWrapper(raw, encoding=self.dialect.encoding) as lines:
            next(lines, "")  # names
            return None if any(map(wrong.search, iter(lambda: lines.read(1 << 20) + lines.readline(), ""))) else mark

    def _records(self):
        with opened(self.path, KIND) as raw, io.TextIOWrapper(raw, encoding=self.dialect.encoding, newline="") as lines:
            found = records(lines, self.dialect.sep)
            yield from itertools.islice(found, int(self.above is not None), None)

    def _refuse_ragged(self, *, shorter):
        """Say which line has more cells than the header, or where it is `shorter`, fewer."""
        width = len(self.header)
        try:
            for line, row in self._records():
                if len(row) > width or (shorter and len(row) < width):
                    cells = f"{len(row)} cell{'s' * (len(row) != 1)}"
                    way = unsplit(self.header) or remedy(self.header, len(row))
                    raise ValueError(f"{self.path}: line {line} has {cells}, the header has {width}{way}")
        except csv.Error:
            self._refuse_quote()

    def _refuse_quote(self):
        last = 0
        try:
            for line, _ in self._records():
                last = line
        except csv.Error as error:
            said = re.sub(r"\(.*", "", str(error))
            raise ValueError(
                f'{self.path}: in the record after line {last} a quote (") is not closed, or not followed by a separator ({said}): mend it'
            ) from None

    @property
    def cells(self):
        """How cells are written, and where rows are."""
        return Cells(self.where, self.dialect.decimal, self.dialect.thousands or "", coded=True)

    def where(self, row):
        """The line of a row, counted from 0 after the header, in words. *Cost*: the file is read up to there."""
        with suppress(csv.Error):  # quotes that Python reads in another way than pandas
            for k, (line, _) in enumerate(self._records(), -1):
                if k == row:
                    return f"line {line}"
        return f"row {row + 1}"


def _coded(frame):
    """Turn columns of text into categories, in place; whether one of these begins with a space. Before numbers spaces do not matter."""
    import pandas as pd

    spaced, text = False, [j for j, dtype in enumerate(frame.dtypes) if isinstance(dtype, pd.StringDtype)]
    for j, (codes, words) in zip(text, in_order(pd.factorize, (frame.iloc[:, j] for j in text)), strict=True):
        frame.isetitem(j, pd.Categorical.from_codes(codes, words, validate=False))
        spaced = spaced or any(word[:1] == " " for word in words.tolist())
    return spaced


def _old():
    """Whether this pandas rounds numbers unless it is told not to, and has no type for text."""
    import pandas as pd

    return tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
