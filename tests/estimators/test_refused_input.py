"""What people pass by mistake to estimators: the message says what to pass."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coordboost as cb

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.uniform(18, 80, 60), "hours": RNG.normal(40, 5, 60)})
LABELS = np.where(FRAME["age"] > 50, "old", "young")
Trees = cb.RandomizedGBMClassifier


@pytest.fixture(scope="module")
def trees():
    return Trees(n_estimators=2).fit(FRAME, LABELS)


@pytest.fixture(scope="module")
def lasso():
    return cb.CertifiedLasso().fit(FRAME, FRAME["age"])


@pytest.mark.parametrize("name", ["trees", "lasso"])
def test_rows_that_are_no_table(name, request):
    model = request.getfixturevalue(name)
    with pytest.raises(ValueError, match=r"X is a Series.*iloc\[\[0\]\]"):
        model.predict(FRAME.iloc[0])
    with pytest.raises(ValueError, match=r"list of dicts: pass pandas.DataFrame\(X\)"):
        model.predict([FRAME.iloc[0].to_dict()])


def test_rows_to_score_on_in_a_pipeline_are_not_transformed():
    scale = make_column_transformer((StandardScaler(), ["age", "hours"]))
    pipe = make_pipeline(scale.set_output(transform="pandas"), Trees(n_estimators=2))
    with pytest.raises(ValueError, match=r"X_val has other.*Pipeline.*transform them first"):
        pipe.fit(FRAME, LABELS, randomizedgbmclassifier__eval_set=[(FRAME, LABELS)])
    with pytest.raises(ValueError, match=r"html_report takes.*pipeline\[-1\]"):
        cb.html_report(pipe)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"importance_type": "gain"}, "feature_importances_"),
        ({"device": "gpu"}, "runs on the CPU"),
    ],
)
def test_names_of_other_packages(options, sentence):
    with pytest.raises(TypeError, match=sentence):
        Trees(**options)


def test_other_values():
    with pytest.raises(TypeError, match="early_stopping and n_iter_no_change"):
        Trees().fit(FRAME, LABELS, callbacks=[print])
    with pytest.raises(ValueError, match=r"inherits from coordboost.losses.Loss"):
        Trees(loss=lambda y, f: y - f).fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="got 'increasing'"):
        Trees(monotonic_cst={"age": "increasing"}).fit(FRAME, LABELS)
