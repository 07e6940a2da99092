"""Regularised gradient boosting in a few NumPy lines, read next to Algorithm 1 of Cortes, Mohri and Storcheus.

Nouns: ``H (m, n)`` holds the functions of all families as they are, ``family (n,)`` says of which each is, ``bound`` and ``omega`` (K,)
are lambda and Omega, ``drawn[t]`` the families of round t. Losses are means here. Arrays are float64, or Fractions in object arrays.
"""

import numpy as np


def rgb(H, y, family, bound, omega, penalty, drawn, loss, power=2):
    """Coefficients alpha after each round, and the functions chosen. `power`: C_k = sigma lambda_k^power; None for each function's own."""
    m, alpha, alphas, picks = len(y), H[0] - H[0], [H[0] - H[0]], []
    for families in drawn:
        F, tried = H @ alpha, []
        for j in np.flatnonzero(np.isin(family, families)):
            slope = -(H[:, j] @ loss.residual(y, F)) / m
            C = loss.sigma * (H[:, j] @ H[:, j] / m if power is None else bound[family[j]] ** power)
            tried.append(
                (loss.value(y, F - slope / C * H[:, j]) / m + penalty * omega[family[j]], omega[family[j]], family[j], j, -slope / C)
            )
        *_, j, step = min(tried)
        alpha = alpha.copy()
        alpha[j] += step
        alphas.append(alpha)
        picks.append(j)
    return np.array(alphas), picks
