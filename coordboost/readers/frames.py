"""Files with named columns to pandas data frames: text, Parquet, Arrow and Excel."""

from contextlib import suppress

from coordboost.data.cells import Cells
from coordboost.readers.arrays import opened
from coordboost.readers.text import TEXT, TextFile

PARQUET, ARROW, EXCEL = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".xlsx", ".xlsm", ".xls", ".ods")
NAMED = (*TEXT, *(f"{end}.gz" for end in TEXT), *PARQUET, *ARROW, *EXCEL)


class TypedFile:
    """A file that knows the types of its columns: Parquet, Arrow, or a sheet of a workbook.

    path : Path;  suffix : str;  options : ``Options``
    """

    said = marks = ()

    def __init__(self, path, suffix, options, text=()):
        self.path, self.suffix, self.sheet, self.text = path, suffix, options.sheet, text

    def frame(self):
        """The rows as a pandas DataFrame whose names are strings."""
        frame = None
        with opened(self.path, f"a {self.suffix} file", Exception) as raw, suppress(ImportError):
            frame = self._read(raw)
        if frame is None:
            needs = {".xls": "xlrd", ".ods": "odfpy"}.get(self.suffix, "openpyxl" if self.suffix in EXCEL else "pyarrow")
            raise ValueError(f"{self.path}: pandas needs {needs} to read it: python -m pip install {needs}")
        frame.columns = [str(name).strip() for name in frame.columns]
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
    return TextFile(path, suffix, options, text, before) if suffix in TEXT else TypedFile(path, suffix, options, text)
