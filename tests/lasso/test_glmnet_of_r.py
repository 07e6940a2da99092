"""The R lines of ``docs/phrase-book.md``, run in R, against the lines in Python; intercepts without
penalty on five sets.
"""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from test_lasso_intercept import SETS, objective

import coordboost as cb
from verification.benchmarks import r

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif("R glmnet" not in r.versions(), reason="not here: R with glmnet"),
]

X, Y = load_diabetes(return_X_y=True, scaled=False)
RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(
    np.exp(0.5 + (X - X.mean(axis=0)) / X.std(axis=0) @ [0.4, -0.3, 0.2, 0, 0, 0, 0, 0, 0.5, 0])
)
FOLD = RNG.permutation(np.arange(len(Y)) % 10)
FOLDS = [(np.flatnonzero(k != FOLD), np.flatnonzero(k == FOLD)) for k in range(10)]
NEW = X[:7] * 1.01
FAMILIES = {
    "gaussian": (Y, cb.CertifiedLassoCV),
    "binomial": (np.where(np.median(Y) < Y, 1, 0), cb.CertifiedLassoClassifierCV),
    "poisson": (COUNTS, cb.CertifiedPoissonRegressorCV),
}

SETTINGS = "glmnet.control(fdev = 0, devmax = 1)\n"
# each fold gets the lambdas of the whole data: by default cv.glmnet gives it its own, and
# interpolates
CV = """
work <- function() cv.glmnet(X, y, family = FAMILY, foldid = fold + 1,
                             lambda = glmnet(X, y, family = FAMILY)$lambda,
                             thresh = 1e-12, maxit = 1e8)
rows <- matrix(new, ncol = ncol(X), byrow = TRUE)
answer <- function(cv) list(
  lambda = cv$lambda, min = cv$lambda.min, se = cv$lambda.1se, cvm = cv$cvm, cvsd = cv$cvsd,
  dev = cv$glmnet.fit$dev.ratio,
  at_min = as.numeric(coef(cv, s = "lambda.min")),
  at_se = as.numeric(coef(cv, s = "lambda.1se")),
  at_s = as.numeric(coef(cv$glmnet.fit, s = s * cv$lambda[1])),
  of_min = as.numeric(predict(cv, rows, s = "lambda.min", type = "response")),
  of_s = as.numeric(predict(cv$glmnet.fit, rows, s = s * cv$lambda[1])))
"""


def close(ours, theirs):
    """glmnet compares squared steps with its threshold of 1e-12: coefficients are accurate to about
    its square root.
    """
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=3e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_cv_glmnet_line_by_line(family):
    y, make = FAMILIES[family]
    names = (
        "lambda",
        "min",
        "se",
        "cvm",
        "cvsd",
        "dev",
        "at_min",
        "at_se",
        "at_s",
        "of_min",
        "of_s",
    )
    script = SETTINGS + CV.replace("FAMILY", f'"{family}"')
    theirs = (
        r.Desk(X, y)
        .run("glmnet", script, *names, fold=FOLD.astype(float), new=NEW.ravel(), s=0.123)
        .result
    )
    first = make(standardize=True, cv=FOLDS, n_alphas=2).fit(X, y).path_.alphas[0]
    assert first == pytest.approx(theirs["lambda"][0], rel=1e-9)
    cv = make(standardize=True, cv=FOLDS, alphas=theirs["lambda"], tol=1e-10).fit(X, y)
    path = cv.path_
    seen = cv.cross_validation_
    assert (path.alphas[seen.best], path.alphas[seen.one_se]) == (
        theirs["min"],
        theirs["se"],
    ) and cv.alpha_ == theirs["min"]
    assert (
        make(standardize=True, cv=FOLDS, alphas=theirs["lambda"], rule="one_se").fit(X, y).alpha_
        == theirs["se"]
    )
    np.testing.assert_allclose(2 * seen.mean, theirs["cvm"], rtol=1e-5)
    np.testing.assert_allclose(2 * seen.error, theirs["cvsd"], rtol=1e-4)
    np.testing.assert_allclose(path.to_frame()["deviance"], theirs["dev"], atol=2e-6)
    close(np.append(cv.intercept_, cv.coef_), theirs["at_min"])
    close(
        np.append(path.intercept_at(step=seen.one_se), path.coef_at(step=seen.one_se)),
        theirs["at_se"],
    )
    s = 0.123 * theirs["lambda"][0]
    close(np.append(path.intercept_at(alpha=s), path.coef_at(alpha=s)), theirs["at_s"])
    close(path.predict(NEW, cb.lasso.PathPoint(alpha=s)), theirs["of_s"])
    close(
        cv.predict_proba(NEW)[:, 1] if family == "binomial" else cv.predict(NEW), theirs["of_min"]
    )


FREE = """
work <- function() glmnet(X, y, family = "binomial", lambda = alphas, standardize = FALSE,
                          thresh = 1e-14, maxit = 1e8)
answer <- function(fit) list(intercepts = fit$a0, coefs = as.matrix(fit$beta))
"""


@pytest.mark.parametrize("name", SETS)
def test_intercepts_without_penalty(name):
    """The objective of glmnet's model is in the package's interval, up to its threshold."""
    table, y = SETS[name]()
    path = cb.lasso_path(
        table, y, loss=cb.losses.Logistic(), n_alphas=10, eps=0.05, tol=1e-9, refit_intercept=True
    )
    theirs = (
        r.Desk(table, (y + 1) / 2)
        .run("glmnet", SETTINGS + FREE, "intercepts", "coefs", alphas=path.alphas)
        .result
    )
    coefs = theirs["coefs"].reshape(len(path.alphas), -1)
    for k, alpha in enumerate(path.alphas):
        made = path.certificate(k)
        value = objective(table, y, alpha, coefs[k], theirs["intercepts"][k])
        assert made.lower <= value <= made.upper + 1e-9 * path.problem.start_loss
        assert path.intercepts[k] == pytest.approx(theirs["intercepts"][k], abs=1e-4)
