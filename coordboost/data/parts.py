"""The fields of a problem: validated data that fit together, and nothing that is derived from
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordboost._utils.checks import shown
from coordboost._utils.kinds import checked_piece
from coordboost.data import validation
from coordboost.data.binning import Binning
from coordboost.data.recipe import Recipe
from coordboost.data.standardize import Standardization
from coordboost.learners import Dense
from coordboost.learners.base import Learners
from coordboost.losses.base import Loss


@dataclass(frozen=True, eq=False, repr=False)
class Parts:
    """The parts of a problem, read-only.

    loss : piece; dictionary : the columns B_j; standardization : converts their coefficients to raw
    ones y, weight : float64 (n_samples,); constant : the constant prediction; offset : the known
    part of predictions, (n_samples,), or None base : the part of constant + offset that is added to
    ``pred`` inside the loss, a number or (n_samples,) groups : int64 (n_learners,) or None
    column_names : names of all columns, kept or not (a sequence of n_columns); named : whether they
    were given, not generated unit_norm : whether the package made the columns, so that their norm
    need not be checked binning : the ``Binning`` that puts new rows into the bins of the
    dictionary, or None recipe : the ``Recipe`` that made the columns from a table with text and
    missing values, or None
    """

    loss: Any
    dictionary: Any
    standardization: Standardization
    y: np.ndarray
    weight: np.ndarray
    constant: float
    base: float | np.ndarray
    groups: np.ndarray | None
    column_names: Sequence
    named: bool
    unit_norm: bool
    binning: Any = None
    recipe: object = None
    offset: np.ndarray | None = None


def base_of(loss, constant, offset):
    """What the loss adds to ``pred``: 0 if constant and offset were subtracted from y, else the
    constant plus the offset, if any.
    """
    return 0.0 if loss.location else constant if offset is None else constant + offset


def restored(
    loss,
    dictionary,
    standardization,
    y,
    weight,
    constant,
    base,
    groups,
    feature_names,
    dropped,
    binning=None,
    recipe=None,
    offset=None,
):
    """Build ``Parts`` from the content of a file: each is checked, alone and against the others.

    Parameters
    ----------
    feature_names, dropped : list of str
        Names of the columns kept and of those dropped, each in their order.

    Raises
    ------
    ValueError
        Which part does not fit, and why.
    """
    for piece in (loss, dictionary):
        if getattr(piece, "check", None):
            piece.check()
    checked_piece(Loss, "loss", loss)
    banked = hasattr(dictionary, "opened")
    if not banked:
        checked_piece(Learners, "dictionary", dictionary, "learners that a run file holds")
    m = dictionary.n_samples
    n = 0 if banked else dictionary.n_learners
    y = _floats("y", y, m)
    weight = validation.sample_weight(_floats("weight", weight, m), m)
    if loss.labels and not np.array_equal(loss.labels(y), y):
        raise ValueError(f"y must hold labels as {type(loss).__name__}.labels returns them.")
    _check_standardization(standardization, n)
    if not (isinstance(constant, float) and np.isfinite(constant)):
        raise ValueError(f"constant must be a finite number, got {shown(constant)}.")
    offset = None if offset is None else _floats("offset", offset, m)
    wanted = base_of(loss, constant, offset)
    if not (type(base) is type(wanted) and np.array_equal(base, wanted)):
        raise ValueError(
            f"base must be {shown(wanted)}, as constant and offset imply, got {shown(base)}."
        )
    if groups is not None and not (_is_array(groups, np.int64, (n,)) and (groups >= 0).all()):
        raise ValueError(f"groups must hold {n} whole numbers >= 0, or be None.")
    kept = standardization.kept
    n_columns = standardization.n_columns
    for given, length, what in (
        (feature_names, n, "feature_names"),
        (dropped, n_columns - n, "dropped"),
    ):
        if not (
            isinstance(given, list)
            and len(given) == length
            and all(isinstance(name, str) for name in given)
        ):
            raise ValueError(f"{what} must be a list of {length} names.")
    names = np.empty(n_columns, dtype=object)
    names[kept], names[standardization.aside] = feature_names, dropped
    named = names.tolist() != [f"x{j}" for j in range(n_columns)]
    binned = getattr(dictionary, "binned", None)  # saved blocks of columns have none
    if binning is not None and binned is None:
        raise ValueError("binning must be None for a dictionary without bins.")
    binning = None if binning is None else Binning.restored(binning, binned)
    if banked:
        dictionary = dictionary.opened(weight, binning)
    recipe = _restored_recipe(recipe, names.tolist() if binning is None else binning.names)
    nothing = (
        isinstance(dictionary, Dense) and n == 1 and not dictionary.rows.any()
    )  # of columns none of which varies
    return Parts(
        loss,
        dictionary,
        standardization,
        y,
        weight,
        constant,
        base,
        groups,
        names.tolist(),
        named,
        nothing,
        binning,
        recipe,
        offset,
    )


def _restored_recipe(recipe, names):
    """Rebuild a recipe from plain data and check that it gives the columns `names`.

    None for None.
    """
    made = None if recipe is None else Recipe.restored(recipe)
    if made is not None and made.columns != names:
        raise ValueError("the recipe of the table does not give the columns of the model.")
    return made


def _is_array(values, dtype, shape):
    return isinstance(values, np.ndarray) and values.dtype == dtype and values.shape == shape


def _floats(name, values, length):
    """Return `values`; raise unless they are a finite float64 vector of this length."""
    if not (_is_array(values, np.float64, (length,)) and np.isfinite(values).all()):
        raise ValueError(f"{name} must be {length} finite float64 numbers.")
    return values


def _check_standardization(given, n):
    """Refuse a standardization that does not fit n learners."""
    if not isinstance(given, Standardization):
        raise ValueError(f"standardization must be a Standardization, got {shown(given)}.")
    n_columns = validation.whole("n_columns", given.n_columns, n)
    if not (
        _is_array(given.kept, np.int64, (n,))
        and (np.diff(given.kept) > 0).all()
        and (given.kept >= 0).all()
    ):
        raise ValueError(f"standardization.kept must hold {n} increasing columns.")
    if n and given.kept[-1] >= n_columns:
        raise ValueError(
            f"standardization.kept must hold columns below {n_columns}, got {given.kept[-1]}."
        )
    _floats("standardization.mean", given.mean, n)
    if not (_floats("standardization.norm", given.norm, n) > 0).all():
        raise ValueError("standardization.norm must be positive.")
