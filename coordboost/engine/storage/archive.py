"""A zip of plain arrays and one JSON header; sizes are checked before anything is unpacked.

A file is written under another name and then renamed, so that an old file stays intact until the
new one is complete.
"""

import hashlib
import json
import math
import os
import re
import stat
import uuid
from contextlib import contextmanager, suppress
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from coordboost._utils.checks import no_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: The types of numbers in a file, as numpy's format writes them.
TYPES = ("<f8", "<i8", "<i4", "|u1")
#: Largest possible ratio of the size of a member to its size in the archive: deflate cannot
#: compress more.
RATIO = {ZIP_STORED: 1, ZIP_DEFLATED: 1032}


def write(file, header, arrays):
    """Write the header and the arrays to `file`.

    An old file stays intact until the new one is complete.

    Raises
    ------
    OSError
        If the disk is full or permission is missing; the old file is unchanged, and no other file
        is left behind.
    """
    listed = {
        name: [array.dtype.str, list(array.shape), digest(array.ravel())]
        for name, array in arrays.items()
    }
    text = json.dumps({**header, "arrays": listed, "digest": ""})
    text = text.removesuffix('""}') + f'"{digest(text.encode())}"}}'
    with replacing(file) as handle, ZipFile(handle, "w") as archive:
        for name, array in {
            "header": np.frombuffer(text.encode(), dtype=np.uint8),
            **arrays,
        }.items():
            archive.compression, archive.compresslevel = (
                ZIP_STORED if name == "header" else ZIP_DEFLATED,
                FASTEST,
            )
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def digest(data):
    """SHA-256 of bytes, or of the numbers of a one-dimensional array, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


class Archive:
    """An open archive.

    Types and shapes of its arrays (`heads`), its `header`, and its arrays by ``arrays()``.

    Raises
    ------
    ValueError
        For anything that ``write`` does not write; no member is unpacked before its size is checked
        against its head.
    """

    def __init__(self, handle):
        self._zip = ZipFile(handle)
        self._size = os.fstat(handle.fileno()).st_size
        infos = self._zip.infolist()
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        if len(self._infos) < len(infos) or "header" not in self._infos:
            raise ValueError("the members of the archive are not those of a run")
        self.heads = {name: self._head(name) for name in self._infos}
        if (
            self.heads.pop("header")[0] != "|u1"
            or self._infos["header"].compress_type != ZIP_STORED
        ):
            raise ValueError("the header is not text, or is compressed")
        self._text = self._read("header").tobytes().decode()
        self.header = json.loads(self._text)

    def _head(self, name):
        """Type and shape of a member; raise an error unless its size agrees with them."""
        info = self._infos[name]
        if not (
            info.compress_size <= self._size
            and info.file_size <= RATIO[info.compress_type] * info.compress_size
        ):
            raise ValueError(f"the member {name} is not stored as in a run file")
        with self._zip.open(info) as member:
            version = np.lib.format.read_magic(member)
            shape, by_columns, dtype = np.lib.format.read_array_header_1_0(member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
        if version != (1, 0) or by_columns or dtype.str not in TYPES or min(shape, default=0) < 0:
            raise ValueError(f"the member {name} is not an array of numbers in C order")
        if size != info.file_size:
            raise ValueError(
                f"the member {name} does not have the size that its array header states"
            )
        return [dtype.str, list(shape)]

    def _read(self, name):
        with self._zip.open(
            self._infos[name]
        ) as member:  # zipfile compares the checksum at the end of the member
            return np.lib.format.read_array(member, allow_pickle=False)

    def check_header(self):
        """Raise an error for a header that does not fit its archive.

        It was changed, or lists other arrays than the archive has.
        """
        stated = self.header["digest"]
        listed = self.header["arrays"]
        if digest((self._text.removesuffix(f'"{stated}"}}') + '""}').encode()) != stated:
            raise ValueError("the header was changed")
        if self.heads != {name: entry[:2] for name, entry in listed.items()}:
            raise ValueError("the arrays are not those that the header lists")

    def arrays(self):
        """All arrays, unpacked; each is checked against its digest in the header."""
        arrays = {name: self._read(name) for name in self.heads}
        for name, (*_, stated) in self.header["arrays"].items():
            if digest(arrays[name].ravel()) != stated:
                raise ValueError(f"the array {name} was changed")
        return arrays


#: Level of compression: long paths repeat a few numbers, so the fastest level is small enough, and
#: a process may be about to be killed.
FASTEST = 1
#: Names of files that are being written: a dot, the name of the file that they will replace (or its
#: start), 32 digits.
BEING_WRITTEN = re.compile(r"\..*\.[0-9a-f]{32}\.coordboost\.part", re.DOTALL)
#: Maximum bytes of a name that such a name repeats: file systems allow 255 bytes for the whole.
REPEATED = 100


@contextmanager
def replacing(file):
    """Yield a binary file to write to.

    At the end it replaces `file`, which stays unchanged until then, and gives it its permissions.

    Files that processes left behind in the same folder, because they were killed while they wrote,
    are removed.

    Raises
    ------
    ValueError
        If `file` is a folder.
    OSError
        If the disk is full or permission is missing, with the name of `file`; no other file is left
        behind.
    """
    file = os.path.realpath(no_folder(file))
    try:
        if os.path.exists(file) and not os.path.isfile(file):
            with open(file, "wb") as handle:  # a device or a pipe cannot be replaced
                yield handle
        else:
            yield from _beside(file)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, file) from None


def _beside(file):
    folder, name = os.path.split(file)
    _remove_abandoned(folder)
    mode = stat.S_IMODE(os.stat(file).st_mode) if os.path.exists(file) else None
    start = os.fsencode(name)[:REPEATED].decode(errors="ignore")
    beside, handle = _created(os.path.join(folder, f".{start}"), 0o666 if mode is None else 0o600)
    try:
        with handle:
            if mode is not None:
                os.chmod(beside, mode)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
            if fcntl is None:
                handle.close()  # Windows does not rename open files
            os.replace(beside, file)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _created(start, mode):
    """A new file, open for writing and locked.

    Its name, which begins with `start`, and the file.
    """
    while True:
        name = f"{start}.{uuid.uuid4().hex}.coordboost.part"
        handle = os.fdopen(
            os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode),
            "wb",
        )
        with suppress(OSError):  # a file system without locks
            _lock(handle, wait=True)
        if os.path.exists(name):
            return name, handle
        handle.close()  # removed by another process before it was locked


def _lock(handle, wait=False):
    """Lock an open file until it is closed or its process ends.

    Raise OSError if it is locked, unless this is to `wait`.

    Windows has no such locks, but it does not remove open files.
    """
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _remove_abandoned(folder):
    """Remove the files in a folder that were being written by processes that have ended."""
    with suppress(OSError):
        for name in filter(BEING_WRITTEN.fullmatch, os.listdir(folder)):
            with suppress(OSError), open(os.path.join(folder, name), "rb") as handle:
                _lock(handle)
                os.unlink(os.path.join(folder, name))


def write_text(file, text):
    """Write `text` to `file`, in UTF-8."""
    with replacing(file) as handle:
        handle.write(text.encode())


def write_figure(file, figure):
    """Write a figure of matplotlib to `file` in the format of its suffix.

    ``.png`` is added to a name without a suffix.
    """
    file = os.fspath(file)
    if not os.path.splitext(file)[1]:
        file += ".png"
    kind = os.path.splitext(file)[1][1:].lower()
    picture = BytesIO()
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ValueError(
            f"{file}: figures cannot be saved as .{kind}; let the name end with one of "
            f"{', '.join(sorted(known))}"
        )
    figure.savefig(picture, format=kind, dpi=150)
    with replacing(file) as handle:
        handle.write(picture.getbuffer())
