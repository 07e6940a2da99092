"""Vectors without coordinates, and quadratic forms of them, in exact fractions.

A *programme* asks for the worst case: vectors (gradients, fitted learners, the minimiser) and numbers (function values) that satisfy what
is known of a class of functions and of a method, with the largest error. Known only are inner products, so the unknown is a Gram matrix,
and every condition is linear in it: a semidefinite programme. Its data are fractions; solvers work on their nearest floats.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from coordboost._utils.checks import shown


def added(one, other, factor=1):
    """`one` + factor `other`, both dictionaries of coefficients, without zeros."""
    out = dict(one)
    for key, value in other.items():
        out[key] = out.get(key, 0) + factor * value
    return {key: value for key, value in out.items() if value != 0}


def as_fraction(factor):
    """`factor` as a fraction, floats as what they are."""
    try:
        return Fraction(factor)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"vectors and losses are multiplied by finite numbers that are known before the run, got {shown(factor)}."
        ) from None


class _Linear:
    """What can be added, and multiplied by numbers: ``plus`` is written by the kind."""

    __array_ufunc__ = None  # so that numbers of NumPy leave the product to us

    def plus(self, other: Any, factor: Any = 1) -> Any:
        raise NotImplementedError

    def __add__(self, other):
        return self.plus(other)

    def __sub__(self, other):
        return self.plus(other, -1)

    def __mul__(self, factor):
        return type(self)().plus(self, as_fraction(factor))

    def __truediv__(self, factor):
        return self * (1 / as_fraction(factor))

    def __neg__(self):
        return self * -1

    __rmul__ = __mul__


@dataclass(frozen=True)
class Vector(_Linear):
    """A combination of the vectors of a programme: ``parts[i]`` of the i-th, and of its functional where i is -1."""

    parts: dict = field(default_factory=dict)

    def plus(self, other, factor=1):
        """Self + factor other."""
        if not isinstance(other, Vector):
            raise ValueError(f"to a vector only vectors are added, got {shown(other)}.")
        return Vector(added(self.parts, other.parts, factor))

    def __matmul__(self, other):
        """The inner product, a ``Form``: of a functional (numbered below 0) with a vector it is a number."""
        gram, numbers = {}, {}
        for i, a in self.parts.items():
            for j, b in other.parts.items():
                key = (min(i, j), max(i, j))
                into = numbers if key[0] < 0 else gram
                into[key] = into.get(key, 0) + a * b
        if any(key[1] < 0 for key in numbers):
            raise ValueError("a functional has no inner product with itself: only differences from it have.")
        return Form(added({}, gram), added({}, numbers))


NULL = Vector()


@dataclass(frozen=True)
class Form(_Linear):
    """constant + sum of ``gram[i, j]`` <v_i, v_j> over i <= j + sum of ``numbers[k]`` times the number named k."""

    gram: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    @staticmethod
    def of(value):
        """`value`, a form or a number, as a form."""
        return value if isinstance(value, Form) else Form(constant=as_fraction(value))

    def plus(self, other, factor=1):
        """Self + factor other."""
        other = Form.of(other)
        numbers = added(self.numbers, other.numbers, factor)
        return Form(added(self.gram, other.gram, factor), numbers, self.constant + factor * other.constant)

    __radd__ = _Linear.__add__

    def __rsub__(self, other):
        return Form.of(other).plus(self, -1)


@dataclass
class Programme:
    """Maximise ``objective`` where forms are at least 0, are 0, and [[a, b], [b, c]] is positive semidefinite."""

    n_vectors: int = 0
    n_numbers: int = 0
    objective: Form = field(default_factory=Form)
    at_least_0: list = field(default_factory=list)
    equal_to_0: list = field(default_factory=list)
    squares: list = field(default_factory=list)

    def vector(self):
        """A new unknown vector."""
        self.n_vectors += 1
        return Vector({self.n_vectors - 1: Fraction(1)})

    def functional(self):
        """An unknown vector whose length is not bounded: only its products with vectors are known, each a number."""
        return Vector({-1: Fraction(1)})

    def number(self):
        """A new unknown number."""
        self.n_numbers += 1
        return Form({}, {self.n_numbers - 1: Fraction(1)})

    def names(self):
        """The names of all numbers in use, in order."""
        forms = [self.objective, *self.at_least_0, *self.equal_to_0, *(form for square in self.squares for form in square)]
        return sorted({key for form in forms for key in form.numbers}, key=repr)

    def require(self, *forms):
        """These are at least 0."""
        self.at_least_0.extend(forms)

    def require_equal(self, one, other):
        """These are the same."""
        self.equal_to_0.append(Form.of(one) - other)

    def require_square(self, a, b, c):
        """b^2 <= a c, and a, c >= 0."""
        self.squares.append((a, Form.of(b), c))
