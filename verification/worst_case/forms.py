"""Vectors without coordinates, and quadratic forms of them, in exact fractions.

A *programme* asks for the worst case: vectors (gradients, fitted learners, the minimiser) and numbers (function values) that satisfy what
is known of a class of functions and of a method, with the largest error. Known only are inner products, so the unknown is a Gram matrix,
and every condition is linear in it: a semidefinite programme. Its data are fractions; solvers work on their nearest floats.
"""

from dataclasses import dataclass, field
from fractions import Fraction


def _sum(one, other, factor):
    """`one` + factor `other`, both dictionaries of coefficients, without zeros."""
    out = dict(one)
    for key, value in other.items():
        out[key] = out.get(key, 0) + factor * value
    return {key: value for key, value in out.items() if value != 0}


@dataclass(frozen=True)
class Vector:
    """A combination of the vectors of a programme: ``parts[i]`` of the i-th, and of its functional where i is -1."""

    parts: dict

    def __add__(self, other):
        return Vector(_sum(self.parts, other.parts, 1))

    def __sub__(self, other):
        return Vector(_sum(self.parts, other.parts, -1))

    def __rmul__(self, factor):
        return Vector(_sum({}, self.parts, Fraction(factor)))

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
        return Form(_sum({}, gram, 1), _sum({}, numbers, 1), Fraction(0))


NULL = Vector({})


@dataclass(frozen=True)
class Form:
    """constant + sum of ``gram[i, j]`` <v_i, v_j> over i <= j + sum of ``numbers[k]`` times the number named k."""

    gram: dict
    numbers: dict
    constant: Fraction

    @staticmethod
    def of(value):
        """`value`, a form or a number, as a form."""
        return value if isinstance(value, Form) else Form({}, {}, Fraction(value))

    def plus(self, other, factor=1):
        """Self + factor other."""
        other, factor = Form.of(other), Fraction(factor)
        numbers = _sum(self.numbers, other.numbers, factor)
        return Form(_sum(self.gram, other.gram, factor), numbers, self.constant + factor * other.constant)

    def __add__(self, other):
        return self.plus(other)

    def __sub__(self, other):
        return self.plus(other, -1)

    def __rmul__(self, factor):
        return Form({}, {}, Fraction(0)).plus(self, factor)

    __radd__ = __add__

    def __rsub__(self, other):
        return Form.of(other).plus(self, -1)


@dataclass
class Programme:
    """Maximise ``objective`` where forms are at least 0, are 0, and [[a, b], [b, c]] is positive semidefinite."""

    n_vectors: int = 0
    n_numbers: int = 0
    objective: Form = field(default_factory=lambda: Form.of(0))
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
        return Form({}, {self.n_numbers - 1: Fraction(1)}, Fraction(0))

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

    def smallest(self, forms):
        """Maximise the smallest of `forms`."""
        self.objective = self.number()
        self.require(*(form - self.objective for form in forms))
