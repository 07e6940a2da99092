"""Vectors without coordinates, and quadratic forms of them, in exact fractions.

A *programme* describes the worst case: it maximises the error over vectors (gradients, fitted
learners, the minimiser) and numbers (function values) that satisfy the conditions of a class of
functions and of a method. Only inner products matter, so the unknown is a Gram matrix, and every
condition is linear in it: a semidefinite programme. Its data are fractions; solvers work on their
nearest floats.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from coordboost._utils.checks import shown


def added(left, right, factor=1):
    """Return `left` + factor `right`, both dictionaries of coefficients, without zeros."""
    total = dict(left)
    for key, value in right.items():
        total[key] = total.get(key, 0) + factor * value
    return {key: value for key, value in total.items() if value != 0}


def as_fraction(factor):
    """Return `factor` as a fraction; floats are converted exactly."""
    try:
        return Fraction(factor)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            "vectors and losses can only be multiplied by finite numbers that are known before "
            f"the run, got {shown(factor)}."
        ) from None


class _Linear:
    """Abstract base: addition, and multiplication by numbers. Subclasses supply ``plus``."""

    __array_ufunc__ = None  # so that NumPy numbers defer to __rmul__

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
    """A linear combination of the vectors of a programme.

    ``parts[i]`` is the coefficient of vector i; -1 is the functional.
    """

    parts: dict = field(default_factory=dict)

    def plus(self, other, factor=1):
        """Self + factor other."""
        if not isinstance(other, Vector):
            raise ValueError(f"only vectors can be added to a vector, got {shown(other)}.")
        return Vector(added(self.parts, other.parts, factor))

    def __matmul__(self, other):
        """Return the inner product, a ``Form``.

        That of the functional (index -1) with a vector is an unknown number.
        """
        gram = {}
        numbers = {}
        for i, a in self.parts.items():
            for j, b in other.parts.items():
                key = (min(i, j), max(i, j))
                into = numbers if key[0] < 0 else gram
                into[key] = into.get(key, 0) + a * b
        if any(key[1] < 0 for key in numbers):
            raise ValueError("a functional has no inner product with itself, only with vectors.")
        return Form(added({}, gram), added({}, numbers))


NULL = Vector()


@dataclass(frozen=True)
class Form(_Linear):
    """A linear function of inner products and numbers.

    It is constant + sum of ``gram[i, j]`` <v_i, v_j> over i <= j + sum of ``numbers[k]`` times the
    number named k.
    """

    gram: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    @staticmethod
    def of(value):
        """Return `value`, a form or a number, as a form."""
        return value if isinstance(value, Form) else Form(constant=as_fraction(value))

    def plus(self, other, factor=1):
        """Self + factor other."""
        other = Form.of(other)
        numbers = added(self.numbers, other.numbers, factor)
        return Form(
            added(self.gram, other.gram, factor), numbers, self.constant + factor * other.constant
        )

    __radd__ = _Linear.__add__

    def __rsub__(self, other):
        return Form.of(other).plus(self, -1)


@dataclass
class Programme:
    """Maximise ``objective`` under conditions.

    Some forms are >= 0, some = 0, and matrices [[a, b], [b, c]] positive semidefinite.
    """

    n_vectors: int = 0
    n_numbers: int = 0
    objective: Form = field(default_factory=Form)
    at_least_0: list = field(default_factory=list)
    equal_to_0: list = field(default_factory=list)
    squares: list = field(default_factory=list)

    def vector(self):
        """Add an unknown vector and return it."""
        self.n_vectors += 1
        return Vector({self.n_vectors - 1: Fraction(1)})

    def functional(self):
        """Return a linear functional.

        Its inner products with vectors are unknown numbers, and it has no length.
        """
        return Vector({-1: Fraction(1)})

    def number(self):
        """Add an unknown number and return it."""
        self.n_numbers += 1
        return Form({}, {self.n_numbers - 1: Fraction(1)})

    def names(self):
        """Return the sorted names of all numbers in use."""
        forms = [
            self.objective,
            *self.at_least_0,
            *self.equal_to_0,
            *(form for square in self.squares for form in square),
        ]
        return sorted({key for form in forms for key in form.numbers}, key=repr)

    def require(self, *forms):
        """Require that the forms are at least 0."""
        self.at_least_0.extend(forms)

    def require_equal(self, left, right):
        """Require that two forms are equal."""
        self.equal_to_0.append(Form.of(left) - right)

    def require_square(self, a, b, c):
        """Require b^2 <= a c and a, c >= 0."""
        self.squares.append((a, Form.of(b), c))
