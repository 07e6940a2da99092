"""Every display, report and method of places, given every kind of path and estimator: there is a
picture or a number, or one sentence that says what to do.
"""

import inspect
import warnings
from functools import cache

import numpy as np
import pytest
from all_estimators import ESTIMATORS, NAMES, X, Y, quick, target
from matplotlib.figure import Figure
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

import coordboost as cb

THREE = np.array(["a", "b", "c"])[np.digitize(Y, [-1, 1])]
SIGNS = np.where(Y > 0, 1, -1)
PROBLEM = cb.Problem(X, Y)
PATHS = {
    "run": lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 20),
    "run of no steps": lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 0),
    "run without data": lambda: made("run").without_data(),
    "refitted run": lambda: cb.solve(
        cb.Problem(X, SIGNS, cb.losses.Logistic()), cb.ls_boost(0.5), 9
    ).refit_intercept(),
    "trees": lambda: cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.5), 5),
    "stumps": lambda: cb.solve(cb.Problem(cb.data.stumps(X), Y), cb.ls_boost(0.5), 5),
    "exact path": lambda: cb.exact_path(X, Y),
    "grid": lambda: cb.lasso_path(X, Y, n_alphas=4),
    "grid without data": lambda: made("grid").without_data(),
    "relaxed": lambda: made("grid").relaxed(0.5),
    "logistic": lambda: cb.lasso_path(X, SIGNS, n_alphas=4, loss=cb.losses.Logistic()),
    "rules": lambda: cb.lasso_path(cb.data.rules(X), Y, n_alphas=3),
    "multinomial": lambda: cb.lasso.multinomial_path(X, THREE, n_alphas=4, eps=0.05),
    "multinomial without data": lambda: made("multinomial").without_data(),
}
KINDS = {kind.__name__: kind for kind in ESTIMATORS}
FITTED = [
    *KINDS,
    *(f"{name}, three classes" for name, kind in KINDS.items() if is_classifier(kind())),
    *(f"{name}, joint" for name, kind in KINDS.items() if "multinomial" in kind().get_params()),
]
ALL = [*PATHS, *FITTED]
#: Those whose pages are made in every run of the tests; others are slow.
FEW = {
    *("run", "run without data", "refitted run", "grid", "relaxed", "multinomial"),
    "multinomial without data",
    *("CertifiedLassoClassifierCV, three classes", "CertifiedLasso"),
}
DISPLAYS = {
    f"{name}.{way}": getattr(kind, way)
    for name in cb.plots.__all__
    if isinstance(kind := getattr(cb.plots, name), type)
    for way in dir(kind)
    if way.startswith("from_")
}
METHODS = (
    *("to_frame", "profile", "coef_path", "order_of_entry", "plot", "_repr_html_"),
    *("losses", "n_points", "penalty_units"),
)
PLACES = ("coef_at", "intercept_at", "predict", "score", "certificate_at")


@cache
def made(name):
    """A path or a fitted estimator."""
    if name in PATHS:
        return PATHS[name]()
    kind, _, classes = name.partition(", ")
    given = {}
    if "multinomial" in KINDS[kind]().get_params():
        given["multinomial"] = classes == "joint"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return quick(KINDS[kind], **given).fit(X, THREE if classes else target(KINDS[kind]))


def labels_of(subject):
    """Targets as the subject has them."""
    classes = getattr(subject, "classes_", getattr(subject, "classes", ()))
    if len(classes) == 2:
        return NAMES
    if len(classes) == 3:
        return THREE
    loss = getattr(getattr(subject, "problem", None), "loss", None)
    return SIGNS if loss is not None and loss.two_class else Y


def fault(action, *args):
    """What is wrong with the error of a call, "" if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action(*args)
    except ValueError as error:
        message = str(error)
        fine = "\n" not in message and message.endswith(".") and 40 < len(message) < 400
        return "" if fine else f"not one sentence: {message}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def drawn(display, subject):
    """Draw a subject; other arguments without a default are filled in."""
    known = {"X": X, "y": labels_of(subject), "q": 3, "statement": "Theorem 2.1 (i)"}
    parameters = list(inspect.signature(display).parameters.values())
    needed = [one.name for one in parameters[1:] if one.default is one.empty and one.name in known]
    display(subject, ax=Figure().subplots(), **{name: known[name] for name in needed})


def faults(subject, tmp_path):
    found = {name: fault(drawn, display, subject) for name, display in DISPLAYS.items()}
    found["html_report"] = fault(cb.html_report, subject, tmp_path / "page.html")
    return {name: words for name, words in found.items() if words}


@pytest.mark.parametrize(
    "name",
    [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in ALL],
)
def test_every_display(name, tmp_path):
    assert faults(made(name), tmp_path) == {}


def called(path, method):
    """Call a method without arguments, or read a property."""
    member = getattr(path, method)
    return member() if callable(member) else member


def at_place(path, method, where):
    """Call a method of places."""
    if method == "certificate_at":
        return path.certificate_at(cb.lasso.PathPoint(**where))
    if method == "score":
        return path.score(X, labels_of(path), at=cb.lasso.PathPoint(**where))
    table = (X,) if method == "predict" else ()
    return getattr(path, method)(*table, **where)


@pytest.mark.parametrize("name", PATHS)
def test_every_method_of_places(name):
    path = made(name)
    found = {}
    for method in METHODS:
        found[method] = fault(called, path, method)
    last = float(getattr(path, "alphas", [1.0])[-1])
    wheres = [{"step": path.n_points - 1}, {"l1": 0.1}, {"fraction": 0.5}, {"step": 1e6}]
    wheres += [{"alpha": last}, {"lam": 1e-300}]
    for method in PLACES:
        for where in wheres:
            found[method, str(where)] = fault(at_place, path, method, where)
    assert {name: words for name, words in found.items() if words} == {}
