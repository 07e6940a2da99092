"""A zip of plain arrays and one JSON header, read only as far as its sizes are sound.

Files are written beside and put in place, so that what was there stays whole until all is written.
"""

import hashlib
import json
import math
import os
import re
import stat
import struct
import uuid
import zlib
from contextlib import contextmanager
from io import BytesIO
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

#: The kinds of numbers in a file, as numpy's format writes them.
TYPES = {"<f8": np.float64, "<i8": np.int64, "<i4": np.int32, "|u1": np.uint8}
#: Deflate makes nothing smaller than this; a member that claims more is no member.
RATIO = 1032
#: Most members, and bytes read at a time.
MEMBERS, CHUNK = 64, 1 << 20

_MAGIC = b"\x93NUMPY\x01\x00"
_HEAD = re.compile(r"\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n")


class Member(NamedTuple):
    """An array of the archive that has not been read: what its head says."""

    type: str
    order: str
    shape: tuple


def write(file, header, arrays):
    """Write the header and the arrays to `file`: beside it first, so that what was there stays whole until all is written.

    Raises
    ------
    OSError
        Where there is no room, or no right; the old file is as it was, and nothing else is left behind.
    """
    with replacing(file) as handle:
        _write(handle, header, arrays)


def _write(handle, header, arrays):
    with ZipFile(handle, "w", ZIP_DEFLATED) as archive:
        text = {name: [array.dtype.str, list(array.shape), digest(array)] for name, array in arrays.items()}
        text = json.dumps({**header, "arrays": text, "digest": ""})
        text = text[: -len('""}')] + json.dumps(hashlib.sha256(text.encode()).hexdigest()) + "}"
        members = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
        for name, array in members.items():
            archive.compression = ZIP_STORED if name == "header" else ZIP_DEFLATED
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def digest(array):
    """SHA-256 of the numbers of a contiguous array, in hexadecimal digits."""
    return hashlib.sha256(memoryview(array).cast("B") if array.size else b"").hexdigest()


class Archive:
    """An open archive: the members' heads, its header, and its arrays when they are asked for.

    Raises
    ------
    ValueError
        For anything that is not what ``write`` writes; no member is unpacked before its size is known to be what its head says.
    """

    def __init__(self, handle):
        self._zip, self._size = ZipFile(handle), os.fstat(handle.fileno()).st_size
        infos = self._zip.infolist()
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos if info.filename.endswith(".npy")}
        if not len(self._infos) == len(infos) <= MEMBERS or "header" not in self._infos:
            raise ValueError("the members of the archive are not those of a run")
        self.members = {name: self._head(name) for name in self._infos}
        head, info = self.members.pop("header"), self._infos["header"]
        if head.type != "|u1" or len(head.shape) != 1 or info.compress_type != ZIP_STORED:
            raise ValueError("the header is no text, or packed")
        self.text = self._read("header", head).tobytes().decode()
        self.header = json.loads(self.text, object_pairs_hook=_object, parse_constant=_no_constant)

    def _head(self, name):
        info = self._infos[name]
        most = info.compress_size if info.compress_type == ZIP_STORED else RATIO * info.compress_size + 64
        sound = info.compress_type in (ZIP_STORED, ZIP_DEFLATED) and not info.flag_bits & 1
        if not (sound and info.file_size <= most and info.compress_size <= self._size):
            raise ValueError(f"the member {name} is not stored as a run stores it")
        with self._zip.open(info) as member:
            head = member.read(10)
            length = int.from_bytes(head[8:], "little")
            found = _HEAD.fullmatch(member.read(length).decode("latin-1"))
        if not (head.startswith(_MAGIC) and found and found[1] in TYPES):
            raise ValueError(f"the member {name} is no array of numbers")
        shape = tuple(int(part) for part in found[3].split(",") if part.strip())
        size = math.prod(shape) * np.dtype(found[1]).itemsize
        if size + 10 + length != info.file_size:
            raise ValueError(f"the member {name} has another size than its head says")
        return Member(found[1], "F" if found[2] == "True" else "C", shape)

    def _read(self, name, head):
        out = np.empty(head.shape, TYPES[head.type], head.order)
        into = memoryview(out.reshape(-1, order="A")).cast("B")
        with self._zip.open(self._infos[name]) as member:
            member.read(8)
            member.read(int.from_bytes(member.read(2), "little"))
            for first in range(0, len(into), CHUNK):
                part = member.read(min(CHUNK, len(into) - first))
                if not part:
                    raise ValueError(f"the member {name} is shorter than its head says")
                into[first : first + len(part)] = part
            if member.read(1):  # the end of the member: its checksum is compared
                raise ValueError(f"the member {name} is longer than its head says")
        return out

    def check_header(self):
        """Refuse a header that was changed, or that lists other arrays than there are."""
        stated = self.header["digest"]
        plain = self.text[: -len(json.dumps(stated) + "}")] + '""}'
        if hashlib.sha256(plain.encode()).hexdigest() != stated:
            raise ValueError("the header was changed")
        listed = self.header["arrays"]
        if {name: [head.type, list(head.shape)] for name, head in self.members.items()} != {
            name: entry[:2] for name, entry in listed.items()
        }:
            raise ValueError("the arrays are not those that the header lists")

    def arrays(self):
        """All arrays, unpacked; each is held against its digest in the header."""
        out = {name: self._read(name, head) for name, head in self.members.items()}
        for name, entry in self.header["arrays"].items():
            if digest(out[name]) != entry[2]:
                raise ValueError(f"the array {name} was changed")
        return out


#: What a damaged archive may raise on the way.
ERRORS = (OSError, ValueError, TypeError, LookupError, EOFError, AttributeError, RuntimeError, ArithmeticError, MemoryError,
          BadZipFile, zlib.error, struct.error)  # fmt: skip


def _object(pairs):
    """A JSON object, refused where a key comes twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _no_constant(text):
    raise ValueError(f"{text} is no number of JSON")


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
