"""``coordboost warmup``: compile the code of methods and estimators ahead of their first use."""

import time
import warnings

import click


def fits():
    """Yield (name, function that fits it).

    The common methods on columns, both kinds of Lasso paths, and every estimator.
    """
    import numpy as np

    from coordboost import estimators
    from coordboost.data.problem import Problem
    from coordboost.engine.run import solve
    from coordboost.lasso.homotopy.homotopy import exact_path
    from coordboost.lasso.path import lasso_path
    from coordboost.losses.standard import Huber, Logistic, Squared
    from coordboost.methods import named as methods

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    wide = rng.standard_normal((60, 300))
    y = X[:, 0] - X[:, 1] ** 2 + rng.standard_normal(60)
    tall = Problem(X, y)
    many = Problem(wide, y)
    classes = Problem(wide, y > 0, Logistic())
    for problem, columns in (
        (tall, "few columns"),
        (many, "many columns"),
        (classes, "two classes"),
    ):
        known = [
            methods.forward_stagewise(0.1),
            methods.regularized_forward_stagewise(0.1, 2.0),
            methods.frank_wolfe(2.0),
            methods.gcd(),
            methods.rtgcd(2),
        ]
        for method in known if problem is classes else [methods.ls_boost(0.1), *known]:
            yield (
                f"{method.name}, {columns}",
                lambda problem=problem, method=method: solve(problem, method, 50),
            )
    yield "exact path", lambda: exact_path(tall)
    for loss in (Squared(), Logistic(), Huber(1.0)):
        target = np.where(y > 0, 1.0, -1.0) if loss == Logistic() else y
        yield (
            f"Lasso path, {type(loss).__name__}",
            lambda loss=loss, target=target: lasso_path(wide, target, loss=loss),
        )
    large = rng.standard_normal((1 << 16, 4))
    yield "Lasso path, large table", lambda: lasso_path(large, large[:, 0], n_alphas=20)
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        target = y > 0 if "Classifier" in name else np.abs(np.rint(y))
        if hasattr(kind, "fit"):
            yield name, lambda kind=kind, target=target: kind().fit(X, target)


@click.command()
def warmup():
    """Compile the methods and estimators, and cache the code on disk.

    Useful for container images and batch nodes: later first fits need not compile. Takes some
    minutes. NUMBA_CACHE_DIR sets the folder.
    """
    from coordboost._numba import silently

    for what, fit in fits():
        began = time.perf_counter()
        with warnings.catch_warnings(), silently():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", message="compiled code cannot be cached")
            fit()
        click.echo(f"{time.perf_counter() - began:6.1f} s  {what}")
