"""What each kind of piece must have and what it may declare: the one place that lists the verbs.

A piece declares what it can do by an attribute or a method; what it does not declare has the default listed here. Nobody asks of which
class a piece is: ``LOSS.of(loss, "quadratic")``. Own pieces register where they are written: new ones are saved and tested like all others.
"""

import functools
import math

import numpy as np

from coordboost import _verbs
from coordboost._checks import shown


class Kind:
    """A kind of piece.

    Parameters
    ----------
    name : str
    verbs : tuple of str
        What every piece of the kind has.
    may : dict
        What a piece may declare, and what holds where it does not.
    example : str
        How to say what was expected.
    """

    def __init__(self, name, verbs, may, example):
        self.name, self.verbs, self.may, self.example = name, verbs, may, example
        self.pieces = {}

    def __repr__(self):
        return f"<kind of piece: {self.name}>"

    def own(self, cls):
        """Register a class of the package as a piece of this kind (a decorator)."""
        self.pieces[cls.__name__] = cls
        return cls

    def of(self, piece, what):
        """What `piece` declares, or the default."""
        return getattr(piece, what, self.may[what])

    def verb(self, piece, what):
        """The verb `what` of `piece`: its own, or the default, a function of the piece."""
        own = getattr(piece, what, None)
        return functools.partial(self.may[what], piece) if own is None else own

    def complete(self, piece):
        """Give `piece`, which may be written to, the default verbs that it does not bring itself."""
        for verb, default in self.may.items():
            if callable(default) and not hasattr(piece, verb):
                setattr(piece, verb, functools.partial(default, piece))

    def meant(self, value):
        """Whether `value` has any of the verbs, so that it is meant to be such a piece."""
        return any(hasattr(type(value), verb) or hasattr(value, verb) for verb in self.verbs)

    def check(self, name, piece):
        """`piece`, an object (not a class) that has the verbs.

        Raises
        ------
        ValueError
            "`name` must be ..., got ...", and which verb is missing.
        """
        missing = [verb for verb in self.verbs if not hasattr(piece, verb)]
        if isinstance(piece, type) or missing:
            lacks = f" It lacks {', '.join(missing)}." if len(missing) < len(self.verbs) else ""
            raise ValueError(f"{name} must be {self.example}, got {shown(piece)}.{lacks}")
        return piece


LOSS = Kind(
    "loss",
    ("value", "residual"),
    {
        "curvature": None,  # curvature(y, f), the second derivative
        "line_search": None,  # line_search(y, weight, f, direction), in closed form
        "sigma": None,  # smoothness constant
        "mu": None,  # constant of strong convexity
        "infimum": -math.inf,  # the largest known lower bound of value(y, .): a number, or a function of the targets (n_samples,)
        "quadratic": False,  # the loss is (y - f)^2 / 2: correlations are linear in the coefficients
        "convex": True,  # value(y, .) is convex; else no certificate, bound or line search is to be had
        "level_radius": None,  # level_radius(total): most that the norm of y - f can be where losses of weight 1 sum to at most `total`
        "location": False,  # the loss depends on y - f alone: an offset can be taken out of y
        "labels": None,  # labels(y) checks and maps the targets
        "sum_of_losses": None,  # sum_of_losses(y, weight, base, pred), of a loss that is one function of all predictions together: it has
        "refresh_residual": None,  # refresh_residual(y, weight, base, pred, resid), too, and None for `value` and `residual`
        "two_class": False,  # targets are labels -1 and +1
        "inverse_link": None,  # inverse_link(f), predictions f, an array or one of them, on the scale of the target; default `mean`
        "mean": None,  # mean(f), the mean of the target (of labels as 0 and 1) at predictions f, an array; default f
        "constant": None,  # constant(y, weight), the best constant prediction; else found where the residuals sum to 0
        "check": None,  # check() refuses parameters
    },
    "a loss object such as Squared() or Huber(1.0)",
)

#: What can be done with any loss.
ANY_LOSS = "gbm(rate), or RandomizedGBMRegressor and RandomizedGBMClassifier, which take any loss"


def sigma_of(loss, what, instead="step=LineSearch() where the method takes it, gbm(rate) or forward_stagewise(eps)"):
    """The smoothness constant of a loss, without which there is no `what`."""
    sigma = LOSS.of(loss, "sigma")
    if sigma is None:
        raise ValueError(
            f"{type(loss).__name__} declares no smoothness constant sigma, which {what} needs: use {instead}, or declare sigma."
        )
    return sigma


def link_of(loss):
    """What brings predictions to the scale of the target, a function, or None."""
    return LOSS.of(loss, "inverse_link") or LOSS.of(loss, "mean")


def on_scale_of_y(loss, pred):
    """What predictions (n_samples,) of the loop mean on the scale of the target: as the loss has it, by default they themselves."""
    link = link_of(loss)
    if link is None:
        return pred
    try:
        return np.asarray(link(pred), dtype=np.float64)
    except TypeError:  # written for one number, as the kernels of a loss are
        return np.vectorize(link, otypes=[np.float64])(pred)


SELECTION = Kind(
    "selection rule",
    ("pick",),
    {
        "width": 0,  # numbers drawn for a step
        "draw": None,  # draw(rng, n_rows, n_learners), whole numbers (n_rows, width)
        "draw_in_parts": None,  # draw_in_parts(rng, n_rows, n_learners), the same rows as an iterator over parts: made when asked for
        "draws_below": None,  # the numbers are 0, 1, ..., less than this; default n_learners
        "greedy": False,  # looks at all learners, and the largest score wins
        "grouped": False,  # looks at all learners of some groups, and the largest score wins
        "blind": False,  # the choice does not depend on the residual
        "chances": None,  # chances(corr (n, n_learners), square (n,), rng), of learners, for n residuals; and whether they are those of all
        "unions": None,  # unions(draws, rng), of a rule that fits several blocks at once: masks (n, n_blocks), and their probabilities
        "sees_residual": False,  # it looks at the residual, too: sought(view)
        "foresees": False,  # looks at the learners of some families, and at the losses that their steps lead to
        "of_blocks": False,  # it can work on blocks of columns that are fitted together, and not only on learners that can be counted
        "bind": None,  # bind(problem): the rule checked against the problem and filled in from it
        "norm": None,  # the norm under which expected progress is measured, its dual and its weights
        "dual_norm": None, "weights": None,
    },
    "a selection rule such as Full() or Subset(10)",
)
STEP = Kind(
    "step rule",
    ("move",),
    {
        "sequences": 1,  # how many sequences of coefficients it moves
        "phases": 1,  # how many steps are a round
        "unit": 1.0,  # coefficients are this times what the rule's theta sum to
        "needs_convex": None,  # why it needs a convex loss, in words
        "score": None,  # score(j, corr, beta_j), what learners compete by; default the size of the correlation
        "ls_rate": None,  # theta is this times corr, for the squared loss: a step of LS-Boost
        "stagewise": None,  # (eps, delta): theta is eps sign(corr) and shrink eps / delta; numbers, or one for each step
        "frank_wolfe": None,  # the radius of the l1 ball that a step of Frank-Wolfe is for
        "corrective": None,  # the radius of the l1 ball that a step towards a vertex or away from one is for; shrink may be negative
        "by_family": False,  # its steps depend on the family of a learner: the table is its field `families`
        "horizon": None,  # most steps
        "radius_at": None,  # radius_at(k) of the ball that the model after k steps is compared with
        "bind": None,
    },
    "a step rule such as LineSearch() or Proportional(0.1)",
)
PERTURBATION = Kind(
    "perturbation",
    ("sigma", "structure", "share", "seeded"),
    {
        "ahead": 0.0,  # the model is shrunken by 1 - ahead before the gradient is taken
        "bind": None,
    },
    "a perturbation such as Noise(0.1, beta=1e4), or None",
)
COEFFICIENTS = Kind(
    "store of coefficients",
    ("start", "accumulate", "coefficient", "beta"),
    {
        "plain": False,  # a row of the path is the whole update: beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta
        "sequences": 1,  # how many sequences of coefficients the rows move
        "corrective": False,  # it is for steps that also move away from vertices
        "room": None,  # room(n), the same store with room for n learners, where they come one by one
        "follow": None,  # follow(dictionary, unit), the predictions on other rows that the rows of a path move, from 0
        "follow_angle": 0,  # gamma of the step follows the worst cosine of the fits, where none is certified
        "told": True,  # coefficient(j) tells beta_j at any step; else it is 0, for rules that do not ask
    },
    "a store of coefficients such as Single()",
)
DICTIONARY = Kind(
    "dictionary",
    ("n_samples", "n_learners", "scan", "column"),
    {
        # verbs that follow from scan and column; loops over a dictionary that is compiled need the first three as kernels
        "correlations": _verbs.correlations,  # correlations(v, index), those of a few learners
        "dot": _verbs.dot,  # dot(j, v), one of them
        "add": _verbs.add,  # add(j, a, v): v += a B_j in place
        "gather": _verbs.gather,  # gather(index), dense columns (n_samples, len(index))
        "combine": _verbs.combine,  # combine(beta), B beta
        "cross": _verbs.cross,  # cross(a, b, weight), Gram entries of two lists of learners
        "gram": _verbs.gram,  # gram(weight), all of them
        "name": _verbs.name,  # name(j), what a learner is called
        "raw_scan": None,  # raw_scan(v), a scan not looked at for NaN; who searches it sees one, and finite("scan", corr) refuses it
        "fill_column": None,  # fill_column(j, out): out = B_j in place, for loops over learners that are found
        "add_and_refresh": None,  # add_and_refresh(j, a, loss, y, weight, base, pred, resid, even): `add` to pred and the residual there
        # what else a dictionary may know of itself
        "countable": True,  # all learners have a number; else it is a Bank, and `best` finds them
        "check": None,  # check() refuses fields that do not fit each other
        "at": None,  # at(X), the same learners on new rows: a dictionary
        "takes_noise": True,  # the fit of a learner is its correlation, or its leaves are means: noise may be added to the gradient
        "refit": None,  # refit(j, v, scale, key), the learner just found fitted to v and white noise: its length; default a unit column
        "saved": None,  # saved(n), a bank with its first n learners as a piece of plain arrays, which `opened` makes a bank again
        "opened": None,  # opened(weight, binning)
        "best": None,  # best(v, k, above) -> (ids, corr, outside); default from a scan, see screening/best.py
        "families": None,  # a Families, the table of the families that a rule which foresees chooses from
        "member": None,  # int64 (n_learners,), the family of each learner; lengths(), those of the learners in their families
        "lengths": None,
        "groups": None,  # (n_learners,), the groups that a group selection rule draws from
        "n_columns": None,  # learners are fits of blocks of so many columns; scan(v), lengths of projections on the blocks; spread(beta)
        "n_groups": None,  # their number, where learners cannot be counted but can be searched for in a group: find_in(v, groups)
        "rows": None,  # the columns where they are stored, (n_learners, n_samples)
        "apart": False,  # learners are kept one by one, though not as `rows`: a few correlations cost their part of a scan
        "entries": False,  # the entries that are not 0 are stored: data, row, start, scale, shift as in dictionaries/sparse.py
        "part": None,  # part(index, by), the learners `index` times `by` as a dictionary; default a dense copy
        "one_pass": False,  # reading the columns is what costs, so that all Gram entries in one pass are worth it
        "weighted": None,  # weighted(weight), the same learners with unit norm in that metric
        "proven": False,  # `weighted` makes columns of unit norm of any data, and the verbs agree: there is no need to look at them
        "binned": None,  # the features in bins that it looks at, a Binned
        "steps": None,  # steps(beta), the model of each feature as a function of its bins
        "binning": None,  # what puts new rows into bins, where `at` takes rows in bins
        "products": _verbs.products,  # products(weight), Gram entries without columns, as ``dictionaries/stumps/joint.py``, or None
        "standing": None,  # standing(rows), the learners found so far on other rows (in bins, if `binning` says how): a piece, and no copy
        "tree": None,  # tree(j), learner j as a Tree
        "hand": None,  # of a bank: the learner at hand, a piece with one learner; default a dense column
        "see": None,  # see(j) has learner j at hand
        "measure": None,  # measure(weigh), of a bank whose learners depend on second derivatives: weigh(out) writes them
        "shares": None,  # the parts that a scan is made of; scan_share(v, k, out) fills the entries of part k
        "scan_cost": None,  # multiplications in a scan, default n_samples * n_learners
    },
    "a matrix, or an oracle with n_samples, n_learners, scan(v) and column(j)",
)
FAMILY = Kind(
    "family of learners",
    ("n_samples", "find", "build"),
    {
        "at": None,  # at(X), the same family on new rows
        "newton": False,  # learners depend on the second derivatives of the loss
        "bank": None,  # bank(weight), the family's own bank, which makes find and build needless; default a Bank of dense columns
    },
    "a family with n_samples, find(v, k, above) and build(learner)",
)
VIEW = Kind(
    "view",
    ("start", "tie", "push"),
    {
        "renew": None,  # renew(beta): the state recomputed from the coefficients
        "carries": None,  # the stores that it keeps the model of, where these are not the plain ones; start(problem, store) then
        "countable": True,  # it is for learners that have numbers from the start
        "follows": True,  # the rows of a path are enough to bring it where they lead, without another look at the data
        "quadratic": False,  # it needs the squared loss
        "foresees": False,  # after(j, theta), the sum of the losses at pred + theta B_j, up to a number that is the same for all j
        "greedy": False,  # it needs a method for which the largest correlation of all wins
        "pred": None,  # the prediction of the model, (n_samples,), where it holds one
        "sought": None,  # sought(), what is correlated with the learners, (n_samples,), where it holds that
        "decide": None,  # decide(step, beta, corr), of a view that says whose turn it is: the learner of the next row
        "perturbs": False,  # it can be given noise: start(problem, store, noise) then
        "over": None,  # over(dictionary), the same view of another dictionary; default: its field `dictionary` is replaced
        "room": None,  # room(problem, n), the same view with room for n more learners, where they come one by one
        "dictionary": None,  # the dictionary whose verbs it calls
        "best_rows": None,  # the step to go back to, where the run has left what its theorem allows; then slow_down()
        "remark": "",  # a word about the run so far, for its message
        "searches": 0,  # scans, or searches of an uncountable dictionary, in every step
        "looks": None,  # looks(width, n_learners): correlations with the data that a step takes
    },
    "a view such as Explicit",
)
KINDS = (LOSS, SELECTION, STEP, PERTURBATION, COEFFICIENTS, DICTIONARY, FAMILY, VIEW)
