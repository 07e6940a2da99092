"""The model state of trees whose rows lie in parts: a ``WeakLearnerState`` of no rows here, and one
for the rows of each part.

A part of no rows knows what all parts know: the numbers of a model state, such as the round of
momentum, follow from the steps and from sums over all rows. So the verbs of the loop are run here
and on all parts. What changes the parts without an answer, such as a step, is sent with the next
question.
"""

import pickle
import weakref
from types import SimpleNamespace

import numpy as np

from coordboost._numba import CompiledVerbs, compiled, verb
from coordboost._numba.sums import BLOCK, sum_of_blocks, write_losses
from coordboost.engine.states.class_state import JointRows, RoundState
from coordboost.engine.states.naive import over
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.learners.binned import Binned
from coordboost.learners.parts.engine import KEYS, numbers_of_all, with_rows
from coordboost.learners.trees.bank import CurrentTree
from coordboost.learners.trees.forest import Forest, Nodes
from coordboost.learners.trees.on_parts import PartGrower

add = verb("add")
push = verb("push")
perturb = verb("perturb")
begin_row = verb("begin_row")
end_row = verb("end_row")
restart = verb("slow_down")
sought = verb("sought")
write_curvature = verb("write_curvature")


class PartModel:
    """The model of a run on the rows of one part.

    Its methods are asked by name: they return (whole, floats), see ``Parts.run``, or None.

    state : the inner model state of a ``WeakLearnerState``
    """

    def __init__(self, part, kind, arguments, newton, shared, problem):
        self.grower = part.grower[1]
        self.binned = Binned(part.codes, *part.bins)
        self.newton = newton
        self.current = CurrentTree(self.grower.leaf, np.zeros(len(self.grower.nodes) // 2))
        problem.dictionary = self.current
        self.problem = problem
        self.state = kind.inner_at_zero(problem, *arguments, part.starts)
        self.on_single = CompiledVerbs(self.state)
        weight = problem.weight
        # weights for leaf values: one if those of all samples are equal
        self.leaf_weight = (
            np.ones(len(weight)) if newton else weight[:1].copy() if shared else weight
        )

    def begin(self, *question):
        """Begin a tree; see ``PartGrower.begin``."""
        if self.newton:
            write_curvature(self.on_single, self.leaf_weight)
        return self.grower.begin(sought(self.state), self.leaf_weight, *question)

    def root(self, form):
        return self.grower.root(form), None

    def split(self, *nodes):
        return self.grower.split(*nodes), None

    def largest(self, k):
        return self.grower.largest(k)

    def scaled_sizes(self, k, by):
        return self.grower.scaled_sizes(k, by)

    def finish(self, nodes, flags):
        """Write the leaf of each row."""
        self.grower.finish(nodes, flags)

    def sums_over_rows(self, values):
        """Return the sums for the norm of the tree, whose leaves have these values."""
        return None, self.grower.block_sums(self.problem.weight, sought(self.state), values)

    def leaf_sums(self, n_leaves):
        """Return the sums of the gradient over the leaves of the tree just grown."""
        self.grower.state.leaves = n_leaves
        return None, self.grower.sums_of_leaves(self.state.gradient)

    def keep_leaves(self):
        self.grower.keep_leaves()

    def relabel(self, number):
        self.grower.relabel(number)

    def see(self, tree):
        """Make a finished tree the current one, a ``Trees`` of one."""
        Forest(self.binned, tree, Nodes.of(tree, 0, 1)).leaves(0, self.current.leaf)

    def perturb(self, k):
        """Draw the noise of step k."""
        perturb(self.on_single, k)

    def push(self, values, shrink, theta):
        """Make a step along the current tree, whose leaves have these values."""
        self.current.values[: len(values)] = values
        push(self.on_single, 0, shrink, theta)

    def begin_row(self, values, shrink, theta):
        """Begin a row of accelerated boosting; the same with sums over rows is ``row_sums``."""
        self.current.values[: len(values)] = values
        begin_row(self.on_single, 0, shrink, theta)

    def row_sums(self, values, shrink, theta):
        """Begin a row of accelerated boosting; return the sums of ``end_row``, by blocks."""
        self.begin_row(values, shrink, theta)
        losses = np.zeros((len(self.state.sums), 1))
        if self.state.watches:
            losses = self.losses()[1]
        return None, np.concatenate([self.state.sums, losses], axis=1)

    def end_row(self, shrink, theta, *sums):
        """End the row, with the sums over all rows."""
        end_row(self.on_single, 0, shrink, theta, *sums)

    def slow_down(self):
        restart(self.on_single)

    def renew(self, trees, beta):
        """Compute the model from the coefficients of finished trees."""
        forest = Forest(self.binned, trees, Nodes.of(trees, 0, len(beta)))
        over(self.state, forest).renew(beta)

    def again(self, trees, method, j, *arguments):
        """Run a method again: with the coefficients `j`, or for tree j of a run, with its trees."""
        if method == "renew":
            self.renew(trees, j)
            return
        self.see(trees.one(j))
        getattr(self, method)(trees.values[j], *arguments)

    def after(self, values, theta):
        """Return the losses after a step along the current tree, by blocks."""
        self.current.values[: len(values)] = values
        pred = self.state.pred.copy()
        add(CompiledVerbs(self.current), 0, theta, pred)
        return self.losses(pred)

    def losses(self, pred=None):
        """Return the sums of the losses of blocks of rows, (n_blocks, 1)."""
        problem = self.problem
        sums = np.zeros((len(self.grower.starts), 1))
        run = compiled(write_losses, (problem.loss,))
        pred = self.state.pred if pred is None else pred
        run(problem.loss, problem.y, problem.weight, problem.base, pred, sums[:, 0])
        return None, sums

    def extremes(self):
        """Return the largest and the smallest prediction of these rows, once for each block."""
        pred = self.state.pred
        ends = np.array([[pred.max(), pred.min()]])
        return None, np.repeat(ends, len(self.grower.starts), axis=0)


def begin_model(part, key, stale, growth, kind, arguments, newton, numbers, common, y, *others):
    """Begin a model on a part.

    growth : the limits of trees, with room for guesses
    kind, arguments : the class of the model state, and what it starts from besides the problem
    numbers : those of the problem: its loss, infimum, loss at the start and number of samples
    common : (weight, base), each the number for all rows, or None: then `others` has the rows
    """
    part.drop(stale)
    limits = pickle.dumps((growth, numbers["n_samples"]))
    if part.grower is None or part.grower[0] != limits:
        binned = Binned(part.codes, *part.bins)
        part.grower = limits, PartGrower(binned, growth, numbers["n_samples"], part.starts)
    weight, base = with_rows(common, others, part.n_rows)
    base = base if common[1] is None else common[1]
    problem = SimpleNamespace(**numbers, tie=0.0, y=np.array(y), weight=weight, base=base)
    shared = common[0] is not None
    part.models[key] = PartModel(part, kind, arguments, newton, shared, problem)


class PartsState(WeakLearnerState):
    """The model states on the parts of the rows, as one.

    *Cost* of a step: one search, some trips to all parts.
    """

    #: the model state that the parts start
    on_rows = WeakLearnerState

    def __init__(self, problem, coefficients, noise):
        learners = problem.dictionary
        numbers = {
            "loss": problem.loss,
            "infimum": problem.infimum,
            "start_loss": problem.start_loss,
            "n_samples": problem.n_samples,
        }
        none = np.zeros(0)
        no_rows = SimpleNamespace(
            **numbers, dictionary=learners, y=none, weight=none, base=0.0, tie=0.0
        )
        arguments = (coefficients, noise)
        super().__init__(self.on_rows.inner_at_zero(no_rows, *arguments))
        self.loss_function = problem.loss
        self.noisy = noise is not None
        self.parts = learners.binned.parts
        self.key = next(KEYS)
        common, rows = numbers_of_all([problem.weight, problem.base])
        growth = learners.grower.growth
        given = (growth, self.on_rows, arguments, learners.family.newton, numbers, common)
        self.parts.begin(self, begin_model, *given, by_row=(problem.y, *rows))
        learners.model = weakref.proxy(self)

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The model state at beta = 0."""
        return cls(problem, coefficients, noise)

    @property
    def trees(self):
        """The trees grown so far."""
        return self.learners.trees

    def interpret(self):
        """Steps in plain Python are the same: the parts stay compiled."""

    def tie(self):
        return 0.0

    def sought(self):
        """What the bank correlates its trees with: the vectors on the parts."""
        return self

    def ask(self, method, *arguments, **options):
        """Ask a method of ``PartModel`` of all parts, see ``Parts.ask``."""
        return self.parts.ask(self.key, method, *arguments, **options)

    def tell(self, method, *arguments, again=None):
        """Let all parts run a method of ``PartModel``, see ``Parts.tell``."""
        self.parts.tell(self.key, method, *arguments, again=again)

    def perturb(self, k):
        if self.noisy:
            self.tell("perturb", k)

    def push(self, j, shrink, theta):
        self.load(j)
        values = self.learners.current.values.copy()
        step = float(shrink), float(theta)
        if self.inner.end_row is None:
            self.tell("push", values, *step, again=("again", ("push", j, *step)))
            return
        again = "again", ("begin_row", j, *step)
        sums = self.ask("row_sums", values, *step, again=again)[1]
        totals = [sum_of_blocks(sums, k) for k in range(3)]
        begin_row(self.on_single, 0, *step)
        end_row(self.on_single, 0, *step, *totals)
        self.tell("end_row", *step, *totals)

    def slow_down(self):
        super().slow_down()
        self.tell("slow_down")

    @property
    def renew(self):
        return None if self.inner.renew is None else self._renew

    def _renew(self, beta):
        """Compute the model from the coefficients, so that rounding errors do not accumulate."""
        trees = self.learners.store.cut(len(beta))
        self.tell("renew", trees, beta.copy(), again=("again", ("renew", beta.copy())))

    def after(self, j, theta):
        self.load(j)
        values = self.learners.current.values.copy()
        return sum_of_blocks(self.ask("after", values, float(theta))[1], 0)

    def search(self, j, a, b):
        raise ValueError(
            "the length of a step along a tree cannot be searched where the rows lie on a cluster: "
            "take newton=True, a loss with a Lipschitz constant, or collect them, X.compute()."
        )

    def bounded(self, j, corr):
        return self.search(j, 1, 0)

    def minimised(self, j, corr):
        return self.search(j, 1, 0)

    def summed_losses(self):
        """The sum of the losses at the model. *Cost*: a pass of the parts over their rows."""
        return float(sum_of_blocks(self.ask("losses")[1], 0))

    def extremes(self):
        """The largest and the smallest prediction of the model."""
        ends = self.ask("extremes")[1]
        return np.array([ends[:, 0].max(), ends[:, 1].min()])


class RoundStateOnParts(PartsState):
    """``RoundState`` of rows in parts."""

    on_rows = RoundState

    def bounded(self, j, corr):
        return self.fitted(corr)


class JointRowsOfPart(JointRows):
    """The ``JointRows`` of one part, whose methods are asked by name."""

    def look(self):
        return np.array([super().look()]), None

    def block_losses(self, share):
        return None, super().block_losses(share)

    def offsets(self):
        """Return the offsets, (n_blocks, n_classes, BLOCK), the last block filled with zeros."""
        offsets = super().offsets()
        n_blocks = -(-offsets.shape[1] // BLOCK)
        padded = np.zeros((len(offsets), n_blocks * BLOCK))
        padded[:, : offsets.shape[1]] = offsets
        return None, padded.reshape(len(offsets), n_blocks, BLOCK).swapaxes(0, 1).copy()


def begin_joint_rows(part, key, stale, of_classes, constants, numbers, class_index, *weight):
    """Begin the ``JointRows`` of the models of all classes, which have these keys."""
    part.drop(stale)
    states = [part.models[own].state for own in of_classes]
    (weight,) = with_rows(numbers, weight, part.n_rows)
    part.models[key] = JointRowsOfPart(states, constants, class_index, weight)


class JointRowsOnParts:
    """The ``JointRows`` of all parts, as one.

    states : the ``RoundStateOnParts`` of each class; the rest as there
    """

    trees = None

    def __init__(self, states, constants, class_index, weight):
        self.states = states
        self.parts = states[0].parts
        self.n_rows = len(class_index)
        self.key = next(KEYS)
        numbers, rows = numbers_of_all([weight])
        given = [state.key for state in states], constants, numbers
        self.parts.begin(self, begin_joint_rows, *given, by_row=(class_index, *rows))

    def look(self):
        count, _ = self.parts.ask(self.key, "look", begins=True, again=("look", ()))
        return int(count[0])

    def loss(self, share=None):
        return float(sum_of_blocks(self.parts.ask(self.key, "block_losses", share)[1], 0))

    def write_residuals(self):
        self.parts.tell(self.key, "write_residuals")

    def offsets(self):
        """Return the offsets, (n_classes, n_rows).

        *Cost*: the parts send 8 bytes a row and class.
        """
        blocks = self.parts.ask(self.key, "offsets")[1]
        return blocks.swapaxes(0, 1).reshape(len(self.states), -1)[:, : self.n_rows]


def joint_rows(states, *given):
    """Return the ``JointRows`` of the models of all classes, here or on parts."""
    in_parts = getattr(states[0], "parts", None) is not None
    return (JointRowsOnParts if in_parts else JointRows)(states, *given)
