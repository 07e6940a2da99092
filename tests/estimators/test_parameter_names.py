"""Unknown parameter names: the error names the class in the script, and our parameter for the name
of another package.
"""

import copy
import inspect
import pickle
import re

import numpy as np
import pytest
from all_estimators import ESTIMATORS, X, of_trees, quick, target
from sklearn import ensemble, linear_model
from sklearn.base import clone, is_classifier

import coordboost as cb

#: Parameters of LGBMRegressor, XGBRegressor and CatBoostRegressor, of their fit methods, and common
#: aliases.
OTHERS = re.findall(
    r"\w+",
    """
boosting_type num_leaves max_depth learning_rate n_estimators subsample_for_bin objective
class_weight min_split_gain min_child_weight min_child_samples subsample subsample_freq
colsample_bytree reg_alpha reg_lambda random_state n_jobs importance_type verbose seed
feature_fraction bagging_fraction bagging_freq lambda_l1 lambda_l2 min_data_in_leaf num_boost_round
early_stopping_rounds max_bin min_sum_hessian_in_leaf min_gain_to_split categorical_feature
monotone_constraints num_threads metric device is_unbalance scale_pos_weight max_leaves grow_policy
booster tree_method gamma max_delta_step sampling_method colsample_bylevel colsample_bynode
base_score missing num_parallel_tree interaction_constraints verbosity validate_parameters
enable_categorical feature_types max_cat_to_onehot multi_strategy eval_metric callbacks eta
iterations depth l2_leaf_reg rsm border_count od_wait loss_function cat_features task_type
thread_count random_seed use_best_model bagging_temperature logging_level
""",
)
FITS = re.findall(
    r"\w+",
    """
eval_set eval_names eval_sample_weight eval_class_weight eval_init_score eval_metric feature_name
categorical_feature callbacks init_model init_score early_stopping_rounds verbose
sample_weight_eval_set base_margin xgb_model eval_X eval_y cat_features
""",
)
PREDICTS = re.findall(
    r"\w+",
    "raw_score num_iteration pred_leaf pred_contrib output_margin ntree_limit iteration_range "
    "start_iteration",
)
THEIRS = [
    getattr(room, name)
    for room in (ensemble, linear_model)
    for name in (
        "GradientBoostingRegressor",
        "GradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "HistGradientBoostingClassifier",
        "Lasso",
        "LassoCV",
        "ElasticNet",
        "ElasticNetCV",
        "LogisticRegression",
        "LogisticRegressionCV",
        "PoissonRegressor",
    )
    if hasattr(room, name)
]


def said(call, kind=TypeError):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def names(function):
    known = inspect.signature(function).parameters.values()
    return {one.name for one in known if one.name != "self" and one.kind is not one.VAR_KEYWORD}


def holds(cls, where, name, sentence):
    """Whether a sentence names class and parameter, and the replacement that it gives exists."""
    assert (
        sentence.startswith(f"{where} has no parameter {name!r}: ")
        and ": it has " not in sentence
        and "perhaps" not in sentence
    ), sentence
    for ours, home in re.findall(
        r"((?:\w+ and )?\w+)( of fit| of the estimator)? do(?:es)? that here", sentence
    ):
        have = (
            names(cls)
            | names(cls.fit)
            | {attribute for attribute in dir(cls) if callable(getattr(cls, attribute, None))}
        )
        assert home != " of fit" or names(cls.fit).issuperset(ours.split(" and "))
        assert have.issuperset(ours.split(" and ")) or re.search(
            "loss=Quantile|alphas?[ ,]", sentence
        ), sentence
    return True


def test_the_error_names_the_class_and_our_parameter():
    made = said(lambda: cb.RandomizedGBMRegressor(num_leaves=31, reg_lambda=1.0))
    assert made == (
        "RandomizedGBMRegressor has no parameter 'num_leaves': max_leaf_nodes does that here; "
        "'reg_lambda': l2_regularization does that here."
    )
    given = said(lambda: cb.RandomizedGBMClassifier().fit(X, [0, 1], eval_X=X))
    assert (
        given
        == "RandomizedGBMClassifier.fit has no parameter 'eval_X': X_val and y_val do that here."
    )
    model = cb.CertifiedLasso()
    assert said(lambda: model.set_params(alphas=[1.0]), ValueError).startswith(
        "CertifiedLasso has no parameter 'alphas': estimators with CV"
    )
    assert "alpha = 1 / (C n_samples) does that here" in said(
        lambda: cb.CertifiedLassoClassifier(C=1.0)
    )
    assert "n_jobs does that here" in said(lambda: cb.AcceleratedGBMRegressor(nthread=-1))
    assert said(lambda: cb.RandomizedGBMRegressor(leaning_rate=0.1)).endswith(
        "perhaps learning_rate is meant."
    )
    assert "CertifiedLasso takes keyword arguments only, got 1 positional" in said(
        lambda: cb.CertifiedLasso(1.0)
    )
    assert said(lambda: model.fit(X)) == "CertifiedLasso.fit: missing a required argument: 'y'."
    at_most = "CertifiedLasso.fit takes at most 3 positional arguments, got 4"
    assert at_most in said(lambda: model.fit(X, X, X, X))


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_every_parameter_of_other_packages_has_an_answer(cls):
    theirs = {name for their in THEIRS for name in names(their)} | set(OTHERS)
    for name in theirs - names(cls):
        assert holds(cls, cls.__name__, name, said(lambda name=name: cls(**{name: 1})))
        assert holds(
            cls,
            cls.__name__,
            name,
            said(lambda name=name: cls().set_params(**{name: 1}), ValueError),
        )
    for name in (set(FITS) | {one for their in THEIRS for one in names(their.fit)}) - names(
        cls.fit
    ):
        assert holds(
            cls,
            f"{cls.__name__}.fit",
            name,
            said(lambda name=name: cls().fit(X, X[:, 0], **{name: 1})),
        )
    for name in PREDICTS:
        assert holds(
            cls,
            f"{cls.__name__}.predict",
            name,
            said(lambda name=name: cls().predict(X, **{name: 1})),
        )
    for method in (
        "predict_proba",
        "decision_function",
        "staged_predict",
        "staged_predict_proba",
        "predict_interval",
        "predict_uncertainty",
    ):
        if hasattr(cls, method):
            assert said(lambda method=method: getattr(cls(), method)(X, nothing=1)).startswith(
                f"{cls.__name__}.{method} has no parameter"
            )


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_signatures_show_the_parameters(cls):
    assert names(cls) == names(cls.__init__) == set(cls().get_params()) and not {
        "args",
        "given",
        "X_val",
    } & names(cls)
    assert (
        list(names(cls.fit))
        and "given" not in names(cls.fit)
        and list(inspect.signature(cls.predict).parameters)[:2] == ["self", "X"]
    )
    model = quick(cls)
    for copied in (clone(model), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(copied) is cls and copied.get_params() == model.get_params()
    assert cls.fit.__doc__ and cls.__init__.__qualname__.endswith("__init__")


@pytest.mark.parametrize(
    "cls",
    [
        estimator
        for estimator in ESTIMATORS
        if estimator.__name__ in ("CertifiedLassoCV", "RandomizedGBMClassifier")
    ],
)
def test_a_refused_call_changes_nothing(cls):
    model = quick(cls).fit(X, target(cls))
    before = model.predict(X)
    said(lambda: model.fit(X[:40], target(cls)[:40], init_model=1))
    said(lambda: model.set_params(tol=1.0, num_leaves=3), ValueError)
    assert (
        model.tol != 1.0
        and np.array_equal(model.predict(X), before)
        and is_classifier(model) == (before.dtype.kind == "U")
    )
    assert of_trees(cls) or model.set_params(tol=1e-3).tol == 1e-3


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cb.CertifiedLassoCV(nfolds=5), "'nfolds': cv does that here"),
        (lambda: cb.CertifiedLassoCV(nlambda=5), "'nlambda': n_alphas does that here"),
        (lambda: cb.CertifiedLassoCV(lambda_min_ratio=0.1), "eps does that here"),
        (lambda: cb.CertifiedLassoCV(relax=True), "gamma=[0, 0.25, 0.5, 0.75, 1] does that here"),
        (lambda: cb.CertifiedLasso(exclude=[1]), "penalty_factor does that here"),
        (lambda: cb.CertifiedPoissonRegressorCV(type_measure="mae"), "scoring does that here"),
        (
            lambda: cb.CertifiedElasticNet(family="binomial"),
            "CertifiedLassoClassifier for binomial",
        ),
        (lambda: cb.CertifiedLassoCV().predict(X, alpha=0.1), "path_.predict(X, alpha=...)"),
        (lambda: cb.CertifiedLassoCV().predict(X, s=0.1), "path_.predict(X, alpha=...)"),
        (lambda: cb.lasso_path(X, standardize=True), "perhaps unit_columns is meant"),
        (lambda: cb.lasso_path(X, nlambda=5), "perhaps n_alphas is meant"),
        (lambda: cb.exact_path(X, intercept=False), "perhaps fit_intercept is meant"),
        (lambda: cb.cross_validate(cb.lasso_path, X, nfolds=5), "perhaps folds is meant"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_names_of_glmnet(call, sentence):
    assert sentence in said(call)


def test_places_by_position_and_by_names_of_other_packages():
    path = cb.exact_path(X, X[:, 0] - X[:, 1])
    refused = said(lambda: path.coef_at(0.1), ValueError)
    assert "at must be a PathPoint such as PathPoint(alpha=0.1)" in refused
    assert "perhaps alpha is meant" in said(lambda: path.coef_at(s=0.3))
    assert "perhaps fraction is meant" in said(lambda: path.predict(X, mode="fraction"))
    place = cb.lasso.PathPoint(fraction=0.5)
    np.testing.assert_array_equal(path.coef_at(place), path.coef_at(fraction=0.5))
    assert path.intercept_at(place) == path.intercept_at(fraction=0.5)
    both = path.predict(X, fraction=[0.5, 1.0])
    np.testing.assert_array_equal(both[:, 0], path.predict(X, place))
    np.testing.assert_array_equal(both[:, 1], path.predict(X))
    said(lambda: path.predict(X, fraction=[]), ValueError)
