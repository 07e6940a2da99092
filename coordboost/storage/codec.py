"""Pieces and plain values as JSON; arrays aside. Nothing in a file names code to run: pieces are looked up in a fixed table."""

import math

import numpy as np

from coordboost._checks import shown
from coordboost._kinds import pieces_of
from coordboost.data.blocks import SavedBlocks
from coordboost.data.standardize import Standardization
from coordboost.data.trees import SavedFamilies, SavedTrees
from coordboost.dictionaries import Dense, LeafStumps, Sparse, Stumps
from coordboost.dictionaries.binned import Binned
from coordboost.dictionaries.families import Families
from coordboost.dictionaries.trees import Growth
from coordboost.dictionaries.trees.stored import Trees
from coordboost.pieces import losses, selection, steps  # noqa: F401  # loaded, so that they are among the pieces
from coordboost.pieces.base import SelectionRule, StepRule
from coordboost.pieces.loss import Loss

PIECES = pieces_of(Loss) | pieces_of(SelectionRule) | pieces_of(StepRule)
PIECES |= {
    piece.__name__: piece
    for piece in (
        Dense,
        Sparse,
        Stumps,
        LeafStumps,
        Standardization,
        Binned,
        SavedBlocks,
        SavedTrees,
        SavedFamilies,
        Families,
        Growth,
        Trees,
    )
}
#: The numbers that JSON has no word for.
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def encode(value, name, arrays):
    """`value` as JSON; arrays go to `arrays` under `name`."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        whole = value.dtype if value.dtype in (np.int32, np.uint8) else np.int64
        kind = np.float64 if value.dtype.kind == "f" else whole
        arrays[name] = np.ascontiguousarray(value, dtype=kind)
        return {"array": name}
    if type(value).__name__ in PIECES and type(value) is PIECES[type(value).__name__]:
        fields = {field: encode(part, f"{name}.{field}", arrays) for field, part in value._asdict().items()}
        return {"piece": type(value).__name__, "fields": fields}
    if isinstance(value, dict):
        return {"dict": {key: encode(part, f"{name}.{key}", arrays) for key, part in value.items()}}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [encode(part, f"{name}.{i}", arrays) for i, part in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    part = name.split(".")[1] if "." in name else name
    raise ValueError(
        f"the {part} of this run, a {type(value).__name__}, is not part of coordboost and cannot be saved in a file; leave the "
        "problem out with save(file, data=False), and give it again with load(file, problem)."
    )


def decode(value, arrays):
    """The value that `encode` wrote.

    Raises
    ------
    ValueError
        For anything that it does not write.
    """
    if isinstance(value, list):
        return [decode(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    kind = "+".join(sorted(value))
    if kind == "array" and isinstance(value["array"], str) and value["array"] in arrays:
        return arrays[value["array"]]
    if kind == "float" and isinstance(value["float"], str) and value["float"] in FLOATS:
        return FLOATS[value["float"]]
    if kind == "dict" and isinstance(value["dict"], dict):
        return {key: decode(part, arrays) for key, part in value["dict"].items()}
    if kind == "fields+piece" and isinstance(value["piece"], str) and isinstance(value["fields"], dict):
        piece = PIECES.get(value["piece"])
        if piece is not None and tuple(value["fields"]) == piece._fields:
            return piece(**{key: decode(part, arrays) for key, part in value["fields"].items()})
    raise ValueError(f"an entry of the header is none that a run has: {shown(value)}")


def referred(value):
    """Names of the arrays that an encoded value refers to, each as often as it does."""
    if isinstance(value, list):
        return [name for part in value for name in referred(part)]
    if not isinstance(value, dict):
        return []
    if list(value) == ["array"]:
        return [value["array"]]
    return [name for part in value.values() for name in referred(part)]
