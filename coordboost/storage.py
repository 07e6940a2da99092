"""One file per run: a zip of plain arrays and a JSON header, no pickles. The format is described in ``docs/run-format.md``."""

import json
import math
import zlib
from zipfile import BadZipFile

import numpy as np

from coordboost._protocol import DICTIONARY, LOSS, SELECTION, STEP, VIEW
from coordboost.data.standardize import Standardization
from coordboost.engine.choose import checked_view
from coordboost.engine.path import Path
from coordboost.methods import METHODS
from coordboost.outcome import Outcome, Replay, Status
from coordboost.problem import Problem

FORMAT, VERSION = "coordboost-run", 1
PIECES = {name: piece for kind in (LOSS, SELECTION, STEP, DICTIONARY) for name, piece in kind.pieces.items()}
PIECES["Standardization"] = Standardization


def _encode(value, name, arrays):
    """`value` as JSON; arrays go to `arrays` under `name`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"array": name}
    if type(value).__name__ in PIECES and type(value) is PIECES[type(value).__name__]:
        fields = {field: _encode(part, f"{name}.{field}", arrays) for field, part in value._asdict().items()}
        return {"piece": type(value).__name__, "fields": fields}
    if isinstance(value, dict):
        return {"dict": {key: _encode(part, f"{name}.{key}", arrays) for key, part in value.items()}}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [_encode(part, f"{name}.{i}", arrays) for i, part in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"a {type(value).__name__} is not part of coordboost and cannot be saved in a run; give it again when loading."
    )


def _decode(value, arrays):
    if isinstance(value, list):
        return [_decode(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "float" in value:
        return float(value["float"])
    if "dict" in value:
        return {key: _decode(part, arrays) for key, part in value["dict"].items()}
    return PIECES[value["piece"]](**{key: _decode(part, arrays) for key, part in value["fields"].items()})


_PROBLEM = (
    "loss", "dictionary", "standardization", "y", "weight", "offset", "base", "groups", "feature_names", "dropped",
)  # fmt: skip


def _method_header(method, problem, arrays):
    """The named method, or None for one of the user's own."""
    try:
        named = METHODS[method.name](**method.parameters).bind(problem)
        same = all(_same(getattr(named, part), getattr(method, part)) for part in ("select", "step", "coefficients"))
        return {"name": method.name, "parameters": _encode(method.parameters, "method", arrays)} if same else None
    except (KeyError, TypeError, ValueError):
        return None


def _same(piece, other):
    """Whether two pieces are of one kind with equal fields."""
    return type(piece) is type(other) and all(map(np.array_equal, piece, other))


def _fingerprint(problem):
    """Numbers that tell one problem from another: loss and correlations at beta = 0."""
    start = np.zeros(problem.n_samples)
    corr = problem.scan(problem.resid(start))
    return [problem.value(start), float(corr.sum()), float(np.abs(corr).sum()), float(np.abs(corr).max())]


def save(run, file, *, data=True):
    """Write `run` to `file` (a path, any suffix).

    Parameters
    ----------
    data : bool, default True
        Put the problem (standardised columns and target) into the file too, so that it can be certified and resumed alone.

    Raises
    ------
    ValueError
        If the problem holds an oracle or a loss of the user's own and `data` is True.
    """
    if not DICTIONARY.of(run.problem.dictionary, "countable"):
        raise ValueError(
            "a run over learners that cannot be counted cannot be saved yet: keep run.path and run.problem.dictionary.learners."
        )
    arrays = {f"path.{field}": getattr(run.path, field) for field in ("learner", "shrink", "theta")}
    arrays["beta"] = run.beta
    header = {
        "format": FORMAT, "version": VERSION, "method": _method_header(run.method, run.problem, arrays), "method_name": run.method.name,
        "view": run.view.__name__, "seed": run.seed, "fingerprint": _fingerprint(run.problem),
        "status": run.status.name, "message": run.message,
        "seconds": run.seconds, "anchor": run.anchor, "scans": run.counts,
        "problem": _encode({key: getattr(run.problem, key) for key in _PROBLEM}, "problem", arrays) if data else None,
    }  # fmt: skip
    with open(file, "wb") as handle:
        np.savez_compressed(handle, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)


def load(file, problem=None, method=None):
    """The run saved in `file`: bit for bit as it was, ready to be replayed, certified and resumed.

    Parameters
    ----------
    problem : Problem, optional
        Needed where the file was written with ``data=False``.
    method : Method, optional
        Needed where the run used a method of the user's own.

    Raises
    ------
    ValueError
        If the file is no run, of a newer version, incomplete, or does not give the coefficients that it was saved with.
    """
    header, arrays = _read(file)
    if problem is None:
        if header["problem"] is None:
            raise ValueError(f"{file} holds no data; pass the problem it was run on: load(file, problem).")
        problem = Problem.restored(**_decode(header["problem"], arrays))
    if method is None:
        named = header["method"]
        if named is not None and named["name"] not in METHODS:
            raise ValueError(
                f"{file} was run with the method {named['name']}, unknown to this release; pass load(file, method=...)."
            )
        if named is None:
            raise ValueError(
                f"{file} was run with a method of its own ({header['method_name']}); pass it: load(file, method=...)."
            )
        method = METHODS[header["method"]["name"]](**_decode(header["method"]["parameters"], arrays))
    path = _path(file, arrays, problem.n_learners)
    found = _fingerprint(problem)
    if not np.allclose(found, header["fingerprint"], rtol=1e-9, atol=1e-9 * abs(header["fingerprint"][2])):
        raise ValueError(f"{file} was run on other data: loss and correlations at zero differ; wrong problem.")
    method = method.bind(problem)
    view = checked_view(problem, method, VIEW.pieces[header["view"]])
    beta = Replay(problem, method, path).beta(len(path))
    if not np.allclose(beta, arrays["beta"], rtol=1e-9, atol=1e-12 * np.abs(arrays["beta"]).max(initial=0.0)):
        raise ValueError(f"{file}: the recorded steps do not lead to the saved coefficients; wrong problem, or a damaged file.")
    return Outcome(
        problem, method, view, header["seed"], True, path, beta, tuple(header["anchor"]), header["scans"], Status[header["status"]],
        header["message"], header["seconds"],
    )  # fmt: skip


def _path(file, arrays, n_learners):
    """The recorded steps, refused where they cannot be a path over `n_learners` learners."""
    learner, shrink, theta = (arrays.get(f"path.{field}", np.zeros(0)) for field in ("learner", "shrink", "theta"))
    sound = learner.dtype == np.int64 and learner.ndim == 1 and learner.shape == shrink.shape == theta.shape
    sound = sound and "beta" in arrays and arrays["beta"].shape == (n_learners,)
    if not (
        sound and np.isfinite(shrink).all() and np.isfinite(theta).all() and ((learner >= 0) & (learner < n_learners)).all()
    ):
        raise ValueError(
            f"{file}: the recorded steps do not fit a problem with {n_learners} learners; wrong problem, or a damaged file."
        )
    return Path(learner, shrink.astype(np.float64), theta.astype(np.float64))


def _read(file):
    """Header and arrays of a run file."""
    try:
        with open(file, "rb") as handle, np.load(handle, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        header = json.loads(bytes(arrays.pop("header")).decode())
        if header["format"] != FORMAT or not isinstance(header["version"], int):
            raise KeyError("format")
    except FileNotFoundError:
        raise ValueError(f"{file} does not exist.") from None
    except (OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{file} is not a coordboost run ({type(error).__name__}).") from None
    if header["version"] > VERSION:
        raise ValueError(
            f"{file} has format version {header['version']}, this release reads up to {VERSION}; upgrade coordboost."
        )
    return header, arrays
