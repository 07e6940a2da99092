r"""Claims of papers, checked on runs.

A *statement* is one claim of a paper (``statement``), in variants: as ``printed``, as ``corrected``
where the print is wrong, or ``sharpened`` where the proof gives more. A *bound check*
(``bound_check``) is the result of a variant on one run.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import checked_run, items_of, shown
from coordboost.data import validation
from coordboost.engine.run import Run
from coordboost.paths.scoring import rows_of
from coordboost.theory.bounds.bound_check import BoundChecks
from coordboost.theory.bounds.statement import Statement

#: Most learners for which a minimal cosine angle is searched for: it takes a second for 12, half a
#: minute for 40.
ANGLE_LEARNERS = 24


class Effort(NamedTuple):
    """What a check may use.

    angle_learners : most learners for which the minimal cosine angle is searched for
    watch : a callback for progress messages
    rows : (X, y) of held-out rows, or None
    """

    angle_learners: int = ANGLE_LEARNERS
    watch: Callable = lambda words: None
    rows: tuple | None = None


@on_one_thread
def check(
    run: Run,
    statements: "str | Statement | Sequence[str | Statement] | None" = None,
    *,
    X: Any = None,
    y: ArrayLike | None = None,
    angle_learners: int = ANGLE_LEARNERS,
    watch: Callable[[str], object] | None = None,
) -> BoundChecks:
    """Compare a run with theorems that bound it.

    Parameters
    ----------
    run : Run
    statements : str, Statement or sequence of these, optional
        A name as printed, "Theorem 2.1 (i)", or a part of several names, "Theorem 2.1": all of them
        that apply to the run. Default: every statement in ``coordboost.theory.bounds.STATEMENTS``
        that applies.
    X, y : array_like, (n_rows, n_columns) and (n_rows,), optional
        Rows that were not used for the fit, raw. Theorem 2 of regularised boosting (``rgb``) bounds
        the error on such rows; without them the check compares the training error, which cannot
        fail, and says so.
    angle_learners : int, default 24
        Some theorems need the minimal cosine angle, min over c in range(B) of max_j abs(<B_j, c>) /
        norm(c). Where no exact method is cheap, it is searched for if there are at most this many
        learners. With more, the smallest cosine along the run is used instead: it is at least as
        large, so the check is stricter. A search takes a second for 12 learners, half a minute for
        40, minutes for 100.
    watch : callable, optional
        Called with a short message on the current work, for progress bars.

    Returns
    -------
    BoundChecks
        A list of ``BoundCheck``, printed with one line for each.

    Raises
    ------
    ValueError
        If no statement applies to the run, or a given one does not; if rows are given and no
        statement uses them.

    Notes
    -----
    *Cost*: one thin SVD of B and, for every step, the correlations of all learners in coordinates
    of the left singular vectors, O(rank n_learners). For a random method also 24 repeated runs and
    the minimal cosine angle.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20)
    >>> all(one.holds for one in cb.theory.check(run, "Theorem 2.1"))
    True
    """
    checked_run(run)
    chosen = _chosen(run, statements)
    effort = Effort(
        validation.whole("angle_learners", angle_learners), rows=_held_out(run, chosen, X, y)
    )
    effort = effort if watch is None else effort._replace(watch=watch)
    follows = {stated.follow: stated.long or stated.on_rows for stated in chosen}
    cases = {
        follow: follow(run, effort) if long else follow(run) for follow, long in follows.items()
    }
    return BoundChecks(
        result
        for statement in chosen
        for variant in statement.variants(run)
        for result in statement.compare(cases[statement.follow], variant)
    )


def _held_out(run, chosen, X, y):
    """Return held-out rows as (X, y), y as the loss takes it, or None.

    Raise ValueError if no statement uses them.
    """
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError(
            "X and y are the held-out rows together: expected both, got "
            f"{'y' if X is None else 'X'} alone."
        )
    if not any(statement.on_rows for statement in chosen):
        names = ", ".join(dict.fromkeys(statement.name for statement in chosen))
        raise ValueError(
            f"X and y are for statements about rows outside the fit, and these are not: {names}; "
            "leave X and y out."
        )
    return X, rows_of(run.problem, X, y, None)[0]


def _chosen(run, statements):
    """Return the statements that were asked for.

    Raise ValueError if one does not apply to the run.
    """
    from coordboost.theory.bounds import STATEMENTS

    speak = [statement for statement in STATEMENTS if statement.variants(run)]
    if statements is None:
        if not speak:
            raise ValueError(
                f"no bound applies to {run.method.name} on a problem with {run.problem.loss!r}; "
                '"Bounds, and how they are checked" in the documentation lists methods with bounds.'
            )
        return speak
    names = "names such as 'Theorem 2.1 (i)', or entries of bounds.STATEMENTS"
    given = (
        [statements]
        if isinstance(statements, Statement | str)
        else items_of("statements", statements, names)
    )
    chosen = []
    for statement in given:
        if isinstance(statement, str):
            chosen += _named(statement, run, speak, STATEMENTS)
        elif not isinstance(statement, Statement):
            raise ValueError(f"statements must be {names}, got {shown(statement)}.")
        elif not statement.variants(run):
            raise statement.inapplicable(run)
        else:
            chosen.append(statement)
    return list(dict.fromkeys(chosen))


def _named(text, run, speak, known):
    """Return the statements among `speak` whose name is `text`, else those whose name contains it
    as whole words.
    """
    means = re.compile(rf"(?<!\w){re.escape(text.strip())}(?![\w.]\w)(?!\w)", re.IGNORECASE)
    for exactly in (True, False):
        named = [
            statement
            for statement in speak
            if (
                statement.name == text if exactly else text.strip() and means.search(statement.name)
            )
        ]
        if named:
            return named
    names = list(dict.fromkeys(re.sub(r" \([ivx]+\).*", "", statement.name) for statement in speak))
    those = "; ".join(names) or "none"
    if text.strip() and any(means.search(statement.name) for statement in known):
        raise ValueError(
            f"{text} does not apply to {run.method.name} here; statements that do: {those}."
        )
    raise ValueError(f"no statement is called {shown(text)}; those for this run: {those}.")
