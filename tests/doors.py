"""Every public function that takes input from users: valid arguments, and values that people pass
by mistake.
"""

import inspect
import io
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse
from matplotlib.figure import Figure
from public import examples

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3))
Y = RNG.normal(size=24)
UNIT = X / np.linalg.norm(X, axis=0)
SIGNS = np.where(Y > 0, 1.0, -1.0)
FOLDER = tempfile.TemporaryDirectory()
FILE, TEXT, STORED = (Path(FOLDER.name) / name for name in ("a.run", "table.csv", "columns.npy"))
SQUARED = cb.Problem(X, Y)
RUN = cb.solve(SQUARED, cb.ls_boost(0.5), 6, compile=False)
TWELVE = cb.Problem(RNG.normal(size=(24, 12)), Y, groups=np.arange(12) // 4)
BLOCKS = cb.Problem(cb.data.blocks(X, [[0, 1], [2]]), Y)
STUMPS = cb.Problem(cb.data.stumps(X), Y)
TREES = cb.Problem(cb.data.trees(X, max_depth=1), Y)
GROWN = cb.solve(TREES, cb.gbm(0.5), 3, compile=False)
FAMILIES = cb.data.tree_families(X, nodes=(2, 4), bounds=(1.0,))
STRUCTURED = cb.solve(
    cb.Problem(FAMILIES, SIGNS, cb.losses.Logistic()), cb.rgb(0.1), 3, compile=False
)
LANGEVIN = cb.sglb(0.1, 10.0, 0.5, select=cb.rules.RandomSubset(1))
CHAIN = cb.solve(SQUARED, LANGEVIN, 40, compile=False)
RUN.save(FILE)
pd.DataFrame(X, columns=list("abc")).assign(y=Y).to_csv(TEXT, index=False)
np.save(STORED, np.asfortranarray(X))
CLOSED = io.StringIO("x")
CLOSED.close()


def walk(X, y, sample_weight=None):
    """A fit as ``cross_validate`` takes it."""
    return cb.solve(
        cb.Problem(X, y, sample_weight=sample_weight), cb.ls_boost(0.5), 4, compile=False
    )


#: Values that people pass by mistake, by name; created anew for each call.
STRANGE = {
    "None": lambda: None,
    "text": lambda: "text",
    "bytes": lambda: b"text",
    "dict": dict,
    "dict of a word": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "an object": object,
    "object array": lambda: np.array([[1, "a"], [None, 2]], dtype=object),
    "empty array": lambda: np.zeros(0),
    "no columns": lambda: np.zeros((24, 0)),
    "0-d array": lambda: np.array(0.5),
    "0-d words": lambda: np.array("a"),
    "3-d array": lambda: np.ones((2, 2, 2)),
    "short array": lambda: np.ones(3),
    "array of NaN": lambda: np.full((24, 3), np.nan),
    "NaN": lambda: np.nan,
    "minus infinity": lambda: -np.inf,
    "minus one": lambda: -1,
    "half": lambda: 0.5,
    "complex": lambda: 1j,
    "huge": lambda: 10**400,
    "a bool of NumPy": lambda: np.bool_(True),
    "True": lambda: True,
    "list of lists": lambda: [[1], [1, 2]],
    "list of words": lambda: ["a", "b"],
    "generator": lambda: (one for one in (1.0, 2.0)),
    "a function": lambda: lambda *given: None,
    "closed file": lambda: CLOSED,
    "a class": lambda: cb.Problem,
    "an estimator class": lambda: cb.CertifiedLasso,
    "an estimator": lambda: cb.CertifiedLasso(),
    "a piece class": lambda: cb.losses.Huber,
    "a loss": lambda: cb.losses.Huber(1.0),
    "a rule": lambda: cb.rules.Greedy(),
    "a method": lambda: cb.ls_boost(0.5),
    "a maker": lambda: cb.ls_boost,
    "a problem": lambda: SQUARED,
    "a run": lambda: RUN,
    "a path": lambda: cb.lasso_path(X, Y, n_alphas=3),
    "stored columns": lambda: cb.data.open_columns(STORED),
    "trees": lambda: cb.data.trees(X),
    "a data frame": lambda: pd.DataFrame({"a": ["u", "v"]}),
    "a sparse matrix": lambda: scipy.sparse.csr_array(np.eye(3)),
    "a dtype": lambda: np.float64,
    "a date": lambda: np.datetime64("2020-01-01"),
}


class Source:
    """An oracle in memory."""

    n_samples, n_learners = 24, 3

    def scan(self, v):
        return UNIT.T @ v

    def column(self, j):
        return UNIT[:, j]


def solved(method):
    return cb.solve(SQUARED, method, 2, compile=False)


def of_step(step):
    return solved(cb.rules.Method("own", cb.rules.Greedy(), step))


def of_rule(select):
    method = cb.rules.Method("own", select, cb.rules.ShrunkenStep(0.5))
    of_blocks = isinstance(select, cb.rules.RandomMask | cb.rules.JointSubset)
    return cb.solve(BLOCKS if of_blocks else TWELVE, method, 2, compile=False)


def of_stop(stop):
    return cb.solve(SQUARED, cb.ls_boost(0.5), 2, stop=stop, compile=False)


def of_families(method):
    return cb.solve(cb.Problem(FAMILIES, SIGNS, cb.losses.Logistic()), method, 2, compile=False)


def of_loss(loss):
    labels = hasattr(loss, "labels") and not isinstance(loss, cb.losses.Tweedie)
    return cb.Problem(X, SIGNS if labels else np.abs(Y), loss)


def certified(target):
    return cb.certify(SQUARED, RUN.beta, target)


def fitted(blocks):
    return cb.Problem(blocks, Y)


@cache
def lasso():
    return cb.lasso_path(X, Y, n_alphas=4)


@cache
def exact():
    return cb.exact_path(X, Y)


class Late:
    """A method of an object that is created at its first use: every process imports all tests, and
    would compile for it.
    """

    def __init__(self, make, verb):
        self.verb = lambda: getattr(make(), verb)

    def __call__(self, **given):
        return self.verb()(**given)

    @property
    def __signature__(self):
        return inspect.signature(self.verb())


def _doors():
    """Return {name: (function, its arguments, what is done with the result)}."""

    def done(outcome):
        return outcome

    table = {
        "Problem": (cb.Problem, dict(X=X, y=Y), done),
        "solve": (
            cb.solve,
            dict(problem=SQUARED, method=cb.ls_boost(0.5), n_steps=2, compile=False),
            done,
        ),
        "iterate": (
            cb.iterate,
            dict(problem=SQUARED, method=cb.ls_boost(0.5), n_steps=2, compile=False),
            list,
        ),
        "certify": (cb.certify, dict(problem=SQUARED, beta=RUN.beta), done),
        "check": (cb.theory.check, dict(run=RUN), done),
        "plan": (cb.theory.plan, dict(problem=SQUARED, method=cb.ls_boost, gap=1.0), done),
        "html_report": (cb.html_report, dict(run=RUN), done),
        "load": (cb.load, dict(file=FILE), done),
        "family_summary": (cb.engine.family_summary, dict(run=STRUCTURED), done),
        "penalty_path": (
            cb.engine.penalty_path,
            dict(problem=STRUCTURED.problem, penalties=[0.1], n_steps=1, X_val=X, y_val=SIGNS),
            done,
        ),
        "lightgbm_text": (cb.estimators.lightgbm_text, dict(run=GROWN), done),
        "keep_data": (cb.estimators.keep_data, {}, done),
        "OffsetScorer": (cb.estimators.OffsetScorer, dict(scoring="r2"), done),
        "shape_functions": (
            cb.engine.shape_functions,
            dict(problem=STUMPS, beta=np.zeros(STUMPS.n_learners)),
            done,
        ),
        "mca": (cb.theory.mca, dict(B=X, n_starts=2), done),
        "momentum_limit": (cb.theory.momentum_limit, dict(problem=SQUARED), done),
        "open_columns": (cb.data.open_columns, dict(source=STORED), done),
        "read_table": (cb.read_table, dict(path=TEXT, target="y"), done),
        "bin_columns": (cb.data.bin_columns, dict(X=X), done),
        "stumps": (cb.data.stumps, dict(X=X), fitted),
        "leaf_stumps": (cb.data.leaf_stumps, dict(X=X), fitted),
        "trees": (cb.data.trees, dict(X=X), fitted),
        "rules": (cb.data.rules, dict(X=X), fitted),
        "tree_families": (cb.data.tree_families, dict(X=X, nodes=(2, 4), bounds=(1.0,)), fitted),
        "blocks": (cb.data.blocks, dict(X=X, blocks=[[0, 1], [2]]), fitted),
        "cross_validate": (cb.cross_validate, dict(fit=walk, X=X, y=Y, folds=2), done),
        "bootstrap_frequencies": (
            cb.model_selection.bootstrap_frequencies,
            dict(fit=walk, X=X, y=Y, n_draws=2),
            done,
        ),
        "stability_selection": (
            cb.model_selection.stability_selection,
            dict(fit=walk, X=X, y=Y, n_pairs=2),
            done,
        ),
        "adaptive_factors": (cb.lasso.adaptive_factors, dict(coefs=[1.0, -2.0, 0.0]), done),
        "explore": (
            cb.plots.explore,
            dict(problem=SQUARED, values=[0.5], n_steps=2),
            lambda explorer: explorer.draw(Figure(), explorer.values[0]),
        ),
        "Explorer": (
            cb.plots.Explorer,
            dict(draw=lambda figure, value: None, values=[1], label="eps"),
            lambda explorer: explorer.frame(0),
        ),
        "lasso_path": (cb.lasso_path, dict(X=X, y=Y, n_alphas=3), done),
        "multinomial_path": (cb.lasso.multinomial_path, dict(X=X, y=SIGNS, n_alphas=2), done),
        "exact_path": (cb.exact_path, dict(X=X, y=Y), done),
        "convert_penalty": (
            cb.lasso.convert_penalty,
            dict(value=1.0, source="lam", to="alpha", of=SQUARED),
            done,
        ),
        "check_piece": (
            cb.testing.check_piece,
            dict(piece=cb.losses.Huber(1.0), raises=False),
            done,
        ),
        "subgradient_descent": (
            cb.theory.subgradient_descent,
            dict(problem=SQUARED, step=0.1, n_steps=2),
            list,
        ),
        "worst_case": (
            cb.theory.worst_case,
            dict(method=lambda loss, n: loss(loss.gradient(loss.start)), n_steps=1),
            done,
        ),
        "Oracle": (cb.learners.Oracle, dict(source=Source()), fitted),
        "RefittedRun": (cb.engine.RefittedRun, dict(run=RUN), done),
        "Method": (
            cb.rules.Method,
            dict(name="own", select=cb.rules.Greedy(), step=cb.rules.ShrunkenStep(0.5)),
            solved,
        ),
        "PathPoint": (cb.lasso.PathPoint, dict(l1=0.1), lambda place: lasso().predict(X, place)),
        "L1Ball": (cb.certificates.L1Ball, dict(radius=1.0), certified),
        "L1Penalty": (cb.certificates.L1Penalty, dict(lam=1.0), certified),
    }
    table |= {
        maker.__name__: (maker, arguments, use)
        for use, *kinds in (
            (of_step, cb.rules.StepRule),
            (of_rule, cb.rules.SelectionRule),
            (of_loss, cb.losses.Loss),
        )
        for maker, arguments in examples(*kinds)
        if arguments
    }
    table |= {
        maker.__name__: (maker, arguments, of_stop)
        for maker, arguments in examples()
        if maker.__module__ == cb.engine.GapBelow.__module__
    }
    table |= {
        name: (maker, maker.EXAMPLES[0], of_families if name == "rgb" else solved)
        for name, maker in cb.methods.METHODS.items()
    }
    lv = cb.theory.langevin
    bd = cb.theory.bounds
    table |= {
        "langevin.chain": (lv.chain, dict(runs=CHAIN, burn_in=10), done),
        "langevin.gibbs": (lv.gibbs, dict(problem=SQUARED, method=LANGEVIN), done),
        "langevin.stationary": (lv.stationary, dict(problem=SQUARED, method=LANGEVIN), done),
        "langevin.transient": (
            lv.transient,
            dict(problem=SQUARED, method=LANGEVIN, n_steps=5),
            done,
        ),
        "langevin.limit_of": (
            lv.limit_of,
            dict(problem=SQUARED, select=cb.rules.RandomSubset(1), draws=20),
            done,
        ),
        "langevin.regime": (lv.regime, dict(run=CHAIN), done),
        "langevin.ess": (lv.ess, dict(x=Y), done),
        "langevin.split_rhat": (lv.split_rhat, dict(x=Y), done),
        "bounds.tree_complexity": (
            bd.tree_complexity,
            dict(nodes=3, bound=1.0, n_features=3, n_samples=24),
            done,
        ),
        "bounds.sharper_tree_complexity": (
            bd.sharper_tree_complexity,
            dict(nodes=3, bound=1.0, n_features=3, n_samples=24),
            done,
        ),
    }
    for verb, given, after in (
        ("resume", dict(n_steps=1), done),
        ("predict", dict(X=X), done),
        ("certificate", dict(), done),
        ("replay", dict(at=[0, 1]), list),
        ("coef_at", dict(l1=0.1), done),
        ("step_at", dict(place=cb.lasso.PathPoint(step=1)), done),
        ("save", dict(file=Path(FOLDER.name) / "b.run"), done),
    ):
        table[f"Run.{verb}"] = (getattr(RUN, verb), given, after)
    for verb, given in (
        ("predict", dict(X=X)),
        ("coef_at", dict(alpha=0.01)),
        ("certificate", dict(step=1)),
    ):
        table[f"LassoPath.{verb}"] = (Late(lasso, verb), given, done)
    for way, make in (("Run", lambda: RUN), ("LassoPath", lasso), ("ExactPath", exact)):
        table[f"{way}.score_path"] = (Late(make, "score_path"), dict(X=X, y=Y), done)
        table[f"{way}.score_at"] = (
            Late(make, "score_at"),
            dict(X=X, y=Y, at=[cb.lasso.PathPoint(fraction=0.5)]),
            done,
        )
        table[f"{way}.certificate_at"] = (
            Late(make, "certificate_at"),
            dict(place=cb.lasso.PathPoint(step=1)),
            done,
        )
        table[f"{way}.intercept_at"] = (Late(make, "intercept_at"), dict(fraction=0.5), done)
    for verb, given in (
        ("predict", dict(beta=RUN.beta, X=X)),
        ("unit", dict(coef=RUN.coef)),
        ("raw", dict(beta=RUN.beta)),
    ):
        table[f"Problem.{verb}"] = (getattr(SQUARED, verb), given, done)
    for verb, given in (
        ("predict", dict(X=X)),
        ("coef_at", dict(lam=0.5)),
        ("certificate", dict(lam=0.5)),
    ):
        table[f"ExactPath.{verb}"] = (Late(exact, verb), given, done)
    small = {"n_estimators": 2, "min_samples_leaf": 2}
    for kind, settings in (
        (cb.CertifiedLasso, {}),
        (cb.LSBoostRegressor, {"n_steps": 5}),
        (cb.RandomizedGBMRegressor, small),
        (cb.ForwardStagewiseClassifier, {"n_steps": 5}),
        (cb.RegularizedGBMClassifier, small),
    ):
        model = kind(**settings)
        target = SIGNS if "Classifier" in kind.__name__ else Y
        table[f"{kind.__name__}.fit"] = (model.fit, dict(X=X, y=target), done)
        table[f"{kind.__name__}.predict"] = (
            Late(cache(partial(kind(**settings).fit, X, target)), "predict"),
            dict(X=X),
            done,
        )
    return table


DOORS = _doors()
