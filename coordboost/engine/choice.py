"""The choice of the model state of a run, and which ones a method can run on."""

from coordboost._numba import is_piece
from coordboost._utils.checks import shown
from coordboost._utils.kinds import pieces_of
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.covariance import CovarianceState, GreedyCovarianceState
from coordboost.engine.states.lookahead import LookaheadState
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.on_parts import PartsState
from coordboost.engine.states.perturbed import PerturbedState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.engine.states.working_set import WorkingSetState

#: Most learners whose Gram matrix is computed: below this a step on it is always short.
GRAM = 1000
#: The same for learners that one pass over tall data gives, of which every scan would be a pass.
GRAM_OF_TALL = 4000
#: With at most so many learners the Gram matrix of all costs no more than candidates: measured
#: with 200 to 4,000 samples and 100 to 500,000 steps.
NO_CANDIDATES = 400


def choose_model_state(problem, method, compile):
    """Choose the model state.

    The choice must not depend on the number of steps, so that a resumed run takes the same model
    state.

    If only one model state keeps the method's kind of coefficients, take that. Else lookahead for
    greedy methods on many learners; the Gram matrix for the squared loss where updating all
    correlations is cheaper than computing the candidates' correlations; else the naive state.
    """
    learners = problem.dictionary
    n_learners = problem.n_learners
    on_gram = GreedyCovarianceState if method.greedy else CovarianceState
    squared = problem.loss.quadratic
    stored = is_piece(learners)
    if not learners.countable:
        return _state_of_trees(problem, method)
    if method.noise is not None or method.select.sees_residual:
        return PerturbedState
    if not method.coefficients.plain:
        return _own_model_state(problem, method)
    if method.step.sees_prediction:
        return NaiveState
    if method.select.foresees:
        return CovarianceState if _gram_fits(problem) else NaiveState
    if squared and learners.one_pass and n_learners <= min(GRAM_OF_TALL, problem.n_samples):
        return on_gram
    if compile and method.greedy and (n_learners > NO_CANDIDATES or not stored):
        return LookaheadState if squared else WorkingSetState
    looked_at = method.select.width or n_learners  # correlations that a step compares
    pays = n_learners <= min(GRAM, looked_at * problem.n_samples)
    return on_gram if squared and stored and pays else NaiveState


def _state_of_trees(problem, method):
    """Return the model state of learners that a search finds.

    Raise ValueError if their rows lie in parts, and the loss needs them here.
    """
    loss = problem.loss
    if problem.dictionary.parts is None:
        return WeakLearnerState
    if not is_piece(loss) or loss.sum_of_losses or loss.refresh_residual:
        raise ValueError(
            f"{method.name} cannot run where the rows of the trees lie on a cluster: its loss is "
            "no piece of sums over the rows. Or collect the rows on this machine: X.compute()."
        )
    return PartsState


def checked_model_state(problem, method, model_state):
    """Return `model_state`.

    Raise ValueError if the problem, its loss or the method needs another one.
    """
    if model_state is None:
        return None
    if not (isinstance(model_state, type) and issubclass(model_state, ModelState)):
        raise ValueError(
            "model_state must be one of NaiveState, CovarianceState, CovarianceColumns, "
            "LookaheadState and WorkingSetState (classes), "
            f"or None, got {shown(model_state)}."
        )
    given = f"model_state={model_state.__name__}"
    if model_state.countable is not problem.dictionary.countable:
        raise ValueError(
            f"{given} does not fit: WeakLearnerState is for implicit dictionaries, the others for "
            "explicit ones; leave model_state=None."
        )
    if not _carries(model_state, method) or _lacks(model_state, method):
        raise ValueError(f"{method.name} cannot run on {given}; leave model_state=None.")
    if model_state.quadratic and not problem.loss.quadratic:
        raise ValueError(
            f"{given} needs the squared loss, got {problem.loss!r}; leave model_state=None."
        )
    if method.select.foresees and not model_state.foresees:
        raise ValueError(
            f"{method.name} needs the losses after possible steps, which {given} does not compute; "
            "leave model_state=None."
        )
    if model_state.greedy and not method.greedy:
        raise ValueError(
            f"{given} needs Greedy() selection by correlation, which {method.name} does not use; "
            "leave model_state=None."
        )
    return model_state


def _carries(model_state, method):
    """Whether a model state keeps the method's kind of coefficients."""
    kinds = model_state.carries
    return method.coefficients.plain if kinds is None else type(method.coefficients) in kinds


def _lacks(model_state, method):
    """Whether a method needs noise that a model state cannot add, or a residual or a prediction
    that it does not keep.
    """
    noisy = method.noise is not None
    sees = method.select.sees_residual
    blind = sees and model_state.sought is None
    foreign = method.step.sees_prediction and not hasattr(model_state, "pred")
    return (noisy and not model_state.perturbs) or blind or foreign


def _gram_fits(problem):
    """Whether a Gram matrix of all learners is worth its cost."""
    few = problem.n_learners <= min(GRAM, problem.n_samples)
    return problem.loss.quadratic and is_piece(problem.dictionary) and few


def _own_model_state(problem, method):
    """The model state that keeps the method's kind of coefficients.

    It is the one on the Gram matrix if there is one and the matrix is small.
    """
    states = [
        kind for kind in pieces_of(ModelState).values() if kind.countable and _carries(kind, method)
    ]
    if not states:
        rule = type(method.coefficients).__name__
        raise ValueError(
            f"{method.name}: no model state keeps {rule} coefficients; use Single(), or declare "
            "plain = True if a row is the whole update."
        )
    own = [kind for kind in states if kind.from_gram and _gram_fits(problem)]
    return (own or [kind for kind in states if not kind.from_gram])[0]
