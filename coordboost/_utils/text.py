"""Text for terminals. No heavy library is needed, so that the command line starts fast."""

import inspect
import unicodedata


def printable(text):
    """Return `text` with control characters written as escapes, as in a repr.

    A terminal would obey them.
    """
    return "".join(
        character
        if character.isprintable() or character in "\n " or unicodedata.category(character) == "Zs"
        else repr(character)[1:-1]
        for character in text
    )


def summary_line(documented):
    """Return the first paragraph of the docstring of `documented`, on one line."""
    paragraph = (inspect.getdoc(documented) or "").split("\n\n")[0]
    return " ".join(paragraph.split())
