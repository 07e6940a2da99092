"""Laws of dictionaries and oracles: every verb is held against the columns."""

from typing import NamedTuple

import numpy as np

from coordboost.laws.report import SKIPPED

#: Most columns that are looked at, and how far rounding may go in norms and correlations (the door allows the same).
MOST, NEAR = 24, 1e-8


class DictionaryCase(NamedTuple):
    """A dictionary, learners that are looked at, a vector to correlate with, and coefficients of the learners."""

    dictionary: object
    some: np.ndarray
    v: np.ndarray
    beta: np.ndarray

    def columns(self):
        return np.column_stack([self.dictionary.column(int(j)) for j in self.some])


def case(dictionary, y):
    """Learners from the first to the last, and numbers without order."""
    n, p = int(dictionary.n_samples), int(dictionary.n_learners)
    rng = np.random.default_rng(0)
    index = np.unique(np.linspace(0, p - 1, min(p, MOST)).astype(np.int64))
    return (DictionaryCase(dictionary, index, rng.normal(size=n), rng.integers(1, 5, len(index)) / 4),)


def sizes_are_whole_numbers(at):
    """n_samples and n_learners."""
    for name in ("n_samples", "n_learners"):
        number = getattr(at.dictionary, name)
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            return f"{name} is {number!r}; it must be a whole number of at least 1."
    return None


def columns_are_finite_and_of_the_right_shape(at):
    """(n_samples,) real numbers."""
    for j in at.some:
        column = np.asarray(at.dictionary.column(int(j)))
        if column.shape != (at.dictionary.n_samples,) or column.dtype.kind not in "fiu" or not np.isfinite(column).all():
            return f"column({j}) has shape {column.shape}, dtype {column.dtype}; it must be {at.dictionary.n_samples} finite numbers."
    return None


def columns_have_unit_norm(at):
    """Lookahead and certificates rest on it."""
    norms = np.linalg.norm(at.columns(), axis=0)
    i = int(np.argmax(np.abs(norms - 1)))
    if abs(norms[i] - 1) > NEAR:
        return f"column({at.some[i]}) has norm {norms[i]:.9g}; divide every column by its norm, in column and scan alike."
    return None


def scan_agrees_with_the_columns(at):
    """Shape, sign and size of every correlation that is looked at."""
    return _agrees(
        "scan(v)", at.dictionary.scan(at.v), at.columns().T @ at.v, at, pick=at.some, length=at.dictionary.n_learners
    )


def scan_is_linear(at):
    """For learners that are not looked at one by one, too."""
    scan, other = at.dictionary.scan, at.v[::-1].copy()
    found, expected = np.asarray(scan(at.v - 2 * other)), np.asarray(scan(at.v)) - 2 * np.asarray(scan(other))
    if found.shape != expected.shape or not np.abs(found - expected).max() <= 4 * NEAR * np.linalg.norm(at.v):
        return "scan(u - 2 v) is not scan(u) - 2 scan(v); it must return the correlations <B_j, v> with their signs, not sizes or ranks."
    return None


def dot_agrees_with_the_columns(at):
    """<B_j, v>."""
    if not hasattr(at.dictionary, "dot"):
        return SKIPPED
    return _agrees("dot(j, v)", [at.dictionary.dot(int(j), at.v) for j in at.some], at.columns().T @ at.v, at)


def correlations_agree_with_the_columns(at):
    """In the order of the list, with repetitions."""
    if not hasattr(at.dictionary, "correlations"):
        return SKIPPED
    order = np.concatenate([at.some[::-1], at.some[:1]])
    expected = at.columns().T @ at.v
    return _agrees(
        "correlations(v, index)", at.dictionary.correlations(at.v, order), np.append(expected[::-1], expected[0]), at
    )


def add_agrees_with_the_columns(at):
    """In place."""
    if not hasattr(at.dictionary, "add"):
        return SKIPPED
    total = at.v.copy()
    for j, a in zip(at.some, at.beta, strict=True):
        at.dictionary.add(int(j), float(a), total)
    return _agrees("add(j, a, v), v += a B_j in place,", total, at.v + at.columns() @ at.beta, at)


def combine_agrees_with_the_columns(at):
    """B beta."""
    if not hasattr(at.dictionary, "combine"):
        return SKIPPED
    beta = np.zeros(int(at.dictionary.n_learners))
    beta[at.some] = at.beta
    return _agrees("combine(beta)", at.dictionary.combine(beta), at.columns() @ at.beta, at)


def gather_agrees_with_the_columns(at):
    """(n_samples, len(index)), also of no learners."""
    if not hasattr(at.dictionary, "gather"):
        return SKIPPED
    none = np.asarray(at.dictionary.gather(at.some[:0]))
    if none.shape != (at.dictionary.n_samples, 0):
        return f"gather of no learners has shape {none.shape}; it must be ({at.dictionary.n_samples}, 0)."
    return _agrees("gather(index)", at.dictionary.gather(at.some[::-1]), at.columns()[:, ::-1], at)


def cross_agrees_with_the_columns(at):
    """Weighted inner products."""
    if not hasattr(at.dictionary, "cross"):
        return SKIPPED
    weight, few = np.abs(at.v), at.some[:3]
    columns = at.columns()
    expected = (columns[:, :3].T * weight) @ columns
    return _agrees("cross(a, b, weight)", at.dictionary.cross(few, at.some, weight), expected, at)


def gram_agrees_with_the_columns(at):
    """B' diag(weight) B, for dictionaries that are small."""
    if not hasattr(at.dictionary, "gram") or len(at.some) < at.dictionary.n_learners:
        return SKIPPED
    weight, columns = np.abs(at.v), at.columns()
    return _agrees("gram(weight)", at.dictionary.gram(weight), (columns.T * weight) @ columns, at)


def arguments_are_left_alone(at):
    """But for the vector of add."""
    kept = at.v.copy()
    at.dictionary.scan(at.v)
    if not (at.v == kept).all():
        return "scan(v) changes v; work on a copy."
    return None


def verbs_are_functions(at):
    """Bit for bit."""
    if not (np.array_equal(at.dictionary.scan(at.v), at.dictionary.scan(at.v)) and np.array_equal(at.columns(), at.columns())):
        return "two calls of scan(v), or of column(j), differ; the learners must not change during a run."
    return None


def _agrees(verb, found, expected, at, pick=slice(None), length=None):
    """The sentence where `found` is not what the columns give."""
    found = np.asarray(found)
    shape = expected.shape if length is None else (int(length),)
    if found.shape != shape:
        return f"{verb} returns shape {found.shape}; it must be {shape}."
    off = np.abs(found[pick] - expected)
    allowed = NEAR * (np.linalg.norm(at.v) + np.abs(at.beta).sum())
    if not (off <= allowed).all():
        i = np.unravel_index(int(np.nanargmax(np.where(np.isnan(off), np.inf, off))), off.shape)
        where = ", ".join(map(str, i))
        return f"{verb} gives {found[pick][i]:.9g} at [{where}], the columns give {expected[i]:.9g}; every verb must follow from column(j)."
    return None


LAWS = (
    sizes_are_whole_numbers, columns_are_finite_and_of_the_right_shape, columns_have_unit_norm, scan_agrees_with_the_columns,
    scan_is_linear, dot_agrees_with_the_columns, correlations_agree_with_the_columns, add_agrees_with_the_columns,
    combine_agrees_with_the_columns, gather_agrees_with_the_columns, cross_agrees_with_the_columns, gram_agrees_with_the_columns,
    arguments_are_left_alone, verbs_are_functions,
)  # fmt: skip
