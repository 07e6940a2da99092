"""Which view a run steps on: what fits the problem and the method, and costs least."""

from coordboost._checks import shown
from coordboost._numba import is_piece
from coordboost.engine.views.base import View
from coordboost.engine.views.explicit import Explicit
from coordboost.engine.views.gathered import Gathered
from coordboost.engine.views.gram import Gram
from coordboost.engine.views.lookahead import Lookahead
from coordboost.engine.views.perturbed import Perturbed
from coordboost.engine.views.searched import Searched
from coordboost.pieces.base import pieces_of


def choose_view(problem, method, compile):
    """The view that suits the work. The choice must not depend on the number of steps: a resumed run takes the same view.

    The view that keeps the method's kind of coefficients, where only one does. Lookahead for greedy methods on many learners; for the
    squared loss the Gram form where moving all correlations is cheaper than computing those that are looked at; else the data
    themselves.
    """
    if not problem.dictionary.countable:
        return Searched
    if method.noise is not None or method.select.sees_residual:
        return Perturbed
    if not method.coefficients.plain:
        return _own_view(method)
    n, squared, stored = problem.n_learners, problem.loss.quadratic, is_piece(problem.dictionary)
    if method.select.foresees:
        return Gram if squared and stored and n <= min(1000, problem.n_samples) else Explicit
    if squared and problem.dictionary.one_pass and n <= min(4000, problem.n_samples):
        return Gram  # one pass over tall data, instead of one a scan
    if compile and (n > 200 or not stored) and method.greedy:
        return Lookahead if squared else Gathered
    if not (squared and stored):
        return Explicit
    looks = method.select.width or n
    return Gram if n <= 1000 and n <= looks * problem.n_samples else Explicit


def checked_view(problem, method, view):
    """`view`, refused where the method or the loss needs another one."""
    if view is None:
        return None
    if not (isinstance(view, type) and issubclass(view, View)):
        raise ValueError(
            f"view must be one of Explicit, Gram, GramColumns, Lookahead and Gathered (classes), or None, got {shown(view)}."
        )
    if view.countable is not problem.dictionary.countable:
        raise ValueError(
            f"view={view.__name__} does not fit: Searched is the view for learners that cannot be counted, and for no others; "
            "leave view=None."
        )
    if not _carries(view, method) or _lacks(view, method):
        raise ValueError(f"{method.name} cannot run on view={view.__name__}; leave view=None.")
    if view.quadratic and not problem.loss.quadratic:
        raise ValueError(f"view={view.__name__} needs the squared loss, got {problem.loss!r}; leave view=None.")
    if method.select.foresees and not view.foresees:
        raise ValueError(
            f"{method.name} looks at the losses that steps lead to, view={view.__name__} does not tell them; leave view=None."
        )
    if view.greedy and not method.greedy:
        raise ValueError(
            f"view={view.__name__} needs Full() selection by correlation, {method.name} has another; leave view=None."
        )
    return view


def _carries(view, method):
    """Whether a view keeps the method's kind of coefficients."""
    own = view.carries
    return method.coefficients.plain if own is None else type(method.coefficients) in own


def _lacks(view, method):
    """Whether a method needs noise that a view has not, or a residual that it does not hold."""
    noise, sees = method.noise is not None, method.select.sees_residual
    return (noise and not view.perturbs) or (sees and view.sought is None)


def _own_view(method):
    """The view of a method with coefficients that only one view keeps."""
    found = [view for view in pieces_of(View).values() if view.countable and _carries(view, method)]
    if not found:
        kind = type(method.coefficients).__name__
        raise ValueError(
            f"{method.name}: no view keeps {kind} coefficients; use Single(), or declare plain = True where rows say all."
        )
    return found[0]
