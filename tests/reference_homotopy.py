"""Exact paths with 70 digits, from knot to knot, and the error of knots given in float64, computed
without rounding.

Everything is solved anew at each knot: the direction by Lawson and Hanson's method on the Gram
matrix. For small problems in general position; nearly equal columns get no special treatment.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np

DIGITS = 70
TIE = Decimal(10) ** -45


def decimals(a):
    """Return the same numbers as an object array of Decimals."""
    return np.vectorize(lambda value: Decimal(float(value)), otypes=[object])(a)


def solve(A, b):
    """Return x with A x = b, by Gaussian elimination with pivoting."""
    T = np.column_stack([A, b])
    n = len(b)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(T[r, i]))
        T[[i, pivot]] = T[[pivot, i]]
        T[i, i:] = T[i, i:] / T[i, i]
        for r in range(i + 1, n):
            T[r, i:] = T[r, i:] - T[r, i] * T[i, i:]
    x = T[:, n].copy()
    for i in range(n - 2, -1, -1):
        x[i] -= T[i, i + 1 : n] @ x[i + 1 :]
    return x


def direction(gram, sign, free, kind):
    """Return the change of the coefficients as the level falls by 1, and the learners that move;
    `sign`: signs of the tied learners.
    """
    d = np.array([Decimal(0)] * len(gram), dtype=object)
    moving = [j for j in sign if free(j)] if kind != "lar" else list(sign)
    barred = set()
    while True:
        while moving:
            target = solve(
                gram[np.ix_(moving, moving)],
                np.array([Decimal(sign[j]) for j in moving], dtype=object),
            )
            against = [i for i, j in enumerate(moving) if not free(j) and target[i] * sign[j] <= 0]
            if not against:
                d[moving] = target
                break
            shares = [
                abs(d[moving[i]]) / (abs(d[moving[i]]) + abs(target[i]))
                if d[moving[i]]
                else Decimal(0)
                for i in against
            ]
            share, who = min(zip(shares, (moving[i] for i in against), strict=True))
            d[moving] += share * (target - d[moving])
            d[who] = Decimal(0)
            moving.remove(who)
            barred = barred | {who} if share == 0 else set()
        rate = gram @ d
        lag = {j: 1 - sign[j] * rate[j] for j in sign if j not in moving and j not in barred}
        if kind == "lar" or max(lag.values(), default=0) <= TIE:
            return d, moving
        moving.append(max(lag, key=lag.get))


def knots(B, y, kind, floor=1e-13):
    """Return the knots (level, coefficients) of a path, down to `floor` times its top level."""
    with localcontext() as context:
        context.prec = DIGITS
        B = decimals(B)
        y = decimals(y)
        gram = B.T @ B
        at_zero = B.T @ y
        beta = at_zero * 0
        top = max(abs(at_zero))
        lam = top
        out = [(top, beta)]
        while lam > Decimal(floor) * top:
            corr = at_zero - gram @ beta
            sign = {
                j: 1 if corr[j] > 0 else -1
                for j in range(len(corr))
                if abs(corr[j]) >= lam - TIE * top
            }
            d, moving = direction(
                gram,
                sign,
                lambda j, at=beta: kind == "lar" or (kind == "lasso" and at[j] != 0),
                kind,
            )
            rate = gram @ d
            falls = [(lam, -1)]
            for j in range(len(corr)):
                if j in moving and kind == "lasso" and d[j] * sign[j] < 0 and beta[j] != 0:
                    falls.append((-beta[j] / d[j], j))
                for way in () if j in moving else (1, -1):
                    if sign.get(j) != way and 1 - way * rate[j] > 0:
                        falls.append(((lam - way * corr[j]) / (1 - way * rate[j]), -1))
            fall, leaving = min(falls)
            beta = beta + fall * d
            lam = lam - fall
            if leaving >= 0:
                beta[leaving] = Decimal(0)
            out.append((lam, beta))
        return out


def whole(a):
    """Return a float64 array times a power of two, as Python integers, and that power."""
    mantissa, exponent = np.frexp(np.asarray(a, dtype=float))
    last = int(min(exponent[mantissa != 0], default=0)) - 53
    numbers = (mantissa * 2.0**53).astype(np.int64).astype(object)
    return numbers << np.maximum(exponent - 53 - last, 0).astype(object), Fraction(2) ** -last


class Judge:
    """Exact errors of knots given in float64, for the columns B and the target y."""

    def __init__(self, B, y):
        self.B, self.by = whole(B)
        self.y = [Fraction(float(value)) for value in y]
        self.loss = sum(value * value for value in self.y) / 2
        self.size = float(2 * self.loss) ** 0.5

    def off(self, kind, lam, beta):
        """Return the duality gap relative to the loss at 0; for LAR and FS_0 the error of
        correlations times 1 + |beta|_1, for |y| = 1.
        """
        lam, (model, times) = Fraction(float(lam)), whole(beta)
        sizes = [abs(Fraction(value)) / times for value in model]
        resid = [
            at - Fraction(value) / (self.by * times)
            for at, value in zip(self.y, self.B @ model, strict=True)
        ]
        common = max(value.denominator for value in resid)  # all are powers of two
        whole_resid = np.array([int(value * common) for value in resid], dtype=object)
        corr = [abs(Fraction(value)) / (self.by * common) for value in self.B.T @ whole_resid]
        square = Fraction(int(whole_resid @ whole_resid), common**2)
        l1 = sum(sizes)
        most = max(corr)
        if kind == "lasso":
            share = min(Fraction(1), lam / most) if most else Fraction(1)
            along = sum(r * at for r, at in zip(resid, self.y, strict=True))
            return float(
                (square / 2 + lam * l1 - share * along + share * share * square / 2) / self.loss
            )
        over = max(most - lam, 0)
        moving = [c for c, size in zip(corr, sizes, strict=True) if size and kind == "lar"]
        if over > lam > 0:
            return np.inf
        return (
            float(max(over, lam - min(moving, default=lam)))
            / self.size
            * (1 + float(l1) / self.size)
        )


def reach(B, y, kind, gap):
    """Return the level, relative to the top, down to which the models rounded to float64 have
    errors of at most `gap`.
    """
    judge = Judge(B, y)
    path = knots(B, y, kind)
    for (above, start), (below, end) in pairwise(path):
        if below > 0 and judge.off(kind, below, end.astype(float)) <= gap:
            continue
        good = float(above)
        bad = max(float(below), 1e-14 * float(path[0][0]))
        while good > 1.1 * bad:
            middle = (good * bad) ** 0.5
            share = (above - Decimal(middle)) / (above - below)
            if judge.off(kind, middle, (start + share * (end - start)).astype(float)) <= gap:
                good = middle
            else:
                bad = middle
        return good / float(path[0][0])
    return float(path[-1][0] / path[0][0])
