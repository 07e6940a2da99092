"""What is said where an estimator is given a name that it does not have: the class as it was written, and what does the job here.

``ELSEWHERE`` has names of LightGBM, XGBoost, CatBoost and scikit-learn. Each comes with answers, of which the first holds that can: names
joined by + are an answer where the estimator, or its fit, has them; a pair is a name and what is said where the estimator has it; a
sentence is one always. A fit is made as a whole, or not at all.
"""

import inspect
from difflib import get_close_matches
from functools import wraps

from coordboost._checks import InfiniteConstant
from coordboost._numba import silently
from coordboost.interrupt import uncut

TREES, GRID = "max_bins", "alphas"
NO_TREES = "the model has no trees; RandomizedGBMRegressor and RandomizedGBMClassifier have"
BY_FOLDS = "nothing is held back; estimators with CV at the end of their names choose by folds"
TO_THE_GAP = "the size of the table says how it is solved, up to the gap tol"
HOW_LONG = ("n_estimators", "n_steps", TO_THE_GAP)
LEAVES = ("nodes", "max_leaf_nodes", NO_TREES)
LEAST = ("min_samples_leaf", NO_TREES)
GAIN = ("min_gain", NO_TREES)
RIDGE = ("l2_regularization", "CertifiedElasticNet and CertifiedElasticNetCV have a ridge penalty beside that of the Lasso")
L1 = ("alpha", "alphas", (TREES, "leaf values have a ridge penalty alone, l2_regularization"), "the steps limit the l1 norm")
ROWS = (
    "subsample",
    (TREES, "trees grow on all rows; LangevinGBMRegressor and LangevinGBMClassifier have subsample"),
    "all rows count",
)
COLUMNS = ("max_features", "all columns are looked at")
PATIENCE = ("n_iter_no_change+early_stopping", BY_FOLDS)
SCORE = (("loss", "the mean loss is the score; `loss` says which"), "the mean loss is the score")
THREADS = (
    "n_jobs",
    (TREES, "large tables take one thread for each core, 8 at most, or as OMP_NUM_THREADS says"),
    "one model takes one thread; estimators with CV at the end of their names have n_jobs",
)
SILENCE = ((TREES, "a fit says nothing; train_score_ and validation_score_ are there after it"), "a fit says nothing")
GROWN = ((TREES, "all trees grow in one way, from histograms, and are boosted in one way"), NO_TREES)
QUANTILE = (
    (TREES, "loss=Quantile(q) does that here"),
    "the loss must be smooth; RandomizedGBMRegressor takes loss=Quantile(q)",
)
BEST_CONSTANT = ("the model begins at the best constant",)
FREE_IN_SIGN = (
    (TREES, "leaf values are means here, without bounds; RandomizedGBMRegressor and RandomizedGBMClassifier have monotonic_cst"),
    "coefficients are free in sign",
)


def _all(answers, *names):
    return dict.fromkeys(names, answers)


ELSEWHERE: dict[str, tuple] = {
    **_all(LEAVES, "num_leaves", "max_leaves", "max_leaf_nodes"),
    **_all(("learning_rate", "eps", "the fit goes to the optimum, at no rate"), "eta", "shrinkage_rate", "learning_rate", "step_size"),
    **_all(HOW_LONG, "n_iter", "max_iter", "num_iterations", "num_boost_round", "iterations", "num_round", "num_rounds"),
    **_all(HOW_LONG, "n_estimators", "num_trees", "n_rounds", "nrounds"),
    **_all(LEAST, "min_child_samples", "min_data_in_leaf", "min_child_weight", "min_sum_hessian_in_leaf", "min_samples_leaf"),
    **_all(LEAST, "min_samples_split", "min_weight_fraction_leaf"),
    **_all(GAIN, "min_split_gain", "min_gain_to_split", "min_split_loss", "gamma", "min_impurity_decrease"),
    **_all(RIDGE, "reg_lambda", "lambda_l2", "l2_leaf_reg", "l2_regularization", "l1_ratio", "l1_ratios"),
    **_all(L1, "reg_alpha", "lambda_l1", "penalty"),
    **_all(ROWS, "subsample", "bagging_fraction", "bagging_freq", "subsample_freq", "subsample_for_bin", "sampling_method"),
    **_all(ROWS, "bootstrap_type", "bagging_temperature"),
    **_all(COLUMNS, "colsample_bytree", "colsample_bynode", "colsample_bylevel", "feature_fraction", "feature_fraction_bynode", "rsm"),
    **_all(COLUMNS, "max_features"),
    **_all(("max_bins", "columns are taken as they are"), "max_bin", "max_bins", "border_count"),
    **_all(
        ("categorical_features", "columns are numbers; scikit-learn's OneHotEncoder makes them of words"),
        "cat_features", "categorical_feature", "enable_categorical", "categorical_features", "max_cat_to_onehot", "max_cat_threshold",
    ),
    **_all(("monotonic_cst", *FREE_IN_SIGN), "monotone_constraints", "monotonic_cst", "positive"),
    **_all(PATIENCE, "early_stopping_rounds", "early_stopping_round", "od_wait", "od_type", "n_iter_no_change", "use_best_model"),
    **_all(("early_stopping", BY_FOLDS), "early_stopping"),
    **_all(("validation_fraction", BY_FOLDS), "validation_split", "eval_fraction", "validation_fraction"),
    **_all(("X_val+y_val", BY_FOLDS), "eval_set", "eval_X", "eval_y", "valid_sets", "evals", "validation_data", "X_val", "y_val"),
    **_all(("sample_weight_val", BY_FOLDS), "eval_sample_weight", "sample_weight_eval_set", "sample_weight_val"),
    **_all((BY_FOLDS,), "eval_class_weight", "eval_init_score", "base_margin_eval_set", "eval_group"),
    **_all(SCORE, "eval_metric", "scoring", "custom_metric", "eval_names", "metric"),
    **_all(("random_state", "nothing is drawn at random"), "seed", "random_seed", "random_state"),
    **_all(("loss", "the loss is fixed"), "objective", "loss_function", "criterion", "loss"),
    **_all(QUANTILE, "quantile"),
    **_all(THREADS, "n_jobs", "nthread", "thread_count", "num_threads"),
    **_all(SILENCE, "verbose", "verbosity", "silent", "verbose_eval", "logging_level"),
    **_all(("sample_weight",), "class_weight", "scale_pos_weight", "is_unbalance", "auto_class_weights", "class_weights"),
    **_all(("sample_weight",), "weight", "weights", "sample_weights"),
    **_all(GROWN, "boosting_type", "boosting", "booster", "tree_method", "grow_policy", "num_parallel_tree", "multi_strategy"),
    **_all(GROWN, "device", "device_type", "task_type", "gpu_id", "interaction_cst", "interaction_constraints", "feature_types"),
    **_all(GROWN, "max_delta_step", "ccp_alpha", "importance_type", "feature_weights"),
    **_all(("max_depth", "nodes", NO_TREES), "depth", "max_depth"),
    **_all(BEST_CONSTANT, "init_score", "base_margin", "base_score", "init", "coef_init", "intercept_init"),
    **_all(("warm_start", "every fit begins anew"), "init_model", "xgb_model", "warm_start"),
    **_all(("set_callbacks", *SILENCE), "callbacks", "monitor"),
    **_all(((TREES, "NaN is missing"), "values that are missing have to be filled first"), "missing"),
    **_all(("the columns of a data frame have names",), "feature_name", "feature_names"),
    **_all(("beta", "LangevinGBMRegressor and LangevinGBMClassifier have noise"), "diffusion_temperature", "langevin"),
    **_all(("gamma", "LangevinGBMRegressor and LangevinGBMClassifier shrink the model"), "model_shrink_rate"),
    **_all(("there is always an intercept, and it is not penalised",), "fit_intercept", "intercept_scaling"),
    **_all(("standardize", "nothing hangs on the scale of columns"), "normalize", "standardize"),
    **_all((TO_THE_GAP,), "precompute", "selection", "solver", "dual"),
    **_all(("X is never changed",), "copy_X"),
    **_all(("what is given is always checked",), "check_input", "validate_parameters"),
    **_all(("three classes or more are told apart one against the rest",), "multi_class", "num_class", "classes_count"),
    **_all((("alpha", "alpha = 1 / (C n_samples) does that here"), (GRID, "alphas, each 1 / (C n_samples), do that here"), *L1), "C", "Cs"),
    **_all(("alphas", QUANTILE[0], *L1), "alpha"),
    **_all(("alphas", ("alpha", "estimators with CV at the end of their names try many penalties"), BY_FOLDS), "alphas", "n_alphas"),
    **_all(("n_steps", (TREES, "n_estimators says how far the model goes"), BY_FOLDS), "eps"),
    **_all(("estimators with CV at the end of their names choose by folds",), "cv", "rule", "refit", "use_legacy_attributes"),
    **_all(("tol", "what is asked for is done to the end"), "tol"),
    **_all(("staged_predict", "there is one model"), "num_iteration", "ntree_limit", "iteration_range", "ntree_end", "start_iteration"),
    **_all(("decision_function", "predictions are on the scale of y"), "raw_score", "output_margin", "prediction_type"),
    **_all(("lightgbm_text", "coef_ says what each column adds"), "pred_leaf", "pred_contrib", "pred_leaves", "pred_contribs"),
}  # fmt: skip


def made_with(cls):
    """The names that an estimator is made with."""
    return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]


def answer(cls, name, known):
    """What does the job of `name` where something with the parameters `known` is called, in words."""
    names = made_with(cls)
    if name in names:
        return f"it is a parameter of the estimator, {cls.__name__}({name}=...)"
    methods = {one for one in dir(cls) if callable(getattr(cls, one, None))}
    have = {*names, *inspect.signature(cls.fit).parameters, *methods}
    for one in ELSEWHERE.get(name, ()):
        if isinstance(one, tuple):
            if one[0] in have:
                return one[1]
        elif " " in one:
            return one
        elif have.issuperset(ours := one.split("+")):
            home = "" if ours[0] in known or ours[0] in methods else " of the estimator" if ours[0] in names else " of fit"
            return f"{' and '.join(ours)}{home} {'do' if len(ours) > 1 else 'does'} that here"
    near = get_close_matches(name, known, 1)
    return f"perhaps {near[0]} is meant" if near else f"it has {', '.join(known)}"


def not_there(cls, where, names, known):
    """A sentence about names that are not there: `where` is what was called, `known` are its parameters."""
    return f"{where} has no parameter {'; '.join(f'{name!r}: {answer(cls, name, known)}' for name in names)}."


def refuse(cls, where, signature, args, given):
    """Raise a TypeError that names what was written where `args` and `given` do not go with a signature that begins with self."""
    try:
        signature.bind(None, *args, **given)
    except TypeError as error:
        known = [name for name in signature.parameters if name != "self"]
        strange = [name for name in given if name not in known]
        if strange:
            raise TypeError(not_there(cls, where, strange, known)) from None
        most = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in signature.parameters.values()) - 1
        if len(args) > most:
            how = f"at most {most} values without a name" if most else "its parameters by name"
            raise TypeError(
                f"{where} takes {how}, got {len(args)} without one: pass {', '.join(known)} as name=value."
            ) from None
        raise TypeError(f"{where}: {error}.") from None


def refuse_call(estimator, method, signature, args, given):
    """``refuse`` of a method, `signature`, that is called."""
    refuse(type(estimator), f"{type(estimator).__name__}.{method.__name__}", signature, args, given)


def called_by_name(method):
    """`method` of an estimator; where its arguments are wrong, the error names the class that the user wrote, and what does the job."""
    signature = inspect.signature(method)

    @wraps(method)
    def call(self, *args, **given):
        refuse_call(self, method, signature, args, given)
        return method(self, *args, **given)

    return call


class Named:
    """An estimator that says what does the job of a parameter which it does not have."""

    def __new__(cls, *args, **given):
        refuse(cls, cls.__name__, inspect.signature(cls.__init__), args, given)
        return super().__new__(cls)

    def set_params(self, **params):
        """Set parameters by name, as scikit-learn does."""
        known = made_with(type(self))
        strange = [name for name in params if name.partition("__")[0] not in known]
        if strange:
            raise ValueError(not_there(type(self), type(self).__name__, strange, known))
        return super().set_params(**params)


def all_or_nothing(fit):
    """`fit`; where it raises, the estimator is as it was before: no part of a new fit stands beside an older model.

    Ctrl-C raises, too: no run or path within is cut short. Arguments that it does not have are refused as ``names.refuse_call`` says,
    and what a sentence tells to do can be done where it is said.
    """
    signature = inspect.signature(fit)

    @wraps(fit)
    def attempt(self, *args, **given):
        refuse_call(self, fit, signature, args, given)
        before = dict(vars(self))
        try:
            with uncut(), silently():
                return fit(self, *args, **given)
        except BaseException as error:
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, InfiniteConstant):
                error.args = error.args[0], "add rows with other targets" + (", or take other folds (cv)" if hasattr(self, "cv") else "")
            raise

    return attempt
