"""Text for terminals. No heavy library is needed, so that the command line starts fast."""

import unicodedata


def printable(text):
    """Return `text` with control characters, which a terminal would obey, written as escapes, as in a repr."""
    return "".join(one if one.isprintable() or one in "\n " or unicodedata.category(one) == "Zs" else repr(one)[1:-1] for one in text)
