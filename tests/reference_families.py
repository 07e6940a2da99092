"""Regularised gradient boosting in a few NumPy lines, read next to Algorithm 1 of Cortes, Mohri and
Storcheus.

Names: ``H (m, n)`` has the functions of all families, not normalised, ``family (n,)`` the family of
each. ``bound`` and ``omega`` (K,) are lambda and Omega, ``drawn[t]`` the families drawn in round t.
Losses are means here. Arrays are float64, or Fractions in object arrays.
"""

import numpy as np


def rgb(H, y, family, bound, omega, penalty, drawn, loss, power=2):
    """Return the coefficients alpha after each round, and the functions chosen. C_k = sigma
    lambda_k^power; None: sigma mean(h_j^2).
    """
    m = len(y)
    alpha = H[0] - H[0]
    alphas = [H[0] - H[0]]
    picks = []
    for families in drawn:
        F = H @ alpha
        tried = []
        for j in np.flatnonzero(np.isin(family, families)):
            slope = -(H[:, j] @ loss.residual(y, F)) / m
            C = loss.sigma * (H[:, j] @ H[:, j] / m if power is None else bound[family[j]] ** power)
            tried.append(
                (
                    loss.value(y, F - slope / C * H[:, j]) / m + penalty * omega[family[j]],
                    omega[family[j]],
                    family[j],
                    j,
                    -slope / C,
                )
            )
        *_, j, step = min(tried)
        alpha = alpha.copy()
        alpha[j] += step
        alphas.append(alpha)
        picks.append(j)
    return np.array(alphas), picks
