"""Estimators that choose the place on their path: by cross-validation, or by a criterion that needs no rows held out."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn import get_config
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, get_routing_for_object, process_routing

from coordboost._checks import real, shown
from coordboost.data import validation
from coordboost.estimators import tables
from coordboost.estimators.names import all_or_nothing, not_there
from coordboost.paths.folds import Folds
from coordboost.paths.freedom import COSTS, criterion
from coordboost.paths.places import Place
from coordboost.paths.validate import RULES, CrossValidation, folds_of, of_folds, pairs_of, rows_quickly

CHOICE = """rule : {"best", "one_se", "aic", "bic", "cp"}, default "best"
        The smallest mean loss on rows held out; the simplest model within one standard error of it; or a criterion, where the degrees of
        freedom are known (the Lasso, the elastic net and LS-Boost with the squared loss).
    cv : int, splitter or iterable, default 5
        Folds; a number deals rows that are neighbours in the order of y to different folds.
    n_jobs : int, optional
        Threads; the result is the same for any.
    random_state : int or RandomState, default 0
        Seed of the folds.
    """
NOISE = """noise_variance : float, optional
        For criteria. Default: that of least squares on all columns.
    """
CHOSEN = """cross_validation_ : CrossValidation
        Losses on rows held out at all points, one after the other path; a list of them where there are three classes or more.
    criterion_ : (n_points,)
        In its place, where `rule` is a criterion.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class CrossValidated:
    """What makes an estimator choose: one path for each fold, scored at every point."""

    rule: str = "best"
    cv: object = 5
    n_jobs: object = None
    random_state: object = 0

    def __init_subclass__(cls, **kwargs):
        told = CHOICE + NOISE * hasattr(cls, "noise_variance")
        cls.__doc__ = (cls.__doc__ or "").replace("{}", "{}" + CHOSEN).replace("    {}", f"    {told}{{}}", 1)
        super().__init_subclass__(**kwargs)

    #: With scikit-learn's metadata routing groups go to the splitter, as it asks for them; the fit itself has no use for them.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012

    def get_metadata_routing(self):
        """What `fit` takes for itself and for its splitter, a ``MetadataRouter``: see scikit-learn's guide to metadata routing."""
        passed_on = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=passed_on)

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, *, groups=None, **params):
        """Fit the model.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, (n_samples, n_features)
        y : array_like, (n_samples,)
        sample_weight : array_like, (n_samples,), optional
            Multiplies the terms of the loss, of the fit and on rows held out. Rows of weight 0 are left out, and folds that hold out
            no others.
        groups : array_like, (n_samples,), optional
            For a splitter that keeps groups together.
        **params : array_like, optional
            What else the splitter asks for, with scikit-learn's metadata routing enabled.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            In one sentence: what was expected, and what was given.
        """
        if self.rule not in (*RULES, *COSTS):
            raise ValueError(f"rule must be 'best', 'one_se', 'aic', 'bic' or 'cp', got {shown(self.rule)}.")
        passed_on = self._passed_on(sample_weight, groups, params)
        X, y, weight = self._rows(X, y, sample_weight)
        self._seen = []
        return self._fit(*tables.counting(X, y, weight), self._folds(X, y, weight, passed_on) if self.rule in RULES else None)

    def _passed_on(self, sample_weight, groups, params):
        """What the splitter is given beside X and y, by name."""
        given = params | ({} if groups is None else {"groups": groups})
        if not get_config()["enable_metadata_routing"]:
            if params:
                known = ["X", "y", "sample_weight", "groups"]
                raise TypeError(not_there(type(self), f"{type(self).__name__}.fit", list(params), known))
            return given
        if sample_weight is not None and get_routing_for_object(check_cv(self.cv)).consumes("split", ["sample_weight"]):
            given["sample_weight"] = sample_weight
        return process_routing(self, "fit", **given).splitter.split

    def _folds(self, X, y, weight, passed_on):
        """Rows to fit and rows held out, counted among those of a weight above 0."""
        counts = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        if isinstance(self.cv, int | np.integer) and not isinstance(self.cv, bool):
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            folds = folds_of(y[counts], self.cv, seed)
        else:
            given = self.cv
            if hasattr(given, "split") or not hasattr(given, "__iter__"):
                given = list(check_cv(given, y, classifier=hasattr(self, "classes_")).split(X, y, **passed_on))
            place = np.cumsum(counts) - 1
            folds = [tuple(place[rows[counts[rows]]] for rows in pair) for pair in pairs_of("cv", given, len(y))]
        if hasattr(self, "classes_"):
            self._check_classes(y[counts], folds)
        return folds

    def _check_classes(self, y, folds):
        """Refuse folds that hold out all rows of a class."""
        for k, (fit, _) in enumerate(folds, 1):
            absent = np.setdiff1d(y, y[fit])
            if len(absent):
                name, n = self.classes_[absent].tolist()[0], int(np.count_nonzero(y == absent[0]))
                held = f"fold {k} of {len(folds)} holds out all {n} row(s) of the class {name!r}"
                raise ValueError(f"{held}: give it two rows or more, or other folds (cv).")

    def _choose(self, X, y, weight, folds):
        """The path and the place that the rule chooses among the points of all paths."""
        problem = self._problem(X, y, weight)
        if folds is None:
            walks = self._walks(problem)
            seen = [self._criterion(path, X, y, weight) for path, _ in walks]
            at = int(np.argmin(np.concatenate(seen)))
            self._seen.append(np.concatenate(seen))
        else:
            walks, done = self._validated(problem, X, y, weight, folds)
            whole = CrossValidation(
                np.hstack([one.losses for one in done]), done[0].weights, sum((one.paths for one in done), start=())
            )
            at = whole.chosen(self.rule)
            self._seen.append(whole)
            seen = [one.mean for one in done]
        ends = np.cumsum([len(one) for one in seen])
        k = int(np.searchsorted(ends, at, side="right"))
        path = walks[k][0]
        return path, Place(step=min(at - int(ends[k] - len(seen[k])), path.n_points - 1))

    def _validated(self, problem, X, y, weight, folds):
        """The walks on all rows, and for each of them its cross-validation."""
        shared = Folds(problem, folds, self.by_gram)
        walks, rows = self._walks(problem, shared.products), rows_quickly(X)

        @cache
        def part(k):
            """The problem of fold k, made once for all walks, whose paths keep it in any case."""
            fit = folds[k][0]
            return shared.part(k) or (self._problem(rows[fit], y[fit], None if weight is None else weight[fit]), None)

        given = y, validation.sample_weight(weight, len(y)), folds
        jobs, fits = self.n_jobs, "a whole number other than 0, or None"
        jobs = None if jobs is None else int(real("n_jobs", jobs, lambda number: number == int(number) != 0, fits))
        threads = effective_n_jobs(jobs)
        return walks, [
            of_folds(lambda k, walk=walk: (walk(*part(k)), rows[folds[k][1]]), *given, n_threads=threads) for _, walk in walks
        ]

    def _criterion(self, path, X, y, weight):
        total = path.problem.weight.sum()
        losses = -path.score_path(X, y, weight) * total
        return criterion(self.rule, path.problem, losses, path.degrees_of_freedom(), getattr(self, "noise_variance", None))

    @property
    def cross_validation_(self):
        """Losses on rows held out at all points of all paths."""
        if self.rule not in RULES:
            raise AttributeError(f"rule={self.rule!r} needs no rows held out: see criterion_.")
        return self._seen[0] if len(self._seen) == 1 else self._seen

    @property
    def criterion_(self):
        """The criterion at all points of all paths, (n_points,)."""
        if self.rule in RULES:
            raise AttributeError(f"rule={self.rule!r} is cross-validation: see cross_validation_.")
        return self._seen[0]


@dataclass(kw_only=True, eq=False, repr=False)
class ByCriterion(CrossValidated):
    """The same with criteria that need the variance of the noise: for paths whose degrees of freedom are known."""

    noise_variance: object = None
