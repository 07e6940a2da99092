"""Claims as formulas: the same text is checked and displayed.

A formula is a Python expression such as ``"excess <= A**2 * gamma**k / 2"``. Its names are
attributes of the instance it is evaluated on: numbers, or arrays of one number for each step 0, 1,
... Numbers are floats or Fractions; roots of Fractions are right to forty digits.
"""

import ast
import functools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

import numpy as np

#: Roots of Fractions are rounded down, with a relative error below 1 / DIGITS.
DIGITS = 10**40
UPPER = (ast.LtE, ast.Lt)
LOWER = (ast.GtE, ast.Gt)
EQUAL = (ast.Eq,)


def root(x):
    """The square root of floats, or of Fractions to forty digits."""
    if isinstance(x, np.ndarray):
        return np.array([root(one) for one in x], dtype=x.dtype)
    if not isinstance(x, Fraction | int):
        return np.sqrt(np.maximum(x, 0.0))
    x = max(Fraction(x), Fraction(0))
    return Fraction(isqrt(x.numerator * x.denominator * DIGITS**2), x.denominator * DIGITS)


def smallest(x):
    """The smallest of x_0, ..., x_k."""
    return np.minimum.accumulate(x)


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
    """X at the steps `index`."""
    return x[np.array(index, dtype=int)]


def largest(*x):
    """The largest of some numbers, entry by entry."""
    return functools.reduce(np.maximum, x)


def least(*x):
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
    return math.ceil(x)


def power(x, exponent):
    """X to integer powers; Fractions stay Fractions."""
    return np.power(np.array(x, dtype=object), exponent) if isinstance(x, Fraction) else x**exponent


class _Powers(ast.NodeTransformer):
    """Replace ``x**k`` by a call of `power`, as a Fraction to the power of an array would become a
    float.
    """

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return (
            ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])
            if isinstance(node.op, ast.Pow)
            else node
        )


def _code(node):
    return compile(
        ast.fix_missing_locations(ast.Expression(_Powers().visit(node))), ast.unparse(node), "eval"
    )


@functools.cache
def _compiled(text):
    return _code(ast.parse(text, mode="eval").body)


FUNCTIONS = {
    "root": root,
    "smallest": smallest,
    "total": total,
    "mean": mean,
    "spent": spent,
    "best": best,
    "at": at,
    "before": before,
    "exp": exp,
    "least": least,
    "largest": largest,
    "abs": np.abs,
    "where": np.where,
    "power": power,
    "ceil": ceil,
}


class Names(dict):
    """Values of the names of a formula on an instance.

    ``late``: whether a value of the next step was used.
    """

    def __init__(self, case, where):
        super().__init__(later=self._later)
        self.case = case
        self.where = where
        self.late = False

    def __missing__(self, name):
        if name in self.where:
            self[name] = eval(_compiled(self.where[name]), {"__builtins__": {}}, self)
            return self[name]
        self.late |= name in getattr(self.case, "moves", ())
        return getattr(self.case, name) if hasattr(self.case, name) else FUNCTIONS[name]

    def _later(self, x):
        self.late = True
        return np.concatenate([x[1:], x[-1:]])


@functools.cache
def parts(text):
    """Return the comparisons of a formula: (kind, whether left is of the next step, left, right),
    with left <= right or left == right.
    """
    out = []
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or):
        raise ValueError(f"a claim is one comparison or several joined by `and`, got {text}.")
    for node in tree.values if isinstance(tree, ast.BoolOp) else [tree]:
        sides = [node.left, *node.comparators]
        for one, op, two in zip(sides, node.ops, sides[1:], strict=False):
            if not isinstance(op, UPPER + LOWER + EQUAL):
                raise ValueError(f"a claim compares by <=, >=, <, > or ==, got {text}.")
            left, right = (two, one) if isinstance(op, LOWER) else (one, two)
            after = ast.unparse(left).startswith("later(")
            out.append(
                ("tight" if isinstance(op, EQUAL) else "upper", after, _code(left), _code(right))
            )
    return tuple(out)


def true(text, case, where=()):
    """Whether a condition holds for an instance at every step; an empty one does."""
    return not text or bool(
        np.all(eval(_compiled(text), {"__builtins__": {}}, Names(case, dict(where))))
    )


def sides(text, case, where=()):
    """Yield (kind, steps, measured, bound) for each comparison.

    Kind is "upper" for measured <= bound, "tight" for equality.
    """
    for kind, after, left, right in parts(text):
        names = Names(case, dict(where))
        pair = [np.atleast_1d(eval(code, {"__builtins__": {}}, names)) for code in (left, right)]
        pair = np.broadcast_arrays(*pair)
        pair = [side[:-1] if names.late else side for side in pair]
        yield (kind, np.arange(len(pair[0])) + after, *pair)
