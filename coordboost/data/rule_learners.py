"""The family of all rules, conjunctions of tests, on the columns of a table."""

import copy
import functools
import math
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import real
from coordboost.data import validation
from coordboost.data.binning import bin_columns
from coordboost.data.table_family import TableFamily
from coordboost.learners.bank import Bank
from coordboost.learners.conjunctions import RuleSearch, cover_of, literals_of

#: Most literals of a rule: more are neither read nor searched in any time.
DEEPEST = 8
#: Rules that a search leaves for later steps: at most and at least so many, and at most so many
#: entries of their columns.
MOST, FEWEST, ROOM = 1_000, 8, 1 << 22
#: Relative rounding of a correlation: rules that differ by less are equal, and the smallest is the
#: best.
NEAR = 1e-12


class RuleFamily(TableFamily):
    """All rules on a table: what a ``Problem`` takes in place of X.

    binned, binning : the table in bins, and the bins for new rows
    depth, min_support, negations, max_nodes : as in ``rules``
    weight : (n_samples,), the metric; None before there is one
    """

    of_rows = "a search for rules"

    def __init__(self, binned, binning, depth, min_support, negations, max_nodes):
        super().__init__(binned, binning)
        self.depth = depth
        self.min_support = min_support
        self.negations = negations
        self.max_nodes = max_nodes
        self.literals = literals_of(binned, negations)
        self.weight = None
        self._scales = {}  # of each rule that was built, its share of the weight and its norm

    def __repr__(self):
        return (
            f"<rules of up to {self.depth} of {len(self.literals.feature)} literals on "
            f"{self.binning.n_features} features, {self.n_samples} samples>"
        )

    def bank(self, weight):
        """An empty bank of these rules, unit vectors in the metric of `weight`."""
        return RuleBank(self.weighted(weight), weight)

    def weighted(self, weight):
        """The same rules in the metric of `weight`."""
        if not len(self.literals.feature):
            raise ValueError("every column of X is constant: there is no rule.")
        family = copy.copy(self)
        family.weight = weight
        family._scales = {}
        return family

    def __getstate__(self):
        """A copy makes a search of its own."""
        return {name: value for name, value in vars(self).items() if name != "search"}

    @functools.cached_property
    def search(self):
        """The ``RuleSearch`` over these rules."""
        weight = np.ones(self.n_samples) if self.weight is None else self.weight
        return RuleSearch(
            self.binned, self.literals, self.depth, weight, self.min_support, self.max_nodes
        )

    def find(self, v, k, above, stopped=None):
        return self.search.best(v, k, above, stopped)

    def centre_and_norm(self, rule):
        """The share of the weight of the fit for which a rule holds, and the norm of its centred
        indicator.
        """
        if rule not in self._scales:
            weight = self.search.weight
            total = self.search.total
            share = float(weight @ cover_of(self.literals, rule, self.binned.codes)) / total
            self._scales[rule] = share, math.sqrt(total * share * (1.0 - share))
        return self._scales[rule]

    def build(self, rule):
        share, norm = self.centre_and_norm(rule)
        return (cover_of(self.literals, rule, self.binned.codes) - share) / norm

    def name(self, rule):
        """The text of a rule: "age <= 41.5 and town = Oslo"."""
        texts = []
        for name, comparison, value in self.tests(rule):
            shown_value = f"{value:.6g}" if isinstance(value, float) else str(value)
            texts.append(" ".join((name, comparison, shown_value)[: 2 if value is None else 3]))
        return " and ".join(texts)

    def tests(self, rule):
        """The tests of a rule: a tuple of (column, comparison, value).

        The comparison is one of <=, >, =, !=, "is missing" and "is not missing", the value a
        threshold, a level, or None.
        """
        return tuple(self._test(literal) for literal in rule)

    def _test(self, literal):
        g, low, high, negated = (int(column[literal]) for column in self.literals)
        name = self.binning.names[g]
        if low == self.binning.missing[g]:
            return name, "is not missing" if negated else "is missing", None
        if self.binning.categorical[g]:
            return name, "!=" if negated else "=", self.binning.labels[g][low]
        cuts = self.binning.thresholds(g)
        return (name, "<=", float(cuts[high])) if low == 0 else (name, ">", float(cuts[low - 1]))

    def without_data(self):
        family = super().without_data()
        family.weight = None
        return family


class Carried(NamedTuple):
    """What a search leaves for later steps.

    anchor : (n_samples,), the vector of the search
    rules : the best rules, the smallest first
    columns : (n_rules, n_samples), their learners
    outside : a bound on the absolute correlations of all others with the anchor
    """

    anchor: np.ndarray
    rules: list
    columns: np.ndarray
    outside: float

    def sizes(self, v):
        """The absolute correlations of the rules with `v`."""
        return np.abs(self.columns @ v)


class RuleBank(Bank):
    """The rules found so far; a run file holds them as numbers of literals.

    A search finds many rules, which are carried along. The learners have unit norm, so that no
    correlation changes by more than the distance, in the metric of the weights, from the vector of
    the search: while the best of the rules that are carried stays above the bound on all others
    plus this distance, it is the best of all, and no search is needed.
    """

    def __init__(self, family, weight):
        super().__init__(family, weight)
        self.carried = None
        #: number of searches made
        self.n_searches = 0

    def __getstate__(self):
        return vars(self) | {"carried": None}

    @property
    def binned(self):
        """The binned features."""
        return self.family.binned

    def find(self, v):
        v = v - self.weight * (v.sum() / self.weight.sum())
        if self.carried is None or self.carried.sizes(v).max() <= self._bound_on_others(v):
            most = max(FEWEST, min(MOST, ROOM // self.n_samples))
            self.carried = self._searched(v, *self.search(v, most, -1.0))
        return self._first(self.carried, v)

    @property
    def n_groups(self):
        """Number of columns of the table."""
        return self.family.binning.n_columns

    def find_in(self, v, groups):
        """As `find`, among the rules that test no column but `groups`; a step of length 0 where
        none of them has enough support.
        """
        v = v - self.weight * (v.sum() / self.weight.sum())
        features = self.family.binning.features_of(groups)
        found = self.family.search.best(v, FEWEST, -1.0, features=features)
        if not found[0]:
            return self.find(v)[0], 0.0
        return self._first(self._searched(v, *found), v)

    def _first(self, carried, v):
        """Return the number and the correlation of the best rule that is carried, of equal ones the
        smallest.
        """
        sizes = carried.sizes(v)
        first = int(np.argmax(sizes >= sizes.max() * (1 - NEAR)))
        j = self.number_of(carried.rules[first])
        return j, float(self.columns[j] @ v)

    def search(self, v, k, above, stopped=None):
        """Return the `k` best rules above a level, their correlations and a bound on all others.

        Raises
        ------
        ValueError
            If no rule has enough support.
        """
        found = self.family.find(v, k, above, stopped)
        if above < 0 and not found[0]:
            raise ValueError(
                f"no rule holds for {self.family.min_support:g} of the rows, by weight, and does "
                "not hold for as many others: pass a smaller min_support, or more columns."
            )
        return found

    def _bound_on_others(self, v):
        """Return a bound on the absolute correlations of the rules that are not carried."""
        positive = self.weight > 0
        change = (v - self.carried.anchor)[positive] / np.sqrt(self.weight[positive])
        return (self.carried.outside + np.linalg.norm(change)) * (1 + NEAR)

    def _searched(self, v, rules, corr, outside):
        """Count a search for `v`, and return what it leaves."""
        self.n_searches += 1
        rules = sorted(rules, key=lambda rule: (len(rule), rule))
        columns = np.array([self.family.build(rule) for rule in rules])
        return Carried(v, rules, columns, outside)

    def without_data(self):
        new = self.bank()
        new.family = self.family.without_data()
        new.weight = None
        new.columns = [np.zeros(0)] * len(self.learners)
        return new

    def saved(self, n):
        """The first n rules and the family as plain arrays."""
        family = self.family
        rules = np.full((n, family.depth), -1)
        for j, rule in enumerate(self.learners[:n]):
            rules[j, : len(rule)] = rule
        return SavedRules(
            family.binned,
            family.depth,
            family.min_support,
            int(family.negations),
            family.max_nodes or 0,
            rules,
        )


class SavedRules(NamedTuple):
    """A bank of rules as a run file holds it: the family, and the rules found so far."""

    binned: object
    depth: int
    min_support: float
    negations: int
    max_nodes: int
    rules: np.ndarray

    @property
    def n_samples(self):
        return self.binned.n_samples

    @property
    def n_learners(self):
        return len(self.rules)

    def check(self):
        """Refuse parts that do not fit each other.

        Raises
        ------
        ValueError
            If they do not, naming the part.
        """
        self.binned.check()
        n_literals = len(literals_of(self.binned, bool(self.negations)).feature)
        limits = 1 <= self.depth <= DEEPEST and 0 <= self.min_support < 0.5 and self.max_nodes >= 0
        if not limits or self.negations not in (0, 1):
            raise ValueError("the limits of the rules are damaged.")
        sound = self.rules.dtype == np.int64 and self.rules.shape[1:] == (self.depth,)
        if not sound or ((self.rules < -1) | (self.rules >= n_literals)).any():
            raise ValueError("the rules do not fit the table.")

    def opened(self, weight, binning):
        """Rebuild the saved bank."""
        family = RuleFamily(
            self.binned,
            binning,
            self.depth,
            self.min_support,
            bool(self.negations),
            self.max_nodes or None,
        )
        bank = family.bank(weight)
        for rule in self.rules:
            bank.number_of(tuple(int(literal) for literal in rule if literal >= 0))
        return bank


def rules(
    X,
    *,
    depth=3,
    max_bins=10,
    min_support=0.01,
    negations=True,
    max_nodes=None,
    categorical=(),
    feature_names=None,
):
    """All rules on the columns of X, conjunctions of up to `depth` tests: ``Problem(rules(X), y)``.

    A rule is 1 where all of its tests hold, and 0 elsewhere: ``age <= 41.5 and town = Oslo``. As a
    learner it is centred and has unit norm. Rules are searched by branch and bound, so that each
    step of a method takes the best of all of them, and certificates hold over all of them.

    Parameters
    ----------
    X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
        NaN is missing. Numbers are tested by ``<=`` and ``>``, neither of which holds for a missing
        value, and by "is missing". Columns of the dtype ``category`` hold categories.
    depth : int, 1 to 8
        Most tests of a rule.
    max_bins : int, 2 to 255
        Numbers are tested at no more than `max_bins` - 1 thresholds: all, or quantiles.
    min_support : float, 0 to below 0.5
        Least share of the rows, by weight, for which a rule holds, and for which it does not.
    negations : bool, default True
        Whether categories are tested by ``!=``, too.
    max_nodes : int, optional
        Most nodes that a search visits. Where it ends before its time, the best rule found is used,
        and certificates are intervals that are wider, but true.
    categorical, feature_names : optional
        As in ``bin_columns``.

    Returns
    -------
    RuleFamily
        The learners of a ``Problem``.

    Raises
    ------
    ValueError
        For arguments out of their range, and columns that cannot be put into bins.

    Notes
    -----
    Rules with the same cover, or with complementary ones, are one learner; the shortest one names
    it. *Cost* of a search: a pass over the rows of each node that is visited, for all features and
    all pairs of features. The bounds are proved in ``coordboost.learners.conjunctions``. *Source*:
    ours; the idea of pruning by subsets of a cover is that of Morishita and Sese, *Traversing
    itemset lattices with statistical metric pruning* (2000).

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, (200, 4)).astype(float)
    >>> y = 2.0 * ((X[:, 0] > 0.5) & (X[:, 2] <= 1.5)) + 0.1 * rng.standard_normal(200)
    >>> run = cb.solve(cb.Problem(cb.data.rules(X), y), cb.ls_boost(1.0), 1)
    >>> run.problem.feature_names
    ['x0 > 0.5 and x2 <= 1.5']
    """
    depth = validation.whole("depth", depth, 1)
    if depth > DEEPEST:
        raise ValueError(f"depth must be at most {DEEPEST}, got {depth}.")
    min_support = real(
        "min_support", min_support, lambda share: 0 <= share < 0.5, "from 0 to below 0.5"
    )
    if max_nodes is not None:
        max_nodes = validation.whole("max_nodes", max_nodes, 1)
    negations = validation.flag("negations", negations)
    binned, binning = bin_columns(
        X, max_bins=max_bins, categorical=categorical, feature_names=feature_names
    )
    return RuleFamily(binned, binning, depth, min_support, negations, max_nodes)
