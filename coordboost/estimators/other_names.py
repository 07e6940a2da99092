"""Error messages for unknown arguments.

They name the class, and the equivalent here of a name from another package.

``OTHER_NAMES`` maps names of LightGBM, XGBoost, CatBoost and scikit-learn to a list of answers. The
message gives the first that applies:

* a name, or names joined by +: if all are parameters of the estimator or of its ``fit``, or methods
  of it;
* a pair (name, sentence): the sentence, if the estimator has that name;
* a sentence: always.
"""

import inspect
from difflib import get_close_matches
from functools import lru_cache

# parameters that mark estimators with trees, and those with a grid of penalties
TREES, GRID = ("max_bins", "alphas")
#: Names of places on a path, which methods of a fitted estimator do not take; s is glmnet's.
PLACES = ("alpha", "lam", "l1", "fraction", "step", "s")
NO_TREES = "the model has no trees; RandomizedGBMRegressor and RandomizedGBMClassifier have trees"
NO_CATEGORIES = "columns must be numbers; read_table converts text of a data frame"
BY_FOLDS = (
    "no rows are held out; estimators with CV at the end of their names choose by cross-validation"
)
TO_THE_GAP = "the solver depends on the size of the table, and stops at the gap tol"
QUANTILE = (TREES, "loss=Quantile(q) does that here")
SILENT = (
    (TREES, "verbose prints the losses; a fit sets train_score_ and evals_result_"),
    "a fit prints nothing",
)
L1 = (
    "alpha",
    "alphas",
    (TREES, "leaf values have only a ridge penalty, l2_regularization"),
    "the number of steps limits the l1 norm",
)

_ROWS = (
    ("num_leaves max_leaves max_leaf_nodes", "nodes", "max_leaf_nodes", NO_TREES),
    (
        "eta shrinkage_rate learning_rate step_size",
        "learning_rate",
        "eps",
        "the fit converges to the optimum, without a rate",
    ),
    (
        "n_iter max_iter num_iterations num_boost_round iterations num_round num_rounds "
        "n_estimators num_trees n_rounds nrounds",
        "n_estimators",
        "n_steps",
        TO_THE_GAP,
    ),
    (
        "min_child_samples min_data_in_leaf min_child_weight min_sum_hessian_in_leaf "
        "min_samples_leaf min_samples_split "
        "min_weight_fraction_leaf",
        "min_samples_leaf",
        NO_TREES,
    ),
    ("min_split_gain min_gain_to_split min_split_loss min_impurity_decrease", "min_gain", NO_TREES),
    (
        "reg_lambda lambda_l2 l2_leaf_reg l2_regularization l1_ratio l1_ratios",
        "l2_regularization",
        "l1_ratio",
        "CertifiedElasticNet and CertifiedElasticNetCV have both penalties, ridge and Lasso",
    ),
    ("reg_alpha lambda_l1 penalty", *L1),
    (
        "subsample bagging_fraction bagging_freq subsample_freq subsample_for_bin sampling_method "
        "bootstrap_type bagging_temperature",
        "subsample",
        (
            TREES,
            "trees grow on all rows; RandomizedGBMRegressor and RandomizedGBMClassifier have "
            "subsample",
        ),
        "all rows are used",
    ),
    (
        "colsample_bytree colsample_bynode colsample_bylevel feature_fraction "
        "feature_fraction_bynode rsm max_features",
        "max_features",
        "all columns are candidates",
    ),
    ("max_bin max_bins border_count", "max_bins", "columns are not binned"),
    (
        "cat_features categorical_feature enable_categorical categorical_features "
        "max_cat_to_onehot",
        "categorical_features",
        NO_CATEGORIES,
    ),
    ("max_cat_threshold", "max_split_categories", "categorical_features", NO_CATEGORIES),
    ("min_data_per_group", "min_samples_category", "categorical_features", NO_CATEGORIES),
    ("cat_smooth cat_l2", "category_smoothing", "categorical_features", NO_CATEGORIES),
    (
        "monotone_constraints monotonic_cst positive",
        "monotonic_cst",
        (
            TREES,
            "leaf values are means here, without bounds; RandomizedGBMRegressor and "
            "RandomizedGBMClassifier have monotonic_cst",
        ),
        "positive",
        "coefficients may have any sign",
    ),
    (
        "early_stopping_rounds early_stopping_round od_wait od_type n_iter_no_change "
        "use_best_model",
        "n_iter_no_change+early_stopping",
        BY_FOLDS,
    ),
    ("early_stopping", "early_stopping", BY_FOLDS),
    ("validation_split eval_fraction validation_fraction", "validation_fraction", BY_FOLDS),
    ("eval_set valid_sets evals validation_data", "eval_set", BY_FOLDS),
    ("eval_X eval_y X_val y_val", "X_val+y_val", BY_FOLDS),
    ("eval_names", "eval_names", BY_FOLDS),
    ("eval_sample_weight sample_weight_eval_set sample_weight_val", "sample_weight_val", BY_FOLDS),
    ("eval_init_score base_margin_eval_set", "offset_val", BY_FOLDS),
    ("eval_class_weight eval_group", BY_FOLDS),
    (
        "eval_metric scoring custom_metric metric",
        ("loss", "the mean loss is the score; `loss` chooses it"),
        "the mean loss is the score",
    ),
    ("nfolds foldid", "cv", BY_FOLDS),
    ("type_measure", "scoring", "the mean loss is the score"),
    ("nlambda", "n_alphas", BY_FOLDS),
    ("lambda_min_ratio", (GRID, "eps does that here"), BY_FOLDS),
    ("s lambda_", "alpha", "alphas", *L1),
    ("relax", (GRID, "gamma=[0, 0.25, 0.5, 0.75, 1] does that here"), BY_FOLDS),
    ("thresh", "tol", TO_THE_GAP),
    ("exclude", "penalty_factor", "all columns are candidates"),
    ("intercept", "fit_intercept", (TREES, "there is always an intercept")),
    (
        "family",
        "loss",
        "the estimator is for one family: CertifiedLasso for gaussian, CertifiedLassoClassifier "
        "for binomial and multinomial, CertifiedPoissonRegressor for poisson",
    ),
    ("type_multinomial", "multinomial"),
    ("seed random_seed random_state", "random_state", "nothing is drawn at random"),
    ("objective loss_function criterion loss", "loss", "the loss is fixed"),
    (
        "quantile",
        QUANTILE,
        "the loss must be smooth; RandomizedGBMRegressor takes loss=Quantile(q)",
    ),
    (
        "n_jobs nthread thread_count num_threads",
        "n_jobs",
        "one model uses one thread; estimators with CV at the end of their names have n_jobs",
    ),
    ("verbose verbosity silent verbose_eval logging_level", "verbose", *SILENT),
    (
        "class_weight scale_pos_weight is_unbalance auto_class_weights class_weights",
        "class_weight",
        "sample_weight",
    ),
    ("weight weights sample_weights", "sample_weight"),
    (
        "interaction_cst interaction_constraints",
        "interaction_cst",
        (
            TREES,
            "all features may interact; RandomizedGBMRegressor and its classifier have "
            "interaction_cst",
        ),
        NO_TREES,
    ),
    (
        "importance_type",
        (TREES, "feature_importances_ has the gains, plots.ImportanceDisplay the other kinds"),
        NO_TREES,
    ),
    ("device device_type task_type gpu_id", "a fit runs on the CPU"),
    (
        "boosting_type boosting booster tree_method grow_policy num_parallel_tree multi_strategy "
        "feature_types ccp_alpha feature_weights",
        (TREES, "there is one way to grow trees, from histograms, and one way to boost them"),
        NO_TREES,
    ),
    (
        "max_delta_step",
        "max_delta_step",
        (TREES, "RandomizedGBMRegressor and its classifier have max_delta_step"),
        NO_TREES,
    ),
    ("depth max_depth", "max_depth", "nodes", NO_TREES),
    ("init_score base_margin offset baseline newoffset exposure", "offset"),
    ("base_score init coef_init intercept_init", "the model starts at the best constant"),
    ("init_model xgb_model warm_start", "warm_start", "every fit starts from scratch"),
    (
        "callbacks monitor",
        (
            TREES,
            "early_stopping and n_iter_no_change end a fit, verbose prints the losses; "
            "set_callbacks takes callbacks of scikit-learn",
        ),
        *SILENT,
    ),
    ("missing", (TREES, "NaN means missing"), "missing values must be imputed first"),
    ("feature_name feature_names", "the names are those of the columns of a data frame"),
    (
        "diffusion_temperature langevin",
        "beta",
        "LangevinGBMRegressor and LangevinGBMClassifier have noise",
    ),
    (
        "model_shrink_rate",
        "gamma",
        "LangevinGBMRegressor and LangevinGBMClassifier shrink the model",
    ),
    ("gamma", "min_gain", NO_TREES),
    (
        "fit_intercept intercept_scaling",
        (TREES, "there is always an intercept"),
        "the intercept is not penalised",
    ),
    ("normalize standardize", "standardize", "the scale of columns does not matter"),
    ("precompute selection solver dual", TO_THE_GAP),
    ("copy_X", "X is never changed"),
    ("check_input validate_parameters", "input is always checked"),
    (
        "multi_class num_class classes_count",
        "multinomial",
        "three classes or more are one-vs-rest; RandomizedGBMClassifier and "
        "CertifiedLassoClassifier have one model for all",
    ),
    (
        "C Cs",
        ("alpha", "alpha = 1 / (C n_samples) does that here"),
        (GRID, "alphas, each 1 / (C n_samples), do that here"),
        *L1,
    ),
    ("alpha", "alphas", QUANTILE, *L1),
    (
        "alphas n_alphas",
        "alphas",
        ("alpha", "estimators with CV at the end of their names try many penalties"),
        BY_FOLDS,
    ),
    ("eps", "n_steps", (TREES, "n_estimators is the length of the run"), BY_FOLDS),
    (
        "cv rule refit use_legacy_attributes",
        "estimators with CV at the end of their names choose by cross-validation",
    ),
    ("tol", "tol", "all steps are made, without a tolerance"),
    (
        "num_iteration ntree_limit iteration_range ntree_end start_iteration",
        "staged_predict",
        "there is one model",
    ),
    (
        "raw_score output_margin prediction_type",
        "decision_function",
        "predictions are on the scale of y",
    ),
    (
        "pred_leaf pred_contrib pred_leaves pred_contribs",
        "lightgbm_text",
        "coef_ has the effect of each column",
    ),
)
OTHER_NAMES: dict[str, tuple] = {
    name: answers  # type: ignore[misc]
    for names, *answers in _ROWS
    for name in names.split()
}


#: The signature of a function, read once.
signature_of = lru_cache(maxsize=256)(inspect.signature)


@lru_cache(maxsize=256)
def _optional(function):
    """The names of the parameters of a method; None where some of them have no default."""
    parameters = [*signature_of(function).parameters.values()][1:]
    required = any(parameter.default is parameter.empty for parameter in parameters)
    return None if required else frozenset(parameter.name for parameter in parameters)


def own_names(function):
    """Return the names of the parameters of a function or method."""
    return [name for name in signature_of(function).parameters if name != "self"]


def what_does_it_here(cls, name, known):
    """Return in words the equivalent of `name` in the class `cls`.

    `known` are the parameters of what was called.
    """
    parameters = own_names(cls.__init__)
    if name in parameters:
        return f"it is a parameter of the estimator, {cls.__name__}({name}=...)"
    of_fit = own_names(cls.fit)
    if name in PLACES and known not in (parameters, of_fit) and hasattr(cls, "path_"):
        place = "alpha" if name == "s" else name
        return f"the model is at one place; path_.predict(X, {place}=...) predicts at others"
    methods = [method for method in dir(cls) if callable(getattr(cls, method, None))]
    there = {*parameters, *of_fit, *methods}
    for answer in OTHER_NAMES.get(name, ()):
        if isinstance(answer, tuple):
            if answer[0] in there:
                return answer[1]
        elif " " in answer:
            return answer
        elif there.issuperset(ours := answer.split("+")):
            home = (
                ""
                if ours[0] in known or ours[0] in methods
                else " of the estimator"
                if ours[0] in parameters
                else " of fit"
            )
            return f"{' and '.join(ours)}{home} {'do' if len(ours) > 1 else 'does'} that here"
    near = get_close_matches(name, known, 1)
    return f"perhaps {near[0]} is meant" if near else f"it has {', '.join(known)}"


def no_parameter(cls, where, names, known):
    """Return a sentence about the unknown `names`.

    `where` is what was called, `known` are its parameters.
    """
    return (
        f"{where} has no parameter "
        f"{'; '.join(f'{name!r}: {what_does_it_here(cls, name, known)}' for name in names)}."
    )


def check_arguments(cls, where, function, args, kwargs):
    """Raise a TypeError if `function`, a method of `cls`, does not take these arguments.

    Its message begins with `where`.
    """
    optional = _optional(function)
    if optional is not None and not args and kwargs.keys() <= optional:
        return
    signature = signature_of(function)
    try:
        signature.bind(None, *args, **kwargs)
    except TypeError as error:
        known = own_names(function)
        strange = [name for name in kwargs if name not in known]
        if strange:
            raise TypeError(no_parameter(cls, where, strange, known)) from None
        most = (
            sum(
                parameter.kind is parameter.POSITIONAL_OR_KEYWORD
                for parameter in signature.parameters.values()
            )
            - 1
        )
        if len(args) > most:
            how = f"at most {most} positional arguments" if most else "keyword arguments only"
            raise TypeError(
                f"{where} takes {how}, got {len(args)} positional: pass {', '.join(known)} as "
                "name=value."
            ) from None
        raise TypeError(f"{where}: {error}.") from None
