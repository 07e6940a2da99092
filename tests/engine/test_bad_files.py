"""Bad run files: refused with a ``ValueError`` of one sentence that names the file."""

import hashlib
import io
import json
import os

import numpy as np
import pytest
from click.testing import CliRunner
from refusal import case, refused
from run_files import forged, header_of, put_together, taken_apart, with_header
from run_files import npy as array_file

import coordboost as cb
from coordboost import Problem
from coordboost.engine.storage.model import read_model
from coordboost.reporting.cli import main

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 4))
Y = RNG.normal(size=8)


def run():
    return cb.solve(Problem(X, Y), cb.methods.ccd(), 3)


def npz(**arrays):
    file = io.BytesIO()
    np.savez(
        file,
        **{
            key: np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
            for key, value in arrays.items()
        },
    )
    return file.getvalue()


def npy():
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def edited(good, **changes):
    """Return the bytes of a run file with other header entries or arrays, and the digests that fit
    them.
    """
    members = taken_apart(good)
    header = header_of(members)
    for key, value in changes.items():
        if isinstance(value, np.ndarray):
            members[key.replace("__", ".") + ".npy"] = array_file(value)
        else:
            header[key] = value
    return put_together(forged(members, header))


def with_another(good):
    """Return a run file whose header refers to an array that no run has, but that the file
    contains.
    """
    problem = header_of(taken_apart(good))["problem"]
    problem["dict"]["base"] = {"array": "problem.more"}
    return edited(good, problem=problem, problem__more=np.ones(2))


def with_other_fields(good):
    """Return a run file whose loss is stored with a field that it does not have."""
    problem = header_of(taken_apart(good))["problem"]
    problem["dict"]["loss"]["fields"] = {"speed": 1.0}
    return edited(good, problem=problem)


def promised(good, shape):
    """Return the bytes of a run file in which the head of the array of four coefficients states
    another shape.
    """
    members = taken_apart(good)
    return put_together({**members, "beta.npy": members["beta.npy"].replace(b"(4,)", shape)})


@pytest.mark.parametrize(
    "spoil, fragment",
    [
        case("garbage", lambda good: b"no run at all", "is not a coordboost run"),
        case("empty", lambda good: b"", "is not a coordboost run"),
        case("model", lambda good: b'{"coefficients": []}', "is a model, without the rows of its"),
        case("truncated", lambda good: good[: len(good) // 2], "is not a coordboost run"),
        case(
            "flipped byte",
            lambda good: good[:200] + bytes([good[200] ^ 255]) + good[201:],
            "is not a coordboost run",
        ),
        case("other npz", lambda good: npz(a=np.zeros(3)), "is not a coordboost run"),
        case("one array", lambda good: npy(), "is not a coordboost run"),
        case(
            "no version",
            lambda good: npz(header=b'{"format": "coordboost-run"}'),
            "is not a coordboost run",
        ),
        case(
            "header of another kind", lambda good: npz(header=b"[1, 2]"), "is not a coordboost run"
        ),
        case("newer", lambda good: edited(good, version=99), "this release reads 5"),
        case(
            "other coefficients",
            lambda good: edited(good, beta=np.ones(4)),
            "do not lead to the saved coefficients",
        ),
        case(
            "learner out of range",
            lambda good: edited(good, path__learner=np.array([0, 1, 4])),
            "learner",
        ),
        case(
            "unequal columns",
            lambda good: edited(good, path__theta=np.ones(2)),
            "path.theta does not fit the others",
        ),
        case(
            "whole numbers",
            lambda good: edited(good, beta=np.ones(4, dtype=np.int64)),
            "beta does not fit the others",
        ),
        case(
            "a matrix",
            lambda good: edited(good, beta=np.ones((4, 1))),
            "beta does not fit the others",
        ),
        case(
            "more promised",
            lambda good: promised(good, b"(9,)"),
            "beta does not have the size that its array header states",
        ),
        case(
            "less promised",
            lambda good: promised(good, b"(3,)"),
            "beta does not have the size that its array header states",
        ),
        case("an array of no run", with_another, "the array problem.more does not belong to a run"),
        case("a piece with other fields", with_other_fields, "the header has an invalid entry"),
        case(
            "late anchor", lambda good: edited(good, anchor=[4, []]), "leaves or steps do not match"
        ),
        case(
            "unknown method",
            lambda good: edited(good, method={"name": "magic", "parameters": {"dict": {}}}),
            "magic",
        ),
    ],
)
def test_load_refuses(spoil, fragment, tmp_path):
    file = tmp_path / "run.npz"
    run().save(file)
    file.write_bytes(spoil(file.read_bytes()))
    refused(lambda: cb.load(file), fragment)


def test_the_arrays_must_be_those_that_the_header_lists(tmp_path):
    """A forged header with a valid digest lists another dtype, another shape, one array too many or
    one too few.
    """
    run().save(tmp_path / "run")
    members = taken_apart((tmp_path / "run").read_bytes())
    plain = forged(members)
    assert cb.load(_written(tmp_path / "run", plain)).n_steps == 3
    listed = header_of(plain)["arrays"]
    for wrong in (
        {**listed, "beta": ["<i8", *listed["beta"][1:]]},
        {**listed, "beta": [listed["beta"][0], [2, 2], listed["beta"][2]]},
        {**listed, "more": listed["beta"]},
        {name: entry for name, entry in listed.items() if name != "beta"},
    ):
        header = {**header_of(plain), "arrays": wrong, "digest": ""}
        digest = hashlib.sha256(json.dumps(header).encode()).hexdigest()
        refused(
            lambda header=header, digest=digest: cb.load(
                _written(tmp_path / "run", with_header(members, {**header, "digest": digest}))
            ),
            "not those that the header lists",
        )


NAMED = {"name": "gcd", "parameters": {"dict": {}}}
BAD = {
    "method": [
        3,
        [],
        {"name": "gcd"},
        {**NAMED, "name": 1},
        {**NAMED, "parameters": {}},
        {**NAMED, "parameters": {"dict": []}},
        {**NAMED, "parameters": {"dict": {}, "more": 1}},
        {**NAMED, "more": 1},
    ],
    "method_name": [3, None],
    "model_state": ["Nowhere", 3, None],
    "seed": [-1, 1.0, True, None, "1"],
    "fingerprint": [
        [1, 2, 3],
        [1, 2, 3, "4"],
        [1, 2, 3, True],
        None,
        {"0": 1, "1": 2, "2": 3, "3": 4},
    ],
    "status": ["MAYBE", 3, None],
    "message": [3, None],
    "seconds": [-0.5, "1", True, None],
    "anchor": [[0], [-1, []], [0.0, []], [True, []], [0, {}], [0, [], 1], 3],
    "scans": [[1], [1, 2, 3, 4], [-1, 0, 0], [1, "2"], 3],
    "problem": [3, [], {"dict": []}, {"dict": {}}, {"dict": {}, "more": 1}],
    "arrays": [
        3,
        [],
        {"beta": 1},
        {"beta": ["<f8", [4]]},
        {"beta": ["<f8", 4, ""]},
        {"beta": [8, [4], ""]},
        {"beta": ["<f8", [4], 3]},
    ],
    "digest": [3, None],
}


@pytest.mark.parametrize("key", BAD)
def test_every_entry_of_the_header_is_checked(key, tmp_path):
    run().save(tmp_path / "run")
    members = taken_apart((tmp_path / "run").read_bytes())
    assert set(BAD) == set(header_of(members)) - {"format", "version"}
    for value in BAD[key]:
        spoiled = _written(
            tmp_path / "run", with_header(members, {**header_of(members), key: value})
        )
        refused(lambda spoiled=spoiled: cb.load(spoiled), f"the header's {key} cannot be")
    less = {name: value for name, value in header_of(members).items() if name != key}
    for header in (less, {**header_of(members), key + "s": 1}):
        refused(
            lambda header=header: cb.load(_written(tmp_path / "run", with_header(members, header))),
            "is not a coordboost run" if "version" not in header else "missing or unknown entries",
        )


def _written(file, members):
    file.write_bytes(put_together(members))
    return file


def test_load_names_the_missing_file_and_the_missing_data(tmp_path):
    refused(lambda: cb.load(tmp_path / "nowhere.npz"), "does not exist")
    run().save(tmp_path / "run.npz", data=False)
    refused(lambda: cb.load(tmp_path / "run.npz"), "pass the problem")
    refused(lambda: cb.load(tmp_path / "run.npz", Problem(X[:, :1], Y)), "wrong problem")


def test_a_pipe_is_written_to(tmp_path):
    """A pipe cannot be replaced by a new file, as an existing run file is."""
    pipe = tmp_path / "pipe"
    plain = tmp_path / "plain"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # the whole run fits into the buffer of a pipe
    try:
        run().save(pipe)
        plain.write_bytes(os.read(end, 1 << 16))
    finally:
        os.close(end)
    assert pipe.is_fifo() and cb.load(plain).beta.tobytes() == run().beta.tobytes()


@pytest.mark.parametrize("name", ["beta", "path.shrink", "path.theta"])
def test_numbers_of_a_path_must_be_finite(name, tmp_path):
    run().save(tmp_path / "run")
    members = taken_apart((tmp_path / "run").read_bytes())
    array = np.load(io.BytesIO(members[f"{name}.npy"])).copy()
    array[1] = np.inf
    spoiled = forged({**members, f"{name}.npy": array_file(array)})
    refused(
        lambda: cb.load(_written(tmp_path / "run", spoiled)),
        "the recorded steps do not fit a problem",
    )


def test_arrays_larger_than_two_gibibytes_are_written(tmp_path, monkeypatch):
    """ZIP64 is requested before they are written; here every array above 100 bytes counts as
    large.
    """
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 100)
    run().save(tmp_path / "run")
    assert (cb.load(tmp_path / "run").beta == run().beta).all()


#: Every function that reads a file, with the ending that it knows the kind of file by.
READERS = {
    "run": (cb.load, ""),
    "model": (read_model, ".json"),
    **{
        f"table{end}": (lambda file: cb.read_table(file, target="y"), end)
        for end in (".csv", ".parquet", ".xlsx")
    },
    **{f"table{end}": (cb.read_table, end) for end in (".npz", "X.npy", ".svm")},
    **{f"columns{end}": (cb.data.open_columns, end) for end in (".npy", ".parquet", ".zip")},
}


@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
@pytest.mark.parametrize("name", READERS)
def test_only_regular_files_are_read(name, kind, tmp_path):
    """A device may never end, and nobody may ever write to a pipe."""
    read, end = READERS[name]
    file = tmp_path / f"file{end}"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    if (name, kind) != ("columns.zip", "folder"):  # Zarr arrays are folders
        with pytest.raises(ValueError, match="folder" if kind == "folder" else "device or a pipe"):
            read(file)


MODEL = {
    "format": "coordboost-model",
    "version": 1,
    "method": "ls_boost",
    "step": 3,
    "loss": "Squared",
    "intercept": 0.5,
}
ROW = {"column": "x", "variable": "x", "coefficient": 1.5, "effect": 1.0}


def model_text(**changes):
    return json.dumps({**MODEL, "coefficients": [ROW], "recipe": None, **changes})


def nested(n):
    return "[" * n + "]" * n


@pytest.mark.parametrize(
    "text",
    [
        model_text(intercept=10**400),
        model_text(intercept="1e999"),
        model_text(step=10**400),
        model_text(step=0).replace('"step": 0', '"step": 1e999'),
        model_text(step=0).replace('"step": 0', '"step": ' + "9" * 5000),
        model_text(coefficients=[{**ROW, "coefficient": 10**400}]),
        model_text(coefficients=[{**ROW, "effect": 10**400}]),
        model_text(coefficients={"column": 1}),
        model_text(recipe=[[[]]]),
        model_text(recipe=0).replace('"recipe": 0', '"recipe": ' + nested(100_000)),
        nested(100_000),
        '{"a":' * 100_000,
        "{" + "\0" * 10,
    ],
    ids=range(13),
)
def test_bad_models_are_refused(text, tmp_path):
    """Numbers that are too large, lists in lists without end, other types."""
    file = tmp_path / "model.json"
    file.write_text(model_text())
    assert read_model(file).coef.tolist() == [1.5]
    file.write_text(text)
    with pytest.raises(ValueError, match="is not a coordboost model") as caught:
        read_model(file)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    result = CliRunner().invoke(main, ["coef", str(file)])
    assert result.exit_code == 1 and "is not a coordboost" in result.output


def test_deep_headers_are_refused(tmp_path):
    run().save(tmp_path / "run")
    members = taken_apart((tmp_path / "run").read_bytes())
    text = json.dumps({**header_of(members), "problem": 0}).replace(
        '"problem": 0', '"problem": ' + nested(100_000)
    )
    members["header.npy"] = array_file(np.frombuffer(text.encode(), np.uint8))
    (tmp_path / "run").write_bytes(put_together(members))
    refused(lambda: cb.load(tmp_path / "run"), "is not a coordboost run, or damaged")
