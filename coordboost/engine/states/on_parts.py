"""The model state of trees whose rows lie in parts: the model states on the parts, and here what
was asked of them.

A part has the ordinary model state of its rows, and the loop here has no vector over the rows. What
changes the parts without an answer, such as a step, is sent with the next question.
"""

import itertools
import pickle
import weakref
from types import SimpleNamespace

import numpy as np

from coordboost._numba import CompiledVerbs, compiled, verb
from coordboost._numba.sums import sum_of_blocks, write_losses
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.naive import NaiveState
from coordboost.learners.binned import Binned
from coordboost.learners.parts.engine import Message
from coordboost.learners.trees.bank import CurrentTree
from coordboost.learners.trees.forest import Forest, Nodes
from coordboost.learners.trees.on_parts import PartGrower
from coordboost.rules.coefficients import Single

push = verb("push")
sought = verb("sought")
write_curvature = verb("write_curvature")

#: Names for the models on the parts.
KEYS = itertools.count()


class PartModel:
    """The model of a run on the rows of one part.

    Its methods are asked by name: they return (whole, floats), see ``Parts.run``, or None.
    """

    def __init__(self, grower, binned, loss, newton, shared, y, weight, base):
        self.grower = grower
        self.binned = binned
        self.newton = newton
        self.weight = weight
        self.current = CurrentTree(grower.leaf, np.zeros(len(grower.nodes) // 2))
        problem = SimpleNamespace(
            loss=loss, dictionary=self.current, y=y, weight=weight, base=base, tie=0.0
        )
        self.state = NaiveState.start(problem)
        self.on_single = CompiledVerbs(self.state)
        # weights for leaf values: second derivatives, or those of the samples, one if all are equal
        self.leaf_weight = np.ones(len(y)) if newton else weight[:1].copy() if shared else weight

    def begin(self, numbers, form, columns):
        """Begin a tree; see ``PartGrower.begin``."""
        if self.newton:
            write_curvature(self.on_single, self.leaf_weight)
        return self.grower.begin(sought(self.state), self.leaf_weight, numbers, form, columns)

    def root(self, form):
        return self.grower.root(form), None

    def split(self, *nodes):
        return self.grower.split(*nodes), None

    def largest(self, k):
        return self.grower.largest(k)

    def scaled_sizes(self, k, by):
        return self.grower.scaled_sizes(k, by)

    def sums_over_rows(self, nodes, flags, values):
        """Return the sums for the norm of the tree: its leaves are written first."""
        self.grower.finish(nodes, flags)
        return None, self.grower.sums_over_rows(self.weight, values)

    def finish(self, nodes, flags):
        """Write the leaf of each row."""
        self.grower.finish(nodes, flags)

    def see(self, tree):
        """Make a finished tree the current one, a ``Trees`` of one."""
        Forest(self.binned, tree, Nodes.of(tree, 0, 1)).leaves(0, self.current.leaf)

    def push(self, values, shrink, theta):
        """Make a step along the current tree, whose leaves have these values."""
        self.current.values[: len(values)] = values
        push(self.on_single, 0, shrink, theta)

    def renew(self, trees, beta):
        """Compute the model from the coefficients of finished trees."""
        forest = Forest(self.binned, trees, Nodes.of(trees, 0, len(beta)))
        self.state._replace(dictionary=forest).renew(beta)

    def replay(self, trees, rows):
        """Make the recorded steps (learner, shrink, theta) of a run again, with its trees."""
        forest = Forest(self.binned, trees, Nodes.of(trees, 0, len(trees.n_leaves)))
        for j, shrink, theta in rows:
            forest.leaves(j, self.current.leaf)
            self.push(trees.values[j], shrink, theta)

    def losses(self):
        """Return the sums of the losses of blocks of rows."""
        state = self.state
        sums = np.zeros((self.grower.memory.sizes.shape[1], 1))
        loss = state.loss_function
        run = compiled(write_losses, (loss,))
        run(loss, state.y, state.weight, state.base, state.pred, sums[:, 0])
        return None, sums

    def extremes(self):
        """Return the largest and the smallest prediction of these rows, once for each block."""
        pred = self.state.pred
        ends = np.array([[pred.max(), pred.min()]])
        return None, np.repeat(ends, self.grower.memory.sizes.shape[1], axis=0)


def begin_model(part, key, stale, growth, n_in_all, loss, newton, common, y, *others):
    """Begin a model on a part, and drop those that nobody uses any more.

    common : (weight, base), each the number for all rows, or None: then `others` has the rows
    """
    for old in stale:
        part.models.pop(old, None)
    binned = Binned(part.codes, *part.bins)
    kind = pickle.dumps((growth, n_in_all))
    if part.grower is None or part.grower[0] != kind:
        part.grower = kind, PartGrower(binned, growth, n_in_all)
    rows = iter(others)
    weight, base = (next(rows) if number is None else number for number in common)
    weight = np.full(len(y), weight) if common[0] is not None else np.array(weight)
    target = np.array(y)  # arrays off the wire cannot be written to
    base = base if common[1] is not None else np.array(base)
    given = (loss, newton, common[0] is not None, target, weight, base)
    part.models[key] = PartModel(part.grower[1], binned, *given)


def ask_model(part, key, updates, name, arguments):
    """Make updates of a model, and return what it answers to a question, if there is one."""
    model = part.models[key]
    for update, given in updates:
        getattr(model, update)(*given)
    return getattr(model, name)(*arguments) if name else None


class PartsState(ModelState):
    """The model states on the parts of the rows, as one: see ``WeakLearnerState``.

    *Cost* of a step: one search, some trips to all parts.
    """

    carries = (Single,)
    countable = False
    searches = 1

    def __init__(self, learners, problem):
        self.learners = learners
        self.loss_function = problem.loss
        self.parts = learners.binned.parts
        self.key = next(KEYS)
        self.updates = []  # those that the next question takes along
        self.rows = []  # the steps made, (learner, shrink, theta)
        self.renewed = None  # the coefficients of which the model was made, before the rows
        self.n_done = 0  # the rows that a lost part gets by ``replay``
        self.asked = []  # the questions since then
        weight = problem.weight
        base = problem.base
        common = (
            float(weight[0]) if (weight == weight[0]).all() else None,
            base if isinstance(base, float) else None,
        )
        by_row = [problem.y]
        by_row += [weight] if common[0] is None else []
        by_row += [base] if common[1] is None else []
        family = learners.family
        stale = list(self.parts.stale)
        given = (family.growth, self.parts.n_samples, problem.loss, family.newton, common)
        self.begun = Message(begin_model, (self.key, stale, *given), tuple(by_row))
        self.parts.settle(None)
        self.parts.run(begin_model, *self.begun.arguments, by_row=self.begun.by_row)
        self.parts.stale.difference_update(stale)
        self.parts.models[self.key] = self
        weakref.finalize(self, self.parts.stale.add, self.key)

    @classmethod
    def start(cls, problem, coefficients):
        """The model state at beta = 0."""
        return cls(problem.dictionary, problem)

    def room(self, problem, n):
        """Make room for `n` more learners in the bank; return the model state itself."""
        self.learners.room(n)
        return self

    def interpret(self):
        """Steps in plain Python are the same: the parts stay compiled."""

    def tie(self):
        return 0.0

    def ask(self, name, *arguments):
        """Ask a method of ``PartModel`` of all parts; return (whole, floats)."""
        if name == "sums_over_rows":
            arguments = (*self.learners.grower.completed, *arguments)
        self.parts.settle(self)
        question = (self.key, self.updates, name, arguments)
        answer = self.parts.run(ask_model, *question)
        if name == "begin":  # a lost part gets the steps before by ``replay``
            self.n_done = len(self.rows)
            self.asked = []
            question = (self.key, [], name, arguments)
        self.asked.append(Message(ask_model, question))
        self.updates = []
        return answer

    def settle(self):
        """Send the updates that wait for a question."""
        if self.updates:
            self.ask(None)

    def messages(self):
        """Return the messages that bring a new part to the present state of this model."""
        trees = self.learners.store.cut(self.learners.n_learners)
        updates = []
        if self.renewed is not None:
            updates.append(("renew", (trees, self.renewed)))
        updates.append(("replay", (trees, self.rows[: self.n_done])))
        return [
            self.begun,
            Message(ask_model, (self.key, updates, None, ())),
            *self.asked,
        ]

    def grown(self, tree):
        """Take the tree just grown, the arguments of ``PartGrower.finish``."""
        self.updates.append(("finish", tree))

    def best(self, step, beta):
        """The tree that the search finds, and its correlation."""
        return self.learners.find(self)

    def best_in(self, step, beta, drawn, member, start):
        """As `best`, with splits by the columns drawn only."""
        return self.learners.find_in(self, drawn)

    def fitted(self, corr):
        """The length of the tree that was found."""
        return self.learners.fitted(corr)

    def push(self, j, shrink, theta):
        if self.learners.seen != j:
            self.learners.see(j)
            self.updates.append(("see", (self.learners.one_tree(j),)))
        values = self.learners.current.values.copy()
        self.updates.append(("push", (values, float(shrink), float(theta))))
        self.rows.append((j, float(shrink), float(theta)))

    def renew(self, beta):
        """Compute the model from the coefficients, so that rounding errors do not accumulate."""
        self.renewed = beta.copy()
        self.rows = []
        self.n_done = 0
        self.asked = []
        self.updates = [("renew", (self.learners.store.cut(len(beta)), self.renewed))]

    def summed_losses(self):
        """The sum of the losses at the model. *Cost*: a pass of the parts over their rows."""
        return sum_of_blocks(self.ask("losses")[1][:, 0])

    def extremes(self):
        """The largest and the smallest prediction of the model."""
        ends = self.ask("extremes")[1]
        return np.array([ends[:, 0].max(), ends[:, 1].min()])
