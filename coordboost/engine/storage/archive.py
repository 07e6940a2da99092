"""A zip of plain arrays and one JSON header, read only as far as its sizes are sound.

Files are written under another name and put in place, so that what was there stays whole until all is written.
"""

import hashlib
import json
import math
import os
import stat
import uuid
from contextlib import contextmanager
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

#: The kinds of numbers in a file, as numpy's format writes them.
TYPES = ("<f8", "<i8", "<i4", "|u1")
#: How many times smaller a member can be in the archive: deflate makes nothing smaller than this.
RATIO = {ZIP_STORED: 1, ZIP_DEFLATED: 1032}


def write(file, header, arrays):
    """Write the header and the arrays to `file`: next to it first, so that what was there stays whole until all is written.

    Raises
    ------
    OSError
        Where there is no room, or no right; the old file is as it was, and nothing else is left behind.
    """
    listed = {name: [array.dtype.str, list(array.shape), digest(array.ravel())] for name, array in arrays.items()}
    text = json.dumps({**header, "arrays": listed, "digest": ""})
    text = text.removesuffix('""}') + f'"{digest(text.encode())}"}}'
    with replacing(file) as handle, ZipFile(handle, "w") as archive:
        for name, array in {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}.items():
            archive.compression = ZIP_STORED if name == "header" else ZIP_DEFLATED
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def digest(data):
    """SHA-256 of bytes, or of the numbers of an array of one axis, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


class Archive:
    """An open archive: what the heads of its members say, its header, and its arrays when they are asked for.

    Raises
    ------
    ValueError
        For anything that is not what ``write`` writes; no member is unpacked before its size is known to be what its head says.
    """

    def __init__(self, handle):
        self._zip, self._size = ZipFile(handle), os.fstat(handle.fileno()).st_size
        infos = self._zip.infolist()
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        if len(self._infos) < len(infos) or "header" not in self._infos:
            raise ValueError("the members of the archive are not those of a run")
        self.heads = {name: self._head(name) for name in self._infos}
        if self.heads.pop("header")[0] != "|u1" or self._infos["header"].compress_type != ZIP_STORED:
            raise ValueError("the header is no text, or packed")
        self._text = self._read("header").tobytes().decode()
        self.header = json.loads(self._text)

    def _head(self, name):
        """Type and shape of a member; its size is what they promise."""
        info = self._infos[name]
        if not (info.compress_size <= self._size and info.file_size <= RATIO[info.compress_type] * info.compress_size):
            raise ValueError(f"the member {name} is not stored as a run stores it")
        with self._zip.open(info) as member:
            version = np.lib.format.read_magic(member)
            shape, by_columns, dtype = np.lib.format.read_array_header_1_0(member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
        if version != (1, 0) or by_columns or dtype.str not in TYPES or min(shape, default=0) < 0:
            raise ValueError(f"the member {name} is no array of numbers, row by row")
        if size != info.file_size:
            raise ValueError(f"the member {name} has another size than its head says")
        return [dtype.str, list(shape)]

    def _read(self, name):
        with self._zip.open(self._infos[name]) as member:  # at its end the checksum is compared
            return np.lib.format.read_array(member, allow_pickle=False)

    def check_header(self):
        """Refuse a header that was changed, or that lists other arrays than there are."""
        stated, listed = self.header["digest"], self.header["arrays"]
        if digest((self._text.removesuffix(f'"{stated}"}}') + '""}').encode()) != stated:
            raise ValueError("the header was changed")
        if self.heads != {name: entry[:2] for name, entry in listed.items()}:
            raise ValueError("the arrays are not those that the header lists")

    def arrays(self):
        """All arrays, unpacked; each is checked against its digest in the header."""
        out = {name: self._read(name) for name in self.heads}
        for name, (*_, stated) in self.header["arrays"].items():
            if digest(out[name].ravel()) != stated:
                raise ValueError(f"the array {name} was changed")
        return out


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
