"""Held-out error and size of models of rules, beside programs that fit some rules, and trees.

The sets and splits are those of ``defaults``. The error is the share of wrong labels of a
classifier and the root of the mean squared error of a regression. The size is the number of rules,
of leaves of all trees, or of terms. All packages have their own defaults; our models appear twice,
with the penalty of one standard error (default) and with that of the smallest held-out loss.

    python -m verification.benchmarks rule_models --section docs/rules.md
"""

import warnings
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import root_mean_squared_error

import coordboost as cb
from verification.benchmarks.defaults import SETS as ALL_SETS
from verification.benchmarks.defaults import available, fitted, splits, target
from verification.benchmarks.harness import once, reason

N_SPLITS = 3
#: Training rows at most.
N_TRAINING = 2_000
NAMES = ("german", "sonar", "cancer", "diabetes", "housing", "a9a", "adult", "progression")
SETS = tuple(table for table in ALL_SETS if table.name in NAMES)
QUICK = ("housing",)


def one_se(regression):
    """Our models of rules of two tests, with their defaults."""
    estimators = cb.estimators
    kind = (
        estimators.CertifiedRulesRegressorCV
        if regression
        else estimators.CertifiedRulesClassifierCV
    )
    return kind(), lambda model: len(model.rules_())


def best(regression):
    """The same with the penalty of the smallest held-out loss, on a longer path."""
    model, size = one_se(regression)
    return model.set_params(rule="best", eps=0.03), size


def lightgbm(regression):
    """LightGBM; its size is the number of leaves."""
    import lightgbm as lgb

    kind = lgb.LGBMRegressor if regression else lgb.LGBMClassifier
    model = kind(random_state=0, n_jobs=1, verbose=-1)
    return model, lambda model: int(model.booster_.trees_to_dataframe()["left_child"].isna().sum())


def rulefit(regression):
    """RuleFit, as imodels has it."""
    import imodels

    model = (imodels.RuleFitRegressor if regression else imodels.RuleFitClassifier)(random_state=0)
    return model, lambda model: int(np.count_nonzero(model.coef))


def ebm(regression):
    """The explainable boosting machine of interpret; its size is the number of terms."""
    from interpret import glassbox

    kind = "Regressor" if regression else "Classifier"
    model = getattr(glassbox, f"ExplainableBoosting{kind}")(random_state=0, n_jobs=1)
    return model, lambda model: len(model.term_names_)


MODELS = {
    "ours, one SE": one_se,
    "ours, best": best,
    "LightGBM": lightgbm,
    "RuleFit": rulefit,
    "EBM": ebm,
}


def as_taken(name, X):
    """Return the frame as a package takes it: RuleFit takes numbers without gaps alone, in columns
    whose names are words.
    """
    if name != "RuleFit":
        return X
    numbers = pd.get_dummies(X).astype(float)
    numbers.columns = [f"x{j}" for j in range(numbers.shape[1])]
    return numbers.fillna(numbers.median())


def judged(table, n_splits=N_SPLITS, limit=np.inf):
    """Return the table of one set: of each model, the mean error, the median size, the CPU seconds
    of a fit.
    """
    X, labels = table.read()
    y = target(labels, table.regression)
    rows = []
    for name, make in MODELS.items():
        row = {"name": name, "note": ""}
        errors, sizes, seconds = [], [], []
        frame = as_taken(name, X)
        try:
            for training, test in splits(X, y, table.regression, n_splits):
                model, size = make(table.regression)
                training = training[:N_TRAINING]
                timing = once(partial(fitted, model, frame.iloc[training], y[training], {}))
                pred = model.predict(frame.iloc[test])
                error = (
                    root_mean_squared_error(y[test], pred)
                    if table.regression
                    else 100 * np.mean(pred != y[test])
                )
                errors.append(float(error))
                sizes.append(size(model))
                seconds.append(timing.cpu)
                if timing.cpu > limit:
                    row["note"] = f"a fit takes {timing.cpu:.0f} seconds"
                    break
            row |= {"error": float(np.mean(errors)), "size": int(np.median(sizes))}
            row |= {"cpu": float(np.median(seconds))}
        except ImportError as error:
            row["note"] = f"{error.name} is not installed"
        except Exception as error:  # a package that fails must not end the benchmark
            row["note"] = reason(error)
        rows.append(row)
    return {
        "name": table.name,
        "unit": "fit",
        "measure": "RMSE" if table.regression else "error, %",
        "n_splits": n_splits,
        "rows": rows,
    }


def tables(quick=False, only=(), limit=None):
    """Yield the table of each set that is available."""
    warnings.simplefilter("ignore")
    sets = [table for table in SETS if table.name in QUICK or not quick]
    yield from available(sets, judged, only, limit)


def cell(row):
    """Return the cell of a model on one set."""
    return f"{row['error']:.4g} ({row['size']:,})" if "error" in row else row["note"]


def section(tables):
    """Return the section of the page: a line for each set."""
    lines = [f"| set | {' | '.join(MODELS)} |", "|---" * (len(MODELS) + 1) + "|"]
    for table in tables:
        cells = " | ".join(cell(row) for row in table["rows"])
        lines.append(f"| {table['name']}, {table['measure']} | {cells} |")
    return "\n".join(lines)
