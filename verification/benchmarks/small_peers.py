"""Contestants for stagewise runs from a table, predictions of trees, fits of small tables and
pickles.

Each function takes data and returns named runs, ours first; set-up is included where a user would
wait for it.
"""

import functools
import pickle

import numpy as np
import scipy.sparse

import coordboost as cb

#: Gram columns that the loop for many columns has room for.
CACHED = 4_000


@functools.cache
def compiled_steps():
    """Return the compiled loop: a correlation vector, and Gram columns of the chosen learners."""
    import numba

    @numba.njit(fastmath=True)
    def largest(corr):
        size = 0.0
        for x in corr:
            size = max(size, abs(x))
        for j in range(len(corr)):
            if abs(corr[j]) == size:
                return j
        return 0

    @numba.njit(fastmath=True)
    def update(corr, column, step):
        for i in range(len(corr)):
            corr[i] -= step * column[i]

    @numba.njit
    def run(corr, gram, slot, beta, eps, proportional, k, n_steps):
        while k < n_steps:
            j = largest(corr)
            if slot[j] < 0:
                return k, j
            step = eps * corr[j] if proportional else eps * np.sign(corr[j])
            beta[j] += step
            update(corr, gram[slot[j]], step)
            k += 1
        return k, -1

    return run


def standardised(X, y):
    """Return the columns (n_columns, n_samples) centred, of norm 1, and y centred."""
    columns = np.ascontiguousarray((X - X.mean(axis=0)).T)
    columns /= np.sqrt(np.einsum("ij,ij->i", columns, columns))[:, None]
    return columns, y - y.mean()


def gram_loop(run, X, y, eps, n_steps, proportional):
    """Return coefficients of unit columns: few columns take the whole Gram matrix, many only
    columns of it.
    """
    n_columns = X.shape[1]
    if scipy.sparse.issparse(X):
        n, means = len(y), np.asarray(X.mean(axis=0)).ravel()
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel() - n * means**2)
        y = y - y.mean()
        corr = (X.T @ y) / norms

        def gram_column(j):
            product = (X.T @ X[:, [j]]).toarray().ravel() - n * means * means[j]
            return product / (norms * norms[j])
    else:
        columns, y = standardised(X, y)
        corr = columns @ y

        def gram_column(j):
            return columns @ columns[j]

    beta = np.zeros(n_columns)
    if n_columns <= 500:
        gram = columns @ columns.T
        run(corr, gram, np.arange(n_columns), beta, eps, proportional, 0, n_steps)
        return beta
    slot = np.full(n_columns, -1)
    gram = np.empty((min(CACHED, n_steps, n_columns), n_columns))
    k = used = 0
    while k < n_steps:
        k, j = run(corr, gram, slot, beta, eps, proportional, k, n_steps)
        if j >= 0:
            gram[used], slot[j] = gram_column(j), used
            used += 1
    return beta


def stagewise(X, y, *, n_steps, length=3.0, rate=None):
    """Forward stagewise to an l1 norm of `length`, or LS-Boost of this `rate`, from the table."""
    y = y / np.linalg.norm(y - y.mean())
    eps = length / n_steps if rate is None else rate
    method = cb.forward_stagewise(eps) if rate is None else cb.ls_boost(rate)
    loop = compiled_steps()
    return {
        "coordboost": lambda: cb.solve(cb.Problem(X, y), method, n_steps).final.beta,
        "compiled loop, Gram matrix": lambda: gram_loop(loop, X, y, eps, n_steps, rate is not None),
    }


def loss_of(X, y):
    """Return a judge of coefficients of unit columns: the training loss, that of y being 1."""
    y = (y - y.mean()) / np.linalg.norm(y - y.mean())

    def judge(beta):
        if scipy.sparse.issparse(X):
            means = np.asarray(X.mean(axis=0)).ravel()
            norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel() - len(y) * means**2)
            w = beta / norms
            pred = X @ w - means @ w
        else:
            centred = X - X.mean(axis=0)
            pred = centred @ (beta / np.linalg.norm(centred, axis=0))
        return {"loss": float(((y - pred) ** 2).sum())}

    return judge


def predicted(X, y, *, depth, n_rows, n_trees=100):
    """Predictions of `n_rows` rows by 100 trees, each package with trees of its own; all on one
    thread.
    """
    import catboost
    import lightgbm
    import xgboost

    rows = np.ascontiguousarray(np.resize(X, (n_rows, X.shape[1])))
    model = cb.RandomizedGBMRegressor(
        n_estimators=n_trees, max_depth=depth, max_leaf_nodes=None, max_features=None, n_jobs=1
    ).fit(X, y)
    light = lightgbm.LGBMRegressor(
        n_estimators=n_trees, max_depth=depth, num_leaves=2**depth, n_jobs=1, verbose=-1
    ).fit(X, y)
    extreme = xgboost.XGBRegressor(n_estimators=n_trees, max_depth=depth, n_jobs=1).fit(X, y)
    cat = catboost.CatBoostRegressor(
        iterations=n_trees, depth=depth, thread_count=1, verbose=0, allow_writing_files=False
    ).fit(X, y)
    booster = extreme.get_booster()
    booster.set_param({"nthread": 1})
    return {
        "coordboost": lambda: model.predict(rows),
        "LightGBM": lambda: light.booster_.predict(rows, num_threads=1),
        "XGBoost": lambda: booster.inplace_predict(rows),
        "CatBoost": lambda: cat.predict(rows, thread_count=1),
    }


def grown_softmax(X, y, *, n_trees=50, depth=3):
    """Fits of several classes, with the bins, on one thread."""
    import lightgbm
    import xgboost

    return {
        "coordboost": lambda: (
            cb.RandomizedGBMClassifier(
                n_estimators=n_trees,
                max_depth=depth,
                max_leaf_nodes=None,
                max_features=None,
                newton=False,
                n_jobs=1,
            )
            .fit(X, y)
            .predict_proba(X)
        ),
        "LightGBM": lambda: (
            lightgbm.LGBMClassifier(
                n_estimators=n_trees, max_depth=depth, num_leaves=2**depth, n_jobs=1, verbose=-1
            )
            .fit(X, y)
            .predict_proba(X)
        ),
        "XGBoost": lambda: (
            xgboost.XGBClassifier(
                n_estimators=n_trees, max_depth=depth, learning_rate=0.1, n_jobs=1
            )
            .fit(X, y)
            .predict_proba(X)
        ),
    }


def log_loss_of(X, y):
    """Return a judge of probabilities: the mean log loss."""
    return lambda chance: {"loss": float(-np.log(chance[np.arange(len(y)), y]).mean())}


def fit_lasso(X, y):
    """One Lasso."""
    from sklearn.linear_model import Lasso

    return {
        "coordboost": lambda: cb.CertifiedLasso(alpha=0.05).fit(X, y).coef_,
        "scikit-learn Lasso": lambda: Lasso(alpha=0.05, tol=1e-6).fit(X, y).coef_,
    }


def fit_logistic(X, y):
    """One logistic regression with an l1 penalty."""
    from sklearn.linear_model import LogisticRegression

    label = (y > np.median(y)).astype(int)
    peer = LogisticRegression(C=1 / (0.02 * len(y)), l1_ratio=1, solver="liblinear", tol=1e-6)
    return {
        "coordboost": lambda: cb.CertifiedLassoClassifier(alpha=0.02).fit(X, label).coef_.ravel(),
        "scikit-learn liblinear": lambda: peer.fit(X, label).coef_.ravel(),
    }


def fit_stagewise(X, y):
    """1,000 steps of LS-Boost; the peer computes a whole Lasso path."""
    from sklearn.linear_model import Lars

    return {
        "coordboost": lambda: cb.LSBoostRegressor().fit(X, y).coef_,
        "scikit-learn Lars": lambda: Lars().fit(X, y).coef_,
    }


def predict_linear(X, y):
    """Prediction of one row by a linear model."""
    from sklearn.linear_model import Lasso

    ours = cb.CertifiedLasso(alpha=0.05).fit(X, y)
    theirs = Lasso(alpha=0.05).fit(X, y)
    return {
        "coordboost": lambda: ours.predict(X[:1]),
        "scikit-learn Lasso": lambda: theirs.predict(X[:1]),
    }


def five_folds(X, y):
    """Cross-validation of 20 penalties on five folds."""
    from sklearn.linear_model import LassoCV

    alphas = np.geomspace(1, 1e-2, 20)
    return {
        "coordboost": lambda: cb.CertifiedLassoCV(alphas=alphas, cv=5).fit(X, y).coef_,
        "scikit-learn LassoCV": lambda: LassoCV(alphas=alphas, cv=5, tol=1e-6).fit(X, y).coef_,
    }


def pickled(X, y):
    """Return (ours, peer) -> bytes of the pickle, for three kinds of models."""
    import lightgbm
    from sklearn.linear_model import Lars, Lasso

    light = lightgbm.LGBMRegressor(n_estimators=100, max_depth=3, num_leaves=8, verbose=-1)
    trees = cb.RandomizedGBMRegressor(n_estimators=100, max_depth=3, max_leaf_nodes=None)
    pairs = {
        "Lasso": (cb.CertifiedLasso(alpha=0.05), "scikit-learn Lasso", Lasso(alpha=0.05)),
        "LS-Boost": (cb.LSBoostRegressor(), "scikit-learn Lars", Lars()),
        "trees": (trees, "LightGBM", light),
    }
    return {
        kind: {
            "coordboost": len(pickle.dumps(ours.fit(X, y))),
            peer: len(pickle.dumps(theirs.fit(X, y))),
        }
        for kind, (ours, peer, theirs) in pairs.items()
    }


def cliff(X, y, *, hard, easy, **options):
    """The same path of the Lasso on data or with options that are hard, and beside it on easy ones.

    hard, easy : functions of X, y that return the arguments of ``lasso_path``
    """
    from sklearn.linear_model import lasso_path

    def ours(change):
        given = change(X, y)
        return lambda: cb.lasso_path(*given[:2], **options | given[2])

    def peer():
        given = hard(X, y)
        centred = np.asfortranarray(given[0] - given[0].mean(axis=0))
        return functools.partial(
            lasso_path, centred, y - y.mean(), eps=1e-2, precompute=True, tol=1e-6
        )

    return {
        "coordboost": ours(hard),
        "coordboost, beside": ours(easy),
        "scikit-learn lasso_path, Gram": peer(),
    }


def more_steps(X, y, *, n_steps, factor=3, length=3.0):
    """Forward stagewise with the Huber loss to the same l1 norm, in `factor` times `n_steps` steps
    and beside it in `n_steps`.
    """
    problem = cb.Problem(X, y / np.abs(y).mean(), cb.losses.Huber(1.0))

    def run(n):
        return lambda: cb.solve(problem, cb.forward_stagewise(length / n), n).n_scans

    return {"coordboost": run(factor * n_steps), "coordboost, beside": run(n_steps)}


def scans_of(X, y):
    """Return a judge of a number of scans."""
    return lambda n_scans: {"scans": n_scans}
