"""Held-out loss of boosted trees, each package with its own defaults, and the time of the fits.

Each set is split at random into 30 % test rows and the rest, several times; large sets are cut to a
number of training and test rows. All packages see the same rows, and the same columns: numbers, or
categories of pandas. The loss is the log-loss of a classifier and the root of the mean squared
error of a regression. No default of ours was chosen on a test part.

    python -m verification.benchmarks defaults --section docs/performance.md
"""

import contextlib
import gzip
import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import sklearn.datasets
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OrdinalEncoder

import coordboost as cb
from verification.benchmarks.harness import once, reason, wanted
from verification.sets import Absent, path, read

N_SPLITS, TEST_SHARE = 5, 0.3
#: Rows at most.
N_TRAINING, N_TEST = 10_000, 20_000
#: scikit-learn takes so many levels of a category at most.
MOST_LEVELS = 255
MISSING = ("?", "NULL", "NOT AVAIL", " ", "")
PACKAGES = ("lightgbm", "xgboost", "catboost", "sklearn.ensemble")


@dataclass(frozen=True)
class Table:
    """A set: its name, what reads it as a frame and a target, and whether it is a regression."""

    name: str
    read: Callable
    regression: bool = False


def numbers(name):
    """Return a stored set of numbers, as a frame, and its target."""
    X, y = read(name)
    return pd.DataFrame(X if isinstance(X, np.ndarray) else X.toarray()), y


def with_categories(name, target, drop=(), numeric=None):
    """Return a CSV table as a frame, and its target.

    The columns in `numeric` are numbers; by default, those that have nothing but numbers beside the
    marks of missing values. All others are categories.
    """
    with gzip.open(path(f"{name}.csv.gz"), "rt", encoding="utf-8") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    y = table.pop(target)
    table = table.drop(columns=list(drop))
    table = table.mask(table.isin(MISSING))
    for column in table:
        values = pd.to_numeric(table[column], errors="coerce")
        all_numbers = bool((values.notna() | table[column].isna()).all())
        is_number = all_numbers if numeric is None else column in numeric
        table[column] = values if is_number else table[column].astype("category")
    return table, y.to_numpy()


def of_scikit_learn(load):
    """Return a set that scikit-learn brings, as a frame, and its target."""
    stored = load()
    return pd.DataFrame(stored.data), stored.target


SETS = (
    Table("german", partial(numbers, "german.numer")),
    Table("sonar", partial(numbers, "sonar")),
    Table("cancer", partial(numbers, "cancer")),
    Table("diabetes", partial(numbers, "diabetes")),
    Table("housing", partial(numbers, "housing"), regression=True),
    Table("year_1176", partial(numbers, "year_1176"), regression=True),
    Table("epsilon_200", partial(numbers, "epsilon_200")),
    Table("a9a", partial(numbers, "a9a")),
    Table("higgs_subset", partial(numbers, "higgs_subset")),
    Table("kick", partial(with_categories, "kick", "IsBadBuy", drop=["RefId"])),
    Table("internet", partial(with_categories, "internet", "Who_Pays_for_Access_Work", numeric=())),
    Table("adult", partial(with_categories, "adult", "income", drop=["part"])),
    Table("amazon", partial(with_categories, "amazon", "target", numeric=())),
    Table(
        "click_small",
        partial(
            with_categories, "click_small", "click", numeric=("impression", "depth", "position")
        ),
    ),
    Table("breast_cancer", partial(of_scikit_learn, sklearn.datasets.load_breast_cancer)),
    Table("wine", partial(of_scikit_learn, sklearn.datasets.load_wine)),
    Table("digits", partial(of_scikit_learn, sklearn.datasets.load_digits)),
    Table("progression", partial(of_scikit_learn, sklearn.datasets.load_diabetes), regression=True),
    Table("ionosphere", partial(with_categories, "ionosphere", "target")),
    Table("titanic", partial(with_categories, "titanic", "survived", drop=["alive"])),
    Table("phoneme", partial(with_categories, "phoneme", "target")),
    Table("mammography", partial(with_categories, "mammography", "target")),
    Table("telco_churn", partial(with_categories, "telco_churn", "Churn", drop=["customerID"])),
    Table("bank_marketing", partial(with_categories, "bank_marketing", "y")),
    Table("abalone", partial(with_categories, "abalone", "target"), regression=True),
    Table("wine_quality", partial(with_categories, "wine_quality", "target"), regression=True),
    Table("diamonds", partial(with_categories, "diamonds", "price"), regression=True),
)
QUICK = ("german", "housing")


def coordboost(regression, seed):
    """Our randomised trees."""
    kind = cb.RandomizedGBMRegressor if regression else cb.RandomizedGBMClassifier
    return kind(random_state=seed, n_jobs=1)


def lightgbm(regression, seed):
    """LightGBM."""
    import lightgbm as lgb

    kind = lgb.LGBMRegressor if regression else lgb.LGBMClassifier
    return kind(random_state=seed, n_jobs=1, verbose=-1)


def xgboost(regression, seed):
    """XGBoost, with its support of categories."""
    import xgboost as xgb

    kind = xgb.XGBRegressor if regression else xgb.XGBClassifier
    return kind(random_state=seed, n_jobs=1, enable_categorical=True)


def hist_gradient_boosting(regression, seed):
    """The histogram trees of scikit-learn, with its support of categories."""
    from sklearn import ensemble

    kind = (
        ensemble.HistGradientBoostingRegressor
        if regression
        else ensemble.HistGradientBoostingClassifier
    )
    return kind(random_state=seed, categorical_features="from_dtype")


def catboost(regression, seed):
    """CatBoost: 1,000 trees by default."""
    import catboost as cat

    kind = cat.CatBoostRegressor if regression else cat.CatBoostClassifier
    return kind(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False)


MODELS = {
    "coordboost": coordboost,
    "LightGBM": lightgbm,
    "HistGradientBoosting": hist_gradient_boosting,
    "XGBoost": xgboost,
    "CatBoost": catboost,
}


def as_taken(model, X):
    """Return the frame and the arguments of ``fit`` in the form that a package takes.

    CatBoost wants its categories as strings and their names; scikit-learn takes no column of many
    levels as categories, so it gets their codes.
    """
    categories = list(X.columns[X.dtypes == "category"])
    X = X.copy()
    if model == "CatBoost":
        for column in categories:
            X[column] = X[column].astype(object).where(X[column].notna(), "missing").astype(str)
        return X, {"cat_features": categories}
    if model == "HistGradientBoosting":
        for column in categories:
            if len(X[column].cat.categories) > MOST_LEVELS:
                X[column] = OrdinalEncoder().fit_transform(X[[column]])[:, 0]
    return X, {}


def fitted(estimator, X, y, options):
    """Fit, and return the model."""
    return estimator.fit(X, y, **options)


def held_out(predictor, X, y, regression):
    """Return the loss of a fitted model on test rows."""
    if regression:
        return root_mean_squared_error(y, predictor.predict(X))
    return log_loss(y, predictor.predict_proba(X), labels=predictor.classes_)


def target(y, regression):
    """Return a target as numbers: of a classifier, the places of the sorted labels."""
    return np.asarray(y, dtype=float) if regression else np.unique(y, return_inverse=True)[1]


def splits(X, y, regression, n_splits):
    """Yield the rows of the training and the test part of each split."""
    for seed in range(n_splits):
        training, test = train_test_split(
            np.arange(len(y)),
            test_size=TEST_SHARE,
            random_state=seed,
            stratify=None if regression else y,
        )
        yield training[:N_TRAINING], test[:N_TEST]


def results(table, n_splits, limit=np.inf):
    """Return the losses and CPU seconds of all packages, one of each per split, and the notes of
    those that failed, or took more than `limit` seconds for a fit.
    """
    X, labels = table.read()
    y = target(labels, table.regression)
    losses = {model: [] for model in MODELS}
    seconds = {model: [] for model in MODELS}
    notes = {}
    for seed, (training, test) in enumerate(splits(X, y, table.regression, n_splits)):
        for model, make in MODELS.items():
            if model in notes:
                continue
            frame, options = as_taken(model, X)
            trained, tested = frame.iloc[training], frame.iloc[test]
            try:
                estimator = make(table.regression, seed)
                work = partial(fitted, estimator, trained, y[training], options)
                if seed == 0 and model == "coordboost":
                    work()  # compiles
                timing = once(work)
                loss = held_out(timing.result, tested, y[test], table.regression)
            except Exception as error:  # a package that fails must not end the benchmark
                notes[model] = reason(error)
                continue
            losses[model].append(float(loss))
            seconds[model].append(timing.cpu)
            if timing.cpu > limit:
                notes[model] = f"a fit takes {timing.cpu:.0f} seconds"
    return losses, seconds, notes


def over_peer(losses, peer):
    """Return the ratio of the mean losses of two packages, and its standard error, by the
    differences within the splits.
    """
    differences = np.subtract(losses, peer)
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    return {
        "of_lightgbm": float(np.mean(losses) / np.mean(peer)),
        "error": float(error / np.mean(peer)),
    }


def judged(table, n_splits=N_SPLITS, limit=np.inf):
    """Return the table of one set: the mean loss of each package, its ratio to that of LightGBM
    with a standard error, and the CPU seconds of a fit.
    """
    losses, seconds, notes = results(table, n_splits, limit)
    rows = []
    for model in MODELS:
        row = {"name": model, "note": notes.get(model, "")}
        if len(losses[model]) == n_splits:
            row |= {"loss": float(np.mean(losses[model])), "cpu": float(np.median(seconds[model]))}
            if len(losses["LightGBM"]) == n_splits:
                row |= over_peer(losses[model], losses["LightGBM"])
        rows.append(row)
    return {
        "name": table.name,
        "unit": "fit",
        "measure": "RMSE" if table.regression else "log-loss",
        "n_splits": n_splits,
        "rows": rows,
    }


def available(sets, judged, only, limit):
    """Yield what `judged` returns of each set that is requested and available.

    judged : function of a set, with `limit`, the seconds that a fit may take
    """
    for table in sets:
        if wanted(table.name, only):
            try:
                yield judged(table, limit=limit or np.inf)
            except Absent:
                continue


def tables(quick=False, only=(), limit=None):
    """Yield the table of each set that is available."""
    warnings.simplefilter("ignore")  # LightGBM warns of its feature names
    for package in PACKAGES:  # their loading does not count
        with contextlib.suppress(ImportError):
            importlib.import_module(package)
    sets = [table for table in SETS if table.name in QUICK or not quick]
    yield from available(sets, judged, only, limit)


def cell(row):
    """Return the cell of a package on one set."""
    return f"{row['of_lightgbm']:.3f} ± {row['error']:.3f}" if "of_lightgbm" in row else "none"


def geometric_means(tables):
    """Return, for each package, the geometric mean of its loss over the best one, over the sets
    where all packages have a loss.
    """
    relative = []
    for table in tables:
        losses = np.array([row.get("loss", np.nan) for row in table["rows"]])
        if np.isfinite(losses).all():
            relative.append(np.log(losses / losses.min()))
    return np.exp(np.mean(relative, axis=0)) if relative else np.full(len(MODELS), np.nan)


def section(tables):
    """Return the section of the page: a line for each set, and the geometric means."""
    names = list(MODELS)
    lines = [
        f"| set | loss of LightGBM | {' | '.join(names)} | CPU of ours / LightGBM; / CatBoost |",
        "|---" * (len(names) + 3) + "|",
    ]
    for table in tables:
        rows = {row["name"]: row for row in table["rows"]}
        cells = " | ".join(cell(rows[name]) for name in names)
        loss = rows["LightGBM"].get("loss", np.nan)
        ours, peer, slow = (
            rows[name].get("cpu", np.nan) for name in ("coordboost", "LightGBM", "CatBoost")
        )
        times = f"{ours / peer:.2f}" + (f"; {ours / slow:.3f}" if np.isfinite(slow) else "")
        lines.append(f"| {table['name']} | {loss:.4f} | {cells} | {times} |")
    means = " | ".join(f"{mean:.3f}" for mean in geometric_means(tables))
    lines.append(f"| over the best, geometric mean of complete rows | | {means} | |")
    return "\n".join(lines)
