"""Dimensional analysis of claims: they must not depend on the unit of the target.

Multiply the target by a million, and with it the models, the radii, and steps that are lengths.
Then a condition must hold as before, and the two sides of a comparison must grow by the same
factor. This detects formulas that compare a length with a square, even if all lengths are about 1
and no other check would notice.
"""

import numpy as np

from coordboost.theory.bounds import formula

#: Factor of the target; conditions are also checked with its inverse.
UNIT = 10**6


def mixed(check, variant, cases):
    """Describe where a claim depends on the unit.

    Empty if nowhere, if its instances have no unit, or if it must be refuted.

    cases : pairs (name, instance)
    """
    if not hasattr(check, "assuming") or check.expected[variant] == "refuted":
        return ""
    text = check.formulas[variant]
    assumed = check.assuming.get(variant, "")
    where = check.definitions(variant)
    for name, case in cases:
        if not hasattr(case, "in_units"):
            continue
        small = case.in_units(1 / (UNIT + 0 * case.y[0]))
        large = case.in_units(UNIT)
        if len({formula.true(assumed, one, where) for one in (case, small, large)}) > 1:
            return f"{name}: whether {assumed} holds depends on the unit of the target"
        for before, after in zip(*(_sides(text, one, where) for one in (case, large)), strict=True):
            if not _grown_alike(before, after):
                return f"{name}: the sides of {text} are in different units"
    return ""


def _sides(text, case, where):
    """Return the two sides of each comparison, as floats, (2, N)."""
    return [np.array(pair, dtype=float) for _, _, *pair in formula.sides(text, case, where)]


def _grown_alike(before, after):
    """Whether the sides in the new unit are the sides before, multiplied by the same power of
    it.
    """
    sizes = [float(np.abs(each).max(initial=0)) for each in (before, after)]
    if not all(0 < size < np.inf for size in sizes):
        return sizes[0] == sizes[1]
    grown = before * float(UNIT) ** round(np.log(sizes[1] / sizes[0]) / np.log(UNIT))
    return np.allclose(after, grown, rtol=1e-9, atol=1e-9 * sizes[1])
