"""Test errors of our trees and those of other packages at equal settings: equal errors are
expected, so that times can be compared.

100 trees of depth 3, learning rate 0.1, at least 20 samples in a leaf, no penalty, 255 bins, one
thread; in classification, Newton leaves as in the other packages. XGBoost has no minimal number of
samples in a leaf, CatBoost grows symmetric trees. Errors are the root mean squared error, or one
minus the area under the ROC curve.
"""

import importlib.util

import numpy as np
from sklearn.metrics import roc_auc_score

import coordboost as cb
from verification.experiments.data import split
from verification.experiments.drawing import legend_below, name_axes
from verification.experiments.experiment import Claim, Experiment, Table
from verification.experiments.judge import below, beside, every

SETS = ("housing", "year_1176", "german.numer", "a9a", "higgs_subset")
RATE = 0.1
DEPTH = 3
LEAST = 20
OURS = "coordboost"


def ours(data, n_trees):
    """Return our estimator."""
    kind = cb.RandomizedGBMClassifier if data.classes else cb.RandomizedGBMRegressor
    return kind(
        max_features=None,
        n_estimators=n_trees,
        learning_rate=RATE,
        max_depth=DEPTH,
        max_leaf_nodes=None,
        min_samples_leaf=LEAST,
        newton=data.classes,
        early_stopping=False,
    )


def lightgbm(data, n_trees):
    """LightGBM."""
    import lightgbm as lgb

    return (lgb.LGBMClassifier if data.classes else lgb.LGBMRegressor)(
        n_estimators=n_trees,
        learning_rate=RATE,
        max_depth=DEPTH,
        num_leaves=2**DEPTH,
        min_child_samples=LEAST,
        min_child_weight=0.0,
        n_jobs=1,
        verbose=-1,
    )


def xgboost(data, n_trees):
    """XGBoost; labels 0 and 1."""
    import xgboost as xgb

    return (xgb.XGBClassifier if data.classes else xgb.XGBRegressor)(
        n_estimators=n_trees,
        learning_rate=RATE,
        max_depth=DEPTH,
        min_child_weight=0 if data.classes else LEAST,
        reg_lambda=0,
        tree_method="hist",
        max_bin=256,
        n_jobs=1,
    )


def catboost(data, n_trees):
    """CatBoost without sampling and noise."""
    import catboost as cat

    return (cat.CatBoostClassifier if data.classes else cat.CatBoostRegressor)(
        iterations=n_trees,
        learning_rate=RATE,
        depth=DEPTH,
        min_data_in_leaf=LEAST,
        l2_leaf_reg=0,
        bootstrap_type="No",
        random_strength=0,
        boosting_type="Plain",
        thread_count=1,
        allow_writing_files=False,
        logging_level="Silent",
    )


def hgb(data, n_trees):
    """scikit-learn's histogram trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return (HistGradientBoostingClassifier if data.classes else HistGradientBoostingRegressor)(
        max_iter=n_trees,
        learning_rate=RATE,
        max_depth=DEPTH,
        max_leaf_nodes=2**DEPTH,
        min_samples_leaf=LEAST,
        early_stopping=False,
    )


#: Name -> (function that makes the estimator, package that it needs).
MACHINES = {
    OURS: (ours, "coordboost"),
    "LightGBM": (lightgbm, "lightgbm"),
    "XGBoost": (xgboost, "xgboost"),
    "CatBoost": (catboost, "catboost"),
    "scikit-learn HGB": (hgb, "sklearn"),
}


def error(model, data):
    """Return the error of a fitted model on the rows of `data`."""
    if data.classes:
        return 1 - float(roc_auc_score(data.y, model.predict_proba(data.X)[:, 1]))
    return float(np.sqrt(np.mean((model.predict(data.X) - data.y) ** 2)))


def run(sets, quick):
    """Run all installed packages on 5 splits of each set.

    In the quick form 2 splits of at most 2,000 rows, 50 trees.
    """
    rows = []
    for data in sets.values():
        data = data._replace(y=(data.y > 0).astype(float)) if data.classes else data
        if quick and len(data.y) > 2000:
            data = data._replace(X=data.X[:2000], y=data.y[:2000])
        for seed in range(2 if quick else 5):
            train, test = split(data, seed)
            for name, (make, package) in MACHINES.items():
                if importlib.util.find_spec(package) is not None:
                    model = make(train, 50 if quick else 100).fit(train.X, train.y)
                    rows.append(
                        {
                            "data": data.name,
                            "machine": name,
                            "seed": seed,
                            "error": error(model, test),
                        }
                    )
    return Table(rows)


def errors(table, name, machine):
    """Return the test errors of a package on a set, by split."""
    return table.where(data=name, machine=machine).by("seed", "error")


def ties(name):
    """Whether our error is at most 3 % above that of each other package."""

    def judge(table):
        others = [one for one in table.values("machine") if one != OURS]
        return every(
            below(errors(table, name, OURS), errors(table, name, one), factor=1.03)
            for one in others
        )

    return judge


def figures(name):
    """Return a judge that shows the mean errors of all packages."""
    return lambda table: beside(
        ", ".join(f"{one} {errors(table, name, one).mean():.4g}" for one in table.values("machine"))
    )


def draw(figure, table):
    """Draw the errors relative to ours on the same split, a dot for each split."""
    figure.set_size_inches(8.4, 4.6)
    axis = figure.subplots()
    names = table.values("data")
    machines = table.values("machine")
    for k, (machine, colour, marker) in enumerate(
        zip(
            machines, ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"), "osD^v", strict=False
        )
    ):
        for place, name in enumerate(names):
            heights = errors(table, name, machine) / errors(table, name, OURS)
            at = np.full(len(heights), place + 0.14 * (k - 2))
            axis.plot(
                at,
                heights,
                marker,
                color=colour,
                markersize=5,
                label=machine if place == 0 else None,
            )
    name_axes(axis, "", "test error / ours on the same split")
    axis.set_xticks(range(len(names)), names)
    legend_below(figure, axis, 5)


EXPERIMENTS = (
    Experiment(
        name="trees_quality",
        source="no paper: compared with LightGBM, XGBoost, CatBoost, scikit-learn",
        data=SETS,
        run=run,
        draw=draw,
        claims=(
            *(
                Claim(
                    f"{name}: our test error is at most 3 % above that of each other package",
                    ties(name),
                )
                for name in SETS
            ),
            *(Claim(f"{name}: mean test errors", figures(name)) for name in SETS),
        ),
        seconds=(3, 27),
    ),
)
