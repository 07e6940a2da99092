"""Validation losses of a run whose number of steps was chosen by cross-validation.

They are a record of plain numbers.
"""

import numpy as np

from coordboost.engine.result import spaced

#: How the number of steps may have been chosen; what is measured besides the loss for two classes;
#: maximum number of steps in the record.
EARLY = "early-stopping"
CHOICES = ("best", "one-se", EARLY)
MEASURES = ("accuracy", "AUC")
MOST_POINTS = 1000


def held_out(found, steps, choose=None, rows=()):
    """The record of a ``CrossValidation``: a dict of plain numbers.

    steps : how many were tried
    choose : one of ``CHOICES``, or None if the number of steps was chosen in another way
    rows : (X, y) of the validation rows of each fold, for accuracy and AUC of two classes
    """
    mean = found.mean
    error = found.error
    known = int(np.isfinite(mean + error).sum())
    at = np.unique(
        [*spaced(known - 1).tolist(), min(found.best, known - 1), min(found.one_se, known - 1)]
    )
    curves = _measures(found, at, rows) if rows and (found.paths[0].problem.loss).two_class else {}
    numbers = {"mean": mean[at], "error": error[at]}
    return {
        "choose": choose,
        "folds": len(found.losses),
        "steps": steps,
        "at": at.tolist(),
        **{name: values.tolist() for name, values in numbers.items()},
        "measures": {name: values.tolist() for name, values in curves.items()},
    }


def _measures(found, at, rows):
    """Accuracy and AUC on the validation rows after `at` steps.

    They are weighted means over folds, a dict of (len(at),).
    """
    from sklearn.metrics import roc_auc_score

    total = {name: np.zeros(len(at)) for name in MEASURES}
    parts = dict.fromkeys(MEASURES, 0.0)
    for path, (X, y), weight in zip(found.paths, rows, found.weights, strict=True):
        yes = np.asarray(y) > 0
        scores = [state.problem.predict(state.beta, X) for state in path.replay(at.tolist())]
        total["accuracy"] += weight * np.array([np.mean((score > 0) == yes) for score in scores])
        parts["accuracy"] += weight
        if 0 < yes.sum() < len(yes):
            total["AUC"] += weight * np.array([roc_auc_score(yes, score) for score in scores])
            parts["AUC"] += weight
    return {name: total[name] / parts[name] for name in MEASURES if parts[name]}
