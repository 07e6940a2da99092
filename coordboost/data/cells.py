"""The cells of a table: how numbers are written in them, and where they are."""

import functools
import math
import numbers
import re
from collections.abc import Callable
from typing import NamedTuple


@functools.cache
def grouped(thousands, decimal):
    """What a number with marks between its thousands looks like; between lakhs there are two digits."""
    mark, point = re.escape(thousands), re.escape(decimal)
    return re.compile(rf"[+-]?\d{{1,3}}({mark}\d{{2,3}})*{mark}\d{{3}}({point}\d*)?([eE][+-]?\d+)?")


@functools.cache
def may_be_number(marks):
    """What every text matches that is a number, and little else; `marks` are those that numbers may hold."""
    return re.compile(rf"\s*(?:[+-]?(?i:nan|inf(?:inity)?)\s*$|[\d\s+\-.eE{re.escape(marks)}]*$)").match


def misplaced(thousands):
    """What no number has that is `grouped`, to be sought in the text of many cells: a mark that does not part groups of digits."""
    mark = re.escape(thousands)
    return re.compile(rf"{mark}(?:(?<!\d{mark})|(?<=\d{{4}}{mark})|(?!\d{{3}}(?!\d)|\d{{2}}{mark}))")


def cell(text):
    """A cell in quotes, cut short where it is long."""
    text = " ".join(str(text).split())
    return repr(text if len(text) <= 40 else f"{text[:28]}...{text[-8:]} ({len(text)} characters)")


class Cells(NamedTuple):
    """How the cells of a table are written, and where its rows are.

    where : function of a row number, from 0, that says in words where the row is ("line 7")
    decimal, thousands : marks in numbers, the second may be "";  day_format : how dates are written, None to find out
    coded : whether categories of a data frame are cells as they were read, perhaps numbers or dates; else somebody made them categories
    """

    where: Callable[[int], str] = "row {} (counted from 0)".format
    decimal: str = "."
    thousands: str = ""
    day_format: str | None = None
    coded: bool = False

    def number(self, value):
        """A cell as a float, NaN for an empty one, None for text; ``1_000`` is a number to ``float`` but not in a table."""
        if not isinstance(value, str) and isinstance(value, numbers.Real):
            return float(value) if abs(value) < 1e308 else math.inf
        text = str(value).strip()
        if not text:
            return math.nan
        if text[0].isalpha() and text[0] not in "niNI":
            return None  # most words are told by their first letter; nan and inf are numbers to ``float``
        if self.thousands and self.thousands in text:
            if not grouped(self.thousands, self.decimal).fullmatch(text):
                return None  # the marks of a date, say
            text = text.replace(self.thousands, "")
        if self.decimal != "." and "." in text:
            return None  # 1.362 may be 1362
        try:
            return float(text.replace(self.decimal, ".")) if "_" not in text else None
        except ValueError:
            return None

    def no_number(self, values):
        """Whether none of many different texts is a number: most are told by their first letter, of which there are few."""
        doubt = {first for first in {value[:1] for value in values} if not first.isalpha() or first in "niNI"}
        match = may_be_number(self.decimal + self.thousands)
        return not (doubt and any(match(value) for value in values if value[:1] in doubt))
