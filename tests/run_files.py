"""Run files taken apart, corrupted by a seeded generator, and put together again."""

import hashlib
import io
import json
import struct
import zipfile

import numpy as np


def taken_apart(data):
    """Return the bytes of the members of an archive, a dict."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put_together(members):
    """Return an archive of these members: a dict, or pairs if a name occurs twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items() if isinstance(members, dict) else members:
            archive.compression = (
                zipfile.ZIP_STORED if name == "header.npy" else zipfile.ZIP_DEFLATED
            )
            archive.writestr(name, data)
    return out.getvalue()


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version=(1, 0))
    return out.getvalue()


def header_of(members):
    return json.loads(np.lib.format.read_array(io.BytesIO(members["header.npy"])).tobytes())


def with_header(members, header):
    return {**members, "header.npy": npy(np.frombuffer(json.dumps(header).encode(), np.uint8))}


def forged(members, header=None):
    """Return `members` with matching digests, as a careful forger would write them."""
    header = dict(header_of(members) if header is None else header)
    arrays = {}
    for name, data in members.items():
        if name != "header.npy":
            array = np.lib.format.read_array(io.BytesIO(data))
            digest = hashlib.sha256(array.tobytes()).hexdigest()
            arrays[name.removesuffix(".npy")] = [array.dtype.str, list(array.shape), digest]
    header = {key: value for key, value in header.items() if key not in ("arrays", "digest")}
    text = json.dumps({**header, "arrays": arrays, "digest": ""})
    return with_header(
        members, {**header, "arrays": arrays, "digest": hashlib.sha256(text.encode()).hexdigest()}
    )


ODD = [
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    10**9,
    10**30,
    -(10**18),
    0.5,
    -2.5,
    1e308,
    "",
    "x",
    "inf",
    "NaiveState",
    "STOPPED",
    [],
    {},
    [[]],
    [1, 2],
    {"array": "beta"},
    {"array": "nowhere"},
    {"array": 3},
    {"float": "nan"},
    {"float": 1},
    {"dict": {}},
    {"dict": []},
    {"piece": "Squared", "fields": {}},
    {"piece": "Huber", "fields": {"d": -1}},
    {"piece": "Dense", "fields": {}},
    {"piece": "os", "fields": {}},
    {"piece": [], "fields": 1},
    {"a": 1, "b": 2},
    [10**9, [10**9] * 6],
    [3, [0, 0, 0, 0, 0, 10**9]],
]


def leaves(value, at=()):
    """Yield the positions of all values inside `value`, tuples of keys."""
    yield at
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*at, key))


def changed(value, at, new):
    """Return `value` with `new` at the position `at`."""
    if not at:
        return new
    out = dict(value) if isinstance(value, dict) else list(value)
    out[at[0]] = changed(value[at[0]], at[1:], new)
    return out


def spoil_bits(rng, data, members):
    out = bytearray(data)
    for at in rng.integers(0, len(out), size=rng.integers(1, 9)):
        out[at] ^= 1 << int(rng.integers(8))
    return bytes(out)


def spoil_bytes(rng, data, members):
    a, b = sorted(int(integer) for integer in rng.integers(0, len(data) + 1, size=2))
    return [
        data[:a],
        data[a:],
        data[:a] + data[b:],
        data[:a] + bytes(b - a) + data[b:],
        data[:b] + data[a:],
        data + data[a:b],
    ][int(rng.integers(6))]


def spoil_members(rng, data, members):
    names = list(members)
    one, other = (names[int(rng.integers(len(names)))] for _ in range(2))
    out = [
        {name: part for name, part in members.items() if name != one},
        {**members, one: members[other], other: members[one]},
        {**members, one: members[other]},
        {{one: "extra.npy"}.get(name, name): part for name, part in members.items()},
        {**members, "extra.npy": members[other]},
        {**members, "path.learner": b"", "../out.npy": members[other]},
        [*members.items(), (one.upper(), members[one])],
        {**members, one: members[one] + b"\0" * int(rng.integers(1, 99))},
        {**members, one: members[one][: -int(rng.integers(1, 9))]},
    ][int(rng.integers(9))]
    return put_together(out)


def spoil_values(rng, data, members):
    """Change a value in the header, or add or remove an entry; with matching digests or not."""
    header = header_of(members)
    places = [at for at in leaves(header) if at]
    at = places[int(rng.integers(len(places)))]
    out = changed(header, at, ODD[int(rng.integers(len(ODD)))])
    kind = int(rng.integers(6))
    if kind == 0:
        out = {key: value for key, value in header.items() if key != at[0]}
    if kind == 1:
        out = {**header, "extra": 1}
    members = with_header(members, out)
    return put_together(forged(members) if rng.integers(3) and isinstance(out, dict) else members)


def spoil_arrays(rng, data, members):
    """Change numbers, type or shape of an array; with matching digests or not."""
    names = [name for name in members if name != "header.npy"]
    name = names[int(rng.integers(len(names)))]
    array = np.lib.format.read_array(io.BytesIO(members[name]))
    number = [np.nan, np.inf, -1, 0, 10**9, 2**62, 1e308, 1e-320][int(rng.integers(8))]
    spoiled = array.copy().reshape(-1)
    if len(spoiled):
        with np.errstate(all="ignore"):
            if array.dtype.kind != "f":
                limits = np.iinfo(array.dtype)
                number = (
                    int(number)
                    if np.isfinite(number) and limits.min <= number <= limits.max
                    else limits.max - 3
                )
            spoiled[int(rng.integers(len(spoiled)))] = number
    other = [
        spoiled.reshape(array.shape),
        array.reshape(-1)[: array.size // 2],
        np.concatenate([array.reshape(-1)] * 2),
        array[None],
        array.astype(np.float32),
        array.astype(np.int64 if array.dtype.kind == "f" else np.float64),
        array.astype("U3"),
        np.zeros(0),
        array.astype(">f8"),
        array.astype(complex),
    ][int(rng.integers(10))]
    members = {**members, name: npy(other)}
    return put_together(forged(members) if rng.integers(2) else members)


def spoil_sizes(rng, data, members):
    """Declare wrong shapes in the header of an array, with data of that size or not, and wrong
    sizes in the archive's directory.
    """
    names = list(members)
    name = names[int(rng.integers(len(names)))]
    shape = [(10**12,), (10**9, 10**9), (0,), (3, 3, 3), (2**63,), (10**17, 0), (), (5_000_000,)][
        int(rng.integers(8))
    ]
    head = (
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode()
        + b"\n"
    )
    bomb = bytes(40_000_000 if shape == (5_000_000,) else 0)
    out = put_together(
        {**members, name: b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bomb}
    )
    if rng.integers(2):  # the same wrong size in the archive's directory
        at = out.rindex(name.encode())
        size = min(8 * int(np.prod(np.array(shape, dtype=object))) + 128, 2**32 - 2)
        out = out[: at - 22] + struct.pack("<I", size) + out[at - 18 :]
    return out


WAYS = (
    spoil_bits,
    spoil_bytes,
    spoil_members,
    spoil_values,
    spoil_values,
    spoil_arrays,
    spoil_sizes,
)


def spoiled(bases, n_files, seed=0):
    """Yield (base, way, bytes): `n_files` corrupted files, determined by the seed."""
    rng = np.random.default_rng(seed)
    parts = [taken_apart(data) for data in bases]
    for _ in range(n_files):
        base = int(rng.integers(len(bases)))
        way = WAYS[int(rng.integers(len(WAYS)))]
        yield base, way, way(rng, bases[base], parts[base])
