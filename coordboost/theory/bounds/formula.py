"""Claims as formulas: one text is evaluated on runs, before runs, in exact arithmetic, and shown.

A formula is an expression such as ``"excess <= A**2 * decay(x, k) / 2"``. Its names are quantities
of a case (attributes: numbers, or arrays of one number for each step 0, 1, ...), definitions, which
are formulas too, or functions of this module. Numbers are floats or Fractions; roots of Fractions
are right to forty digits.
"""

import ast
import functools
import math
import operator
from decimal import Decimal, localcontext
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

#: Roots of Fractions are rounded down, with a relative error below 1 / DIGITS.
DIGITS = 10**40
UPPER = (ast.LtE, ast.Lt)
LOWER = (ast.GtE, ast.Gt)
EQUAL = (ast.Eq,)
#: Attributes of a case that describe it, and are no quantities.
NO_QUANTITIES = (
    "along",
    "at",
    "constants",
    "errors",
    "level",
    "moves",
    "note",
    "problem",
    "slack",
    "step",
)


def exact(*arrays):
    """Whether all entries are Fractions or integers."""
    return all(
        np.asarray(array).dtype != float
        and all(isinstance(entry, Fraction | int | np.integer) for entry in np.ravel(array))
        for array in arrays
    )


def root(x):
    """The square root of floats, or of Fractions to forty digits; 0 of negative numbers."""
    if isinstance(x, np.ndarray):
        if x.dtype != object:
            return np.sqrt(np.maximum(x, 0.0))
        return np.array([root(entry) for entry in x], dtype=object)
    if not isinstance(x, Fraction | int):
        return np.sqrt(np.maximum(x, 0.0))
    x = max(Fraction(x), Fraction(0))
    return Fraction(math.isqrt(x.numerator * x.denominator * DIGITS**2), x.denominator * DIGITS)


def decayed(x, n):
    """(1 - x)^n for 0 <= x <= 1; accurate for floats x near 0, exact for Fractions x and n = 0,
    1/2, 1, ...
    """
    if exact(x):
        return np.frompyfunc(_exact_decay, 2, 1)(x, n)
    return _in_logarithms(np.exp, x, n)


def fall(x, n):
    """1 - (1 - x)^n, as accurate."""
    if exact(x):
        return 1 - decayed(x, n)
    return 0.0 - _in_logarithms(np.expm1, x, n)


def _exact_decay(x, n):
    return (1 - x) ** int(n) if n % 1 == 0 else root(1 - x) ** int(2 * n)


def _in_logarithms(function, x, n):
    """Return function(n log(1 - x)), function(0) where n is 0."""
    n = np.asarray(n, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = n * np.log1p(-np.minimum(np.asarray(x, dtype=float), 1.0))
    return function(np.where(n == 0, 0.0, exponent))


def smallest(x, start=0):
    """The smallest of x_start, ..., x_k; x_start for smaller k."""
    if start == 0:
        return np.minimum.accumulate(x)
    return np.minimum.accumulate(np.concatenate([x[start : start + 1].repeat(start), x[start:]]))


def total(x):
    """x_0 + ... + x_k."""
    return np.cumsum(x)


def mean(x):
    """The mean of x_0, ..., x_k."""
    return np.cumsum(x) / np.array([1 + k + 0 * x[0] for k in range(len(x))], dtype=x.dtype)


def spent(x):
    """x_0 + ... + x_{k-1}."""
    return np.concatenate([[0 * x[0]], np.cumsum(x)[:-1]])


def before(x):
    """0, x_0, ..., x_{k-1}."""
    return np.concatenate([[0 * x[0]], x[:-1]])


def best(x):
    """For each k the first i <= k with the smallest x_i."""
    fresh = np.concatenate([[True], x[1:] < np.minimum.accumulate(x)[:-1]]).astype(bool)
    return np.maximum.accumulate(np.where(fresh, np.arange(len(x)), 0))


def at(index, x):
    """x at the steps `index`."""
    return x[np.array(index, dtype=int)]


def largest_of(*x):
    """The largest of some numbers, entry by entry."""
    return functools.reduce(np.maximum, x)


def least_of(*x):
    """The smallest of some numbers, entry by entry."""
    return functools.reduce(np.minimum, x)


def exp(x):
    """The exponential function; of Fractions to fifty digits."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        with localcontext(prec=50):
            return np.array([Fraction((Decimal(y.numerator) / y.denominator).exp()) for y in x])
    return np.exp(x)


def ceil(x):
    """The smallest integer not below x."""
    return np.ceil(x) if isinstance(x, np.ndarray | float) else math.ceil(x)


def power_of(x, exponent):
    """x to integer powers; Fractions stay Fractions."""
    return np.power(np.array(x, dtype=object), exponent) if isinstance(x, Fraction) else x**exponent


FUNCTIONS: dict[str, Any] = {
    "abs": np.abs,
    "at": at,
    "before": before,
    "best": best,
    "ceil": ceil,
    "decay": decayed,
    "exp": exp,
    "fall": fall,
    "floor": np.floor,
    "largest": largest_of,
    "least": least_of,
    "ln": np.log,
    "mean": mean,
    "root": root,
    "smallest": smallest,
    "spent": spent,
    "total": total,
    "where": np.where,
}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: power_of,
    ast.MatMult: operator.matmul,
    ast.USub: operator.neg,
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
}


@functools.cache
def parsed(text):
    """Return the syntax tree of an expression."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"a formula is an expression, got {text!r} ({error.msg}).") from None


class Scope(dict):
    """The values of the names of a formula on a case.

    case : an object with the quantities as attributes; where : name -> formula, definitions, which
    come before quantities; moved : name -> value, in place of quantities; late : whether a value of
    the next step was used
    """

    def __init__(self, case, where=(), moved=()):
        super().__init__(moved, later=self._later, inf=math.inf)
        self.case = case
        self.where = dict(where)
        self.late = False

    def __missing__(self, name):
        if name in self.where:
            self[name] = value(parsed(self.where[name]), self)
        elif name in getattr(self.case, "moves", ()):
            self.late = True
            self[name] = _of_models(getattr(self.case, name), len(self["k"]))
        elif hasattr(type(self.case), name) or hasattr(self.case, name):
            self[name] = getattr(self.case, name)
        else:
            raise ValueError(self._unknown(name))
        return self[name]

    def _unknown(self, name):
        """Return a sentence with the names that a formula may use."""
        quantities = [
            known
            for known in dir(self.case)
            if not known.startswith("_")
            and known not in NO_QUANTITIES
            and not callable(getattr(type(self.case), known, None))
        ]
        known = sorted({*quantities, *self.where, *FUNCTIONS, "later", "inf"})
        near = get_close_matches(name, known, 1)
        guess = f"; {near[0]} is close" if near else ""
        return (
            f"a formula knows no {name!r}{guess}. Quantities here are "
            f"{', '.join(sorted({*quantities, *self.where}))}; functions are "
            f"{', '.join(sorted({*FUNCTIONS, 'later'}))}."
        )

    def _later(self, x):
        self.late = True
        return x if np.ndim(x) == 0 else np.concatenate([x[1:], x[-1:]])


def _of_models(moves, n_models):
    """Return the quantities of n steps with a last entry for the model that makes no step."""
    return moves if len(moves) == n_models else np.append(moves, 0.0)


def value(node, scope):
    """Return the value of a syntax tree with these values of its names."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return scope[node.id]
        case ast.UnaryOp():
            return OPERATORS[type(node.op)](value(node.operand, scope))
        case ast.BinOp():
            return OPERATORS[type(node.op)](value(node.left, scope), value(node.right, scope))
        case ast.Call(func=ast.Name()):
            function = FUNCTIONS.get(node.func.id) or scope[node.func.id]
            return function(*(value(argument, scope) for argument in node.args))
        case ast.Subscript():
            return value(node.value, scope)[value(node.slice, scope)]
        case ast.BoolOp():
            parts = (value(operand, scope) for operand in node.values)
            return functools.reduce(OPERATORS[type(node.op)], parts)
        case ast.Compare():
            terms = [value(term, scope) for term in (node.left, *node.comparators)]
            results = (
                OPERATORS[type(op)](*pair)
                for op, pair in zip(node.ops, pairwise(terms), strict=True)
            )
            return functools.reduce(np.logical_and, results)
    raise ValueError(f"a formula has names, numbers, operators and calls, got {ast.unparse(node)}.")


@functools.cache
def parts(text):
    """Return the comparisons of a formula: (kind, whether left is of the next step, left, right),
    with left <= right or left == right.
    """
    comparisons = []
    tree = parsed(text)
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or):
        raise ValueError(f"a claim is one comparison or several joined by `and`, got {text}.")
    for node in tree.values if isinstance(tree, ast.BoolOp) else [tree]:
        if not isinstance(node, ast.Compare):
            raise ValueError(f"a claim compares by <=, >=, <, > or ==, got {text}.")
        terms = pairwise([node.left, *node.comparators])
        for op, (left, right) in zip(node.ops, terms, strict=True):
            if not isinstance(op, UPPER + LOWER + EQUAL):
                raise ValueError(f"a claim compares by <=, >=, <, > or ==, got {text}.")
            if isinstance(op, LOWER):
                left, right = right, left
            kind = "tight" if isinstance(op, EQUAL) else "upper"
            comparisons.append((kind, ast.unparse(left).startswith("later("), left, right))
    return tuple(comparisons)


def true(text, case, where=()):
    """Whether a condition holds for a case at every step; an empty one does."""
    return not text or bool(np.all(value(parsed(text), Scope(case, where))))


def names(text, where=()):
    """Return the names in a formula and in its definitions."""
    used = {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}
    where = dict(where)
    return used.union(*(names(where[name], where) for name in used & where.keys()))


def sides(text, case, where=(), moved=()):
    """Yield (kind, steps, measured, bound) for each comparison.

    Kind is "upper" for measured <= bound, "tight" for equality. moved : name -> value, in place of
    quantities
    """
    for kind, after, left, right in parts(text):
        scope = Scope(case, where, moved)
        pair = np.broadcast_arrays(*(np.atleast_1d(value(node, scope)) for node in (left, right)))
        measured, bound = (side[:-1] if scope.late else side for side in pair)
        yield kind, np.arange(len(measured)) + after, measured, bound
