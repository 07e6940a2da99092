"""The contents of a run file: values as JSON with arrays stored apart, entries of the header,
arrays. See ``docs/run-format.md``.

A file cannot name code to run: pieces are looked up in a fixed table.
"""

import inspect
import math
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import shown
from coordboost._utils.kinds import pieces_of
from coordboost.data.block_learners import SavedBlocks
from coordboost.data.problem import Problem
from coordboost.data.rule_learners import SavedRules
from coordboost.data.standardize import Standardization
from coordboost.data.tree_learners import SavedFamilies, SavedTrees
from coordboost.engine.held_out import CHOICES, MEASURES, MOST_POINTS
from coordboost.engine.result import Status
from coordboost.engine.states.base import ModelState
from coordboost.engine.storage.archive import TYPES
from coordboost.learners import Dense, LeafStumps, Sparse, Stumps
from coordboost.learners.binned import MOST_BINS, Binned
from coordboost.learners.families import Families
from coordboost.learners.trees import Growth
from coordboost.learners.trees.tree import SET, Trees
from coordboost.losses.base import Loss

# loaded, so that they are among the pieces
from coordboost.rules import selection, steps  # noqa: F401
from coordboost.rules.base import SelectionRule, StepRule

FORMAT, VERSION = "coordboost-run", 5
#: The classes that a file may name, besides losses and rules.
STORED = (
    Dense,
    Sparse,
    Stumps,
    LeafStumps,
    Standardization,
    Binned,
    Families,
    Growth,
    Trees,
    SavedBlocks,
    SavedTrees,
    SavedFamilies,
    SavedRules,
)
PIECES = (
    pieces_of(Loss)
    | pieces_of(SelectionRule)
    | pieces_of(StepRule)
    | {piece.__name__: piece for piece in STORED}
)
#: The numbers that JSON cannot write.
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def encode(value, name, arrays):
    """Return `value` as JSON.

    Put its arrays into the dict `arrays`, under names that begin with `name`.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        wide = "<f8" if value.dtype.kind == "f" else "<i8"
        arrays[name] = np.ascontiguousarray(
            value, dtype=value.dtype.str if value.dtype.str in TYPES else wide
        )
        return {"array": name}
    if PIECES.get(type(value).__name__) is type(value):
        fields = {
            field: encode(entry, f"{name}.{field}", arrays)
            for field, entry in value._asdict().items()
        }
        return {"piece": type(value).__name__, "fields": fields}
    if isinstance(value, dict):
        return {
            "dict": {key: encode(entry, f"{name}.{key}", arrays) for key, entry in value.items()}
        }
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [encode(entry, f"{name}.{i}", arrays) for i, entry in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    entry = name.split(".")[1] if "." in name else name
    raise ValueError(
        f"the {entry} of this run, a {type(value).__name__}, is not part of coordboost and cannot "
        "be saved in a file; leave the "
        "problem out with save(file, data=False), and give it again with load(file, problem)."
    )


def decode(value, arrays):
    """The value that `encode` wrote.

    Raises
    ------
    ValueError
        For anything that `encode` does not write.
    """
    match value:
        case list():
            return [decode(entry, arrays) for entry in value]
        case {"array": str(name), **more} if name in arrays and not more:
            return arrays[name]
        case {"float": str(word), **more} if word in FLOATS and not more:
            return FLOATS[word]
        case {"dict": dict(parts), **more} if not more:
            return {key: decode(entry, arrays) for key, entry in parts.items()}
        case {"piece": str(name), "fields": dict(parts), **more} if name in PIECES and not more:
            if tuple(parts) == PIECES[name]._fields:
                return PIECES[name](**{key: decode(entry, arrays) for key, entry in parts.items()})
        case None | bool() | int() | float() | str():
            return value
    raise ValueError(f"the header has an invalid entry: {shown(value)}")


def referred(value):
    """Names of the arrays that an encoded value refers to, with repetitions."""
    if isinstance(value, dict) and list(value) == ["array"]:
        return [value["array"]]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for entry in parts for name in referred(entry)]


def _fits(value, form):
    """Whether a JSON value fits a form: a type, a dict or list with a form for each entry, or a
    function that tests the value.
    """
    if isinstance(form, type):
        return type(value) is form
    if isinstance(form, dict):
        return (
            type(value) is dict
            and set(value) == set(form)
            and all(_fits(value[key], entry) for key, entry in form.items())
        )
    if isinstance(form, list):
        return type(value) is list and len(value) == len(form) and all(map(_fits, value, form))
    return form(value)


def _number(value):
    return type(value) in (int, float) and math.isfinite(value)


def _count(value):
    return type(value) is int and value >= 0


def _method(value):
    return value is None or _fits(value, {"name": str, "parameters": {"dict": dict}})


def _problem(value):
    """Whether it is None, or the arguments of ``Problem.restored``, which checks each of them."""
    if value is None:
        return True
    inspect.signature(Problem.restored).bind(**value["dict"])
    return len(value) == 1


def _validation(value):
    at = value["at"]
    curves = value["measures"]
    numbers = [_number] * len(at)
    form = {
        "choose": lambda rule: rule is None or rule in CHOICES,
        "folds": _count,
        "steps": _count,
        "at": [_count] * len(at),
        "mean": numbers,
        "error": numbers,
        "measures": dict.fromkeys(curves, numbers),
    }
    sound = 1 <= len(at) <= MOST_POINTS and set(curves) <= set(MEASURES) and _fits(value, form)
    return sound and all(map(int.__lt__, at[:-1], at[1:])) and at[-1] <= value["steps"]


def _not_negative(value):
    return _number(value) and value >= 0


def _scans(value):
    """Whether it has three numbers of scans."""
    return len(value) == 3 and all(map(_not_negative, value))


def _listed(value):
    """Whether it lists arrays, name -> the fields of ``Listed``."""
    return type(value) is dict and all(_fits(entry, [str, list, str]) for entry in value.values())


#: The form of every entry of the header, see `_fits`.
HEADER = {
    "format": lambda value: value == FORMAT,
    "version": lambda value: value == VERSION,
    "method": _method,
    "method_name": str,
    "model_state": lambda value: value in pieces_of(ModelState),
    "seed": _count,
    "fingerprint": [_number] * 4,
    "status": lambda value: value in Status.__members__,
    "message": str,
    "seconds": _not_negative,
    "anchor": [_count, list],
    "scans": _scans,
    "problem": _problem,
    "validation": _validation,
    "rise": _not_negative,
    "arrays": _listed,
    "digest": str,
}
#: Entries that a file need not have.
OPTIONAL = {"validation", "rise"}


class ArrayForm(NamedTuple):
    """An array of a run file.

    Parameters
    ----------
    types : tuple of str
        Allowed types, as NumPy writes them.
    axes : tuple of str
        What each axis counts. An axis with the same name has the same length in all arrays; ANY has
        any length.
    """

    types: tuple[str, ...]
    axes: tuple[str, ...]


class Listed(NamedTuple):
    """An array as the header lists it: its type, its shape, and the digest of its bytes."""

    type: str
    shape: list
    digest: str


ANY = "any"
INTEGERS, REALS, BYTES, SMALL_INTEGERS = ("<i8",), ("<f8",), ("|u1",), ("<i4",)
EITHER_INTEGERS = SMALL_INTEGERS + INTEGERS


def _arrays(prefix, **arrays):
    """Return the arrays of a part of the file: name -> (types, what each axis counts)."""
    return {f"{prefix}.{name}": ArrayForm(types, axes) for name, (types, *axes) in arrays.items()}


#: Every array that a file may have.
ARRAYS = {
    **_arrays(
        "path",
        learner=(INTEGERS, "steps"),
        shrink=(REALS, "steps"),
        theta=(REALS, "steps"),
    ),
    "beta": ArrayForm(REALS, ("learners",)),
    **_arrays(
        "problem",
        y=(REALS, "samples"),
        weight=(REALS, "samples"),
        offset=(REALS, "samples"),
        base=(REALS, "samples"),
        groups=(INTEGERS, "learners"),
    ),
    **_arrays(
        "problem.standardization",
        kept=(INTEGERS, "standardised columns"),
        mean=(REALS, "standardised columns"),
        norm=(REALS, "standardised columns"),
    ),
    **_arrays(
        "problem.dictionary",
        rows=(REALS, "learners", "samples"),
        data=(REALS, "entries"),
        row=(EITHER_INTEGERS, "entries"),
        start=(EITHER_INTEGERS, "learners + 1"),
        scale=(REALS, "learners"),
        shift=(REALS, "learners"),
        feature=(INTEGERS, "learners"),
        first=(INTEGERS, "learners"),
        last=(INTEGERS, "learners"),
        extra=(INTEGERS, "learners"),
        member=(INTEGERS, "learners"),
        begin=(INTEGERS, "features + 1"),
        penalty=(REALS, "features"),
        columns=(REALS, "columns in blocks", "samples"),
        blocks=(INTEGERS, "places in blocks"),
        blocks_start=(INTEGERS, "blocks + 1"),
        fits=(REALS, "learners", "columns in blocks"),
        rules=(INTEGERS, "learners", "tests of a rule"),
    ),
    **_arrays(
        "problem.dictionary.binned",
        start=(INTEGERS, "features + 1"),
        codes=(BYTES, "features", "samples"),
        n_bins=(INTEGERS, "features"),
        missing=(INTEGERS, "features"),
        categorical=(INTEGERS, "features"),
        cuts=(REALS, "thresholds"),
    ),
    **_arrays(
        "problem.dictionary.growth",
        monotone=(INTEGERS, "monotone signs"),
        sets=(INTEGERS, "sets of features", "features of a set"),
    ),
    **_arrays(
        "problem.dictionary.families",
        nodes=(INTEGERS, "families"),
        bound=(REALS, "families"),
        complexity=(REALS, "families"),
    ),
    **_arrays(
        "problem.dictionary.trees",
        feature=(SMALL_INTEGERS, "learners", "nodes"),
        left=(SMALL_INTEGERS, "learners", "nodes"),
        goes_left=(BYTES, "learners", "nodes", "bytes of a set"),
        values=(REALS, "learners", "leaves"),
        n_leaves=(SMALL_INTEGERS, "learners"),
        gain=(REALS, "learners", "nodes"),
        n_samples=(INTEGERS, "learners", "nodes"),
    ),
}
#: Arrays that every file has; the others are those that the header refers to. Array parameters of a
#: method are vectors of any length.
ALWAYS = ("path.learner", "path.shrink", "path.theta", "beta")


def check_header(header):
    """Check that the header has exactly the entries that it must have, each of the right form.

    Raises
    ------
    ValueError
        Names the entry and its value.
    """
    odd = sorted((header.keys() ^ HEADER.keys()) - OPTIONAL)
    if odd:
        raise ValueError(
            f"the header has missing or unknown entries: {', '.join(map(shown, odd[:3]))}"
        )
    for key in header:
        try:
            sound = _fits(header[key], HEADER[key])
        except Exception:  # the form cannot be tested on this type
            sound = False
        if not sound:
            raise ValueError(f"the header's {key} cannot be {shown(header[key])}")


def check_arrays(header):
    """Check, before any array is read, that they are those that the header refers to, and that
    their types and shapes fit.
    """
    names = [*ALWAYS, *referred(header["problem"]), *referred(header["method"])]
    listed = header["arrays"]
    if sorted(names) != sorted(listed):
        raise ValueError("the arrays are not those that the header refers to")
    lengths = {}
    for name, entry in listed.items():
        array = Listed(*entry)
        if name not in ARRAYS and not name.startswith("method."):
            raise ValueError(f"the array {name} does not belong to a run")
        stored = ARRAYS.get(name, ArrayForm((array.type,), (ANY,)))
        fits = array.type in stored.types and len(array.shape) == len(stored.axes)
        if not fits or any(
            axis != ANY and lengths.setdefault(axis, length) != length
            for axis, length in zip(stored.axes, array.shape, strict=True)
        ):
            raise ValueError(
                f"the array {name} does not fit the others: {array.type}, {shown(array.shape)}"
            )
    _check_lengths(lengths, header["anchor"][0])


def _check_lengths(lengths, anchor):
    """Check the relations between the lengths of axes that the shape of a single array cannot
    show.
    """
    learners = lengths["learners"]
    features = lengths.get("features", 0)
    leaves = lengths.get("leaves", 1)
    if not (
        anchor <= lengths["steps"]
        and lengths.get("learners + 1", learners + 1) == learners + 1
        and lengths.get("features + 1", features + 1) == features + 1
        and lengths.get("thresholds", 0) <= MOST_BINS * features
        and lengths.get("monotone signs", 0) <= features
        and leaves <= lengths.get("samples", 1)
        and lengths.get("nodes", 1) == 2 * leaves - 1
        and lengths.get("bytes of a set", SET) == SET
    ):
        raise ValueError(
            "the numbers of learners, features, thresholds, leaves or steps do not match"
        )
