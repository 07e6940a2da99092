"""How a text file is written: encoding, separator, decimal mark; guessed from its beginning and said, unless it was told."""

import codecs
import csv
import re
from typing import NamedTuple

#: So many bytes are looked at.
SAMPLE = 1 << 18
SPACES = r"\s+"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", SPACES: "spaces"}
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
COMMA = re.compile(r"[+-]?(\d*|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
POINT = re.compile(r"[+-]?(\d*|\d{1,3}(,\d{3})+)\.\d+([eE][+-]?\d+)?")
#: Cells between spaces, in quotes or not.
SPACED = re.compile(r'"([^"]*)"|(\S+)')
GROUPED = {".": re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?"), ",": re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")}


class Dialect(NamedTuple):
    """encoding : a codec;  sep, decimal : one character, ``SPACES`` for any number of spaces;  thousands : one character or None.

    marks : (decimal, thousands or "") as a recipe keeps them, () where no cell shows them and nobody told
    """

    encoding: str
    sep: str
    decimal: str
    thousands: str | None = None
    marks: tuple = ()

    def said(self, told):
        """What was guessed and is not what everybody expects, in words; `told` : names of the fields that the user gave."""
        usual = {"encoding": ("utf-8", "utf-8-sig"), "sep": (",",), "decimal": (".",), "thousands": (None,)}
        words = {
            "encoding": f"encoding {self.encoding}",
            "sep": f"{SEPARATORS.get(self.sep, repr(self.sep))} between cells",
            "decimal": "a decimal comma" if self.decimal == "," else "a decimal point",
            "thousands": f"{self.thousands!r} between thousands",
        }
        odd = [words[name] for name in usual if name not in told and getattr(self, name) not in usual[name]]
        return [f"read with {', '.join(odd)}"] if odd else []


#: What files begin with that are no tables of text, whatever their names say, in small letters: what they are, and what to do.
OTHERS = {
    (b"pk\x03\x04",): "it is an Excel workbook or a zip archive: let its name end with .xlsx, or take the table out",
    (b"\xd0\xcf\x11\xe0",): "it is a workbook of an older Excel: let its name end with .xls",
    (b"\x1f\x8b",): "it is compressed by gzip: let its name end with .gz",
    (b"par1",): "it is a Parquet file: let its name end with .parquet",
    (b"arrow1",): "it is an Arrow file: let its name end with .arrow",
    (b"%pdf",): "it is a PDF document: save the table as CSV",
    (b"<!doctype", b"<html", b"<?xml", b"<table"): "it is a page of the web, or XML: save the table as CSV",
    (b"{", b"[{", b"[["): "it is JSON: pandas reads it (read_json) and writes tables (to_csv)",
}


def other_kind(sample):
    """What a file that begins with `sample` is in place of a table of text, and what to do, in words; None where it may be one."""
    begin = sample[:64].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    return next((said for marks, said in OTHERS.items() if begin.startswith(marks)), None)


def encoding_of(sample):
    """The encoding of a text that begins with the bytes `sample`.

    Raises
    ------
    ValueError
        For bytes that are no text.
    """
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return encoding
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if even + odd:
        if min(even, odd) > 0.05 * max(even, odd) or 3 * max(even, odd) < len(sample) // 2:
            raise ValueError("it holds zero bytes, so it is no text")
        return "utf-16-le" if odd > even else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        return western(sample)


def western(sample):
    """Which of the two old encodings of western languages `sample` may be in; the second one takes any bytes."""
    try:
        sample.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


def records(lines, sep):
    """Yield (number of the last line, cells) of each record that is not blank.

    lines : iterable of str
    """
    if sep == SPACES:
        found = ((k, [quoted or plain for quoted, plain in SPACED.findall(line)]) for k, line in enumerate(lines, 1))
        yield from ((k, row) for k, row in found if row)
        return
    reader = csv.reader(lines, delimiter=sep, skipinitialspace=True, strict=True)
    yield from ((reader.line_num, row) for row in reader if row)


def first_rows(lines, sep, at_most=50):
    """The cells of the first records of some lines, a list of lists."""
    found = []
    try:
        for _, row in records(lines, sep):
            found.append(row)
            if len(found) == at_most:
                break
    except csv.Error:
        pass  # the last record may be cut; what is wrong with the file is said when it is read
    return found


def named_rows(rows):
    """Whether rows begin with names of their own, as R writes them: one cell more than the header, `rows[0]`, has.

    Names all differ, and none is a number, or they are 1, 2, 3, ...
    """
    names = [row[0] for row in rows[1:]]
    counted, wide = names == [str(k) for k in range(1, len(rows))], {len(row) - len(rows[0]) for row in rows[1:]} == {1}
    plain = counted or not any(name[:1] in "+-.,0123456789" for name in names)
    return wide and len(names) > 1 and plain and len(set(names)) == len(names)


def _separator(lines, suffix):
    """The separator by which most of the first records have as many cells as the header; spaces where no other one will do."""
    first = {".csv": ",", ".tsv": "\t"}.get(suffix, "\t")
    best, best_score = None, (False, 1)
    for sep in (first, *(one for one in SEPARATORS if one not in (first, SPACES))):
        widths = [len(row) for row in first_rows(lines, sep)] or [0]
        score = (2 * widths.count(widths[0]) > len(widths), widths[0])
        if widths[0] > 1 and score > best_score:
            best, best_score = sep, score
    if best is None:
        rows = first_rows(lines, SPACES)
        widths = {len(row) for row in rows}
        best = SPACES if (len(widths) == 1 and widths != {1}) or named_rows(rows) else first if suffix == ".csv" else ","
    return best


def _decimal(commas, points, sep, before):
    """The decimal mark, from cells that are written in one way only: 1,5 and 1.5, not 1,234 and 1.234; else the one `before`."""
    sure = [sum(not GROUPED[mark].fullmatch(cell) for cell in found) for mark, found in ((",", commas), (".", points))]
    if sure[0] == sure[1] and before is not None:
        return before
    return "," if sure[0] > sure[1] or (sure == [0, 0] and sep != "," and len(commas) > len(points)) else "."


def dialect_of(text, suffix, encoding, sep=None, decimal=None, thousands=None, before=()):
    """The dialect of a text, from its beginning `text`; what is given is taken.

    before : the marks of a table that this one is like, or (): they decide what its own cells leave open
    """
    lines = text.lstrip("\ufeff\r\n# ").splitlines(keepends=True)
    sep = _separator(lines, suffix) if sep is None else sep
    cells = [cell.strip() for row in first_rows(lines, sep)[1:] for cell in row]
    cells = [cell for cell in cells if not cell[:1].isalpha()]  # marks are those of numbers
    commas, points = ([cell for cell in cells if one.fullmatch(cell)] for one in (COMMA, POINT))
    told = decimal is not None
    if decimal is None:
        decimal = _decimal(commas, points, sep, before[0] if before else None)
    if thousands is None:
        alike, usual = before[:1] == (decimal,), "." if decimal == "," else ","
        mark = before[1] or usual if alike else usual
        grouped = [cell for cell in cells if mark == usual and GROUPED[mark].fullmatch(cell)]
        sure = mark != usual or (alike and grouped) or any(len(cell) > 7 or decimal in cell for cell in grouped)
        thousands = mark if sure else None
    seen = told or thousands or commas or points
    return Dialect(encoding, sep, decimal, thousands, (decimal, thousands or "") if seen else ())
