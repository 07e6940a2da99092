"""Metadata routing: groups, weights and other arguments of splitters pass through pipelines and
searches, in every estimator with CV.
"""

import numpy as np
import pytest
import sklearn
from all_estimators import ESTIMATORS, X, by_folds, quick, target
from refusal import refused
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LassoCV
from sklearn.metrics import mean_poisson_deviance, r2_score
from sklearn.model_selection import (
    BaseCrossValidator,
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

import coordboost as cb

CHOOSING = [kind for kind in ESTIMATORS if by_folds(kind)]
GROUPS = np.arange(len(X)) // 5 % 7
WEIGHT = 1.0 + np.arange(len(X)) % 3
PLAIN = StandardScaler()
with sklearn.config_context(enable_metadata_routing=True):
    PLAIN.set_fit_request(sample_weight=False)
each = pytest.mark.parametrize("kind", CHOOSING, ids=lambda kind: kind.__name__)


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Asking(BaseCrossValidator):
    """A splitter that requests weights and an argument of its own."""

    __metadata_request__split = {"sample_weight": True, "when": True}  # noqa: RUF012

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None, sample_weight=None, when=None):
        self.seen = sample_weight, when
        yield from KFold(2, shuffle=True, random_state=0).split(X)


def folds_for(kind):
    return (StratifiedGroupKFold if is_classifier(kind()) else GroupKFold)(3)


@each
def test_groups_reach_the_splitter_through_a_pipeline(kind):
    """LassoCV routes groups by itself, too."""
    y = target(kind)
    model = make_pipeline(StandardScaler(), quick(kind, cv=folds_for(kind))).fit(
        X, y, groups=GROUPS
    )[-1]
    with sklearn.config_context(enable_metadata_routing=False):
        alone = quick(kind, cv=folds_for(kind)).fit(
            StandardScaler().fit_transform(X), y, groups=GROUPS
        )
    assert (model.coef_ == alone.coef_).all() and model.place_ == alone.place_
    assert (model.cross_validation_.losses == alone.cross_validation_.losses).all()


@each
def test_weights_reach_the_fit_and_splitters_that_ask_for_them(kind):
    y = target(kind)
    cv = Asking()
    model = quick(kind, cv=cv).set_fit_request(sample_weight=True)
    routed = make_pipeline(PLAIN, model).fit(X, y, sample_weight=WEIGHT, when=GROUPS)[-1]
    assert (cv.seen[0] == WEIGHT).all() and (cv.seen[1] == GROUPS).all()
    alone = quick(kind, cv=list(KFold(2, shuffle=True, random_state=0).split(X))).fit(
        StandardScaler().fit_transform(X), y, sample_weight=WEIGHT
    )
    assert (routed.coef_ == alone.coef_).all() and routed.place_ == alone.place_


@each
def test_in_another_cross_validation(kind):
    found = cross_validate(
        quick(kind, cv=folds_for(kind)),
        X,
        target(kind),
        cv=folds_for(kind),
        params={"groups": GROUPS},
    )
    assert np.isfinite(found["test_score"]).all()


@each
def test_metadata_requests_equal_those_of_scikit_learn(kind):
    for cv in (5, GroupKFold(3), Asking()):
        ours = get_routing_for_object(kind(cv=cv))
        theirs = get_routing_for_object(LassoCV(cv=cv))
        for method in ("fit", "score"):
            names = {"sample_weight", "groups", "when"}
            assert set(ours.consumes(method, names)) == set(theirs.consumes(method, names))


def test_metadata_that_is_not_requested_is_refused():
    y = X[:, 0]
    with pytest.raises(TypeError, match="when"):
        cb.CertifiedLassoCV(cv=3).fit(X, y, when=GROUPS)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline(PLAIN, cb.CertifiedLassoCV(cv=3)).fit(X, y, sample_weight=WEIGHT)
    said = r"^CertifiedLassoCV\.fit has no parameter 'when'"
    with (
        sklearn.config_context(enable_metadata_routing=False),
        pytest.raises(TypeError, match=said),
    ):
        cb.CertifiedLassoCV(cv=3).fit(X, y, when=GROUPS)


@pytest.mark.parametrize(
    "kind", [kind for kind in ESTIMATORS if not by_folds(kind)], ids=lambda kind: kind.__name__
)
def test_weights_reach_every_other_fit(kind):
    y = target(kind)
    model = quick(kind).set_fit_request(sample_weight=True)
    routed = make_pipeline(PLAIN, model).fit(X, y, sample_weight=WEIGHT)[-1]
    alone = quick(kind).fit(StandardScaler().fit_transform(X), y, sample_weight=WEIGHT)
    given = StandardScaler().fit_transform(X)
    assert (routed.predict(given) == alone.predict(given)).all()


def test_scorers_get_the_offset():
    """Scores of folds by hand; a search and a pipeline pass it on, too."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(90, 3))
    offset = rng.normal(size=90) / 2
    counts = rng.poisson(np.exp(table[:, 0] / 2 + offset)).astype(float)
    folds = KFold(3)
    model = cb.CertifiedPoissonRegressor(alpha=0.05).set_fit_request(offset=True)
    scorer = cb.estimators.OffsetScorer("neg_mean_poisson_deviance")
    given = {"cv": folds, "params": {"offset": offset}}
    scores = cross_validate(model, table, counts, scoring=scorer, **given)["test_score"]
    r2 = cross_validate(clone(model).set_score_request(offset=True), table, counts, **given)
    for k, (fit, held) in enumerate(folds.split(table)):
        alone = clone(model).fit(table[fit], counts[fit], offset=offset[fit])
        pred = alone.predict(table[held], offset=offset[held])
        assert scores[k] == -mean_poisson_deviance(counts[held], pred)
        assert r2["test_score"][k] == r2_score(counts[held], pred)
    search = GridSearchCV(model, {"alpha": [0.05, 5.0]}, scoring=scorer, cv=folds)
    search.fit(table, counts, offset=offset)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(scores.mean())
    for bad in ("r", 3, None, cb.CertifiedLasso):
        refused(lambda bad=bad: cb.estimators.OffsetScorer(bad), "scoring")
