"""The base class of model states: what the loop steps on."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from coordboost._numba import is_piece
from coordboost._utils.kinds import Piece

#: Work of a call of a verb written in Python, in multiplications.
CALL = 100_000


class ModelState(Piece, ABC):
    """The state of a model that the loop reads and updates.

    Every model state has `tie` and `push`, and either `best` or `scan` and `correlations`. The
    other verbs are those that some rules need: None where a model state does not have them.
    """

    __slots__ = ()

    #: attributes that it does not have, each with a sentence on what to use instead
    absent: ClassVar[dict[str, str]] = {
        "loss": "a model state has no `loss`. `state.loss` is a number, of the State that stop "
        "rules and run.replay get; a step rule that needs the loss itself takes it as a field, as "
        "in Own(problem.loss).",
        "pred": "this model state holds no prediction `pred`: a step rule that uses it declares "
        "`sees_prediction = True`, and the run takes a model state that has it.",
    }
    #: start(problem), with a store of coefficients and noise where `carries` and `perturbs` say so:
    #: the model state at beta = 0; None where a run makes it from candidates or Gram columns
    start: Callable | None = None
    #: scan(): all correlations with the learners, (n_learners,)
    scan: Callable | None = None
    #: correlations(index): those of the learners `index`
    correlations: Callable | None = None
    #: best(step, beta): the selected learner among all and its correlation, or (-1, 0) if it must
    #: be rebuilt first; default: the largest score of a scan
    best: Callable | None = None
    #: best_among(step, beta, index), best_in(step, beta, drawn, member, start): the same among
    #: some learners, and in groups
    best_among: Callable | None = None
    best_in: Callable | None = None
    #: search(j, a, b): the t that minimises the loss at pred + t (a B_j - b pred), 0 where that
    #: direction is 0; b is the share of the model that the direction takes away, 0 for a step
    #: along the learner alone
    search: Callable | None = None
    #: search_pair(i, a, j, b): the t that minimises the loss at pred + t (a B_i + b B_j)
    search_pair: Callable | None = None
    #: after(j, theta): the sum of the losses at pred + theta B_j, up to a constant that is the same
    #: for all j
    after: Callable | None = None
    #: write_curvature(out): the second derivatives of the weighted losses where learners are sought
    write_curvature: Callable | None = None
    #: begin_row(j, shrink, theta), end_row(j, shrink, theta, fit, square, loss): the halves of
    #: `push` where it takes sums over the samples
    begin_row: Callable | None = None
    end_row: Callable | None = None
    #: perturb(k): draw the noise of step k; tempered(k, j, corr): the length of learner j with it
    perturb: Callable | None = None
    tempered: Callable | None = None
    #: change(): the loss less that at beta = 0, if that costs no pass over the samples; 0 where
    #: rounding may decide its sign
    change: Callable | None = None
    #: stopped(): whether no further step is allowed; the run then goes back to `best_rows`
    stopped: Callable | None = None
    #: renew(beta) recomputes the state from the coefficients
    renew: Callable | None = None
    #: the types of coefficient stores that it supports, by start(problem, store); None: the plain
    #: ones, by start(problem)
    carries: tuple | None = None
    #: it is for learners that are numbered from the start
    countable = True
    #: the recorded rows of a path are enough to bring it to their end, without selecting learners
    #: from the data again
    follows = True
    #: it needs the squared loss
    quadratic = False
    #: it begins with the Gram matrix of all learners, and no step uses the data
    from_gram = False
    #: it has `after`
    foresees = False
    #: it needs a method that always selects the largest absolute correlation of all
    greedy = False
    #: summed_losses(), the loss at the model, and extremes(), its largest and its smallest
    #: prediction, if it holds no prediction but knows them
    summed_losses: Callable | None = None
    extremes: Callable | None = None
    #: sought(), the vector that is correlated with the learners, (n_samples,), if it holds one
    sought: Callable | None = None
    #: decide(step, beta, corr), if the model state chooses the kind of the next row: the learner of
    #: that row, and its correlation
    decide: Callable | None = None
    #: it can add noise: start(problem, store, noise)
    perturbs = False
    #: room(problem, n), the same model state with room for n more learners of an implicit
    #: dictionary
    room: Callable | None = None
    #: the dictionary whose verbs it calls
    dictionary: Any = None
    #: the step to go back to, if the run has exceeded the bound of its theorem; slow_down() is
    #: called after that
    best_rows: int | None = None
    #: a remark on the run so far, for its message
    remark = ""
    #: scans, or searches of an implicit dictionary, in every step
    searches = 0
    #: the correlations that a rule uses are computed from the data, and count as parts of a scan
    from_data = False

    def __getattr__(self, name: str) -> Any:
        sentence = self.absent.get(
            name, f"{type(self).__name__!r} object has no attribute {name!r}"
        )
        raise AttributeError(sentence)

    @abstractmethod
    def tie(self) -> float:
        """The width of a tie: correlations that differ by no more than this count as equal.

        Returns
        -------
        float
            In the units of the correlations; 0 in exact arithmetic.
        """

    @abstractmethod
    def push(self, j: int, shrink: float, theta: float) -> None:
        """Make the step: pred <- (1 - shrink) pred + theta B_j.

        Parameters
        ----------
        j : int
            The learner.
        shrink : float
            The share of the model that is taken away first.
        theta : float
            The length of the step along the learner.
        """


class GreedyState(ModelState):
    """Base of model states for greedy methods, which find the learner of a step themselves."""

    __slots__ = ()

    greedy = True

    @abstractmethod
    def best(self, step: Any, beta: Any) -> tuple[int, float]:
        """The learner with the largest absolute correlation or score, or (-1, 0) if not certain.

        Parameters
        ----------
        step : StepRule
            For its `score`, if the model state uses scores.
        beta : CoefficientRule
            The coefficients, for the score.

        Returns
        -------
        j : int
            The learner, the lowest index of those that tie; or -1: a Gram column must be computed,
            or a scan made, first.
        corr : float
            Its correlation, or 0.
        """


def scan_work(problem):
    """Multiplications of a scan."""
    entries = problem.dictionary.scan_cost or problem.n_samples * problem.n_learners
    return entries + call_work(problem)


def call_work(problem):
    """Multiplications of a call of a verb of the learners: where it is written in Python, it is
    not free.
    """
    return 0 if is_piece(problem.dictionary) else CALL


class StatesOnCandidates(ABC):
    """Makes model states that step on a few candidates until another learner might win, at any
    coefficients.
    """

    #: the class of these model states
    kind: ClassVar[type[ModelState]]

    @abstractmethod
    def n_candidates(self, n_scans, former, steps_done):
        """The number of candidates that the next scan chooses.

        `n_scans`, the scans for candidates so far; `former`, the candidates of the last one (0 for
        none), on which `steps_done` steps were made.
        """

    @abstractmethod
    def model_state(self, beta, n_candidates):
        """The model state at the coefficients `beta`, on `n_candidates`. *Cost*: one scan."""

    @abstractmethod
    def scan_work(self, n_candidates):
        """Multiplications of a scan for so many candidates, and of what they need."""

    @abstractmethod
    def work(self, n_steps):
        """Multiplications of `n_steps` steps on the last model state."""
