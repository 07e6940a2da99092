"""The rows on which a fit is scored while it runs, as ``fit`` is given them."""

from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import shown

#: The name of the only set of rows, where no name is given.
ALONE = "validation"


class EvalSet(NamedTuple):
    """Rows on which a fit is scored; for classifiers `y` has indices of classes."""

    X: object
    y: np.ndarray
    weight: np.ndarray | None
    offset: np.ndarray | None


def sets_given(eval_set, eval_names, X_val, y_val, weight_val, offset_val):
    """Return the sets given to ``fit``, name -> (X, y, weight, offset), in their order."""
    if eval_set is None:
        if eval_names is not None:
            raise ValueError("eval_names names the pairs of eval_set, and there is no eval_set.")
        if all(given is None for given in (X_val, y_val, weight_val, offset_val)):
            return {}
        if X_val is None or y_val is None:
            missing = "X_val" if X_val is None else "y_val"
            raise ValueError(f"X_val and y_val come together: {missing} is missing.")
        return {ALONE: (X_val, y_val, weight_val, offset_val)}
    pairs = list(eval_set.values()) if isinstance(eval_set, dict) else eval_set
    pairs = [pairs] if isinstance(pairs, tuple) else pairs
    known = isinstance(pairs, list) and len(pairs) > 0
    known = known and all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)
    if not known or X_val is not None or y_val is not None:
        raise ValueError(
            "eval_set must be a pair (X, y), a list of pairs, or a dict with a pair for each name, "
            f"instead of X_val and y_val, got {shown(eval_set)}."
        )
    names = _names(eval_set, eval_names, len(pairs))
    weights = _of_each("sample_weight_val", weight_val, names)
    offsets = _of_each("offset_val", offset_val, names)
    return {
        name: (*pair, weight, offset)
        for name, pair, weight, offset in zip(names, pairs, weights, offsets, strict=True)
    }


def _names(eval_set, eval_names, n_sets):
    """Return the names of the sets, a list of str."""
    if eval_names is None:
        if isinstance(eval_set, dict):
            eval_names = list(eval_set)
        else:
            eval_names = [ALONE] if n_sets == 1 else [f"{ALONE}_{k}" for k in range(n_sets)]
    elif isinstance(eval_set, dict):
        raise ValueError("eval_names comes with a list of pairs; this eval_set has names already.")
    names = [eval_names] if isinstance(eval_names, str) else eval_names
    known = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not known or len(names) != n_sets or len(set(names)) != n_sets:
        raise ValueError(
            f"eval_names must be {n_sets} different name(s), one for each pair of eval_set, got "
            f"{shown(eval_names)}."
        )
    return list(names)


def _of_each(what, given, names):
    """Return an array for each set, or None: `what` of the sets, given as an array for one set."""
    if given is None:
        return [None] * len(names)
    if isinstance(given, dict):
        strange = [name for name in given if name not in names]
        if not strange:
            return [given.get(name) for name in names]
        raise ValueError(f"{what} has an entry for {shown(strange[0])}, which is no eval_set.")
    is_list = isinstance(given, list | tuple) and len(given) == len(names)
    if len(names) == 1:
        return list(given) if is_list and np.ndim(given[0]) else [given]
    if not is_list:
        raise ValueError(
            f"{what} must be a list with an array for each of the {len(names)} sets, or a dict, "
            f"got {shown(given)}."
        )
    return list(given)
