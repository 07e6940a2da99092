"""The choice of the model state that the loop steps on: one for the whole run, or the cheapest by
counted operations.

The unit of work is a multiplication of a scan. Work is counted, never measured by a clock, so a run
is the same on a slow and on a fast machine. The factors were measured once, on problems of 40 to
1,000 samples and 2,000 to 50,000 learners; they affect speed, not results.
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from coordboost._numba import is_piece
from coordboost._utils.checks import shown
from coordboost._utils.kinds import pieces_of
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.covariance import (
    CovarianceColumns,
    CovarianceState,
    GramStore,
    padded,
)
from coordboost.engine.states.lookahead import Candidates, LookaheadState
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.perturbed import PerturbedState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.engine.states.working_set import GatheredCandidates, WorkingSetState

#: The state is recomputed from the coefficients after this many steps, so that rounding errors do
#: not accumulate.
RENEW = 1 << 16
#: MOST: maximum number of candidates of lookahead; their Gram matrix takes 8 MOST^2 bytes.
#: MOST_BYTES: maximum size of the columns of candidates, in bytes.
MOST = 4096
MOST_BYTES = 1 << 30
#: Maximum number of steps of lookahead from one scan, so that rounding errors do not accumulate.
FARTHEST = 1 << 20
#: PATIENCE: lookahead is tried again when steps of the naive state have cost this many times the
#: cost of such a trial. PAUSE: the same for steps on Gram columns.
PATIENCE, PAUSE = 20, 4
#: Multiplications that may be spent on Gram columns for each one lost by not having them: losses
#: grow while columns are computed.
TRUST = 3
#: TOGETHER: maximum number of Gram columns that are computed together. FEWEST: fewest Gram columns
#: in a block when one is needed, if computing several together costs less than one by one.
TOGETHER, FEWEST = 32, 16
#: OVERHEAD: cost of the Python code that makes a new model state, in multiplications.
#: CALL: cost of a call of a verb written in Python, in multiplications.
#: IN_BLOCK: cost of a Gram column in a product of matrices, in scans.
#: COUNTED: cost of a Gram column whose entries are counts, in scans.
#: COUNT: cost of a Gram entry that is a count, in multiplications.
OVERHEAD = 600_000
CALL = 100_000
IN_BLOCK = 0.15
COUNTED = 0.06
COUNT = 10


class Fixed:
    """One model state for the whole run, recomputed from the coefficients after every ``RENEW``
    steps.

    In its methods, and those of ``Cheapest``, `steps_done` is the number of steps since the anchor,
    the last step at which the loop noted how to continue from there; it is None at the start of the
    run.
    """

    saved: ClassVar[list] = []

    def __init__(self, kind, problem, coefficients, noise):
        self.kind = kind
        self.arguments = (problem,) if kind.carries is None else (problem, coefficients)
        self.arguments += (noise,) if kind.perturbs else ()
        self.model_state = kind.start(*self.arguments)
        self.renews = self.model_state.renew is not None
        self.follows = kind.follows
        self.scans, self.n_columns = (1, problem.n_learners) if kind.from_gram else (0, 0)

    def rebuild(self, beta, steps_done):
        if steps_done is not None and self.renews:
            self.model_state.renew(beta)
        return True

    def restore(self, beta, saved):
        if saved:
            raise ValueError("the record of its model states is invalid.")
        if self.renews:
            self.model_state.renew(beta)
        else:
            self.model_state = self.kind.start(*self.arguments)

    def steps_left(self, steps_done):
        return RENEW - steps_done if self.renews else 1 << 62


class Prices:
    """Costs of operations on a problem, in multiplications.

    scan : a scan; residual : recomputing the residual; explicit : a step of the naive state; moved
    : a step on Gram columns gram_column : a Gram column; column : a candidate's column; entry : a
    Gram entry counted : whether Gram entries are counts; in_blocks : whether Gram columns cost less
    if several are computed together products_per_scan : scan / n_samples, the number of inner
    products that cost as much as a scan; n_learners if Gram entries are counts: then they are
    cheap, and many neighbouring thresholds become candidates together. It sets the number of
    candidates
    """

    def __init__(self, problem):
        n_samples = problem.n_samples
        n_learners = problem.n_learners
        B = problem.dictionary
        called = 0 if is_piece(B) else CALL
        rows = B.rows is not None
        self.scan = (B.scan_cost or n_samples * n_learners) + called
        self.residual = (8 if problem.loss.quadratic else 100) * n_samples
        self.explicit = self.scan + self.residual + 200
        self.moved = 1.3 * n_learners + 600
        self.counted = problem.products is not None
        self.in_blocks = rows and not self.counted
        self.gram_column = (COUNTED if self.counted else IN_BLOCK if rows else 1) * self.scan
        self.column = self.gram_column if self.counted else 2 * n_samples + called
        self.entry = COUNT if self.counted else n_samples / 2
        self.products_per_scan = n_learners if self.counted else self.scan / n_samples

    def price_of_candidates(self, size, fresh=0, entries=0):
        """Cost of a scan that chooses `size` candidates, of which `fresh` are new and need the
        number `entries` of new Gram entries.
        """
        return self.scan + OVERHEAD + size**2 + fresh * self.column + entries * self.entry


class Memory(NamedTuple):
    """Everything besides the coefficients that the choice of the next model state depends on:
    counts of operations.

    model_state : name of the present model state; scans : scans so far, without those of the naive
    state; plain : scans of the naive state, one per step; size : number of candidates; n_columns :
    Gram columns computed so far; credit : multiplications that may be spent on further ones; spell
    : steps from the anchor until lookahead is tried again; blocks : the learners of the Gram
    columns in memory, in the blocks in which they were computed; candidates : the candidates of
    lookahead before this anchor, by increasing learner: their columns and Gram entries were at hand
    """

    model_state: str
    scans: int = 0
    plain: int = 0
    size: int = 0
    n_columns: int = 0
    credit: int = 0
    spell: int = FARTHEST
    blocks: tuple = ()
    candidates: tuple = ()

    def saved(self):
        """As a list of numbers, a string and lists."""
        return [
            *self._replace(
                blocks=[list(block) for block in self.blocks], candidates=list(self.candidates)
            )
        ]

    @classmethod
    def read(cls, saved, names, n_learners):
        """The memory that was `saved`; `names` are the allowed names of its model state.

        Raises
        ------
        ValueError
            If `saved` is not a valid memory.
        """
        if not (isinstance(saved, list) and len(saved) == len(cls._fields)):
            raise ValueError(
                f"the record of its model states must be a list of {len(cls._fields)} entries."
            )
        memory = cls(*saved)
        sound = (
            isinstance(memory.blocks, list)
            and all(map(_are_counts, memory.blocks))
            and all(memory.blocks)
        )
        learners = [j for block in memory.blocks for j in block] if sound else [n_learners]
        numbers = [
            value
            for name, value in memory._asdict().items()
            if name not in ("model_state", "blocks", "candidates")
        ]
        if not (
            memory.model_state in names
            and _are_counts(numbers)
            and memory.size <= min(n_learners, MOST)
            and memory.spell >= 1
        ):
            raise ValueError("the record of its model states is invalid.")
        if len(set(learners)) < len(learners) or max(learners, default=0) >= n_learners:
            raise ValueError("the record of its Gram columns is invalid.")
        former = memory.candidates
        if not (
            _are_counts(former)
            and len(former) <= MOST
            and former == sorted({j for j in former if j < n_learners})
        ):
            raise ValueError("the record of its candidates is invalid.")
        return memory._replace(blocks=tuple(map(tuple, memory.blocks)), candidates=tuple(former))


def _are_counts(values):
    """Whether this is a list of whole numbers, none below 0."""
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 1 << 62 for v in values)


def n_candidates(memory, steps_done, per_scan, squared):
    """Number of candidates that the next scan chooses.

    A scan costs as much as `per_scan` inner products.

    Squared loss: sqrt(3 K per_scan) candidates for the K-th scan, or 7 sqrt(K) per_scan^(1/3) where
    that is less. With the first number the Gram matrix costs 3/2 of the inner products of the
    scans; the second saves memory traffic for many learners and needs hardly any more scans
    (measured). Other losses: the work on the candidates in the last `steps_done` steps is kept near
    the work of the scan.
    """
    if squared:
        return math.ceil(
            math.sqrt(memory.scans + memory.plain + 1)
            * min(math.sqrt(3.0 * per_scan), 7.0 * per_scan ** (1 / 3))
        )
    if steps_done is None:
        return math.ceil(math.sqrt(2.0 * per_scan))
    return (
        math.ceil(1.5 * memory.size)
        if steps_done * memory.size < per_scan
        else max(16, (4 * memory.size) // 5)
    )


#: By the chosen model state of a run, those that it may use. It begins with the first one, or with
#: Gram columns if these are counts.
MODEL_STATES = {
    LookaheadState: (LookaheadState, CovarianceColumns, NaiveState),
    WorkingSetState: (WorkingSetState, NaiveState),
    CovarianceColumns: (CovarianceColumns,),
}


class Cheapest:
    """The model states of a run that may use several: at the end of every stretch of steps, choose
    the cheapest by counted operations.

    The cost of the steps of the stretch is compared with their cost on the other model states:

    - *lookahead* (on candidates): a scan, and the work on its candidates;
    - *explicit* (the naive state): a scan per step;
    - *Gram columns*: O(n_learners) a step, once the columns of all learners in use are computed.

    The length of the run is unknown, so Gram columns follow the ski-rental rule: they are computed
    once the work lost by not having them, times ``TRUST``, exceeds their cost. After a spell of
    steps on the naive state or on Gram columns, lookahead is tried for a stretch, to measure its
    present cost. A run whose Gram columns are counts, which cost little, begins with Gram columns.
    """

    # a restored run makes the steps since the anchor again: it does not read them from the path
    follows = False

    def __init__(self, kind, problem):
        self.problem = problem
        self.kinds = MODEL_STATES[kind]
        self.prices = Prices(problem)
        self.memory = Memory(kind.__name__)
        self.model_state = None
        self.candidates = None
        self.store = None
        self.most = max(16, min(MOST, MOST_BYTES // (8 * problem.n_samples)))
        self.n_columns, self.lacking = (
            0,
            0,
        )  # Gram columns computed; at the anchor, learners in use without a Gram column

    @property
    def scans(self):
        """Scans of all model states but the naive one."""
        return self.memory.scans

    @property
    def saved(self):
        """The memory of the anchor, as lists and numbers."""
        return self.memory.saved()

    def rebuild(self, beta, steps_done):
        """Make the model state for the next steps. Return whether this is a new anchor."""
        if steps_done is None:
            self._start(
                beta,
                CovarianceColumns
                if CovarianceColumns in self.kinds and self.prices.counted
                else self.kinds[0],
                None,
            )
            return True
        if self.memory.model_state == "CovarianceColumns" and self.model_state.scalars.wanted >= 0:
            self._add(self._likely(beta))
            self.model_state = self.model_state._replace(
                columns=self.store.held.rows, place=self.store.held.place
            )
            self.model_state.scalars.wanted = -1
            return False
        self._start(beta, self._next(beta, steps_done), steps_done)
        return True

    def restore(self, beta, saved):
        """Make the model state that `rebuild` had made when `saved` was noted."""
        memory = Memory.read(saved, [kind.__name__ for kind in self.kinds], self.problem.n_learners)
        self.n_columns = memory.n_columns
        if memory.blocks or self.store is not None:
            self._gram_store().hold(memory.blocks)
        self._place(beta, memory)

    def steps_left(self, steps_done):
        """Steps that the model state may make before it must be rebuilt."""
        return (
            min(RENEW, self.memory.spell)
            if self.memory.model_state == "CovarianceColumns"
            else self.memory.spell
        ) - steps_done

    def _gram_store(self):
        self.store = GramStore(self.problem) if self.store is None else self.store
        return self.store

    def _start(self, beta, kind, steps_done):
        """Make a model state of this kind, at a new anchor."""
        memory = self.memory
        before = self.memory.model_state
        spell = FARTHEST
        plain = memory.plain + (steps_done if memory.model_state == "NaiveState" else 0)
        former = memory.candidates
        if steps_done is not None and memory.model_state == "LookaheadState":
            former = tuple(np.sort(self.candidates.learner).tolist())
        memory = memory._replace(model_state=kind.__name__, plain=plain, candidates=former)
        if kind is not NaiveState:
            size = n_candidates(
                memory, steps_done, self.prices.products_per_scan, LookaheadState in self.kinds
            )
            size = min(self.problem.n_learners, self.most, size, 2 * memory.size or self.most)
            memory = memory._replace(size=size, scans=memory.scans + 1)
        if (
            before == kind.__name__ == "CovarianceColumns"
            and steps_done is not None
            and steps_done < self.memory.spell
        ):
            spell = self.memory.spell - steps_done  # only renewed
        elif len(self.kinds) > 1 and kind in (CovarianceColumns, NaiveState):
            look = self.prices.price_of_candidates(
                memory.size, memory.size, memory.size**2
            )  # all of them might be new
            spell = (
                PAUSE * look / self.prices.moved
                if kind is CovarianceColumns
                else PATIENCE * look / self.prices.explicit
            )
        blocks = () if self.store is None else tuple(self.store.blocks)
        self._place(
            beta, memory._replace(n_columns=self.n_columns, spell=math.ceil(spell), blocks=blocks)
        )

    def _place(self, beta, memory):
        """Make the model state that `memory` names, at the coefficients `beta`."""
        self.memory, self.lacking = memory, self._lacking(beta)
        if memory.model_state == "NaiveState":
            self.model_state = NaiveState.start(self.problem)
            self.model_state.renew(beta)
        elif memory.model_state == "CovarianceColumns":
            self.model_state = CovarianceColumns.at(self.problem, beta, self._gram_store())
        else:
            if self.candidates is None:
                self.candidates = (
                    Candidates if memory.model_state == "LookaheadState" else GatheredCandidates
                )(self.problem)
            self.model_state = self.candidates.model_state(beta, memory.size)
            if self.store is None and not beta.any() and CovarianceColumns in self.kinds:
                # at beta = 0 the store of Gram columns needs the same scan
                self._gram_store().start = padded(self.candidates.corr)

    def _next(self, beta, steps_done):
        """The kind of model state for the steps after a stretch of `steps_done`.

        Update the credit for Gram columns (ski-rental rule).
        """
        prices = self.prices
        explicit = steps_done * self.prices.explicit
        if self.memory.model_state == "CovarianceColumns":
            return CovarianceColumns if steps_done < self.memory.spell else self.kinds[0]
        price = (
            explicit
            if self.memory.model_state == "NaiveState"
            else self._price_of_lookahead(steps_done)
        )
        if CovarianceColumns in self.kinds:
            fresh = max(0, self._lacking(beta) - self.lacking)
            lost = min(price, explicit) - steps_done * prices.moved - fresh * prices.gram_column
            self.memory = self.memory._replace(
                credit=max(0, int(self.memory.credit + TRUST * lost))
            )
            if self.memory.credit > prices.scan and self._buy(beta):
                return CovarianceColumns
        return NaiveState if explicit < price else self.kinds[0]

    def _price_of_lookahead(self, steps_done):
        """Cost of the last scan for candidates and of the `steps_done` steps since then, in
        multiplications.
        """
        return self.candidates.price(
            self.prices, steps_done, self.model_state, self.memory.candidates
        )

    def _buy(self, beta):
        """Compute missing Gram columns of learners in use, as far as the credit allows.

        Return whether steps on them can begin.

        They can if the credit covers all missing columns and one scan. Until then some columns are
        computed at the end of each stretch, so that no stretch takes much longer than others.
        """
        credit = self.memory.credit
        price = self.prices.gram_column
        missing = self._gram_store().missing(np.flatnonzero(beta))
        affordable = credit >= self.prices.scan + len(missing) * price
        now = missing if affordable else missing[: TOGETHER * int(credit / (TOGETHER * price))]
        self._add(now)
        self.memory = self.memory._replace(
            credit=0 if affordable else int(credit - len(now) * price)
        )
        return affordable

    def _lacking(self, beta):
        """Number of learners in use that have no Gram column."""
        used = np.flatnonzero(beta)
        return (
            len(used)
            if self.store is None
            else int(np.count_nonzero(self.store.held.place[used] < 0))
        )

    def _likely(self, beta):
        """The learner whose Gram column is needed, and of the others without one those with the
        largest absolute correlations.

        In all four times as many as learners of the last block are in use, within bounds.
        """
        model_state = self.model_state
        store = self.store
        useful = np.count_nonzero(beta[store.blocks[-1]]) if store.blocks else 0
        n_fetched = min(TOGETHER, max(FEWEST, 4 * useful)) if self.prices.in_blocks else 1
        needed = np.array([model_state.scalars.wanted])
        store.make_room(n_fetched)
        if n_fetched == 1:
            return needed
        size = np.abs(model_state.corr[: self.problem.n_learners])
        size[store.held.place >= 0] = -1.0
        size[needed] = np.inf
        likely = np.argpartition(size, max(0, len(size) - n_fetched))[-n_fetched:]
        return likely[size[likely] >= 0]

    def _add(self, learners):
        for first in range(0, len(learners), TOGETHER):
            self.store.add(learners[first : first + TOGETHER])
        self.n_columns += len(learners)


def source_of(kind, problem, coefficients, noise):
    """The source of the model states of a run whose model state is `kind`: a ``Cheapest`` or a
    ``Fixed``.
    """
    return (
        Cheapest(kind, problem)
        if kind in MODEL_STATES
        else Fixed(kind, problem, coefficients, noise)
    )


def choose_model_state(problem, method, compile):
    """Choose the model state.

    The choice must not depend on the number of steps, so that a resumed run takes the same model
    state.

    If only one model state keeps the method's kind of coefficients, take that. Else lookahead for
    greedy methods on many learners; the Gram matrix for the squared loss where updating all
    correlations is cheaper than computing the candidates' correlations; else the naive state.
    """
    if not problem.dictionary.countable:
        return WeakLearnerState
    if method.noise is not None or method.select.sees_residual:
        return PerturbedState
    if not method.coefficients.plain:
        return _own_model_state(problem, method)
    n = problem.n_learners
    squared = problem.loss.quadratic
    stored = is_piece(problem.dictionary)
    if method.select.foresees:
        return CovarianceState if _gram_fits(problem) else NaiveState
    if squared and problem.dictionary.one_pass and n <= min(4000, problem.n_samples):
        return CovarianceState  # one pass over tall data, instead of one for each scan
    if compile and (n > 200 or not stored) and method.greedy:
        return LookaheadState if squared else WorkingSetState
    if not (squared and stored):
        return NaiveState
    per_step = (
        method.select.width or n
    )  # numbers drawn for a step; if none are drawn, all learners may be candidates
    return CovarianceState if n <= 1000 and n <= per_step * problem.n_samples else NaiveState


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
    """Whether a method needs noise that a model state cannot add, or a residual that it does not
    keep.
    """
    noisy = method.noise is not None
    sees = method.select.sees_residual
    return (noisy and not model_state.perturbs) or (sees and model_state.sought is None)


def _gram_fits(problem):
    """Whether a Gram matrix of all learners is worth its cost."""
    few = problem.n_learners <= min(1000, problem.n_samples)
    return problem.loss.quadratic and is_piece(problem.dictionary) and few


def _own_model_state(problem, method):
    """The model state that keeps the method's kind of coefficients: the one on the Gram matrix if
    there is one and the matrix is small.
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
