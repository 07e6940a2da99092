"""What a page shows of a model with trees or stumps on rows in bins, and of predictions of any
model.

No picture shows a single row: all of them are means, shares and quantiles of many.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from coordboost.losses.base import on_scale_of_y
from coordboost.reporting.pages.pictures import HALVES, picture_of
from coordboost.reporting.plots.drawing import COLOURS, as_written

#: Bars of a picture at most; columns, with a picture of their partial dependence; rows that are
#: averaged there; places on its horizontal axis, of a column of numbers and of categories.
BARS, COLUMNS, ROWS, PLACES, LEVELS = 15, 6, 500, 20, 12
#: Groups of equal size in which predictions are compared with the target.
GROUPS = 10
#: Letters of a name in a picture.
LETTERS = 24


class JudgedRows(NamedTuple):
    """Predictions and targets of rows.

    pred : (n_samples,), or for classes their probabilities, (n_samples, n_classes)
    y : (n_samples,) on the scale of `pred`, or the index of the class
    weight : (n_samples,)
    classes : the labels of the classes, or None
    """

    pred: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    classes: list | None

    def groups(self, pred):
        """Yield the rows of each group of equal size, from the smallest predictions on."""
        order = np.argsort(pred, kind="stable")
        yield from (part for part in np.array_split(order, min(GROUPS, len(order))) if len(part))

    def draw(self, ax):
        """Draw calibration, for classes, or the target against the predictions."""
        if self.classes is None:
            self._draw_numbers(ax)
        else:
            self._draw_classes(ax)

    def _draw_classes(self, ax):
        ax.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=1)
        shown = [1] if len(self.classes) == 2 else range(min(len(self.classes), len(COLOURS)))
        for k in shown:
            parts = list(self.groups(self.pred[:, k]))
            said = [np.average(self.pred[part, k], weights=self.weight[part]) for part in parts]
            seen = [np.average(self.y[part] == k, weights=self.weight[part]) for part in parts]
            name = as_written(short(self.classes[k]))
            ax.plot(said, seen, "o-", markersize=4, color=COLOURS[k], label=name)
        ax.legend()
        ax.set(xlabel="predicted probability, mean of a tenth of the rows", ylabel="share observed")

    def _draw_numbers(self, ax):
        parts = list(self.groups(self.pred))
        said = np.array([np.average(self.pred[part], weights=self.weight[part]) for part in parts])
        mean = np.array([np.average(self.y[part], weights=self.weight[part]) for part in parts])
        low, high = np.transpose([np.quantile(self.y[part], (0.1, 0.9)) for part in parts])
        ax.plot(said[[0, -1]], said[[0, -1]], color="#BBBBBB", linewidth=1)
        ax.fill_between(said, low, high, alpha=0.2, label="central 80 % observed")
        ax.plot(said, mean, "o-", markersize=4, label="mean observed")
        ax.legend()
        ax.set(xlabel="prediction, mean of a tenth of the rows", ylabel="target")


class BinnedModel(NamedTuple):
    """A model on features in bins.

    binning : the bins of the fit
    importance : the share of each column, (n_columns,)
    respond : function of rows in bins: predictions on the scale of y, (n_rows,), or probabilities
        of the classes, (n_rows, n_classes)
    classes : the labels of the classes, or None
    """

    binning: Any
    importance: np.ndarray
    respond: Callable
    classes: list | None

    def rows(self):
        """Return the share of each column that has one, the largest first: pairs (name, share)."""
        order = np.argsort(-self.importance, kind="stable")
        names = self.binning.column_names
        return [(names[j], float(self.importance[j])) for j in order if self.importance[j] > 0]

    def draw_importance(self, ax):
        """Draw the largest shares as bars."""
        from coordboost.reporting.plots.importance import ImportanceDisplay

        names, shares = zip(*self.rows(), strict=True)
        percent = 100 * np.array(shares)
        display = ImportanceDisplay(percent, names, words="share, %", n_bars=BARS)
        display.plot(ax)

    def dependences(self, binned):
        """Return the ``Dependence`` of the most important columns on rows in bins, a list."""
        codes = binned.codes
        some = np.unique(np.linspace(0, codes.shape[1] - 1, ROWS).astype(int))
        order = np.argsort(-self.importance, kind="stable")[:COLUMNS]
        return [
            self._dependence(self.binning.pages_of(j), np.ascontiguousarray(codes[:, some]), codes)
            for j in order
            if self.importance[j] > 0
        ]

    def _dependence(self, pages, codes, all_codes):
        """Return the mean prediction where the column of `pages` has each of some codes.

        The codes are those of its first page, which has its most frequent categories.
        """
        g = pages[0]
        places = self._places(g, all_codes[g])
        if len(pages) > 1:
            places = places[places != self.binning.unseen(g)]
        n = codes.shape[1]
        changed = np.tile(codes, len(places))
        changed[g] = np.repeat(places, n).astype(np.uint8)
        for page in pages[1:]:
            is_gap = places == self.binning.missing[g]
            elsewhere = np.where(is_gap, self.binning.gap(page), self.binning.unseen(page))
            changed[page] = np.repeat(elsewhere, n).astype(np.uint8)
        pred = self.respond(self.binning.binned(changed))
        mean = pred.reshape(len(places), n, *pred.shape[1:]).mean(axis=1)
        is_gap = places == self.binning.missing[g]
        labels = self.binning.labels[g]
        at = [str(labels[code]) for code in places[~is_gap]] if labels else self._values(g, places)
        return Dependence(
            self.binning.names[g],
            at if labels else at[~is_gap],
            mean[~is_gap],
            mean[is_gap][0] if is_gap.any() else None,
            self.classes,
        )

    def _places(self, g, all_codes):
        """Return the codes of feature g at which predictions are averaged; missing comes last."""
        counts = np.bincount(all_codes, minlength=256)
        missing = self.binning.missing[g]
        present = np.flatnonzero(counts)
        present = present[present < self.binning.n_bins[g] - (missing >= 0)]
        if self.binning.labels[g]:
            places = np.sort(present[np.argsort(-counts[present], kind="stable")][:LEVELS])
        else:
            index = np.linspace(0, len(present) - 1, PLACES).round().astype(int)
            places = present[np.unique(index)] if len(present) else present
        return np.append(places, missing) if missing >= 0 and counts[missing] else places

    def _values(self, g, places):
        """Return values of a numeric feature in the bins `places`: the middles of their bounds."""
        cuts = self.binning.thresholds(g)
        if not len(cuts):
            return np.zeros(len(places))
        inner = np.minimum(places, len(cuts))
        low = cuts[np.maximum(inner - 1, 0)]
        high = cuts[np.minimum(inner, len(cuts) - 1)]
        return low / 2 + high / 2


class Dependence(NamedTuple):
    """The partial dependence on a feature: the mean prediction of all rows if it had a value.

    name : of the feature
    at : its values, (n_places,) of floats, or a list of categories
    mean : (n_places,), or (n_places, n_classes)
    missing : the mean prediction where the feature is missing, or None
    classes : the labels of the classes, or None
    """

    name: str
    at: Any
    mean: np.ndarray
    missing: Any
    classes: list | None

    def draw(self, ax):
        """Draw a line over numbers, or a point for each category."""
        curves = self.mean if self.mean.ndim > 1 else self.mean[:, None]
        gap = None if self.missing is None else np.atleast_1d(self.missing)
        columns = [1] if self.classes and len(self.classes) == 2 else range(curves.shape[1])
        is_named = len(columns) > 1
        for k in list(columns)[: len(COLOURS)]:
            label = as_written(short(self.classes[k])) if is_named else None
            if isinstance(self.at, list):
                ticks = [as_written(short(name)) for name in self.at]
                ax.plot(curves[:, k], ticks, "o", color=COLOURS[k], label=label)
            else:
                style = {"drawstyle": "steps-mid", "color": COLOURS[k], "label": label}
                ax.plot(self.at, curves[:, k], **style)
            if gap is not None:
                draw_line = ax.axvline if isinstance(self.at, list) else ax.axhline
                words = None if is_named else "missing"
                draw_line(gap[k], linestyle=":", linewidth=1, color=COLOURS[k], label=words)
        value = "mean probability" if self.classes else "mean prediction"
        if self.classes and not is_named:
            value = f"mean probability of {as_written(short(self.classes[1]))}"
        if isinstance(self.at, list):
            ax.set(xlabel=value, title=as_written(short(self.name)))
        else:
            ax.set(ylabel=value, xlabel=as_written(short(self.name)))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize="small")


def short(name):
    """Return a name, shortened if it is long."""
    text = str(name)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}\u2026"


def draw_losses(ax, curves, best, words):
    """Draw mean losses against iterations, and a line at the model.

    curves : name -> losses after 0, 1, ... iterations
    best : the iteration of the model
    words : what an iteration is called
    """
    for (name, losses), colour in zip(curves.items(), COLOURS * len(curves), strict=False):
        ax.plot(losses, label=as_written(name), color=colour)
    ax.axvline(best, color="#BBBBBB", linewidth=1, zorder=0, label=f"the model: {words} {best:,}")
    ax.legend()
    ax.set(xlabel=words, ylabel="mean loss", xmargin=0.01)


def parts_of(view, rows, binned):
    """Return what the template shows of a ``BinnedModel`` and ``JudgedRows``, a dict.

    binned : rows over which partial dependence is averaged, or None
    """
    shares = view.rows()
    dependences = [] if binned is None else view.dependences(binned)
    return {
        "shares": [(name, f"{100 * share:.3g} %") for name, share in shares[:100]],
        "importance": picture_of(view.draw_importance, 0.6 + 0.24 * min(len(shares), BARS))
        if shares
        else None,
        "dependences": [
            (one.name, picture_of(one.draw, 2.8, HALVES, name=str(k)))
            for k, one in enumerate(dependences)
        ],
        "n_averaged": 0 if binned is None else min(ROWS, binned.codes.shape[1]),
        **judgement(rows),
    }


def judgement(rows):
    """Return what the template shows of ``JudgedRows``, or of None, a dict."""
    return {
        "predictions": None if rows is None else picture_of(rows.draw),
        "classes": rows is not None and rows.classes is not None,
    }


def of_run(run):
    """Return the ``BinnedModel`` of a run with trees or stumps, and its ``JudgedRows``."""
    from coordboost.engine.storage.model import RunModel

    problem = run.problem
    beta = run.final.beta
    loss = problem.loss
    model = RunModel(run, run.n_steps)
    labels = () if model.recipe is None else model.recipe.labels
    classes = list(labels or ("first class", "second class")) if loss.two_class else None

    def response(raw):
        pred = on_scale_of_y(loss, raw)
        return pred if classes is None else np.column_stack([1 - pred, pred])

    def respond(binned):
        return response(problem.constant + problem.dictionary.at(binned).combine(beta))

    importance = np.array([row["effect"] for row in model.rows])
    pred = response(problem.constant + offset_of(problem) + run.final.pred)
    y = (problem.y > 0).astype(int) if classes else target_of(problem)
    rows = JudgedRows(pred, y, problem.weight, classes)
    return BinnedModel(problem.binning, importance, respond, classes), rows


def of_estimator(model):
    """Return the ``BinnedModel`` of a fitted estimator with trees, and its training rows as
    ``JudgedRows``, None if they were left out of a pickle.
    """
    is_classifier = hasattr(model, "classes_")
    classes = model.classes_.tolist() if is_classifier else None
    problems = [run.problem for run in model.runs_]
    first = problems[0]

    def response(raw):
        return model._probabilities(raw) if is_classifier else model._decide(raw)

    def respond(binned):
        return response(model._raw_of(binned))

    view = BinnedModel(first.binning, model.feature_importances_, respond, classes)
    if not first.has_data:
        return view, None
    raw = model._raw_of(first.dictionary.binned)
    if len(problems) == 1:
        raw = raw + np.reshape(offset_of(first), (-1, 1))
        y = (first.y > 0).astype(int) if is_classifier else target_of(first)
    else:
        y = np.argmax([problem.y for problem in problems], axis=0)
    return view, JudgedRows(response(raw), y, first.weight, classes)


def offset_of(problem):
    """Return the known part of the predictions, (n_samples,) or 0."""
    return 0.0 if problem.offset is None else problem.offset


def target_of(problem):
    """Return the target of a problem as it was given, (n_samples,)."""
    return problem.y + (problem.constant - problem.base) + offset_of(problem)
