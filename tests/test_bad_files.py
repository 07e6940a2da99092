"""Bad run files: refused with a ``ValueError`` of one sentence that names the file."""

import io

import numpy as np
import pytest
from refusal import case, refused
from run_files import forged, header_of, put_together, taken_apart
from run_files import npy as array_file

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(8, 4)), RNG.normal(size=8)


def run():
    return cb.solve(Problem(X, Y), cb.ccd(), 3)


def npz(**arrays):
    file = io.BytesIO()
    np.savez(
        file, **{key: np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value for key, value in arrays.items()}
    )
    return file.getvalue()


def npy():
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def edited(good, **changes):
    """The bytes of a run file with other header entries or arrays, and digests that fit."""
    members = taken_apart(good)
    header = header_of(members)
    for key, value in changes.items():
        if isinstance(value, np.ndarray):
            members[key.replace("__", ".") + ".npy"] = array_file(value)
        else:
            header[key] = value
    return put_together(forged(members, header))


@pytest.mark.parametrize(
    "spoil, fragment",
    [
        case("garbage", lambda good: b"no run at all", "is not a coordboost run"),
        case("empty", lambda good: b"", "is not a coordboost run"),
        case("truncated", lambda good: good[: len(good) // 2], "is not a coordboost run"),
        case("flipped byte", lambda good: good[:200] + bytes([good[200] ^ 255]) + good[201:], "is not a coordboost run"),
        case("other npz", lambda good: npz(a=np.zeros(3)), "is not a coordboost run"),
        case("one array", lambda good: npy(), "is not a coordboost run"),
        case("no version", lambda good: npz(header=b'{"format": "coordboost-run"}'), "is not a coordboost run"),
        case("header of another kind", lambda good: npz(header=b"[1, 2]"), "is not a coordboost run"),
        case("newer", lambda good: edited(good, version=99), "upgrade coordboost"),
        case("other coefficients", lambda good: edited(good, beta=np.ones(4)), "do not lead to the saved coefficients"),
        case("learner out of range", lambda good: edited(good, path__learner=np.array([0, 1, 4])), "learner"),
        case("unequal columns", lambda good: edited(good, path__theta=np.ones(2)), "damaged"),
        case("unknown method", lambda good: edited(good, method={"name": "magic", "parameters": {"dict": {}}}), "magic"),
    ],
)
def test_load_refuses(spoil, fragment, tmp_path):
    file = tmp_path / "run.npz"
    run().save(file)
    file.write_bytes(spoil(file.read_bytes()))
    refused(lambda: cb.load(file), fragment)


def test_load_names_the_missing_file_and_the_missing_data(tmp_path):
    refused(lambda: cb.load(tmp_path / "nowhere.npz"), "does not exist")
    run().save(tmp_path / "run.npz", data=False)
    refused(lambda: cb.load(tmp_path / "run.npz"), "pass the problem")
    refused(lambda: cb.load(tmp_path / "run.npz", Problem(X[:, :1], Y)), "wrong problem")
