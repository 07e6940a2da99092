"""The judge of penalised paths: duality gaps computed from the data and the coefficients alone.

For the mean loss with an unpenalised intercept b0 and the penalty alpha (l1_ratio |w|_1 + (1 -
l1_ratio) |w|^2 / 2). Predictions are f = b0 + X w, residuals r = -dloss/df. The judge fits the best
intercept, so that the residuals sum to 0, and takes the best dual point s r, 0 < s <= 1 (s <= 2 for
the elastic net with the squared loss, where each s gives one): its value is a lower bound of the
optimum, whoever found w. So the gap is what anyone can prove from the answer alone; no contestant's
own report is used.
"""

import numpy as np
import scipy.sparse
from scipy.special import expit, logsumexp, softmax, xlogy

#: Most numbers of a block of predictions; steps of Newton's method for the intercept.
BLOCK, STEPS = 20_000_000, 30
#: Steps of the golden section for the best multiple of a residual; gaps that need none.
SECTIONS, CLOSED = 30, 1e-10
GOLDEN = (5**0.5 - 1) / 2


class Squared:
    """(y - f)^2 / 2."""

    #: the largest multiple of a residual that is tried: for this loss each is a dual point
    most = 2.0

    def intercept(self, y, f):
        """Return the best constant to add to the predictions f (n, n_models)."""
        return (y[:, None] - f).mean(axis=0)

    def value(self, y, f):
        """Return the mean loss less its infimum, for each model."""
        return ((y[:, None] - f) ** 2).mean(axis=0) / 2

    def residual(self, y, f):
        """Return -dloss/df."""
        return y[:, None] - f

    def dual(self, y, theta):
        """Return the dual value, the mean of y theta - theta^2 / 2."""
        return (y[:, None] * theta - theta**2 / 2).mean(axis=0)


class Logistic:
    """Labels 0 and 1: log(1 + e^f) - y f."""

    most = 1.0

    def intercept(self, y, f):
        """Return the best constant, by Newton's method."""
        b = np.zeros(f.shape[1])
        for _ in range(STEPS):
            chance = expit(f + b)
            slope = (y[:, None] - chance).mean(axis=0)
            step = slope / np.maximum((chance * (1 - chance)).mean(axis=0), 1e-12)
            b += np.clip(step, -2, 2)
            if np.abs(slope).max() < 1e-13:
                break
        return b

    def value(self, y, f):
        """Return the mean loss, for each model."""
        return (np.logaddexp(0, f) - y[:, None] * f).mean(axis=0)

    def residual(self, y, f):
        """Return -dloss/df."""
        return y[:, None] - expit(f)

    def dual(self, y, theta):
        """Return the dual value, the mean entropy of the chances y - theta."""
        chance = np.clip(y[:, None] - theta, 0, 1)
        return -(xlogy(chance, chance) + xlogy(1 - chance, 1 - chance)).mean(axis=0)


class Poisson:
    """Counts: e^f - y f, less its smallest value y - y log y."""

    most = 1.0

    def intercept(self, y, f):
        """Return the best constant."""
        return np.log(y.mean() / np.exp(f).mean(axis=0))

    def value(self, y, f):
        """Return the mean loss, for each model."""
        return (np.exp(f) - y[:, None] * f).mean(axis=0) - (y - xlogy(y, y)).mean()

    def residual(self, y, f):
        """Return -dloss/df."""
        return y[:, None] - np.exp(f)

    def dual(self, y, theta):
        """Return the dual value at means y - theta."""
        mean = np.maximum(y[:, None] - theta, 0)
        return -(xlogy(mean, mean) - mean).mean(axis=0) - (y - xlogy(y, y)).mean()


LOSSES = {"squared": Squared(), "logistic": Logistic(), "poisson": Poisson()}


def conjugate(corr, alpha, l1_ratio):
    """Return the conjugate of the penalty of the elastic net, or of ridge.

    corr : (p,) or (p, n_alphas), absolute values of correlations over n
    """
    excess = np.maximum(corr - alpha * l1_ratio, 0)
    return (excess**2).sum(axis=0) / (2 * alpha * (1 - l1_ratio))


def best_multiple(bound, high):
    """Return the largest value of a concave function on [0, high], by golden section."""
    low = 0.0
    best = bound(1.0)
    for _ in range(SECTIONS):
        left = high - GOLDEN * (high - low)
        right = low + GOLDEN * (high - low)
        of_left = bound(left)
        of_right = bound(right)
        best = max(best, of_left, of_right)
        if of_left < of_right:
            low = left
        else:
            high = right
    return best


def bounds(X, y, alphas, coefs, loss="squared", l1_ratio=1.0):
    """Return the objective of each model, and a lower bound of its optimum, both relative to the
    loss of the constant model.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : (n,); 0 and 1 for the logistic loss
    alphas : (n_alphas,)
    coefs : (p, n_alphas)
    loss : str
        A key of ``LOSSES``.
    """
    terms = LOSSES[loss]
    n = len(y)
    coefs = coefs.toarray() if scipy.sparse.issparse(coefs) else np.asarray(coefs)
    constant = np.zeros((n, 1))
    null = terms.value(y, constant + terms.intercept(y, constant))[0]
    upper = np.empty(len(alphas))
    lower = np.empty(len(alphas))
    for block in np.array_split(np.arange(len(alphas)), -(-n * len(alphas) // BLOCK)):
        alpha = alphas[block]
        w = coefs[:, block]
        f = X @ w
        f += terms.intercept(y, f)
        upper[block] = terms.value(y, f) + alpha * (
            l1_ratio * np.abs(w).sum(axis=0) + (1 - l1_ratio) / 2 * (w**2).sum(axis=0)
        )
        theta = terms.residual(y, f)
        theta -= theta.mean(axis=0)  # what rounding left
        corr = np.abs(X.T @ theta) / n
        if l1_ratio == 1:
            shrink = np.minimum(1, alpha / np.maximum(corr.max(axis=0), 1e-300))
            lower[block] = terms.dual(y, shrink * theta)
        else:
            lower[block] = terms.dual(y, theta) - conjugate(corr, alpha, l1_ratio)
            for k in np.flatnonzero(upper[block] - lower[block] > CLOSED * null):
                lower[block[k]] = best_multiple(
                    lambda shrink, k=k, theta=theta, corr=corr, alpha=alpha: (
                        terms.dual(y, shrink * theta[:, [k]])[0]
                        - conjugate(shrink * corr[:, k], alpha[k], l1_ratio)
                    ),
                    terms.most,
                )
    return upper / null, lower / null


def bounds_of_gram(X, y, alphas, coefs):
    """Return the same for the Lasso on many more rows than columns, from sums of products."""
    n = len(y)
    coefs = coefs.toarray() if scipy.sparse.issparse(coefs) else coefs
    X = X - X.mean(axis=0)
    y = y - y.mean()
    size = y @ y
    corr = (X.T @ y)[:, None] - (X.T @ X) @ coefs
    inner = (X.T @ y) @ coefs  # <y, X w>
    resid2 = size - inner - (coefs * corr).sum(axis=0)
    lam = n * alphas
    shrink = np.minimum(1, lam / np.maximum(np.abs(corr).max(axis=0), 1e-300))
    upper = resid2 / 2 + lam * np.abs(coefs).sum(axis=0)
    lower = shrink * (size - inner) - shrink**2 * resid2 / 2
    return upper / (size / 2), lower / (size / 2)


def bounds_of_classes(X, label, alphas, coefs):
    """Return the same for the multinomial loss.

    Parameters
    ----------
    label : (n,)
        Classes 0, 1, ...
    coefs : (n_alphas, n_classes, p)
    """
    Y = np.eye(label.max() + 1)[label]
    chance = Y.mean(axis=0)
    null = -xlogy(chance, chance).sum()
    upper = []
    lower = []
    for alpha, w in zip(alphas, coefs, strict=True):
        f = X @ w.T
        f += _intercepts(Y, f)
        loss = (logsumexp(f, axis=1) - (Y * f).sum(axis=1)).mean()
        theta = Y - softmax(f, axis=1)
        theta -= theta.mean(axis=0)
        shrink = min(1, alpha / max(np.abs(X.T @ theta).max() / len(X), 1e-300))
        chances = np.clip(Y - shrink * theta, 0, 1)
        upper.append(loss + alpha * np.abs(w).sum())
        lower.append(-xlogy(chances, chances).sum() / len(X))
    return np.array(upper) / null, np.array(lower) / null


def _intercepts(Y, f):
    """Return the best constants of the classes, by Newton's method."""
    b = np.zeros(Y.shape[1])
    for _ in range(STEPS):
        chance = softmax(f + b, axis=1)
        slope = (Y - chance).mean(axis=0)
        hessian = np.diag(chance.mean(axis=0)) - chance.T @ chance / len(Y)
        b += np.clip(np.linalg.lstsq(hessian + 1e-12 * np.eye(len(b)), slope)[0], -2, 2)
        if np.abs(slope).max() < 1e-13:
            break
    return b
