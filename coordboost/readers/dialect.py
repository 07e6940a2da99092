"""How a text file is written: encoding, separator, decimal mark; guessed from its beginning and said, unless it was told.

Rows with more or fewer cells than the header are looked for, and cells that a quick reader takes for other numbers than a person does:
quotes within cells, and zeros in front of whole numbers.
"""

import codecs
import csv
import re
from typing import NamedTuple

import numpy as np

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


#: Encodings in which a byte is a separator or the end of a line wherever it looks like one.
BYTES = ("utf-8", "utf-8-sig", "cp1252", "latin-1")
#: So many bytes are looked at together.
BLOCK = 1 << 20


def all_even(raw, sep, width):
    """Whether all lines below the first have `width` cells; False, too, where quotes or odd ends of lines forbid to count separators.

    raw : file of bytes, at its start;  sep : one character

    *Cost*: a tenth of what it takes to part the cells.
    """
    raw.readline()
    while block := raw.read(BLOCK):
        block += raw.readline()
        if b'"' in block or block.count(b"\r") > block.count(b"\r\n"):
            return False
        text = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", dtype=np.uint8)
        ends = np.flatnonzero(text == ord("\n"))
        counts = np.add.reduceat(text == ord(sep), np.append(0, ends[:-1]), dtype=np.int64)
        if (counts != width - 1).any():
            return False
    return True


def unsplit(names):
    """The remedy where all names of a table seem to stand in one cell; "" where they do not."""
    marks = [mark for mark in SEPARATORS if len(names) == 1 and mark in names[0]]
    return f"; the header looks as if {SEPARATORS[marks[0]]} separated its cells (sep={marks[0]!r})" if marks else ""


def remedy(header, width):
    """What to do about a row of `width` cells that has another length than the header."""
    if width == len(header) - 1 and header[-1].startswith("Unnamed: "):
        return ": take out the separator at the end of the header"
    if len(header) == 1:
        return ": the names of the columns must be the first line, so take out what stands above them"
    return ": mend that line"


QUOTE, ZERO, SPACE, END, RETURN = b'"0 \n\r'
#: Whole numbers of more digits than this are no codes; so many cells of a block with quotes are looked at for their column.
DIGITS, FEW = 24, 64


def strange_cells(blocks, sep):
    """Whether a quote may stand within a cell, and an example of a whole number with zeros in front for each place of a cell in its row.

    Parameters
    ----------
    blocks : iterable of bytes, whole lines each;  sep : a separator as in ``Dialect``

    Returns
    -------
    misquoted : bool
        Quotes that text may hold for good reasons count, too: whoever asks reads once more with care.
    zeros : dict from places of cells, from 0, to text

    *Cost*: a third of what pandas takes to part the cells.
    """
    last = ord(" ") if sep == SPACES else sep.encode()[-1]
    misquoted, zeros = False, {}
    for block in blocks:
        block = b"\n" + block + b"\n" * (DIGITS + 2)
        codes, quotes = np.frombuffer(block, dtype=np.uint8), b'"' in block
        stop = codes == last
        edge = stop | (codes <= QUOTE)  # ends of lines, tabs, spaces and quotes
        if quotes and not misquoted:
            misquoted = _within(codes == QUOTE, stop | (codes < SPACE), edge)
        first, length = _padded(codes, edge)
        for place, at, size in _places(block, codes, first, length, sep, quotes) if len(first) else ():
            zeros.setdefault(place, block[at : at + size].decode())
    return misquoted, zeros


def _within(quote, stop, edge):
    """Whether a quote stands between two characters of a cell, or two of them before one."""
    between = quote[1:-1] & ~(edge[:-2] | edge[2:])
    return bool(between.any() or (stop[:-3] & quote[1:-2] & quote[2:-1] & ~edge[3:]).any())


def _padded(codes, edge):
    """Where whole numbers begin with a zero and another digit, and how many digits they have."""
    digit = codes - ZERO < 10  # uint8: what is below zero is large
    at = np.flatnonzero(edge[:-2] & (codes[1:-1] == ZERO) & digit[2:]) + 1
    length, going = np.zeros(len(at), dtype=np.int64), np.arange(len(at))
    for k in range(2, DIGITS + 1):
        if not len(going):
            break
        place = at[going] + k
        length[going[edge[place]]] = k
        going = going[digit[place]]
    return at[length > 0], length[length > 0]


def _places(block, codes, first, length, sep, quotes):
    """The place of its cell in the row, where it begins and its length, for one number of each place."""
    if quotes or sep == SPACES or len(sep.encode()) > 1:
        for at, size in zip(first[:FEW].tolist(), length[:FEW].tolist(), strict=True):
            line = block[block.rfind(b"\n", 0, at) + 1 : at + size].decode("latin-1").lstrip(" ")
            cells = SPACED.findall(line) if sep == SPACES else next(csv.reader([line], delimiter=sep), [""])
            yield len(cells) - 1, at, size
        return
    seps, ends = np.flatnonzero(codes == ord(sep)), np.flatnonzero((codes == END) | (codes == RETURN))
    begin = ends[np.searchsorted(ends, first) - 1]
    places, one = np.unique(np.searchsorted(seps, first) - np.searchsorted(seps, begin), return_index=True)
    yield from zip(places.tolist(), first[one].tolist(), length[one].tolist(), strict=True)
