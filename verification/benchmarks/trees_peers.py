"""Tree boosting by other packages on given bins: each trains a number of trees and measures the
time of the trees alone.

Every function takes a `Job` and returns a run for a `Contestant`. One-time work of a package
(binning, its copies of the data, the first tree) is not counted.
"""

import time
from typing import NamedTuple
from unittest import mock

import numpy as np

from verification.benchmarks.harness import Timed


class Job(NamedTuple):
    """Data and settings of a training run.

    codes : float32 (n_samples, n_features), whole numbers 0, ..., 254
    y : (n_samples,), for the logistic loss 0 or 1
    """

    codes: np.ndarray
    y: np.ndarray
    logistic: bool
    depth: int
    n_trees: int
    threads: int = 1
    rate: float = 0.1
    least: int = 20


def clocked(work):
    """Call a function and return its `Timed`."""
    cpu = time.process_time()
    wall = time.perf_counter()
    result = work()
    return Timed(result, time.process_time() - cpu, time.perf_counter() - wall)


class Marks:
    """Readings of both clocks, one in every tree: the time from the first to the last is that of
    the trees alone.
    """

    def __init__(self):
        self.readings = []

    def after_iteration(self, info=None):
        """Read the clocks, as a callback of CatBoost."""
        self.readings.append((time.process_time(), time.perf_counter()))
        return True

    def timed(self, result):
        """Return the `Timed` of the trees between the first and the last reading."""
        (cpu, wall), (last_cpu, last_wall) = self.readings[0], self.readings[-1]
        return Timed(result, last_cpu - cpu, last_wall - wall)


def lightgbm(job):
    """LightGBM, with column-wise histograms."""
    import lightgbm as lgb

    params = {
        "objective": "binary" if job.logistic else "regression",
        "learning_rate": job.rate,
        "num_leaves": 2**job.depth,
        "max_depth": job.depth,
        "min_data_in_leaf": job.least,
        "min_sum_hessian_in_leaf": 0.0,
        "min_data_in_bin": 1,
        "max_bin": 255,
        "num_threads": job.threads,
        "force_col_wise": True,
        "verbose": -1,
    }
    data = lgb.Dataset(job.codes, job.y, params=params).construct()

    def run():
        booster = lgb.Booster(params, data)
        booster.update()
        done = clocked(lambda: [booster.update() for _ in range(job.n_trees)] and booster)
        return done._replace(result=booster.predict(job.codes, raw_score=True))

    return run


def xgboost(job):
    """XGBoost with histograms."""
    import xgboost as xgb

    params = {
        "objective": "binary:logistic" if job.logistic else "reg:squarederror",
        "eta": job.rate,
        "max_depth": job.depth,
        "min_child_weight": 0 if job.logistic else job.least,
        "lambda": 0,
        "tree_method": "hist",
        "max_bin": 256,
        "nthread": job.threads,
    }
    data = xgb.QuantileDMatrix(job.codes, job.y, max_bin=256, nthread=job.threads)

    def run():
        booster = xgb.Booster(params, [data])
        booster.update(data, 0)
        done = clocked(lambda: [booster.update(data, k + 1) for k in range(job.n_trees)])
        return done._replace(result=booster.predict(data, output_margin=True).astype(float))

    return run


def catboost(job, **options):
    """CatBoost: symmetric trees, no sampling, by default no noise; `options` are passed on."""
    import catboost as cb

    pool = cb.Pool(job.codes, job.y)
    pool.quantize(border_count=254)

    def run():
        kind = cb.CatBoostClassifier if job.logistic else cb.CatBoostRegressor
        marks = Marks()
        model = kind(
            iterations=job.n_trees + 1,
            depth=job.depth,
            learning_rate=job.rate,
            thread_count=job.threads,
            bootstrap_type="No",
            random_strength=0,
            leaf_estimation_iterations=1,
            boosting_type="Plain",
            l2_leaf_reg=0,
            allow_writing_files=False,
            logging_level="Silent",
            **options,
        )
        model.fit(pool, callbacks=[marks])
        return marks.timed(model.predict(pool, prediction_type="RawFormulaVal"))

    return run


def hessboost(job, **options):
    """Hessboost with histograms, squared loss only; `options` are passed on."""
    import hessboost as package

    params = {
        "eta": job.rate,
        "max_depth": job.depth,
        "min_child_weight": job.least,
        "lambda": 0.0,
        "max_bin": 256,
        "tree_method": "hist",
        "nthread": job.threads,
        "seed": 0,
        **options,
    }
    data = package.DMatrix(job.codes, label=job.y)

    def run():
        marks = Marks()

        class Noted(package.TrainingCallback):
            def after_iteration(self, iteration, log):
                marks.after_iteration()
                return False  # here True would end the training

        booster = package.train(params, data, job.n_trees + 1, callbacks=[Noted()])
        return marks.timed(booster.predict(job.codes).astype(float))

    return run


def hgb(job):
    """scikit-learn's histogram gradient boosting; the bins of the first fit are reused."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.ensemble._hist_gradient_boosting import gradient_boosting

    kept = []

    class Binned(HistGradientBoostingClassifier if job.logistic else HistGradientBoostingRegressor):
        def _bin_data(self, X, sample_weight, is_training_data):
            if not kept:
                kept.extend(
                    [super()._bin_data(X, sample_weight, is_training_data), self._bin_mapper]
                )
            self._bin_mapper = kept[1]
            return kept[0]

    def run():
        marks = Marks()

        def noted(*args, grower=gradient_boosting.TreeGrower, **kwargs):
            marks.after_iteration()
            return grower(*args, **kwargs)

        model = Binned(
            max_iter=job.n_trees + 1,
            learning_rate=job.rate,
            max_leaf_nodes=2**job.depth,
            max_depth=job.depth,
            min_samples_leaf=job.least,
            early_stopping=False,
        )
        with mock.patch.object(gradient_boosting, "TreeGrower", noted):
            model.fit(job.codes, job.y)
        raw = model.decision_function if job.logistic else model.predict
        return marks.timed(raw(job.codes))

    return run


PEERS = {
    "LightGBM": lightgbm,
    "XGBoost hist": xgboost,
    "CatBoost": catboost,
    "scikit-learn HGB": hgb,
}
