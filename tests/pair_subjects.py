"""The subjects of the pairs: how each is fitted, and the objective that its models minimise."""

import warnings
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse
from objectives import MultinomialObjective, Objective
from pairs import FACTORS, FREE, LEFT_OUT, LINEAR, LOWER, SIGNS, TREES, UPPER, Subject

import coordboost as cb

LOSS = {
    "Squared": cb.losses.Squared(),
    "Logistic": cb.losses.Logistic(),
    "Huber": cb.losses.Huber(0.5),
    "Poisson": cb.losses.Poisson(),
    "Exponential": cb.losses.Exponential(),
    "Gamma": cb.losses.Gamma(),
}
TARGETS = {
    "Squared": "real",
    "Logistic": "labels",
    "Huber": "real",
    "Poisson": "counts",
    "Exponential": "labels",
    "Gamma": "positive",
}


@dataclass(frozen=True)
class Answer:
    """A model of a convex objective and what the package says of it.

    interval : (lower, upper) of its certificate, in the units of the objective
    reached : how far the objective may be above its optimum; inf where nothing is promised
    """

    objective: Objective
    coef: np.ndarray
    intercept: float
    interval: tuple
    reached: float

    @property
    def value(self):
        return self.objective.value(self.coef, self.intercept)


def quietly(fit):
    """Call `fit`; return what it returns, and whether it warned that it fell short."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fit()
    short = [w for w in caught if "ConvergenceWarning" in w.category.__name__]
    return found, bool(short)


def linear_objective(table, loss, settings, alpha, l1_ratio, norms, constant=None):
    """The penalised objective of settings with the names of the estimators and of `lasso_path`.

    norms : the unit of the penalty on each coefficient;  constant : for an intercept that is
    not fitted beside the coefficients, the constant of the problem, whose columns are centred
    """
    given = np.ones(table.n) if table.weight is None else table.weight
    kept = given > 0
    X = np.asarray(table.X)[kept]
    y = table.y[kept]
    weight = given[kept]
    base = np.zeros(len(y)) if table.offset is None else table.offset[kept]
    p = X.shape[1]
    factor = settings.get("penalty_factor")
    factor = np.ones(p) if factor is None else factor
    lower, upper = (settings.get(name) for name in ("lower_limits", "upper_limits"))
    lower = np.full(p, -np.inf) if lower is None else lower
    lower = np.zeros(p) if settings.get("positive") else lower
    upper = np.full(p, np.inf) if upper is None else upper
    absent = np.isinf(factor)
    factor, lower, upper = (np.where(absent, 0.0, of) for of in (factor, lower, upper))
    weight = weight * by_class(settings.get("class_weight"), y, weight)
    total = weight.sum()
    intercept = settings.get("fit_intercept", True)
    if constant is not None:
        X = X - weight @ X / total if intercept else X
        base = base + constant
        intercept = False
    l1 = alpha * total * l1_ratio * factor * norms
    ridge = alpha * total * (1 - l1_ratio) * factor * norms**2
    return Objective(loss, X, y, weight, base, l1, ridge, lower, upper, intercept)


def by_class(given, y, weight):
    """What class weights multiply the weights of the rows by."""
    if given is None:
        return np.ones(len(y))
    sums = {label: weight[y == label].sum() for label in np.unique(y)}
    if given == "balanced":
        given = {label: weight.sum() / (len(sums) * of) for label, of in sums.items()}
    return np.array([given.get(label, 1.0) for label in y])


def deviations(table, centred=True):
    """Weighted standard deviations of the columns (root mean squares unless `centred`)."""
    X = np.asarray(table.X)
    weight = np.ones(table.n) if table.weight is None else table.weight
    means = weight @ X / weight.sum() if centred else 0.0
    return np.sqrt(weight @ (X - means) ** 2 / weight.sum())


# Penalised estimators ---------------------------------------------------------------------------


def penalised(kind, settings, table):
    """Fit an estimator of the Lasso family; return it and the answers that it gives."""
    settings = dict(settings)
    sparse = settings.pop("sparse")
    loss = settings.pop("loss_name", None)
    if "loss" in kind().get_params():
        settings["loss"] = LOSS[loss]
    own = {"CertifiedElasticNet": "Squared", "CertifiedPoissonRegressor": "Poisson"}
    loss = loss or own[kind.__name__.removesuffix("CV")]
    X = scipy.sparse.csr_array(table.X) if sparse else table.X
    fit = partial(kind(**settings).fit, X, table.y, table.weight, offset=table.offset)
    model, short = quietly(fit)
    path = model.path_
    step = int(model.place_.step)
    norms = np.ones(table.p)
    if settings["standardize"]:
        given = np.ones(table.n) if table.weight is None else table.weight
        weighted = table.weighted(by_class(settings.get("class_weight"), table.y, given))
        own = deviations(weighted)
        size = deviations(weighted, centred=False)
        norms = np.where(own > 1e-6 * size, own, 1.0)
    alpha = float(path.alphas[step])
    objective = linear_objective(table, loss, settings, alpha, path.l1_ratio, norms)
    if settings.get("adaptive"):  # given its factors
        scale = alpha * objective.weight.sum()
        absent = (path.limits == 0).all(axis=0)
        l1, ridge = np.where(absent, 0.0, path.factors)
        share = path.l1_ratio
        objective = replace(
            objective,
            l1=scale * share * l1,
            ridge=scale * (1 - share) * ridge,
            lower=np.where(absent, 0.0, objective.lower),
            upper=np.where(absent, 0.0, objective.upper),
        )
    certificate = model.certificate_
    coef = np.ravel(model.coef_)
    intercept = float(np.ravel(model.intercept_)[0])
    promised = not short and path.gamma == 1
    reached = settings["tol"] * path.problem.start_excess if promised else np.inf
    interval = certificate.lower, certificate.upper
    return model, [Answer(objective, coef, intercept, interval, reached)]


def both_classes_in_folds(row):
    """The rare class has too few rows for three folds."""
    return not (row.get("loss_name") in ("Logistic", "Exponential") and row.get("table") == "rare")


def accepted(row):
    """Whether the package takes these options together: a row, or a part of one."""
    limits = row.get("lower_limits") is not None or row.get("upper_limits") is not None
    bounded = limits or row.get("positive", False)
    loss = row.get("loss_name", "Squared")
    free = row.get("penalty_factor") is FREE
    criterion = row.get("rule") == "aic"
    relaxed = row.get("gamma", 1.0) != 1.0
    noiseless = row.get("table") in ("wide", "constant columns", "nothing to explain")
    refit = row.get("refit_intercept", False)
    return not (
        (limits and row.get("positive"))
        or (free and bounded)
        or (criterion and (relaxed or bounded or noiseless or loss != "Squared"))
        or (refit and (loss == "Squared" or not row.get("fit_intercept", True)))
        or (row.get("solver") == "cd" and loss != "Squared")
        or (("cv" in row or row.get("adaptive")) and not both_classes_in_folds(row))
    )


PENALTY = {
    "standardize": [False, True],
    "fit_intercept": [True, False],
    "penalty_factor": [None, FACTORS, FREE, LEFT_OUT],
    "lower_limits": [None, LOWER],
    "upper_limits": [None, UPPER],
    "positive": [False, True],
    "tol": [1e-6, 1e-10],
    "sparse": [False, True],
}
CHOICE = {
    "n_alphas": [4],
    "eps": [0.1, 0.001],
    "gamma": [1.0, 0.5, 0.0, [0, 0.5, 1]],
    "rule": ["best", "one_se"],
    "cv": [3],
    "adaptive": [None, "ridge", "lasso"],
}


def penalised_subjects():
    """One subject for each estimator of the Lasso family."""
    e = cb.estimators
    one = {"alpha": [0.3, 0.01], "adaptive": [None, "ridge", "lasso"]}
    mixes = {"l1_ratio": [1.0, 0.5, 0.0]}
    losses = {"real": "Squared", "labels": "Logistic", "counts": "Poisson"}
    classes = {"loss_name": ["Logistic"], "class_weight": [None, "balanced", {-1.0: 0.2}]}
    for kind, factors, target in [
        (e.CertifiedLasso, {**PENALTY, **one, "loss_name": ["Squared", "Huber"]}, "real"),
        (e.CertifiedElasticNet, {**PENALTY, **one, **mixes}, "real"),
        (
            e.CertifiedLassoClassifier,
            {**PENALTY, **one, **mixes, **classes},
            "labels",
        ),
        (e.CertifiedPoissonRegressor, {**PENALTY, **one, **mixes}, "counts"),
        (
            e.CertifiedLassoCV,
            {**PENALTY, **CHOICE, "loss_name": ["Squared", "Huber"], "rule": ["best", "aic"]},
            "real",
        ),
        (e.CertifiedElasticNetCV, {**PENALTY, **CHOICE, "l1_ratio": [0.5, [0.1, 1.0]]}, "real"),
        (
            e.CertifiedLassoClassifierCV,
            {**PENALTY, **CHOICE, **classes, "l1_ratio": [1.0, 0.5]},
            "labels",
        ),
        (
            e.CertifiedPoissonRegressorCV,
            {**PENALTY, **CHOICE, "l1_ratio": [1.0, 0.5]},
            "counts",
        ),
    ]:
        yield Subject(
            kind.__name__,
            factors,
            partial(penalised, kind),
            LINEAR,
            lambda settings, target=target: target,
            allowed=accepted,
            loss=losses[target],
        )


# Paths ------------------------------------------------------------------------------------------


def problem_of(table, loss, settings):
    """A `Problem` on a table, which may carry an offset."""
    return cb.Problem(
        table.X,
        table.y,
        LOSS[loss],
        sample_weight=table.weight,
        offset=table.offset,
        center=settings.get("fit_intercept", True),
    )


def on_a_grid(settings, table):
    """Fit `lasso_path`; return it and the answers at its alphas."""
    loss = settings["loss_name"]
    names = (
        "penalty_factor",
        "lower_limits",
        "upper_limits",
        "positive",
        "l1_ratio",
        "tol",
        "solver",
        "unit_columns",
        "n_alphas",
        "eps",
        "refit_intercept",
    )
    given = {name: settings[name] for name in names}
    if settings["as_arrays"]:
        own = {"loss": LOSS[loss], "sample_weight": table.weight, "offset": table.offset}
        own["fit_intercept"] = settings["fit_intercept"]
        path, _ = quietly(lambda: cb.lasso_path(table.X, table.y, **own, **given))
    else:
        path, _ = quietly(lambda: cb.lasso_path(problem_of(table, loss, settings), **given))
    centred = settings["fit_intercept"]
    norms = np.ones(table.p)
    if settings["unit_columns"]:
        total = table.n if table.weight is None else table.weight.sum()
        norms = deviations(table, centred) * np.sqrt(total)
    fixed = loss != "Squared" and not settings["refit_intercept"]
    constant = path.problem.constant if fixed else None
    answers = []
    for k, alpha in enumerate(path.alphas):
        objective = linear_objective(
            table, loss, settings, float(alpha), settings["l1_ratio"], norms, constant
        )
        certificate = path.certificate(k)
        said = path.message == "complete"
        reached = settings["tol"] * path.problem.start_excess if said else np.inf
        coef = path.coefs[:, k]
        intercept = float(path.intercepts[k])
        if fixed:
            intercept = 0.0
        interval = certificate.lower, certificate.upper
        answers.append(Answer(objective, coef, intercept, interval, reached))
    return path, answers


def path_subjects():
    """The path on a grid."""
    factors = {
        "loss_name": ["Squared", "Logistic", "Huber", "Poisson"],
        "penalty_factor": [None, FACTORS, FREE, LEFT_OUT],
        "lower_limits": [None, LOWER],
        "upper_limits": [None, UPPER],
        "positive": [False, True],
        "l1_ratio": [1.0, 0.4, 0.0],
        "tol": [1e-4, 1e-9],
        "solver": [None, "cd"],
        "unit_columns": [True, False],
        "fit_intercept": [True, False],
        "refit_intercept": [False, True],
        "n_alphas": [2],
        "eps": [0.2, 0.01],
        "as_arrays": [False, True],
    }
    yield Subject(
        "lasso_path",
        factors,
        on_a_grid,
        LINEAR,
        lambda settings: TARGETS[settings["loss_name"]],
        allowed=accepted,
    )


def knots(settings, table):
    """Fit `exact_path`; return it and the answers at two penalties between its knots."""
    path, _ = quietly(
        lambda: cb.exact_path(problem_of(table, "Squared", settings), kind=settings["kind"])
    )
    total = table.n if table.weight is None else table.weight.sum()
    norms = deviations(table, settings["fit_intercept"]) * np.sqrt(total)
    answers = []
    for share in (0.5, 0.01):
        lam = float(path.lam[0]) * share
        reached = lam > max(0.0, path.lam[-1])
        certificate = path.certificate(lam) if reached else None
        if certificate is None:
            continue
        alpha = lam / total
        objective = linear_objective(table, "Squared", settings, alpha, 1.0, norms)
        promised = settings["kind"] == "lasso"
        reached = 1e-9 * path.problem.start_loss if promised else np.inf
        interval = certificate.lower, certificate.upper
        coef = path.coef_at(lam=lam)
        intercept = float(path.intercept_at(lam=lam))
        answers.append(Answer(objective, coef, intercept, interval, reached))
    return path, answers


def exact_subjects():
    """The exact path."""
    factors = {"kind": ["lasso", "lar", "stagewise"], "fit_intercept": [True, False]}
    yield Subject("exact_path", factors, knots, LINEAR, lambda settings: "real")


@dataclass(frozen=True)
class JointAnswer:
    """A multinomial model: its objective, which is a `MultinomialObjective`, and its interval."""

    objective: MultinomialObjective
    coef: np.ndarray
    intercept: np.ndarray
    interval: tuple
    reached: float

    @property
    def value(self):
        return self.objective.value(self.coef, self.intercept)


def joint(settings, table):
    """Fit `multinomial_path`; return it and the answers at its alphas."""
    settings = dict(settings)
    offsets = settings.pop("offsets")
    kept = np.ones(table.n, bool) if table.weight is None else table.weight > 0
    table = table.rows(np.flatnonzero(kept))
    label = table.y.astype(int)
    n_classes = label.max() + 1
    base = np.zeros((table.n, n_classes))
    if offsets:
        base = np.cos(1.0 + np.outer(label, np.arange(n_classes)))
    given = {"offset": base if offsets else None, "sample_weight": table.weight}
    path, _ = quietly(lambda: cb.lasso.multinomial_path(table.X, table.y, **given, **settings))
    weight = np.ones(table.n) if table.weight is None else table.weight
    norms = np.ones(table.p)
    if settings["unit_columns"]:
        norms = deviations(table, settings["fit_intercept"]) * np.sqrt(weight.sum())
    share = settings["l1_ratio"]
    free = settings["fit_intercept"]
    answers = []
    for k, alpha in enumerate(path.alphas):
        place = cb.lasso.PathPoint(step=k)
        of_one = linear_objective(table, "Logistic", settings, alpha, share, norms)
        penalty = of_one.l1, free, of_one.ridge, of_one.lower, of_one.upper
        objective = MultinomialObjective(table.X, label, weight, *penalty, base)
        certificate = path.certificate_at(place)
        interval = certificate.lower, certificate.upper
        zero = 0 * path.coef_at(step=k)
        start = objective.value(zero, np.log(np.bincount(label, weight)) * free)
        reached = settings["tol"] * start if path.message == "complete" else np.inf
        answers.append(
            JointAnswer(
                objective, path.coef_at(step=k), path.intercept_at(step=k), interval, reached
            )
        )
    return path, answers


def joint_subjects():
    """The multinomial path."""
    factors = {
        "penalty_factor": [None, FACTORS, LEFT_OUT],
        "lower_limits": [None, LOWER],
        "upper_limits": [None, UPPER],
        "positive": [False, True],
        "l1_ratio": [1.0, 0.4, 0.0],
        "tol": [1e-4, 1e-8],
        "unit_columns": [True, False],
        "fit_intercept": [True, False],
        "n_alphas": [2],
        "eps": [0.2, 0.02],
        "offsets": [False, True],
    }
    yield Subject(
        "multinomial_path",
        factors,
        joint,
        LINEAR,
        lambda settings: "classes",
        (False,),
        allowed=accepted,
        loss="multinomial",
    )


# Runs -------------------------------------------------------------------------------------------

#: Methods whose steps have the length of a model are given the unit of its coefficients.
METHODS = {
    "ls_boost": lambda unit: cb.ls_boost(0.3),
    "forward_stagewise": lambda unit: cb.forward_stagewise(0.05 * unit),
    "regularized": lambda unit: cb.regularized_forward_stagewise(0.05 * unit, unit),
    "frank_wolfe": lambda unit: cb.methods.frank_wolfe(unit),
    "frank_wolfe_away": lambda unit: cb.methods.frank_wolfe_away(unit),
    "frank_wolfe_pairwise": lambda unit: cb.methods.frank_wolfe_pairwise(unit),
    "gcd": lambda unit: cb.methods.gcd(),
    "rcd": lambda unit: cb.methods.rcd(),
    "ccd": lambda unit: cb.methods.ccd(),
    "rtgcd": lambda unit: cb.methods.rtgcd(1),
    "lasso_cd": lambda unit: cb.methods.lasso_cd(0.3 * unit),
    "agbm": lambda unit: cb.methods.agbm(0.3, 0.3),
    "gbm": lambda unit: cb.gbm(0.1),
    "sgb": lambda unit: cb.methods.sgb(0.1, 0.01),
}
N_STEPS = 25


def unit_objective(table, loss, problem, l1=0.0, radius=np.inf, intercept=False):
    """The objective over the unit columns of a problem, around its constant."""
    B = problem.gather(np.arange(problem.n_learners))
    weight = np.ones(table.n) if table.weight is None else table.weight
    base = problem.constant + (np.zeros(table.n) if table.offset is None else table.offset)
    p = problem.n_learners
    free = np.full(p, np.inf)
    return Objective(
        loss, B, table.y, weight, base, np.full(p, l1), np.zeros(p), -free, free, intercept, radius
    )


def run_of(settings, table):
    """Make a run; return it and the answers of its certificates."""
    loss = settings["loss_name"]
    problem, _ = quietly(lambda: problem_of(table, loss, settings))
    unit = settings.get("unit", 1.0)
    method = METHODS[settings["method"]](unit)
    run, _ = quietly(lambda: cb.solve(problem, method, N_STEPS))
    answers = []
    radius = settings["radius"] * unit
    for target, l1, ball in [
        (cb.certificates.Unconstrained(), 0.0, np.inf),
        (cb.certificates.L1Ball(radius), 0.0, radius),
        (cb.certificates.L1Penalty(0.3 * unit), 0.3 * unit, np.inf),
    ]:
        objective = unit_objective(table, loss, problem, l1, ball)
        certificate = run.certificate(target)
        coef = np.array(run.beta)
        coef = coef * min(1.0, ball / (abs(coef).sum() or 1.0))
        interval = certificate.lower, certificate.upper
        answers.append(Answer(objective, coef, 0.0, interval, np.inf))
    return run, answers


def run_subjects():
    """``solve`` with the methods."""
    factors = {
        "method": list(METHODS),
        "loss_name": ["Squared", "Logistic", "Huber", "Poisson"],
        "fit_intercept": [True, False],
        "radius": [0.5, 20.0],
    }

    def allowed(row):
        needs_sigma = row.get("method") in (
            "ls_boost",
            "gcd",
            "rcd",
            "ccd",
            "rtgcd",
            "lasso_cd",
            "agbm",
            "sgb",
        )
        return not (needs_sigma and row.get("loss_name") == "Poisson")

    yield Subject(
        "solve",
        factors,
        run_of,
        LINEAR,
        lambda settings: TARGETS[settings["loss_name"]],
        allowed=allowed,
    )


def stagewise(kind, settings, table):
    """Fit an estimator whose path is a run; return it and the answer that it gives."""
    settings = dict(settings)
    loss = settings.pop("loss_name", "Squared")
    if "loss" in kind().get_params():
        settings["loss"] = LOSS[loss]
    kept = np.ones(table.n, bool) if table.weight is None else table.weight > 0
    table = table.rows(np.flatnonzero(kept))
    fit = partial(kind(**settings).fit, table.X, table.y, table.weight, offset=table.offset)
    model, _ = quietly(fit)
    problem = model.run_.problem
    coef = np.ravel(model.coef_)
    intercept = float(np.ravel(model.intercept_)[0])
    centred = settings["fit_intercept"]
    refitted = settings.get("refit_intercept", False) and centred and loss != "Squared"
    radius = getattr(model.run_.method.step, "delta", np.inf)
    objective = unit_objective(table, loss, problem, 0.0, radius, refitted)
    beta = problem.unit(coef)
    base = np.zeros(table.n) if table.offset is None else table.offset
    pred = base + table.X @ coef + intercept
    shift = float(np.mean(pred - objective.base - objective.X @ beta)) if refitted else 0.0
    certificate = model.certificate_
    interval = certificate.lower, certificate.upper
    return model, [Answer(objective, beta, shift, interval, np.inf)]


def stagewise_subjects():
    """One subject for each stagewise estimator."""
    e = cb.estimators
    both = {"n_steps": [1, 40], "fit_intercept": [True, False]}
    steps = {"eps": [None, 0.001], "refit_intercept": [True, False], **both}
    losses = {"loss_name": ["Squared", "Huber"]}
    for kind, factors in [
        (e.LSBoostRegressor, {"eps": [0.1, 1.0], **both}),
        (e.ForwardStagewiseRegressor, {**steps, **losses}),
        (e.ForwardStagewiseClassifier, {**steps, "loss_name": ["Logistic", "Exponential"]}),
        (
            e.RegularizedForwardStagewiseRegressor,
            {**steps, **losses, "eps": [None], "delta": [None, 2.0]},
        ),
    ]:
        target = "labels" if kind.__name__.endswith("Classifier") else "real"
        yield Subject(
            kind.__name__, factors, partial(stagewise, kind), LINEAR, lambda _, t=target: t
        )
        if hasattr(e, kind.__name__ + "CV"):
            choice = {"rule": ["best", "one_se"], "cv": [3]}
            bounds = {"delta": [None]} if "delta" in factors else {}
            own = {name: v for name, v in {**factors, **bounds}.items() if v != [None]}
            kind = getattr(e, kind.__name__ + "CV")
            yield Subject(
                kind.__name__,
                {**own, **choice},
                partial(stagewise, kind),
                LINEAR,
                lambda _, t=target: t,
                allowed=both_classes_in_folds,
            )


# Trees ------------------------------------------------------------------------------------------


def boosted(kind, settings, table):
    """Fit an estimator with trees; return it and whether it warned that it fell short."""
    settings = {name: value for name, value in settings.items() if name != "n_classes"}
    loss = settings.pop("loss_name", None)
    if loss is not None:
        settings["loss"] = LOSS[loss]
    if settings.get("monotonic_cst") is not None:
        settings["monotonic_cst"] = np.resize(settings["monotonic_cst"], table.p)
    sets = scored(table, settings.pop("n_scored", 0))
    model = kind(**settings, random_state=0)
    given = {"sample_weight": table.weight, "offset": table.offset, **as_eval_sets(sets)}
    return quietly(partial(model.fit, table.X, table.y, **given))


def scored(table, n_sets):
    """Rows of the table on which a fit is scored beside it: name -> table."""
    parts = {"last": np.arange(table.n)[-table.n // 2 :], "even": np.arange(0, table.n, 2)}
    return {name: table.rows(parts[name]) for name in list(parts)[:n_sets]}


def as_eval_sets(sets):
    """The sets as ``fit`` takes them."""
    if not sets:
        return {}
    return {
        "eval_set": {name: (rows.X, rows.y) for name, rows in sets.items()},
        "sample_weight_val": {name: rows.weight for name, rows in sets.items()},
        "offset_val": {name: rows.offset for name, rows in sets.items()},
    }


def stops(settings):
    """Whether a fit may end early: "auto" holds out no rows of a small table."""
    stopping = settings["early_stopping"]
    return stopping is True or (settings["n_scored"] > 0 and stopping is not False)


GROWTH = {
    "learning_rate": [0.1, 1.0],
    "n_estimators": [8],
    "min_samples_leaf": [1, 10],
    "min_gain": [0.0, 1e-3],
    "l2_regularization": [0.0, 1.0],
    "max_bins": [8, 255],
    "min_samples_category": [1, 10],
    "max_split_categories": [None, 4],
    "category_smoothing": [0.0, 20.0],
    "early_stopping": [False, True, None],
    "n_scored": [0, 1, 2],
}
SHAPE = {
    "max_depth": [3, 1],
    "max_leaf_nodes": [None, 5],
    "subsample": [1.0, 0.3],
    "interaction_cst": [None, "no_interactions"],
    "monotonic_cst": [None, SIGNS],
}
DRAWN = {
    "max_depth": [3, "auto", None],
    "max_features": [None, 0.5, "auto"],
    "newton": [None, True, False],
    "max_delta_step": [None, 0.5],
    "early_stopping": [False, True, "auto"],
}
CLASSES = {"class_weight": [None, "balanced"], "n_classes": ["labels", "classes"]}
JOINT = {"multinomial": [None, False]}
MOMENTUM = {"gamma": [0.1, 0.5], "correction": [0, 1]}
FAMILIES = {"nodes": [(1, 2), (1, 2, 4)], "monotonic_cst": [None, SIGNS]}
NOISE = {
    "beta": [1e4],
    "gamma": [0.0, 0.01],
    "n_members": [4],
    "subsample": [1.0, 0.3],
    "max_leaf_nodes": [None, 5],
}


def tree_target(settings):
    """The kind of target of an estimator with trees."""
    return settings.get("n_classes") or TARGETS[settings.get("loss_name", "Squared")]


def trees_accepted(row):
    """An offset needs a single model, and a tree a limit."""
    several = row.get("n_classes") == "classes" and row.get("offset")
    limits = {row.get("max_depth", 3), row.get("max_leaf_nodes", 5)}
    return not several and limits != {None}


def tree_subjects():
    """One subject for each estimator with trees."""
    e = cb.estimators
    means = {"loss_name": ["Squared", "Huber", "Poisson", "Gamma"]}
    located = {"loss_name": ["Squared", "Huber"]}
    for kind, factors in [
        (e.RandomizedGBMRegressor, {**SHAPE, **DRAWN, **means}),
        (e.RandomizedGBMClassifier, {**SHAPE, **DRAWN, **CLASSES, **JOINT}),
        (e.AcceleratedGBMRegressor, {**SHAPE, **MOMENTUM, **located}),
        (e.AcceleratedGBMClassifier, {**SHAPE, **MOMENTUM, **CLASSES}),
        (e.RegularizedGBMRegressor, {**FAMILIES, **located}),
        (e.RegularizedGBMClassifier, {**FAMILIES, **CLASSES}),
        (e.LangevinGBMRegressor, {**NOISE, "noise_variance": [1.0]}),
        (e.LangevinGBMClassifier, {**NOISE, **CLASSES}),
    ]:
        offsets = (False,) if "Langevin" in kind.__name__ else (False, True)
        yield Subject(
            kind.__name__,
            {**GROWTH, **factors},
            partial(boosted, kind),
            TREES,
            tree_target,
            offsets,
            trees_accepted,
            "Squared" if "Regressor" in kind.__name__ else "Logistic",
        )
