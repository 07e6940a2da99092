"""The contents of a run file: values as JSON with arrays stored apart, entries of the header,
arrays. See ``docs/run-format.md``.

A file cannot name code to run: pieces are looked up in a fixed table.
"""

import inspect
import math

import numpy as np

from coordboost._utils.checks import shown
from coordboost._utils.kinds import pieces_of
from coordboost.data.block_learners import SavedBlocks
from coordboost.data.problem import Problem
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
    "seconds": lambda value: _number(value) and value >= 0,
    "anchor": [_count, list],
    "scans": lambda value: (
        len(value) == 3 and _fits(value, [_number] * len(value)) and min(value) >= 0
    ),
    "problem": _problem,
    "validation": _validation,
    "rise": lambda value: _number(value) and value >= 0,
    "arrays": lambda value: (
        type(value) is dict and all(_fits(one, [str, list, str]) for one in value.values())
    ),
    "digest": str,
}
#: Entries that a file need not have.
OPTIONAL = {"validation", "rise"}

#: Every array: its allowed types, and its shape, a letter for each axis; a name that begins with a
#: dot belongs to the dictionary. A letter stands for the same number in all arrays: k steps, n
#: learners, m samples, s standardised columns, e entries, d features, c thresholds, + learners plus
#: one, * features plus one, p nodes, l leaves, b bytes of a set, o monotone signs, f families, u
#: sets of v features, q columns in blocks, r their places in all blocks, t blocks plus one.
ARRAYS = {
    f"problem.dictionary{name}" if name.startswith(".") else name: (types, shape)
    for types, shape, names in (
        ("<i8", "k", "path.learner"),
        ("<f8", "k", "path.shrink path.theta"),
        ("<f8", "n", "beta .scale .shift"),
        ("<f8", "m", "problem.y problem.weight problem.offset problem.base"),
        ("<i8", "n", "problem.groups .feature .first .last .extra .member"),
        ("<i8", "s", "problem.standardization.kept"),
        ("<f8", "s", "problem.standardization.mean problem.standardization.norm"),
        ("<f8", "nm", ".rows"),
        ("<f8", "e", ".data"),
        ("<i4 <i8", "e", ".row"),
        ("<i4 <i8", "+", ".start"),
        ("<i8", "*", ".begin .binned.start"),
        ("|u1", "dm", ".binned.codes"),
        ("<i8", "d", ".binned.n_bins .binned.missing .binned.categorical"),
        ("<f8", "c", ".binned.cuts"),
        ("<f8", "d", ".penalty"),
        ("<i8", "o", ".growth.monotone"),
        ("<i8", "uv", ".growth.sets"),
        ("<f8", "qm", ".columns"),
        ("<i8", "r", ".blocks"),
        ("<i8", "t", ".blocks_start"),
        ("<f8", "nq", ".fits"),
        ("<i8", "f", ".families.nodes"),
        ("<f8", "f", ".families.bound .families.complexity"),
        ("<i4", "np", ".trees.feature .trees.left"),
        ("|u1", "npb", ".trees.goes_left"),
        ("<f8", "nl", ".trees.values"),
        ("<i4", "n", ".trees.n_leaves"),
        ("<f8", "np", ".trees.gain"),
        ("<i8", "np", ".trees.n_samples"),
    )
    for name in names.split()
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
    sizes = {}
    for name, (kind, shape, _) in listed.items():
        if name not in ARRAYS and not name.startswith("method."):
            raise ValueError(f"the array {name} does not belong to a run")
        kinds, letters = ARRAYS.get(name, (kind, "?"))
        fits = kind in kinds.split() and len(shape) == len(letters)
        if not fits or any(
            letter != "?" and sizes.setdefault(letter, size) != size
            for letter, size in zip(letters, shape, strict=True)
        ):
            raise ValueError(f"the array {name} does not fit the others: {kind}, {shown(shape)}")
    _check_sizes(sizes, header["anchor"][0])


def _check_sizes(sizes, anchor):
    """Check the relations between the sizes that the shape of a single array cannot show."""
    n = sizes["n"]
    d = sizes.get("d", 0)
    leaves = sizes.get("l", 1)
    sound = (
        anchor <= sizes["k"] and sizes.get("+", n + 1) == n + 1 and sizes.get("*", d + 1) == d + 1
    )
    sound &= sizes.get("c", 0) <= MOST_BINS * d and sizes.get("o", 0) <= d
    sound &= (
        leaves <= sizes.get("m", 1)
        and sizes.get("p", 1) == 2 * leaves - 1
        and sizes.get("b", SET) == SET
    )
    if not sound:
        raise ValueError(
            "the numbers of learners, features, thresholds, leaves or steps do not match"
        )
