"""What a run file holds: one table of the entries of its header, one of its arrays. ``docs/run-format.md`` says what they mean."""

import math

from coordboost._checks import shown
from coordboost._kinds import pieces_of
from coordboost.dictionaries.binned import MOST_BINS
from coordboost.dictionaries.trees.stored import SET
from coordboost.engine.views.base import View
from coordboost.outcome import Status
from coordboost.paths.scoring import CHOICES, MEASURES, MOST_POINTS
from coordboost.storage.codec import referred

FORMAT, VERSION = "coordboost-run", 3
#: The parts of a problem.
PROBLEM = (
    "loss", "dictionary", "standardization", "y", "weight", "offset", "base", "groups", "feature_names", "dropped",
)  # fmt: skip


def _text(value):
    return isinstance(value, str)


def _number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _method(value):
    return value is None or (
        isinstance(value, dict)
        and set(value) == {"name", "parameters"}
        and _text(value["name"])
        and isinstance(value["parameters"], dict)
        and set(value["parameters"]) == {"dict"}
        and isinstance(value["parameters"]["dict"], dict)
    )


def _problem(value):
    return value is None or (
        isinstance(value, dict)
        and set(value) == {"dict"}
        and isinstance(value["dict"], dict)
        and set(PROBLEM) <= set(value["dict"]) <= {*PROBLEM, "binning", "recipe"}
    )


def _numbers(value, n):
    return isinstance(value, list) and len(value) == n and all(map(_number, value))


def _validation(value):
    if not (isinstance(value, dict) and set(value) == {"choose", "folds", "steps", "at", "mean", "error", "measures"}):
        return False
    at, curves = value["at"], value["measures"]
    if not (isinstance(at, list) and isinstance(curves, dict) and set(curves) <= set(MEASURES) and 1 <= len(at) <= MOST_POINTS):
        return False
    rising = all(map(_count, at)) and all(map(int.__lt__, at[:-1], at[1:]))
    lines = [value["mean"], value["error"], *curves.values()]
    return (
        (value["choose"] is None or value["choose"] in CHOICES)
        and (_count(value["folds"]) and _count(value["steps"]))
        and (rising and at[-1] <= value["steps"] and all(_numbers(one, len(at)) for one in lines))
    )


def _listed(value):
    return isinstance(value, dict) and all(
        isinstance(one, list) and len(one) == 3 and _text(one[0]) and isinstance(one[1], list) and _text(one[2])
        for one in value.values()
    )


#: Every entry of the header: what it must be.
HEADER = {
    "format": lambda value: value == FORMAT,
    "version": lambda value: value == VERSION,
    "method": _method,
    "method_name": _text,
    "view": lambda value: _text(value) and value in pieces_of(View),
    "seed": _count,
    "fingerprint": lambda value: _numbers(value, 4),
    "status": lambda value: _text(value) and value in Status.__members__,
    "message": _text,
    "seconds": lambda value: _number(value) and value >= 0,
    "anchor": lambda value: isinstance(value, list) and len(value) == 2 and _count(value[0]) and isinstance(value[1], list),
    "scans": lambda value: (_numbers(value, 2) or _numbers(value, 3)) and min(value) >= 0,
    "problem": _problem,
    "validation": _validation,
    "arrays": _listed,
    "digest": _text,
}
#: Entries that a file need not have.
OPTIONAL = ("validation",)

#: Every array: the types that it may have, and its shape. The same letter is the same number in all of them: k steps, n learners,
#: m samples, s standardised columns, e entries, d features, c thresholds, + one more than the learners, * one more than the features,
#: p nodes, l leaves, b bytes of a set, o monotone signs, f families,
#: q columns in blocks, r their places in all blocks, t one more than the blocks.
ARRAYS = {
    "path.learner": ("<i8", "k"),
    "path.shrink": ("<f8", "k"),
    "path.theta": ("<f8", "k"),
    "beta": ("<f8", "n"),
    "problem.y": ("<f8", "m"),
    "problem.weight": ("<f8", "m"),
    "problem.groups": ("<i8", "n"),
    "problem.standardization.kept": ("<i8", "s"),
    "problem.standardization.mean": ("<f8", "s"),
    "problem.standardization.norm": ("<f8", "s"),
    "problem.dictionary.rows": ("<f8", "nm"),
    "problem.dictionary.data": ("<f8", "e"),
    "problem.dictionary.row": ("<i4 <i8", "e"),
    "problem.dictionary.start": ("<i4 <i8", "+"),
    "problem.dictionary.scale": ("<f8", "n"),
    "problem.dictionary.shift": ("<f8", "n"),
    **{f"problem.dictionary.{name}": ("<i8", "n") for name in ("feature", "first", "last", "extra")},
    "problem.dictionary.begin": ("<i8", "*"),
    "problem.dictionary.binned.codes": ("|u1", "dm"),
    **{f"problem.dictionary.binned.{name}": ("<i8", "d") for name in ("n_bins", "missing", "categorical")},
    "problem.dictionary.binned.cuts": ("<f8", "c"),
    "problem.dictionary.binned.start": ("<i8", "*"),
    "problem.dictionary.penalty": ("<f8", "d"),
    "problem.dictionary.growth.monotone": ("<i8", "o"),
    "problem.dictionary.member": ("<i8", "n"),
    "problem.dictionary.columns": ("<f8", "qm"),
    "problem.dictionary.blocks": ("<i8", "r"),
    "problem.dictionary.blocks_start": ("<i8", "t"),
    "problem.dictionary.fits": ("<f8", "nq"),
    "problem.dictionary.families.nodes": ("<i8", "f"),
    **{f"problem.dictionary.families.{name}": ("<f8", "f") for name in ("bound", "complexity")},
    **{f"problem.dictionary.trees.{name}": ("<i4", "np") for name in ("feature", "left")},
    "problem.dictionary.trees.goes_left": ("|u1", "npb"),
    "problem.dictionary.trees.values": ("<f8", "nl"),
    "problem.dictionary.trees.n_leaves": ("<i4", "n"),
    "problem.dictionary.trees.gain": ("<f8", "np"),
    "problem.dictionary.trees.n_samples": ("<i8", "np"),
}
#: Arrays that every file has; the others are those that the header refers to. Parameters of a method are vectors of any length.
ALWAYS = ("path.learner", "path.shrink", "path.theta", "beta")


def check_header(header):
    """Refuse a header with an entry too many, too few, or of another kind.

    Raises
    ------
    ValueError
        Which entry, and what it holds.
    """
    expected = [key for key in HEADER if key in header or key not in OPTIONAL]
    if sorted(header) != sorted(expected):
        odd = sorted(set(header) ^ set(expected))
        raise ValueError(f"the header has {', '.join(map(shown, odd[:3]))} too many or too few")
    for key in expected:
        if not HEADER[key](header[key]):
            raise ValueError(f"the header's {key} cannot be {shown(header[key])}")


def _check_bins(sizes):
    """Refuse more thresholds than bins have, and more leaves than there are samples: numbers that no other array would contradict."""
    d, leaves = sizes.get("d", 0), sizes.get("l", 1)
    fits = sizes.get("*", d + 1) == d + 1 and sizes.get("c", 0) <= MOST_BINS * d and sizes.get("o", 0) <= d
    if not (fits and leaves <= sizes.get("m", 1) and sizes.get("p", 1) == 2 * leaves - 1 and sizes.get("b", SET) == SET):
        raise ValueError("the numbers of features, thresholds or leaves do not fit each other")


def check_arrays(header, members):
    """Refuse arrays that are not those which the header refers to, or whose types and shapes do not fit; none has been read yet.

    members : dict of name to ``archive.Member``
    """
    names = [*ALWAYS, *referred(header["problem"]), *referred(header["method"])]
    if not all(map(_text, names)) or sorted(names) != sorted(members):
        raise ValueError("the arrays are not those that the header refers to")
    sizes = {}
    for name, member in members.items():
        kind, letters = ARRAYS.get(name, (member.type, "?"))
        if ARRAYS.get(name) is None and not name.startswith("method."):
            raise ValueError(f"the array {name} is none that a run has")
        fits = member.type in kind.split() and len(member.shape) == len(letters) and member.order == "C"
        if not fits or any(
            sizes.setdefault(letter, size) != size for letter, size in zip(letters, member.shape, strict=True) if letter != "?"
        ):
            raise ValueError(f"the array {name} does not fit the others: {member.type}, {shown(member.shape)}")
    more = all(sizes.get(sign, sizes.get(letter, 0) + 1) == sizes.get(letter, 0) + 1 for sign, letter in ("+n", "*d"))
    if not more or header["anchor"][0] > sizes["k"]:
        raise ValueError("the numbers of learners, of features or of steps do not fit each other")
    _check_bins(sizes)
