"""How a run alternates between model states.

The unit of work is a multiplication of a scan. Work is counted, never measured by a clock, so a run
is the same on a slow and on a fast machine. The factors were measured once, on problems of 40 to
1,000 samples and 2,000 to 50,000 learners; they affect speed, not results.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from coordboost.engine.states.base import ModelState
from coordboost.engine.states.covariance import CovarianceColumns, GramColumns
from coordboost.engine.states.linearised import LinearisedColumns, LinearisedState
from coordboost.engine.states.lookahead import MOST, Candidates, LookaheadState, start_corr
from coordboost.engine.states.naive import NaiveState, naive_work
from coordboost.engine.states.working_set import GatheredCandidates, WorkingSetState

#: The state is recomputed from the coefficients after this many steps, so that rounding errors do
#: not accumulate.
RENEW = 1 << 16
#: Maximum number of steps on candidates from one scan, for the same reason.
FARTHEST = 1 << 20
#: Multiplications that may be spent on Gram columns for each one lost by not having them: losses
#: grow while columns are computed.
TRUST = 3
#: Candidates are tried again when the steps elsewhere have cost this many times the cost of
#: such a trial; after each trial that fails, when they have cost twice as much as before.
PATIENCE = 16
#: Work of the Python code that makes a new model state, in multiplications.
OVERHEAD = 600_000


class StatesOfRun(ABC):
    """The model states of a run, one after the other: `model_state` is the present one.

    In the methods, `steps_done` is the number of steps since the anchor, the last step at which the
    loop noted how to continue from there; it is None at the start of the run.

    follows : whether a restored run reads the steps since the anchor from the path, or makes them
    again; n_scans, n_looks, n_columns : scans, single correlations and Gram columns for model
    states
    """

    model_state: ModelState
    follows = False
    n_scans = 0
    n_looks = 0
    n_columns = 0
    #: what is needed besides the coefficients to make the model state of the anchor
    saved: Sequence = ()

    @abstractmethod
    def rebuild(self, beta, steps_done):
        """Make the model state for the next steps. Return whether this is a new anchor."""

    @abstractmethod
    def restore(self, beta, saved):
        """Make the model state that `rebuild` had made when `saved` was noted."""

    @abstractmethod
    def steps_left(self, steps_done):
        """Steps that the model state may make before it must be rebuilt."""


class OneState(StatesOfRun):
    """One model state for the whole run.

    It is recomputed from the coefficients after every ``RENEW`` steps.
    """

    def __init__(self, kind, problem, coefficients, noise):
        self.kind = kind
        self.arguments = (problem,) if kind.carries is None else (problem, coefficients)
        self.arguments += (noise,) if kind.perturbs else ()
        self.model_state = kind.start(*self.arguments)
        self.renews = self.model_state.renew is not None
        self.follows = kind.follows
        if kind.from_gram:
            self.n_scans = 1
            self.n_columns = problem.n_learners

    def rebuild(self, beta, steps_done):
        if steps_done is not None and self.renews:
            self.model_state.renew(beta)
        return True

    def restore(self, beta, saved):
        if self.renews:
            self.model_state.renew(beta)
        else:
            self.model_state = self.kind.start(*self.arguments)

    def steps_left(self, steps_done):
        return RENEW - steps_done if self.renews else 1 << 62


class AlternatingStates(StatesOfRun):
    """The cheapest of several model states, by counted operations.

    A stretch of steps on candidates ends when another learner might win. Then its work, a scan
    included, is compared with that of the same steps on the other model states:

    - on Gram columns, those of the learners that came into use included. What was lost without
      them, times ``TRUST``, is a debt. The length of the run is unknown, so the run changes to them
      when the debt exceeds the work of changing, which is that of the columns of all learners in
      use (ski rental). For losses other than the squared one they give estimates, and are used only
      where candidates cost more than scans;
    - on the naive state, where a step takes a scan.

    After a spell of steps elsewhere, candidates are tried again for a stretch. A run whose Gram
    columns are counts, which cost little, begins with them.
    """

    def __init__(self, kind, problem):
        scan_at_zero = start_corr(problem)
        self.problem = problem
        self.candidates = None
        self.columns = None
        if kind is WorkingSetState:
            self.candidates = GatheredCandidates(problem)
            if LinearisedColumns.fit(problem):
                self.columns = LinearisedColumns(problem)
        else:
            self.columns = GramColumns(problem, scan_at_zero)
            if kind is LookaheadState:
                self.candidates = Candidates(problem, scan_at_zero)
        self.memory = Memory(kind.__name__)
        self.n_starts = 0  # model states that began with a scan

    @property
    def n_columns(self):
        return 0 if self.columns is None else self.columns.n_columns

    @property
    def n_scans(self):
        return self.n_starts + (0 if self.columns is None else self.columns.n_scans)

    @property
    def n_looks(self):
        return 0 if self.columns is None else self.columns.n_looks

    @property
    def saved(self):
        return self.memory

    def rebuild(self, beta, steps_done):
        if steps_done is not None and self._on_columns:
            completed = self.columns.completed(self.model_state, beta)
            if completed is not None:
                self.model_state = completed
                return False
        self._start(beta, self._next(beta, steps_done), steps_done)
        return True

    def restore(self, beta, saved):
        self.memory = Memory(*saved)
        if self.columns is not None:
            self.columns.hold(self.memory.blocks)
        self._place(beta)

    def steps_left(self, steps_done):
        if self._is_on(NaiveState):
            return min(self.memory.spell, self._wait) - steps_done
        return (self.memory.spell if self._on_columns else FARTHEST) - steps_done

    def _is_on(self, kind):
        return self.memory.model_state == kind.__name__

    @property
    def _on_columns(self):
        """Whether the present model state is the one on Gram columns."""
        return self.columns is not None and self._is_on(self.columns.kind)

    def _next(self, beta, steps_done):
        """The kind of model state for the steps after a stretch of `steps_done`."""
        if self.candidates is None:
            return CovarianceColumns
        if steps_done is None and self.columns is not None and self.columns.counted:
            return CovarianceColumns
        if steps_done is None or self._on_columns:
            return self.candidates.kind
        by_scans = steps_done * naive_work(self.problem)
        work = by_scans
        if not self._is_on(NaiveState):
            work = self._trial_work + self.candidates.work(steps_done)
        rivals = self.columns is not None and (self.columns.exact or by_scans <= work)
        if rivals and self._columns_pay(beta, steps_done, min(work, by_scans)):
            return self.columns.kind
        return NaiveState if by_scans < work else self.candidates.kind

    def _columns_pay(self, beta, steps_done, work):
        """Add to the debt what a stretch of steps lost without Gram columns, whose work was `work`.

        Return whether it exceeds the work of changing to them.
        """
        entry = self.columns.entry_work(beta)
        in_use = max(0.0, entry - self.entry)  # columns of learners that came into use
        lost = work - steps_done * self.columns.step_work - in_use
        debt = max(0, int(self.memory.debt + TRUST * lost))
        self.memory = self.memory._replace(debt=0 if debt > entry else debt)
        return debt > entry

    @property
    def _wait(self):
        """Steps on the naive state after which Gram columns of estimates pay."""
        if self.columns is None or self.columns.exact:
            return RENEW
        lost = TRUST * (naive_work(self.problem) - self.columns.step_work)
        debt = self.entry - self.memory.debt
        return 1 + math.floor(max(0.0, debt) / lost) if lost * RENEW > debt else RENEW

    @property
    def _trial_work(self):
        """Work of trying candidates, apart from the steps."""
        return OVERHEAD + self.candidates.scan_work(self.memory.n_candidates)

    def _start(self, beta, kind, steps_done):
        """Make a model state of this kind, at a new anchor."""
        memory = self.memory
        if self.candidates is None:
            spell = RENEW
        elif kind is self.candidates.kind:
            spell = 0 if self._is_on(kind) else memory.spell
            size = self.candidates.n_candidates(memory.n_scans, memory.n_candidates, steps_done)
            memory = memory._replace(n_scans=memory.n_scans + 1, n_candidates=size)
        else:
            by_scans = kind is NaiveState
            step_work = naive_work(self.problem) if by_scans else self.columns.step_work
            spell = max(2 * memory.spell, math.ceil(PATIENCE * self._trial_work / step_work))
        memory = memory._replace(model_state=kind.__name__, spell=min(RENEW, spell))
        self.memory = memory
        self._place(beta)
        if self.columns is not None:
            blocks = [list(block) for block in self.columns.blocks]
            self.memory = memory._replace(blocks=blocks)

    def _place(self, beta):
        """Make the model state that the memory names, at the coefficients `beta`."""
        self.entry = 0.0 if self.columns is None else self.columns.entry_work(beta)
        if self._is_on(NaiveState):
            self.model_state = NaiveState.start(self.problem)
            self.model_state.renew(beta)
        elif self._on_columns:
            self.model_state = self.columns.model_state(beta)
            self.n_starts += 1
        else:
            self.model_state = self.candidates.model_state(beta, self.memory.n_candidates)
            self.n_starts += 1


class Memory(NamedTuple):
    """Everything besides the coefficients that the model states of a run of several depend on.

    model_state : name of the present one
    n_scans, n_candidates : scans for candidates so far, and the candidates of the last one
    debt : multiplications lost without Gram columns, times ``TRUST``
    spell : steps elsewhere until candidates are tried again, or what they last were
    blocks : the learners of the Gram columns held, in the blocks in which they were computed
    """

    model_state: str
    n_scans: int = 0
    n_candidates: int = 0
    debt: int = 0
    spell: int = 0
    blocks: Sequence = ()


#: By the chosen model state of a run, those that it may use.
MODEL_STATES = {
    LookaheadState: (LookaheadState, CovarianceColumns, NaiveState),
    WorkingSetState: (WorkingSetState, LinearisedState, NaiveState),
    CovarianceColumns: (CovarianceColumns,),
}


def check_saved(saved, kind, n_learners):
    """Raise ValueError if no run with the chosen model state `kind` can have `saved` this."""
    if kind not in MODEL_STATES:
        if saved:
            raise ValueError("the anchor must not hold a record for this model state")
        return
    if len(saved) != len(Memory._fields):
        raise ValueError(
            f"the record of its model states must be a list of {len(Memory._fields)} entries."
        )
    name, *counts, blocks = saved
    if not (
        name in [allowed.__name__ for allowed in MODEL_STATES[kind]]
        and _are_counts(counts)
        and counts[1] <= min(n_learners, MOST)
        and counts[3] <= RENEW
    ):
        raise ValueError("the record of its model states is invalid.")
    sound = isinstance(blocks, list) and all(_are_counts(block) and block for block in blocks)
    learners = [j for block in blocks for j in block] if sound else [n_learners]
    if len(set(learners)) < len(learners) or max(learners, default=0) >= n_learners:
        raise ValueError("the record of its Gram columns is invalid.")


def _are_counts(values):
    """Whether this is a list of whole numbers, none below 0."""
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 1 << 62 for v in values)


def states_of_run(kind, problem, coefficients, noise):
    """The model states of a run whose chosen model state is `kind`."""
    if kind in MODEL_STATES:
        return AlternatingStates(kind, problem)
    return OneState(kind, problem, coefficients, noise)
