"""Closed forms of worst cases that the numbers suggest, compared with the intervals in a test.

Each docstring says how much is proved, and in which range (such as n <= 8) the formula was
compared.
"""

from fractions import Fraction


def gbm_complete(n):
    """GBM, Theta = 1 (proved by Drori and Teboulle, 2014): 1 / (4 n + 2)."""
    return Fraction(1, 4 * n + 2)


def agbm_complete(n, gamma):
    """AGBM, Theta = eta = 1, any gamma in (0, 1]: 6 / (8 n + 28 + gamma (n - 1)(3 n + 10)); n <=
    30.

    As a lower bound it is proved (docs/worst-cases.md), so the corrected constant of Theorem 4.1
    cannot be improved. As an upper bound it is proved for n = 1, 2; ``chain.proved`` proves it for
    any single n and gamma; for all n and gamma at once it is a conjecture. For gamma = 1 it is 2 /
    ((n + 2)(n + 3)), which numerical studies of Nesterov's method had found.
    """
    gamma = Fraction(gamma)
    return 6 / (8 * n + 28 + gamma * (n - 1) * (3 * n + 10))


def gbm_strong(n, one):
    """GBM, strongly convex: the worst case after n steps is the n-th power of the worst case `one`
    after one step; n <= 8.
    """
    return one**n


def stagewise(n, eps):
    """FS: 1 - n eps where n eps <= 1/3: all steps go along one learner; n <= 8, eps >= 1/50."""
    return 1 - n * Fraction(eps)
