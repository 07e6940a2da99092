"""Laws of families of learners that are found by a search: find is held against build."""

from typing import NamedTuple

import numpy as np

from coordboost.laws.report import SKIPPED

#: Rounding in norms and correlations (a bank allows the same); most learners asked for.
NEAR, MOST = 1e-8, 5


class FamilyCase(NamedTuple):
    """A family, and vectors to search with, (m, n_samples)."""

    family: object
    vectors: np.ndarray

    def found(self, above=0.0):
        """(v, k, learners, correlations, outside) of searches for one learner, and for some."""
        for v in self.vectors:
            for k in (1, MOST):
                learners, corr, outside = self.family.find(v.copy(), k, above)
                yield v, k, list(learners), np.asarray(corr, dtype=float), float(outside)

    def column(self, learner):
        return np.asarray(self.family.build(learner), dtype=float)


def case(family, y):
    """Numbers without order, the same with the other sign, and one sample alone."""
    n = int(family.n_samples)
    v = np.random.default_rng(0).normal(size=(3, n))
    return (FamilyCase(family, np.vstack([v, -v[:1], np.eye(1, n)])),)


def find_gives_up_to_k_learners(at):
    """With a finite correlation each, and a bound."""
    for _, k, learners, corr, outside in at.found():
        if len(learners) > k or corr.shape != (len(learners),) or not np.isfinite(corr).all() or np.isnan(outside):
            return (
                f"find(v, {k}, 0.0) gives {len(learners)} learners, correlations {corr.tolist()}, outside {outside}; it must give "
                f"up to {k} learners, a finite correlation each, and a bound."
            )
        if len(set(learners)) < len(learners):
            return f"find(v, {k}, 0.0) gives a learner twice: {learners}."
    return None


def nothing_is_found_at_or_below_the_level(at):
    """Certificates ask whether there is anything above a level."""
    for v, k, learners, corr, _ in at.found(above=0.5):
        if len(learners) and not (np.abs(corr) > 0.5).all():
            return f"find(v, {k}, above=0.5) gives a correlation of {np.abs(corr).min():.6g}; leave out what is not above."
        largest = float(np.linalg.norm(v))
        if len(list(at.family.find(v.copy(), k, 2 * largest)[0])):
            return f"find(v, {k}, above={2 * largest:.3g}) finds a learner; no unit column has such a correlation with v."
    return None


def learners_are_unit_columns(at):
    """Finite, (n_samples,)."""
    for _, _, learners, _, _ in at.found():
        for learner in learners:
            column = at.column(learner)
            if (
                column.shape != (at.family.n_samples,)
                or not np.isfinite(column).all()
                or abs(np.linalg.norm(column) - 1) > NEAR
            ):
                return (
                    f"build({learner!r}) must be {at.family.n_samples} finite numbers of norm 1, got shape {column.shape} and norm "
                    f"{np.linalg.norm(column):.9g}."
                )
    return None


def correlations_are_those_of_the_columns(at):
    """With their sign."""
    for v, k, learners, corr, _ in at.found():
        for learner, told in zip(learners, corr, strict=True):
            true = float(at.column(learner) @ v)
            if abs(told - true) > NEAR * (1 + abs(true)):
                return f"find(v, {k}, 0.0) gives {told:.9g} for {learner!r}, its column {true:.9g}."
    return None


def outside_bounds_all_others(at):
    """Every learner that any search meets counts."""
    met = {learner for _, _, learners, _, _ in at.found() for learner in learners}
    bounded = False
    for v, k, learners, _, outside in at.found():
        bounded |= np.isfinite(outside)
        for learner in met.difference(learners):
            size = abs(float(at.column(learner) @ v))
            if size > outside + NEAR * (1 + size):
                return f"find(v, {k}, 0.0) says outside = {outside:.9g}, but {learner!r} has {size:.9g}; math.inf where it is not known."
    return None if bounded else SKIPPED


def searches_are_functions(at):
    """And leave v alone."""
    for one, other in zip(at.found(), at.found(), strict=True):
        if one[2] != other[2] or not np.array_equal(one[3], other[3]) or one[4] != other[4]:
            return "two calls of find with the same v differ; what is drawn belongs into the steps."
        v = one[0].copy()
        at.family.find(v, 1, 0.0)
        if not (v == one[0]).all():
            return "find changes v; work on a copy."
    return None


LAWS = (
    find_gives_up_to_k_learners, nothing_is_found_at_or_below_the_level, learners_are_unit_columns, correlations_are_those_of_the_columns,
    outside_bounds_all_others, searches_are_functions,
)  # fmt: skip
