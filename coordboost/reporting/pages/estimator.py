"""What a page shows of a fitted estimator, with trees, columns or rules, or of a Lasso path."""

import sys

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from coordboost._utils.checks import shown
from coordboost.engine.storage.model import model_with
from coordboost.estimators.rules import _BaseRules
from coordboost.estimators.trees import _BaseBooster
from coordboost.paths.places import PathPoint
from coordboost.reporting.pages.judged import (
    JudgedRows,
    draw_losses,
    judgement,
    of_estimator,
    parts_of,
)
from coordboost.reporting.pages.pictures import picture_of

#: Coefficients in a table at most, and points of a path.
ROWS, POINTS = 50, 20


def shown_of_estimator(model, X, y):
    """Return the variables of the template, a dict.

    X, y : rows to judge the model on, best of all those that the fit has not seen; or None
    """
    if not type(model).__module__.startswith("coordboost."):
        hint = ""
        if hasattr(model, "named_steps"):
            hint = " Pass the last step, pipeline[-1], and rows that pipeline[:-1] has transformed."
        raise ValueError(
            f"html_report takes a run or an estimator of coordboost, got {shown(model)}.{hint}"
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ValueError(
            f"run must be fitted, and this {type(model).__name__} is not fitted: call fit first."
        ) from None
    if (X is None) != (y is None):
        raise ValueError(f"X and y come together: {'X' if X is None else 'y'} is missing.")
    given = None if X is None else judged_on(model, X, y)
    kinds = ((_BaseBooster, _of_trees), (_BaseRules, _of_rules), (object, _of_columns))
    shown_of = next(function for kind, function in kinds if isinstance(model, kind))
    variables = {"models": [], "rules": [], "over": ""} | shown_of(model, given, X)
    rows = variables.pop("rows")
    changed = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(type(model)().get_params(deep=False)[name])
    }
    variables |= {
        "points": [],
        "title": f"{type(model).__name__}: {variables['facts'][0][1]} rows, "
        f"{model.n_features_in_} columns",
        "scores": [] if rows is None else scores_of(rows),
        "where": "the rows given as X and y (if the fit has seen them, this flatters the model)"
        if X is not None
        else "the rows of the fit, which flatters the model",
        "judged": judgement(rows),
        "settings": [(name, shown(value)) for name, value in changed.items()]
        or [("all parameters", "default")],
        **_versions(),
    }
    return variables | {"heads": _heads(variables)}


def _versions():
    """Return what names the version of the package, and those of the libraries."""
    import scipy

    version = sys.modules["coordboost"].__version__
    python = sys.version.split()[0]
    return {
        "version": version,
        "versions": f"coordboost {version}, Python {python}, NumPy {np.__version__}, SciPy "
        f"{scipy.__version__}",
    }


def shown_of_path(path):
    """Return the variables of the template for a path of penalties, a dict.

    *Cost*: a scan for the certificate of each of some 20 points.
    """
    problem = path.problem
    if not problem.countable:
        raise ValueError(
            "html_report shows paths on columns, and the learners of this one are found by a "
            "search: pass a fitted estimator, such as CertifiedRulesRegressor, or see to_frame()."
        )
    numbers = path.profile()[0]
    n_points = len(numbers["step"])
    coefs = [np.atleast_2d(path.coef_at(step=k)) for k in range(n_points)]
    n_used = [np.count_nonzero(coef.any(axis=0)) for coef in coefs]
    intercepts = np.atleast_1d(path.intercept_at(step=n_points - 1))
    labels = [str(label) for label in getattr(path, "classes", [""])]
    at = np.unique(np.round(np.linspace(0, n_points - 1, POINTS)).astype(int))
    facts = [
        ("rows of the fit", f"{problem.n_samples:,}"),
        ("columns", f"{len(problem.column_names):,}"),
        ("points of the path", f"{n_points:,}"),
        ("alpha", f"{numbers['alpha'][0]:.6g} to {numbers['alpha'][-1]:.6g}"),
        ("the penalty is of", path.penalty_units),
        ("columns in use at the end", f"{n_used[-1]:,}"),
        ("ended", path.message),
    ]
    given = {"solver": "solver", "l1_ratio": "l1_ratio", "gamma": "gamma", "kind": "kind"}
    settings = [
        (word, str(getattr(path, name))) for name, word in given.items() if hasattr(path, name)
    ]
    last = f"at alpha = {numbers['alpha'][-1]:.6g}, the last"
    names = [f"{label}, {last}" if label else last for label in labels]
    variables = {
        "title": f"{type(path).__name__}: {problem.n_samples:,} rows, "
        f"{len(problem.column_names):,} columns",
        "facts": facts,
        "scores": [],
        "where": "",
        "curve": None,
        "caption": "",
        "parts": None,
        "judged": {"predictions": None},
        "path": picture_of(lambda ax: path.plot(ax=ax), 4.5),
        "points": [
            (
                f"{numbers['alpha'][k]:.5g}",
                f"{numbers['l1'][k]:.5g}",
                n_used[k],
                f"{100 * numbers['deviance'][k]:.4g} %",
            )
            for k in at
        ],
        "models": [
            _coefficients(problem, coef, float(intercept), name)
            for coef, intercept, name in zip(coefs[-1], intercepts, names, strict=True)
        ],
        "certificates": _certificates_along(path, at, numbers["alpha"]),
        "settings": settings,
        "rules": [],
        "over": "",
        "drawn": "columns of norm 1",
        "source": None,
        **_versions(),
    }
    return variables | {"heads": _heads(variables)}


def _certificates_along(path, at, alphas):
    """Return the intervals at the points `at` of a path, rows of a table."""
    if not path.problem.has_data:
        return []
    found = [path.certificate_at(PathPoint(step=int(k))) for k in at if alphas[k] > 0]
    total = getattr(path, "null_loss", path.problem.start_loss)
    return [
        (
            f"alpha = {certificate.target.lam / path.problem.total_weight:.5g}",
            f"{certificate.lower:.8g}",
            f"{certificate.upper:.8g}",
            f"{certificate.gap / total:.2g}" if total else "",
        )
        for certificate in found
    ]


def _heads(variables):
    """Return the titles of the sections that the page has, a list."""
    parts = variables["parts"]
    known = {
        "Result": True,
        "Losses": variables["curve"],
        "Features": parts,
        "Predictions": (parts or variables["judged"])["predictions"],
        "Partial dependence": parts and parts["dependences"],
        "Path": variables["path"],
        "Points": variables["points"],
        "Coefficients": variables["models"],
        "Rules": variables["rules"],
        "Certificate": variables["certificates"],
        "Settings": True,
        "How to cite": True,
    }
    return [head for head, is_there in known.items() if is_there]


def judged_on(model, X, y):
    """Return the ``JudgedRows`` of an estimator on the rows X with targets y."""
    y = np.asarray(y)
    if not is_classifier(model):
        pred = model.predict(X)
        if y.shape != pred.shape:
            raise ValueError(f"y must have one number for each of the {len(pred)} rows of X.")
        return JudgedRows(pred, y.astype(float), np.ones(len(y)), None)
    pred = model.predict_proba(X)
    classes = model.classes_.tolist()
    strange = np.setdiff1d(y, model.classes_)
    if y.shape != (len(pred),) or len(strange):
        got = f"the class {strange.tolist()[0]!r}" if len(strange) else f"shape {y.shape}"
        raise ValueError(f"y must have a class of the fit for each row of X, got {got}.")
    return JudgedRows(pred, np.searchsorted(model.classes_, y), np.ones(len(y)), classes)


def scores_of(rows):
    """Return how good predictions are, pairs (name, text)."""
    from sklearn import metrics

    weight = rows.weight
    if rows.classes is None:
        error = rows.y - rows.pred
        mean = np.average(rows.y, weights=weight)
        total = np.average((rows.y - mean) ** 2, weights=weight)
        squared = np.average(error**2, weights=weight)
        explained = [("R\u00b2", f"{1 - squared / total:.4g}")] if total > 0 else []
        return [
            *explained,
            ("root mean squared error", f"{np.sqrt(squared):.5g}"),
            ("mean absolute error", f"{np.average(np.abs(error), weights=weight):.5g}"),
        ]
    chosen = rows.pred.argmax(axis=1)
    own = rows.pred[np.arange(len(rows.y)), rows.y]
    loss = -np.average(np.log(np.maximum(own, 1e-15)), weights=weight)
    shares = np.bincount(rows.y, weight, len(rows.classes)) / weight.sum()
    scores = [
        ("accuracy", f"{100 * np.average(chosen == rows.y, weights=weight):.4g} %"),
        ("share of the largest class", f"{100 * shares.max():.4g} %"),
        ("log loss", f"{loss:.5g}"),
    ]
    if len(rows.classes) == 2 and 0 < shares[0] < 1:
        auc = metrics.roc_auc_score(rows.y, rows.pred[:, 1], sample_weight=weight)
        scores.append(("AUC", f"{auc:.4g}"))
    return scores


def _of_trees(model, given, X):
    """Return what the page shows of an estimator with trees, a dict."""
    view, rows = of_estimator(model)
    problem = model.runs_[0].problem
    rows = rows if given is None else given
    binned = None
    if X is not None:
        binned = model._bin(X)
    elif problem.has_data:
        binned = problem.dictionary.binned
    curves = {"training": -model.train_score_}
    curves |= {name: found["loss"] for name, found in getattr(model, "evals_result_", {}).items()}
    n_trees = sum(np.count_nonzero(one.beta) for one in model._models)
    facts = [
        ("rows of the fit", f"{problem.n_samples:,}"),
        ("columns", f"{model.n_features_in_:,}"),
        ("iterations of the model", f"{model.n_iter_:,}"),
        ("trees of the model", f"{n_trees:,}"),
        *_of_target(model),
    ]
    for name, losses in curves.items():
        at = min(model.n_iter_, len(losses) - 1)
        facts.append(
            (f"mean loss, {name}", f"{losses[at]:.5g}; of the constant model {losses[0]:.5g}")
        )
    return {
        "facts": facts,
        "curve": picture_of(lambda ax: draw_losses(ax, curves, model.n_iter_, "iteration")),
        "caption": "The mean losses after each iteration. The grey line marks the model.",
        "parts": parts_of(view, rows, binned),
        "rows": rows,
        "path": None,
        "certificates": [],
        "source": model.runs_[0].method.source,
    }


def _of_columns(model, given, X):
    """Return what the page shows of a linear estimator, a dict."""
    problem = model.paths_[0].problem
    coefs = np.atleast_2d(model.coef_)
    intercepts = np.atleast_1d(model.intercept_)
    names = _names_of_models(model, len(coefs))
    size = ("columns of the model", f"{np.count_nonzero(coefs.any(axis=0)):,}")
    return _of_path(model, given, size) | {
        "models": [
            _coefficients(problem, coef, float(intercept), name)
            for coef, intercept, name in zip(coefs, intercepts, names, strict=True)
        ],
    }


def _of_rules(model, given, X):
    """Return what the page shows of an estimator of rules, a dict."""
    frame = model.rules_()
    intercepts = np.atleast_1d(model.intercept_)
    names = _names_of_models(model, len(intercepts))
    labels = frame["class"].astype(str) if "class" in frame else ""
    return _of_path(model, given, ("rules of the model", f"{len(frame):,}")) | {
        "rules": [
            _rules(frame[labels == name] if name else frame, float(intercept), name)
            for intercept, name in zip(intercepts, names, strict=True)
        ],
        "link": "linear predictor" if is_classifier(model) else "prediction",
        "lift": "the share of the class there, divided by its share in all rows"
        if is_classifier(model)
        else "the mean target there, less that of all rows",
        "over": "It is that over all rules, not only over those above.",
        "drawn": "rules as unit columns",
    }


def _of_path(model, given, size):
    """Return what the page shows of an estimator with a path, a dict.

    size : the number of what the model consists of, a pair (name, text)
    """
    path = model.paths_[0]
    problem = path.problem
    found = getattr(model, "cross_validation_", None)
    has_one_choice = found is not None and not isinstance(found, list)
    norm = f"l1 norm, {getattr(path, 'penalty_units', 'as in the penalty')}"
    facts = [
        ("rows of the fit", f"{problem.n_samples:,}"),
        ("columns", f"{model.n_features_in_:,}"),
        *_of_target(model),
        size,
    ]
    facts += [
        (words, f"{getattr(model, name):.6g}")
        for name, words in (("alpha_", "alpha"), ("n_steps_", "steps"), ("l1_", norm))
        if isinstance(getattr(model, name, None), int | float)
    ]
    return {
        "facts": facts,
        "curve": _chosen(model) if problem.has_data and has_one_choice else None,
        "caption": "The mean loss on rows held out, with a band of one standard error.",
        "parts": None,
        "rows": given,
        "path": _path(model) if problem.has_data else None,
        "drawn": "columns of norm 1",
        "certificates": _certificates(model),
        "source": getattr(getattr(getattr(path, "run", None), "method", None), "source", None),
    }


def _of_target(model):
    """Return the classes of a classifier, pairs (name, text)."""
    if not is_classifier(model):
        return []
    names = [str(label) for label in model.classes_.tolist()]
    return [("classes", ", ".join(names[:12]) + (", ..." if len(names) > 12 else ""))]


def _names_of_models(model, n):
    """Return the names of the linear models of an estimator, a list of str."""
    if n == 1:
        return [""]
    return [str(label) for label in model.classes_.tolist()]


def _coefficients(problem, coef, intercept, name):
    """Return the table of the coefficients of a linear model, a dict."""
    linear = model_with(problem, coef, intercept, name)
    rows = [row for row in linear.rows if row["coefficient"]]
    rows.sort(key=lambda row: -abs(row["effect"]))
    return {
        "name": name,
        "intercept": intercept,
        "n_zero": len(coef) - len(rows),
        "n_columns": len(coef),
        "rows": rows[:ROWS],
        "top": max((abs(row["effect"]) for row in rows), default=0.0) or 1.0,
    }


def _rules(frame, intercept, name):
    """Return the table of the rules of a model, a dict."""
    return {
        "name": name,
        "intercept": intercept,
        "n_more": max(0, len(frame) - ROWS),
        "rows": frame[:ROWS].to_dict("records"),
        "top": frame["coefficient"].abs().max() if len(frame) else 1.0,
    }


def _chosen(model):
    """Return the pictures of the cross-validation that chose a linear model."""
    from coordboost.reporting.plots.choices import CrossValidationDisplay

    return picture_of(lambda ax: CrossValidationDisplay.from_estimator(model, ax=ax))


def _path(model):
    """Return the pictures of the path of a linear estimator, None if it has several."""
    from coordboost.reporting.plots.displays import ProfileDisplay

    if len(model.paths_) > 1:
        return None
    return picture_of(lambda ax: ProfileDisplay.from_estimator(model, ax=ax), 4.5)


def _certificates(model):
    """Return the intervals of a linear estimator, rows of a table."""
    names = _names_of_models(model, len(model.certificates_))
    rows = []
    for name, certificate in zip(names, model.certificates_, strict=True):
        gap = certificate.witness.get("relative_gap")
        ends = (f"{certificate.lower:.8g}", f"{certificate.upper:.8g}")
        rows.append((name or "the model", *ends, "" if gap is None else f"{gap:.2g}"))
    return rows
