"""One file per run: a zip of plain arrays and a JSON header, no pickles.

The format is described in ``docs/run-format.md``.
"""

import numpy as np

from coordboost._utils.checks import file_name, readable_file, shown
from coordboost._utils.kinds import pieces_of
from coordboost.data.problem import Problem, checked_problem
from coordboost.data.validation import flag
from coordboost.engine.alternation import check_saved
from coordboost.engine.choice import checked_model_state
from coordboost.engine.kernel import Path
from coordboost.engine.result import Status, states_along
from coordboost.engine.states.base import ModelState
from coordboost.engine.storage.archive import Archive, write
from coordboost.engine.storage.schema import (
    FORMAT,
    VERSION,
    check_arrays,
    check_header,
    decode,
    encode,
)
from coordboost.methods.named import METHODS
from coordboost.rules.method import checked_method

PATH = ("learner", "shrink", "theta")


def write_run(run, file, *, data):
    """Write a run to `file` (a path, any suffix): to a new file next to it, which then replaces it,
    so `file` is never half written.

    Parameters
    ----------
    run : Run
    data : bool
        Put the problem (standardised columns and target) into the file too, so that it can be
        certified and resumed alone.

    Raises
    ------
    ValueError
        If `data` is True and the problem has learners or a loss of the user's own; if learners were
        found by a search and `data` is False.
    OSError
        If the file cannot be written; an old file stays unchanged.
    """
    problem = run.problem
    file = file_name("file", file)
    data = flag("data", data)
    if not problem.countable and problem.dictionary.saved is None:
        raise ValueError(
            "a run over a family of your own cannot be saved: keep run.path and "
            "run.problem.dictionary.learners, or give the family a "
            "bank with saved(n)."
        )
    if not (problem.countable or data):
        raise ValueError("the learners of this run were found on its data: save it with data=True.")
    arrays = {f"path.{field}": np.ascontiguousarray(getattr(run.path, field)) for field in PATH}
    arrays["beta"] = np.ascontiguousarray(run.beta)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "method": _method_header(run.method, problem, arrays),
        "method_name": run.method.name,
        "model_state": run.model_state.__name__,
        "seed": run.seed,
        "fingerprint": _fingerprint(problem),
        "status": run.status.name,
        "message": run.message,
        "seconds": run.seconds,
        "anchor": run.anchor,
        "scans": run.counts,
        "problem": encode(problem.saved(len(run.beta)), "problem", arrays) if data else None,
    }
    header |= {} if run.validation is None else {"validation": run.validation}
    header |= {"rise": run.rise} if run.rise else {}
    write(file, header, arrays)


def read_run(file, problem=None, method=None):
    """The arguments of the ``Run`` saved in `file`, bit for bit as it was.

    It is ready to be replayed, certified and resumed.

    Parameters
    ----------
    problem : Problem, optional
        Needed if the file was written with ``data=False``.
    method : Method, optional
        Needed if the run used a method of the user's own.

    Raises
    ------
    ValueError
        If the file is not a run, is of another version or damaged, or if its steps do not lead to
        its coefficients. Every entry is checked before it is used, and sizes before anything is
        unpacked.
    """
    file = readable_file(file_name("file", file))
    problem = problem if problem is None else checked_problem(problem)
    method = method if method is None else checked_method(method)
    try:
        with open(file, "rb") as handle, np.errstate(all="ignore"):
            return _arguments(file, *_read(file, handle, problem), problem, method)
    except FileNotFoundError:
        raise ValueError(f"{file} does not exist.") from None
    except _Said as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # a damaged file may raise any exception
        text = " ".join(str(error).split()).rstrip(".")[:200] if type(error) is ValueError else ""
        raise ValueError(
            f"{file} is not a coordboost run, or damaged: {text or type(error).__name__}."
        ) from None


class _Said(ValueError):
    """An error whose message is passed on to the user unchanged."""


def _read(file, handle, problem):
    """Header and arrays of a run file, each checked against the schema."""
    if handle.read(1) == b"{":
        raise _Said(
            f"{file} is a model, without the rows of its fit: coordboost coef and predict read it. "
            "Reports, certificates and checks need a run file of coordboost fit or, in Python, the "
            "fitted estimator: html_report(model), model.certificate_."
        )
    handle.seek(0)
    archive = Archive(handle)
    header = archive.header
    if header["format"] == FORMAT and header["version"] != VERSION:
        raise _Said(
            f"{file} has format version {shown(header['version'])}, this release reads {VERSION}; "
            "make the run again."
        )
    check_header(header)
    archive.check_header()
    if header["problem"] is None and problem is None:
        raise _Said(f"{file} holds no data; pass the problem it was run on: load(file, problem).")
    check_arrays(header)
    return header, archive.arrays()


def _arguments(file, header, arrays, problem, method):
    """The arguments of the ``Run`` that header and arrays describe."""
    if problem is None:
        problem = Problem.restored(**decode(header["problem"], arrays))
    method = (_method(file, header, arrays) if method is None else method).bind(problem)
    path = _path(file, arrays, problem.n_learners)
    found = _fingerprint(problem)
    stated = header["fingerprint"]
    if not np.allclose(found, stated, rtol=1e-9, atol=1e-9 * abs(stated[2])):
        raise _Said(
            f"the run in {file} is on other data: loss and correlations at zero differ; wrong "
            "problem."
        )
    if len(path) > (method.step.horizon or len(path)):
        raise ValueError("there are more steps than the method allows")
    model_state = checked_model_state(problem, method, pieces_of(ModelState)[header["model_state"]])
    k, saved = header["anchor"]
    check_saved(saved, model_state, problem.n_learners)
    beta = next(states_along(problem, method, path, [len(path)])).beta
    if not np.allclose(
        beta, arrays["beta"], rtol=1e-9, atol=1e-12 * np.abs(arrays["beta"]).max(initial=0.0)
    ):
        raise _Said(
            f"{file}: the recorded steps do not lead to the saved coefficients; wrong problem, or "
            "a damaged file."
        )
    if not np.isfinite(problem.value(problem.combine(beta))):
        raise _Said(f"{file}: the loss of its last model is not finite; the file is damaged.")
    return {
        "problem": problem,
        "method": method,
        "model_state": model_state,
        "seed": header["seed"],
        "compile": True,
        "path": path,
        "beta": beta,
        "anchor": (k, saved),
        "counts": header["scans"],
        "status": Status[header["status"]],
        "message": header["message"],
        "seconds": float(header["seconds"]),
        "validation": header.get("validation"),
        "rise": float(header.get("rise", 0.0)),
    }


def _method_header(method, problem, arrays):
    """Name and parameters of a named method for the header; None for a method of the user's own."""
    try:
        named = METHODS[method.name](**method.parameters).bind(problem)
        same = all(
            _same(getattr(named, rule), getattr(method, rule))
            for rule in ("select", "step", "coefficients", "noise")
        )
        return (
            {"name": method.name, "parameters": encode(method.parameters, "method", arrays)}
            if same
            else None
        )
    except (KeyError, TypeError, ValueError):
        return None


def _same(piece, other):
    """Whether two pieces are of one kind with equal fields."""
    if hasattr(piece, "_fields"):
        return type(piece) is type(other) and all(map(_same, piece, other))
    return np.array_equal(piece, other)


def _method(file, header, arrays):
    """The named method that a run was made with."""
    named = header["method"]
    if named is None:
        raise _Said(
            f"the run in {file} used a custom method ({header['method_name']}); pass it: "
            "load(file, method=...)."
        )
    if named["name"] not in METHODS:
        raise _Said(
            f"the run in {file} used the method {named['name']}, unknown to this release; pass "
            "load(file, method=...)."
        )
    return METHODS[named["name"]](**decode(named["parameters"], arrays))


def _fingerprint(problem):
    """Four numbers that identify a problem at beta = 0: the loss, and sums and maximum of the
    correlations (else of the residual).
    """
    start = np.zeros(problem.n_samples)
    corr = problem.resid(start)
    corr = problem.scan(corr) if problem.countable else corr
    return [
        problem.value(start),
        float(corr.sum()),
        float(np.abs(corr).sum()),
        float(np.abs(corr).max()),
    ]


def _path(file, arrays, n_learners):
    """The recorded steps; raise an error if they cannot be a path over `n_learners` learners."""
    learner, shrink, theta = (arrays[f"path.{field}"] for field in PATH)
    sound = len(arrays["beta"]) == n_learners and ((learner >= 0) & (learner < n_learners)).all()
    if not (
        sound
        and np.isfinite(shrink).all()
        and np.isfinite(theta).all()
        and np.isfinite(arrays["beta"]).all()
    ):
        raise _Said(
            f"{file}: the recorded steps do not fit a problem with {n_learners} learners; wrong "
            "problem, or a damaged file."
        )
    return Path(learner, shrink, theta)
