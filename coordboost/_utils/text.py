"""Text for terminals. No heavy library is needed, so that the command line starts fast."""

import inspect
import unicodedata


def printable(text):
    """Return `text` with control characters, which a terminal would obey, written as escapes, as in
    a repr.
    """
    return "".join(
        one
        if one.isprintable() or one in "\n " or unicodedata.category(one) == "Zs"
        else repr(one)[1:-1]
        for one in text
    )


def summary_line(thing):
    """Return the first paragraph of the docstring of `thing`, on one line."""
    paragraph = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return " ".join(paragraph.split())
