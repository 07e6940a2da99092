"""Files are written beside and put in place, so that what was there stays whole until all is written."""

import os
import stat
import uuid
from contextlib import contextmanager
from io import BytesIO


@contextmanager
def replacing(file):
    """Yield a binary file to write to; at the end it is put in the place of `file`, which until then is as it was.

    Raises
    ------
    OSError
        Where there is no room, or no right, with the name of `file`; nothing else is left behind.
    """
    file = os.path.realpath(file)
    try:
        if os.path.exists(file) and not stat.S_ISREG(os.stat(file).st_mode):
            with open(file, "wb") as handle:  # a device or a pipe cannot be replaced
                yield handle
        else:
            yield from _beside(file)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, file) from None


def _beside(file):
    beside = os.path.join(os.path.dirname(file), f".{os.path.basename(file)[:100]}.{uuid.uuid4().hex}.part")
    try:
        with open(beside, "xb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(beside, file)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def write_text(file, text):
    """Write `text` to `file`, in UTF-8."""
    with replacing(file) as handle:
        handle.write(text.encode())


def write_figure(file, figure):
    """Write a figure of matplotlib to `file`, whose name says in which format; ``.png`` is put to a name without one."""
    file = os.fspath(file)
    if not os.path.splitext(file)[1]:
        file += ".png"
    kind, picture = os.path.splitext(file)[1][1:].lower(), BytesIO()
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ValueError(f"{file}: a picture is no .{kind} file: let its name end with one of {', '.join(sorted(known))}")
    figure.savefig(picture, format=kind, dpi=150)
    with replacing(file) as handle:
        handle.write(picture.getbuffer())
