"""Files with named columns to pandas data frames: text, Parquet, Arrow and Excel."""

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from coordboost.data.dates import Cells
from coordboost.data.frames import is_number, is_time
from coordboost.data.memory import check_room
from coordboost.readers.arrays import PART, opened
from coordboost.readers.options import refuse_options
from coordboost.readers.text import TEXT, TextFile

PARQUET, ARROW, EXCEL = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".xlsx", ".xlsm", ".xls", ".ods")
NAMED = (*TEXT, *(f"{end}.gz" for end in TEXT), *PARQUET, *ARROW, *EXCEL)


class TypedFile:
    """A file that knows the types of its columns: Parquet, Arrow, or a sheet of a workbook.

    path : Path;  suffix : str;  options : ``Options``
    """

    said = marks = ()
    #: Columns of numbers with zeros in front: a number that is stored as one has none.
    zeros: Mapping[str, str] = MappingProxyType({})

    def __init__(self, path, suffix, options, text=()):
        refuse_options(path, options, ("sep", "decimal", "thousands", "encoding"), "files of text")
        if suffix not in EXCEL:
            refuse_options(path, options, ("sheet",), "workbooks")
        self.path, self.suffix, self.sheet, self.text, self.na = path, suffix, options.sheet, text, list(options.na)

    def frame(self):
        """The rows as a pandas DataFrame whose names are strings."""
        frame, size = None, 0
        with opened(self.path, f"a {self.suffix} file") as raw, suppress(Exception):  # what is wrong is said when it is read
            size = self._size(raw)
        check_room(size, f"{self.path}: its table", PART)
        with opened(self.path, f"a {self.suffix} file", Exception) as raw, suppress(ImportError):
            frame = self._without(self._read(raw))
        if frame is None:
            needs = {".xls": "xlrd", ".ods": "odfpy"}.get(self.suffix, "openpyxl" if self.suffix in EXCEL else "pyarrow")
            raise ValueError(f"{self.path}: pandas needs {needs} to read it: python -m pip install {needs}")
        frame.columns = [str(name).strip() for name in frame.columns]
        return frame

    def _size(self, raw):
        """The least number of bytes that the table takes, as far as that can be known without reading it."""
        if self.suffix in PARQUET:
            import pyarrow.parquet

            head = pyarrow.parquet.read_metadata(raw)
            return 8 * head.num_rows * head.num_columns
        if zipfile.is_zipfile(raw):  # a workbook is a packed document, and what it says takes more when it is read
            with zipfile.ZipFile(raw) as members:
                return sum(member.file_size for member in members.infolist())
        return 0

    def _without(self, frame):
        """The frame without the words that mean "missing"."""
        for j, dtype in enumerate(frame.dtypes if self.na else ()):
            if not is_number(dtype) and not is_time(dtype):
                frame.isetitem(j, frame.iloc[:, j].mask(frame.iloc[:, j].isin(self.na)))
        return frame

    def _read(self, raw):
        import pandas as pd

        if self.suffix in PARQUET:
            return pd.read_parquet(raw)
        if self.suffix in EXCEL:
            sheet = 0 if self.sheet is None else self.sheet
            return pd.read_excel(raw, sheet_name=sheet, dtype=dict.fromkeys(self.text, str))
        import pyarrow

        try:
            return pyarrow.ipc.open_file(raw).read_all().to_pandas()
        except pyarrow.ArrowInvalid:
            raw.seek(0)
            return pyarrow.ipc.open_stream(raw).read_all().to_pandas()

    @property
    def cells(self):
        """Where rows are."""
        return Cells(self.where)

    def where(self, row):
        """A row, counted from 0, in words: as a person counts them."""
        return f"row {row + 2}" if self.suffix in EXCEL else f"row {row + 1}"


def named_file(path, suffix, options, text=(), before=()):
    """The file as an object with ``frame()``, ``where(row)``, ``said`` and ``marks``; `before`: the marks of a table like it."""
    if suffix in TEXT:
        refuse_options(path, options, ("sheet",), "workbooks")
        return TextFile(path, suffix, options, text, before)
    return TypedFile(path, suffix, options, text)
