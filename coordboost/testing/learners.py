"""Laws of learners.

All methods of a dictionary or an oracle are compared with its columns, `find` of a family with
`build`.
"""

from typing import NamedTuple

import numpy as np

from coordboost.testing.report import SKIPPED, about

#: Maximum number of columns tested, and the tolerance for norms and correlations (``Problem`` has
#: the same).
MOST, NEAR = 24, 1e-8
#: Maximum number of learners in one search of a family.
ASKED = 5


class DictionaryCase(NamedTuple):
    """A dictionary and the learners to be tested.

    With a vector to correlate with, and coefficients of these learners.
    """

    piece: object
    some: np.ndarray
    v: np.ndarray
    beta: np.ndarray

    def columns(self):
        return np.column_stack([self.piece.column(int(j)) for j in self.some])


def dictionary_case(dictionary, y):
    """Return a test case: learners evenly spaced from the first to the last, and random numbers."""
    n = int(dictionary.n_samples)
    p = int(dictionary.n_learners)
    rng = np.random.default_rng(0)
    index = np.unique(np.linspace(0, p - 1, min(p, MOST)).astype(np.int64))
    return DictionaryCase(dictionary, index, rng.normal(size=n), rng.integers(1, 5, len(index)) / 4)


def sizes_are_whole_numbers(at):
    """Test n_samples and n_learners."""
    for name in ("n_samples", "n_learners"):
        number = getattr(at.piece, name)
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            yield f"{name} is {number!r}; it must be a whole number of at least 1."


def columns_are_finite_and_of_the_right_shape(at):
    """Test that columns are (n_samples,) finite real numbers."""
    for j in at.some:
        column = np.asarray(at.piece.column(int(j)))
        if (
            column.shape != (at.piece.n_samples,)
            or column.dtype.kind not in "fiu"
            or not np.isfinite(column).all()
        ):
            yield (
                f"column({j}) has shape {column.shape}, dtype {column.dtype}; it must be "
                f"{at.piece.n_samples} finite numbers."
            )


def columns_have_unit_norm(at):
    """Test that columns have norm 1: lookahead and certificates rely on it."""
    norms = np.linalg.norm(at.columns(), axis=0)
    i = int(np.argmax(np.abs(norms - 1)))
    if abs(norms[i] - 1) > NEAR:
        yield (
            f"column({at.some[i]}) has norm {norms[i]:.9g}; divide every column by its norm, in "
            "column and scan alike."
        )


def scan_agrees_with_the_columns(at):
    """Test the shape of a scan, and sign and size of the correlations of the tested learners."""
    given = np.asarray(at.piece.scan(at.v))
    if given.shape != (at.piece.n_learners,):
        yield f"scan(v) returns shape {given.shape}; it must be ({at.piece.n_learners},)."
    yield from _agrees("scan(v)", given[at.some], at.columns().T @ at.v, at)


def scan_is_linear(at):
    """Test that a scan is linear, which also covers learners that are not tested one by one."""
    scan = at.piece.scan
    w = at.v[::-1].copy()
    given = np.asarray(scan(at.v - 2 * w))
    expected = np.asarray(scan(at.v)) - 2 * np.asarray(scan(w))
    if given.shape != expected.shape or not np.abs(
        given - expected
    ).max() <= 4 * NEAR * np.linalg.norm(at.v):
        yield (
            "scan(u - 2 v) is not scan(u) - 2 scan(v); it must return the correlations <B_j, v> "
            "with their signs, not sizes or ranks."
        )


@about("dot")
def dot_agrees_with_the_columns(at):
    """Test that dot(j, v) is <B_j, v>."""
    yield from _agrees(
        "dot(j, v)", [at.piece.dot(int(j), at.v) for j in at.some], at.columns().T @ at.v, at
    )


@about("correlations")
def correlations_agree_with_the_columns(at):
    """Test correlations in the order of the index, with a repetition."""
    order = np.concatenate([at.some[::-1], at.some[:1]])
    expected = at.columns().T @ at.v
    yield from _agrees(
        "correlations(v, index)",
        at.piece.correlations(at.v, order),
        [*expected[::-1], expected[0]],
        at,
    )


@about("add")
def add_agrees_with_the_columns(at):
    """Test that add(j, a, v) adds a B_j to v in place."""
    total = at.v.copy()
    for j, a in zip(at.some, at.beta, strict=True):
        at.piece.add(int(j), float(a), total)
    yield from _agrees(
        "add(j, a, v), v += a B_j in place,", total, at.v + at.columns() @ at.beta, at
    )


@about("combine")
def combine_agrees_with_the_columns(at):
    """Test that combine(beta) is B beta."""
    beta = np.zeros(int(at.piece.n_learners))
    beta[at.some] = at.beta
    yield from _agrees("combine(beta)", at.piece.combine(beta), at.columns() @ at.beta, at)


@about("gather")
def gather_agrees_with_the_columns(at):
    """Test the matrix (n_samples, len(index)), also for an empty index."""
    none = np.asarray(at.piece.gather(at.some[:0]))
    if none.shape != (at.piece.n_samples, 0):
        yield (
            f"gather of an empty index has shape {none.shape}; it must be "
            f"({at.piece.n_samples}, 0)."
        )
    yield from _agrees("gather(index)", at.piece.gather(at.some[::-1]), at.columns()[:, ::-1], at)


@about("cross")
def cross_agrees_with_the_columns(at):
    """Test weighted inner products."""
    weight = np.abs(at.v)
    columns = at.columns()
    given = at.piece.cross(at.some[:3], at.some, weight)
    yield from _agrees("cross(a, b, weight)", given, (columns[:, :3].T * weight) @ columns, at)


@about("gram")
def gram_agrees_with_the_columns(at):
    """Test B' diag(weight) B, for small dictionaries."""
    if len(at.some) < at.piece.n_learners:
        yield SKIPPED
    weight = np.abs(at.v)
    columns = at.columns()
    yield from _agrees("gram(weight)", at.piece.gram(weight), (columns.T * weight) @ columns, at)


def arguments_are_left_alone(at):
    """Test that scan does not change its argument."""
    copy = at.v.copy()
    at.piece.scan(at.v)
    if not (at.v == copy).all():
        yield "scan(v) changes v; work on a copy."


def verbs_are_functions(at):
    """Test that scan and column return the same bits when called again."""
    if not (
        np.array_equal(at.piece.scan(at.v), at.piece.scan(at.v))
        and np.array_equal(at.columns(), at.columns())
    ):
        yield (
            "two calls of scan(v), or of column(j), differ; the learners must not change "
            "during a run."
        )


def _agrees(verb, found, expected, at):
    """Yield a sentence if `found` differs from what the columns give."""
    found = np.asarray(found)
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        yield f"{verb} returns shape {found.shape}; it must be {expected.shape}."
    off = np.nan_to_num(np.abs(found - expected), nan=np.inf)
    if not (off <= NEAR * (np.linalg.norm(at.v) + np.abs(at.beta).sum())).all():
        i = np.unravel_index(int(off.argmax()), off.shape)
        where = ", ".join(map(str, i))
        yield (
            f"{verb} gives {found[i]:.9g} at [{where}], the columns give {expected[i]:.9g}; "
            "every method must agree with column(j)."
        )


DICTIONARY_LAWS = (
    sizes_are_whole_numbers,
    columns_are_finite_and_of_the_right_shape,
    columns_have_unit_norm,
    scan_agrees_with_the_columns,
    scan_is_linear,
    dot_agrees_with_the_columns,
    correlations_agree_with_the_columns,
    add_agrees_with_the_columns,
    combine_agrees_with_the_columns,
    gather_agrees_with_the_columns,
    cross_agrees_with_the_columns,
    gram_agrees_with_the_columns,
    arguments_are_left_alone,
    verbs_are_functions,
)


class FamilyCase(NamedTuple):
    """A family, and the vectors for its searches, (m, n_samples)."""

    piece: object
    vectors: np.ndarray

    def found(self, above=0.0):
        """Yield (v, k, learners, correlations, outside) for searches with k = 1 and k = ASKED."""
        for v in self.vectors:
            for k in (1, ASKED):
                learners, corr, outside = self.piece.find(v.copy(), k, above)
                yield v, k, list(learners), np.asarray(corr, dtype=float), float(outside)

    def column(self, learner):
        return np.asarray(self.piece.build(learner), dtype=float)


def family_case(family, y):
    """Return a test case for a family.

    Random vectors, one of them with the other sign, and a unit vector of one sample.
    """
    n = int(family.n_samples)
    v = np.random.default_rng(0).normal(size=(3, n))
    return FamilyCase(family, np.vstack([v, -v[:1], np.eye(1, n)]))


def find_gives_up_to_k_learners(at):
    """Test that find returns up to k distinct learners with finite correlations, and a bound."""
    for _, k, learners, corr, outside in at.found():
        if (
            len(learners) > k
            or corr.shape != (len(learners),)
            or not np.isfinite(corr).all()
            or np.isnan(outside)
        ):
            yield (
                f"find(v, {k}, 0.0) gives {len(learners)} learners, correlations {corr.tolist()}, "
                f"outside {outside}; it must give up to {k} learners, a finite correlation each, "
                "and a bound."
            )
        if len(set(learners)) < len(learners):
            yield f"find(v, {k}, 0.0) gives a learner twice: {learners}."


def nothing_is_found_at_or_below_the_level(at):
    """Test that find returns only learners with an absolute correlation above the level."""
    for v, k, learners, corr, _ in at.found(above=0.5):
        if len(learners) and not (np.abs(corr) > 0.5).all():
            yield (
                f"find(v, {k}, above=0.5) gives a correlation of {np.abs(corr).min():.6g}; "
                "leave out learners that are not above."
            )
        beyond = 2 * float(np.linalg.norm(v))
        if len(list(at.piece.find(v.copy(), k, beyond)[0])):
            yield (
                f"find(v, {k}, above={beyond:.3g}) finds a learner; no unit column has such a "
                "correlation with v."
            )


def learners_are_unit_columns(at):
    """Test that build returns finite columns (n_samples,) of norm 1."""
    for learner in [learner for _, _, learners, _, _ in at.found() for learner in learners]:
        column = at.column(learner)
        norm = np.linalg.norm(column)
        if column.shape != (at.piece.n_samples,) or not abs(norm - 1) <= NEAR:
            yield (
                f"build({learner!r}) must be {at.piece.n_samples} finite numbers of norm 1, got "
                f"shape {column.shape} and norm {norm:.9g}."
            )


def correlations_are_those_of_the_columns(at):
    """Test that correlations match the columns, with their sign."""
    for v, k, learners, corr, _ in at.found():
        for learner, claimed in zip(learners, corr, strict=True):
            true = float(at.column(learner) @ v)
            if abs(claimed - true) > NEAR * (1 + abs(true)):
                yield (
                    f"find(v, {k}, 0.0) gives the correlation {claimed:.9g} for {learner!r}, but "
                    f"its column gives {true:.9g}."
                )


def outside_bounds_all_others(at):
    """Test `outside` against all learners that any of the searches finds."""
    met = {learner for _, _, learners, _, _ in at.found() for learner in learners}
    bounded = False
    for v, k, learners, _, outside in at.found():
        bounded |= np.isfinite(outside)
        for learner in met.difference(learners):
            size = abs(float(at.column(learner) @ v))
            if size > outside + NEAR * (1 + size):
                yield (
                    f"find(v, {k}, 0.0) gives outside = {outside:.9g}, but {learner!r} has "
                    f"{size:.9g}; use math.inf if unknown."
                )
    if not bounded:
        yield SKIPPED


def searches_are_functions(at):
    """Test that find returns the same when called again, and does not change v."""
    for search, repeated in zip(at.found(), at.found(), strict=True):
        if (
            search[2] != repeated[2]
            or not np.array_equal(search[3], repeated[3])
            or search[4] != repeated[4]
        ):
            yield (
                "two calls of find with the same v differ; draw random numbers in a selection "
                "rule instead."
            )
        v = search[0].copy()
        at.piece.find(v, 1, 0.0)
        if not (v == search[0]).all():
            yield "find changes v; work on a copy."


FAMILY_LAWS = (
    find_gives_up_to_k_learners,
    nothing_is_found_at_or_below_the_level,
    learners_are_unit_columns,
    correlations_are_those_of_the_columns,
    outside_bounds_all_others,
    searches_are_functions,
)
