"""Options in pairs: the subjects with their options, designs that meet every pair, small tables.

A *subject* is an estimator, a path function or ``solve``. Its options, with two or three telling
values each, and the table, the weights and the offset it is fitted on are the *factors* of a
design in which every pair of values of two factors occurs in some row (all-pairs testing). A row
is a *trial*: `test_pairs.py` fits it and holds the laws.
"""

import itertools
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd


def all_pairs(factors, rng, allowed=lambda row: True):
    """Rows, dicts, in which each pair of values of two factors occurs, where `allowed` admits it.

    Greedy: a row begins with a pair that no row has yet; each other factor then takes the value
    that meets most of the missing pairs. `allowed` takes a row or a part of it.
    """
    sizes = {name: len(values) for name, values in factors.items()}
    missing = {
        ((one, i), (other, j)): None
        for one, other in itertools.combinations(factors, 2)
        for i in range(sizes[one])
        for j in range(sizes[other])
    }

    def pair(a, b):
        return (a, b) if (a, b) in missing else (b, a)

    def admitted(cells):
        return allowed({name: factors[name][i] for name, i in cells.items()})

    rows = []
    while missing:
        first = next(iter(missing))
        del missing[first]
        cells = dict(first)
        if not admitted(cells):
            continue
        for name in rng.permutation([name for name in factors if name not in cells]):
            gains = [
                sum(pair((name, i), cell) in missing for cell in cells.items())
                if admitted({**cells, name: i})
                else -1
                for i in range(sizes[name])
            ]
            best = np.flatnonzero(np.array(gains) == max(gains))
            cells[str(name)] = int(rng.choice(best))
        if not admitted(cells):
            continue
        for one, other in itertools.combinations(cells.items(), 2):
            missing.pop(pair(one, other), None)
        rows.append({name: factors[name][cells[name]] for name in factors})
    return rows


@dataclass(frozen=True)
class Table:
    """Rows for a fit: X, y on the scale of the loss, weights and offset or None."""

    kind: str
    X: object
    y: np.ndarray
    weight: np.ndarray | None = None
    offset: np.ndarray | None = None

    @property
    def n(self):
        return len(self.y)

    @property
    def p(self):
        return self.X.shape[1]

    def rows(self, index):
        """The rows `index`, which may repeat."""
        columns = (self.y, self.weight, self.offset)
        y, weight, offset = (None if c is None else c[index] for c in columns)
        X = self.X.iloc[index] if isinstance(self.X, pd.DataFrame) else self.X[index]
        return replace(self, X=X, y=y, weight=weight, offset=offset)

    def weighted(self, factor):
        """The same rows, their weights times `factor`, a number or (n,)."""
        weight = np.ones(self.n) if self.weight is None else self.weight
        return replace(self, weight=weight * factor)

    def changed(self, **columns):
        """The same table with other `columns`: X, y, weight or offset."""
        return replace(self, **columns)


def plain(rng, n, p):
    return rng.normal(size=(n, p)) * rng.choice([0.3, 1, 4], p) + rng.choice([0, 1], p)


def copies(rng, n, p):
    X = plain(rng, n, p)
    X[:, 1] = X[:, 0]
    X[:, 2] = X[:, 0] * (1 + 1e-9 * rng.normal(size=n))
    return X


def rare(rng, n, p):
    """A column that is 0 but for a few negative values, and the indicator of a rare group."""
    X = plain(rng, n, p)
    few = rng.permutation(n)[: max(2, n // 25)]
    X[:, 0] = 0.0
    X[few, 0] = -rng.uniform(1, 2, len(few))
    X[:, 1] = np.isin(np.arange(n), few[:2])
    return X


def with_missing(rng, n, p):
    X = plain(rng, n, p)
    X[rng.random((n, p)) < 0.1] = np.nan
    return X


def with_categories(rng, n, p):
    """A frame: levels with gaps, many levels in few rows each, a missing category."""
    X = pd.DataFrame(plain(rng, n, p)).rename(columns=str)
    few = pd.Categorical.from_codes(rng.choice([0, 2, 5], n), categories=list("abcdef"))
    many = rng.integers(0, max(2, n // 4), n)
    return X.assign(
        few=few.map(str, na_action=None), many=pd.Categorical(np.where(many == 1, None, many))
    )


#: Numbers of rows and columns of a linear table, and how its columns are drawn.
LINEAR = {
    "plain": (30, 4, plain),
    "wide": (8, 12, plain),
    "ties": (16, 4, lambda rng, n, p: rng.integers(-2, 3, (n, p)).astype(float)),
    "copies": (20, 5, copies),
    "rare": (50, 4, rare),
    "constant columns": (12, 3, lambda rng, n, p: np.ones((n, p))),
    "nothing to explain": (15, 3, plain),
}
#: The same, of tables for trees.
TREES = {
    "plain": (60, 3, plain),
    "ties": (60, 3, lambda rng, n, p: rng.integers(-2, 3, (n, p)).astype(float)),
    "rare": (400, 3, rare),
    "missing": (80, 3, with_missing),
    "categories": (160, 2, with_categories),
    "constant columns": (30, 2, lambda rng, n, p: np.ones((n, p))),
}


def targets(f, kind, rng):
    """A target of the `kind` that a loss or an estimator needs, from a signal f (n,)."""
    n = len(f)
    if kind == "labels":
        y = np.where(f > np.median(f), 1.0, -1.0)
        y[:2] = 1, -1
        return y
    if kind == "classes":
        y = np.searchsorted(np.quantile(f, [0.4, 0.8]), f).astype(float)
        y[:6] = 0, 1, 2, 0, 1, 2
        return y
    if kind == "counts":
        y = rng.poisson(np.exp(np.clip(f, -2, 3))).astype(float)
        y[0] += 1
        return y
    if kind == "positive":
        return np.exp(np.clip(f, -3, 3)) * rng.choice([1e-3, 1], n)
    return f


def make_table(kinds, kind, target, weights, offset, rng):
    """Draw a table: `kinds` is LINEAR or TREES, `weights` and `offset` are values of factors."""
    n, p, draw = kinds[kind]
    X = draw(rng, n, p)
    numbers = np.nan_to_num(np.asarray(X)[:, :p].astype(float))
    f = numbers @ (rng.normal(size=p) * (rng.random(p) < 0.7)) + 0.5 * rng.normal(size=n)
    group = numbers[:, 0] < 0
    if kind == "rare":
        f = f / 10 + np.where(group, 2.5, -2.5)
    y = targets(f, target, rng)
    if kind == "rare" and target == "labels":
        y = np.where(group & (np.cumsum(group) % 2 == 1), 1.0, -1.0)
    if kind == "nothing to explain" and target in ("real", "counts", "positive"):
        y = np.full(n, 2.0)
    weight = {
        None: None,
        "uneven": rng.uniform(0.2, 3, n),
        "with zeros": rng.choice([0.0, 1.0, 2.0], n, p=[0.1, 0.6, 0.3]),
        "tiny": np.full(n, 1e-6),
    }[weights]
    if weights == "with zeros":
        weight[:6] = 1.0
        weight[y == y.max()] = 1.0
    shift = rng.normal(size=n) / 2 if offset else None
    return Table(kind, X, y, weight, shift)


@dataclass(frozen=True, eq=False)
class Subject:
    """What is fitted: a name, factors of its own, and which rows of a design it takes.

    fit : (settings, table, rng) -> a model
    tables : LINEAR or TREES
    target : settings -> the kind of target
    """

    name: str
    factors: dict
    fit: object
    tables: dict
    target: object
    offsets: tuple = (False, True)
    allowed: object = field(default=lambda row: True)
    loss: str = "Squared"

    def loss_of(self, settings):
        """The name of the loss that the settings give."""
        return settings.get("loss_name", self.loss)

    def squared(self, settings):
        """Whether the loss is the squared one, for a target of numbers."""
        return self.loss_of(settings) == "Squared" and self.target(settings) == "real"

    def design(self, seed):
        """The rows of an all-pairs design, drawn by `seed`."""
        data = {
            "table": list(self.tables),
            "weights": [None, "uneven", "with zeros", "tiny"],
            "offset": list(self.offsets),
        }
        number = sum(map(ord, self.name))
        rng = np.random.default_rng([seed, number])
        return all_pairs({**self.factors, **data}, rng, self.allowed)

    def trials(self, seed):
        """The trials of the design."""
        for k, row in enumerate(self.design(seed)):
            settings = {name: row[name] for name in self.factors}
            yield Trial(self, settings, row["table"], row["weights"], row["offset"], (seed, k))


@dataclass(frozen=True)
class Trial:
    """A row of a design: a subject with settings on a table."""

    subject: Subject
    settings: dict
    kind: str
    weights: str | None
    offset: bool
    seed: tuple

    def __str__(self):
        own = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        data = f"{self.kind}, weights {self.weights}, offset {self.offset}, seed {self.seed}"
        return f"{self.subject.name}({own}) on {data}"

    def draw(self):
        """The table, and the options that are arrays or losses, made for its columns."""
        number = sum(map(ord, self.subject.name))
        rng = np.random.default_rng([*self.seed, number])
        target = self.subject.target(self.settings)
        table = make_table(self.subject.tables, self.kind, target, self.weights, self.offset, rng)
        settings = {name: for_columns(v, table, rng) for name, v in self.settings.items()}
        return settings, table


@dataclass(frozen=True)
class PerColumn:
    """A value of a factor that is drawn for each column: ``draw(rng, p)``."""

    name: str
    draw: object

    def __repr__(self):
        return self.name


def for_columns(value, table, rng):
    """A setting for the columns of a table."""
    return value.draw(rng, table.p) if isinstance(value, PerColumn) else value


FACTORS = PerColumn("uneven", lambda rng, p: rng.uniform(0.2, 3, p))
FREE = PerColumn("one free", lambda rng, p: np.where(np.arange(p) == p // 2, 0.0, 1.0))
LEFT_OUT = PerColumn("one left out", lambda rng, p: np.where(np.arange(p) == p // 2, np.inf, 1.0))
LOWER = PerColumn("lower", lambda rng, p: -rng.choice([0, 0.05, 0.5, np.inf], p))
UPPER = PerColumn("upper", lambda rng, p: rng.choice([0, 0.05, 0.5, np.inf], p))
SIGNS = PerColumn("signs", lambda rng, p: np.where(np.arange(p) < 2, [-1, 1, *[0] * p][:p], 0))
