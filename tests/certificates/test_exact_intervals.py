"""Every public function that returns an interval: it contains the optimum in exact fractions, to
the last bit.
"""

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import reference_exact as exact
from click.testing import CliRunner

import coordboost as cb
from coordboost.reporting.cli import main

N_TABLES = 12


def tables():
    """Yield tables: small whole numbers, fractions, columns far from 0, and columns that are nearly
    copies.
    """
    for seed in range(N_TABLES):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        p = int(rng.integers(1, 4))
        X = rng.integers(-5, 6, (n, p)).astype(float)
        y = rng.integers(-5, 6, n).astype(float)
        kind = seed % 4
        X = [X, X / 7 + 0.1, X + 1000.0, X][kind]
        if kind == 3 and p > 1:
            X[:, 1] = X[:, 0] + 1e-3 * rng.normal(size=n)
        X[0] += 1.0  # no column is constant
        X[-1] -= 1.5
        weight = None if seed % 3 else rng.integers(1, 5, n).astype(float)
        yield seed, X, y * (1.0 if seed % 2 else 0.3), weight


TABLES = list(tables())
every_table = pytest.mark.parametrize(
    "seed, X, y, weight", TABLES, ids=[str(table[0]) for table in TABLES]
)
SHARES = (0.9, 0.2, 1e-3, 1e-10)


def exactly(X, y, weight, alpha, factor=None, l1_ratio=1.0, centred=True):
    """Return the optimum of the penalised sum of losses, in fractions; `alpha` is the penalty of
    the mean loss.
    """
    X = exact.fractions(X)
    y = exact.fractions(y)
    weight = exact.fractions(np.ones(len(y)) if weight is None else weight)
    ones = exact.fractions(np.ones(X.shape[1]))
    factor = ones if factor is None else factor
    lam = Fraction(alpha) * sum(weight)
    ratio = Fraction(l1_ratio)
    return exact.net_optimum(
        X, y, weight, lam * ratio * factor, lam * (1 - ratio) * factor, centred
    )


def norms(X, weight):
    """Return the norms of the centred columns, to sixty digits."""
    X, weight = exact.fractions(X), exact.fractions(np.ones(len(X)) if weight is None else weight)
    X = X - np.array([weight @ column / sum(weight) for column in X.T])
    return np.array([exact.root_of(weight @ (column * column)) for column in X.T])


def holds(certificate, optimum):
    """Check that the optimum is in the interval, and that both ends are finite."""
    lower = Fraction(float(certificate.lower))
    upper = Fraction(float(certificate.upper))
    assert lower <= optimum <= upper, (
        float(lower - optimum),
        float(optimum - upper),
        float(optimum),
    )
    assert certificate.gap >= 0


def value_of(path, k, X, y, weight):
    """Return the penalised sum of losses of a model of a path, in fractions."""
    coef = exact.fractions(path.coefs[:, k])
    intercept = Fraction(float(path.intercepts[k]))
    weight = exact.fractions(np.ones(len(y)) if weight is None else weight)
    rest = exact.fractions(y) - exact.fractions(X) @ coef - intercept
    return weight @ (rest * rest) / 2 + Fraction(path.alphas[k]) * sum(weight) * sum(np.abs(coef))


def top(X, y, weight):
    return float(cb.lasso_path(X, y, sample_weight=weight, n_alphas=1).alphas[0]) or 1.0


def test_the_example_of_a_page():
    x = np.array([4.0, 2, 0, -3, -2, -5])[:, None]
    y = np.array([-5.0, -5, -4, 3, 2, 5])
    path = cb.lasso_path(x, y, alphas=[0.125], unit_columns=False)
    holds(path.certificate(0), exactly(x, y, None, 0.125))
    assert path.certificate(0).gap < 1e-12


@every_table
@pytest.mark.parametrize("solver", ["homotopy", "cd"])
def test_lasso_paths(seed, X, y, weight, solver):
    alphas = top(X, y, weight) * np.array(SHARES)
    path = cb.lasso_path(
        X, y, alphas, sample_weight=weight, solver=solver, tol=1e-13, unit_columns=False
    )
    for k, alpha in enumerate(path.alphas):
        optimum = exactly(X, y, weight, alpha)
        holds(path.certificate(k), optimum)
        holds(path.certificate_at(cb.lasso.PathPoint(step=k)), optimum)
        value = value_of(path, k, X, y, weight)
        assert value <= Fraction(path.certificate(k).upper)
        assert value - optimum <= Fraction(path.gaps[k]) * Fraction(path.problem.start_excess)


@every_table
def test_nets_factors_and_unit_columns(seed, X, y, weight):
    alphas = top(X, y, weight) * np.array(SHARES)
    factor = 1.0 + np.arange(X.shape[1]) / 3
    for l1_ratio in (1.0, 0.75, 0.1):
        path = cb.lasso_path(
            X,
            y,
            alphas,
            sample_weight=weight,
            penalty_factor=factor,
            l1_ratio=l1_ratio,
            tol=1e-12,
            unit_columns=False,
        )
        for k, alpha in enumerate(path.alphas):
            holds(
                path.certificate(k), exactly(X, y, weight, alpha, exact.fractions(factor), l1_ratio)
            )
    path = cb.lasso_path(cb.Problem(X, y, sample_weight=weight), alphas=alphas, tol=1e-12)
    length = norms(X, weight)
    for k, alpha in enumerate(path.alphas):
        holds(path.certificate(k), exactly(X, y, weight, alpha, length))


@every_table
def test_exact_paths_models_and_runs(seed, X, y, weight):
    problem = cb.Problem(X, y, sample_weight=weight)
    length = norms(X, weight)
    if not problem.start_size:
        return
    total = len(y) if weight is None else weight.sum()
    path = cb.exact_path(problem)
    run = cb.solve(problem, cb.methods.lasso_cd(0.3 * problem.start_size), 200, compile=False)
    for share in (0.9, 0.3, 1e-2):
        lam = share * problem.start_size
        optimum = exactly(X, y, weight, Fraction(lam) / Fraction(total), length)
        holds(path.certificate(lam), optimum)
        holds(path.certificate_at(cb.lasso.PathPoint(lam=lam)), optimum)
        for beta in (path.beta_at(lam=lam), run.beta, np.zeros(X.shape[1])):
            holds(cb.certify(problem, beta, cb.certificates.L1Penalty(lam)), optimum)
        holds(run.certificate(cb.certificates.L1Penalty(lam), at=[0, 3]), optimum)
    target = run.final.target
    holds(run.certificate(), exactly(X, y, weight, Fraction(target.lam) / Fraction(total), length))


@every_table
def test_estimators(seed, X, y, weight):
    if len(y) < 4 or len(np.unique(y)) < 2:
        return
    alphas = top(X, y, weight) * np.array([0.5, 0.01])
    for alpha in alphas.tolist():
        holds(
            cb.CertifiedLasso(alpha=alpha).fit(X, y, weight).certificate_,
            exactly(X, y, weight, alpha),
        )
        net = cb.CertifiedElasticNet(alpha=alpha, l1_ratio=0.75).fit(X, y, weight)
        holds(net.certificate_, exactly(X, y, weight, alpha, l1_ratio=0.75))
        total = Fraction(len(y)) if weight is None else sum(exact.fractions(weight))
        scaled = norms(X, weight) / exact.root_of(total)
        model = cb.CertifiedLasso(alpha=alpha, standardize=True).fit(X, y, weight)
        holds(model.certificate_, exactly(X, y, weight, alpha, scaled))


@pytest.mark.parametrize("seed", range(6))
def test_cross_validated_estimators(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (20, 2)).astype(float)
    y = rng.integers(-5, 6, 20).astype(float)
    for model, ratio in (
        (cb.CertifiedLassoCV(n_alphas=8, cv=3), 1.0),
        (cb.CertifiedElasticNetCV(n_alphas=8, cv=3, l1_ratio=0.5), 0.5),
    ):
        model.fit(X, y)
        holds(model.certificate_, exactly(X, y, None, model.alpha_, l1_ratio=ratio))
        for k, alpha in enumerate(model.path_.alphas):
            holds(model.path_.certificate(k), exactly(X, y, None, alpha, l1_ratio=ratio))


@pytest.mark.parametrize("seed", range(4))
def test_the_command_line(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (7, 2)).astype(float)
    y = rng.integers(-5, 6, 7).astype(float)
    np.savez("table.npz", X=X, y=y)
    shell = CliRunner()
    made = shell.invoke(
        main,
        ["fit", "table.npz", "--method", "lasso_cd", "--lam", "2", "--steps", "30", "--out", "."],
    )
    assert made.exit_code == 0, made.output
    for lam in ("2", "0.25"):
        told = shell.invoke(main, ["certify", "lasso_cd.run", "--lam", lam, "--json"])
        found = json.loads(told.output)["model"]
        optimum = exactly(X, y, None, Fraction(lam) / 7, norms(X, None))
        assert Fraction(found["lower"]) <= optimum <= Fraction(found["upper"])


@pytest.mark.parametrize("seed", range(8))
def test_printed_ends(seed, tmp_path, monkeypatch):
    """Ends are also rounded outwards in a sentence, in the HTML report and in the table of the
    command line.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (7, 2)).astype(float)
    y = rng.integers(-5, 6, 7).astype(float)
    optimum = exactly(X, y, None, Fraction(2) / 7, norms(X, None))
    run = cb.solve(cb.Problem(X, y), cb.methods.lasso_cd(2.0), 200, compile=False)
    cb.html_report(run, "run.html")
    run.save("the.run")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    number = r"([-+.e\d]+)"
    shell = CliRunner().invoke(main, ["certify", "the.run"]).output
    for text, form in (
        (str(run.certificate()), rf"in \[{number}, {number}\]"),
        (page, rf"<td>lower</td><td>{number}</td></tr><tr><td>upper</td><td>{number}</td>"),
        (shell, rf"lower +{number}\s+upper +{number}\s"),
    ):
        lower, upper = re.search(form, text).groups()
        assert Fraction(lower) <= optimum <= Fraction(upper), text
        assert Fraction(upper) - Fraction(lower) <= Fraction(1, 10**8) * optimum


def test_every_interval_is_made_in_one_place():
    """``Certificate`` is called by the objectives; apart from them only by the independent solver
    and the joint loss of several classes.
    """
    package = Path(cb.__file__).parent
    made = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if " Certificate(" in path.read_text(encoding="utf-8")
    }
    assert made == {
        "certificates/independent.py",
        "certificates/objectives.py",
        "lasso/multinomial.py",
    }
