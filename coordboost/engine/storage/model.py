"""A model as plain data: it predicts for new tables without the table that it was fitted on."""

import json
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._utils.checks import readable_file
from coordboost.data.recipe import Recipe
from coordboost.engine.refitted import with_intercept
from coordboost.losses import standard as losses
from coordboost.losses.base import on_scale_of_y

FORMAT = "coordboost-model"


class LinearModel(NamedTuple):
    """A linear model on the scale of X.

    names, coef : of the columns, (n_columns,)
    intercept : float
    loss, method : their names
    step : number of steps of the run, or None
    recipe : how a table becomes these columns, or None
    effects : change of the linear predictor for one standard deviation of each column,
        (n_columns,), or None if it is not known
    """

    names: list
    coef: np.ndarray
    intercept: float
    loss: str
    method: str
    step: int | None
    recipe: object = None
    effects: np.ndarray | None = None

    @property
    def rows(self):
        """The coefficients as a list of dictionaries: column, variable, coefficient, effect."""
        groups = self.names if self.recipe is None else self.recipe.groups
        effects = [None] * len(self.names) if self.effects is None else self.effects.tolist()
        return [
            {"column": name, "variable": group, "coefficient": float(value), "effect": effect}
            for name, group, value, effect in zip(
                self.names, groups, self.coef, effects, strict=True
            )
        ]

    def text(self):
        """The model as JSON."""
        recipe = None if self.recipe is None else self.recipe.plain()
        plain = {
            "format": FORMAT,
            "version": 1,
            "method": self.method,
            "step": self.step,
            "loss": self.loss,
            "intercept": float(self.intercept),
            "coefficients": self.rows,
            "recipe": recipe,
        }
        return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"

    def predict(self, X):
        """What the model predicts, (n_rows,).

        The mean of the target, of two classes the probability of the second.
        """
        if X.shape[1] != len(self.coef):
            raise ValueError(
                f"expected {len(self.coef)} columns as in the fit, got {X.shape[1]}: pass a table "
                "of the same kind"
            )
        linear = (
            scipy.sparse.csr_array(X) if scipy.sparse.issparse(X) else X
        ) @ self.coef + self.intercept
        return on_scale_of_y(getattr(losses, self.loss)(), linear)

    @property
    def two_class(self):
        """Whether predictions are probabilities."""
        return getattr(losses, self.loss)().two_class


class RunModel(NamedTuple):
    """A run on features in bins, such as a run with trees, after `step` steps.

    It predicts for new tables as a ``LinearModel`` does.
    """

    run: object
    step: int

    @property
    def recipe(self):
        """How a table becomes the features, or None."""
        return self.run.problem.recipe

    @property
    def names(self):
        """Names of the features."""
        return self.run.problem.binning.column_names

    @property
    def two_class(self):
        """Whether predictions are probabilities."""
        return self.run.problem.loss.two_class

    @property
    def loss(self):
        """The name of the loss."""
        return type(self.run.problem.loss).__name__

    @property
    def rows(self):
        """The share of each feature, a list of dictionaries.

        It is its share in the gains of all splits, for stumps in the abs coefficients.
        """
        state = next(self.run.replay([self.step]))
        dictionary = self.run.problem.dictionary
        used = np.flatnonzero(state.beta)
        by_trees = not self.run.problem.countable
        feature = dictionary.trees.feature[used] if by_trees else dictionary.feature[used]
        size = dictionary.trees.gain[used] if by_trees else np.abs(state.beta[used])
        column = self.run.problem.binning.column[feature[feature >= 0]]
        total = np.bincount(column, size[feature >= 0], len(self.names))
        share = total / (total.sum() or 1.0)
        return [
            {"column": name, "coefficient": value, "effect": value}
            for name, value in zip(self.names, share.tolist(), strict=True)
        ]

    def predict(self, X):
        """What the model predicts, (n_rows,).

        The mean of the target, of two classes the probability of the second.
        """
        return on_scale_of_y(self.run.problem.loss, self.run.predict(X, step=self.step))


def model_of(run, step=None):
    """The ``LinearModel`` of a run over columns after its last step, or after `step` steps.

    With the best intercept, as in estimators.
    """
    problem = run.problem
    if not problem.countable or problem.binning is not None:
        raise ValueError(
            "the model is not a linear model of a table, so it has no coefficients: use "
            "`coordboost predict` with its run"
        )
    path = with_intercept(run)
    state = path.final if step is None else next(path.replay([step]))
    coef, intercept = state.problem.raw(state.beta)
    return model_with(problem, coef, intercept, run.method.name, state.k)


def model_with(problem, coef, intercept, method, step=None):
    """The ``LinearModel`` with these coefficients (n_columns,) and intercept on the scale of X.

    `method` is the name of the method.
    """
    effects = coef * problem.standardization.deviations(problem.total_weight)
    names = list(problem.column_names)
    name = type(problem.loss).__name__
    if getattr(losses, name, None) is not type(problem.loss):
        raise ValueError(
            f"the loss {name} is not part of coordboost: predict in Python, "
            "coordboost.load(file).predict(X)"
        )
    return LinearModel(names, coef, intercept, name, method, step, problem.recipe, effects)


def read_model(file):
    """The model that ``LinearModel.text`` wrote to `file`.

    Raises
    ------
    ValueError
        If the file is missing or holds anything else.
    """
    readable_file(file)
    try:
        with open(file, encoding="utf-8") as handle:
            plain = json.load(handle)
        rows = plain["coefficients"]
        if (
            plain["format"] != FORMAT
            or plain["version"] != 1
            or not issubclass(type(getattr(losses, plain["loss"])()), tuple)
        ):
            raise KeyError("format")
        recipe = None if plain["recipe"] is None else Recipe.restored(plain["recipe"])
        names = [str(row["column"]) for row in rows]
        coef = np.array([float(row["coefficient"]) for row in rows])
        effects = [row.get("effect") for row in rows]
        effects = None if None in effects else np.array(effects, dtype=np.float64)
        step = None if plain["step"] is None else int(plain["step"])
        made = LinearModel(
            names,
            coef,
            float(plain["intercept"]),
            plain["loss"],
            str(plain["method"]),
            step,
            recipe,
            effects,
        )
        if step is not None and not 0 <= step < 1 << 62:
            raise ValueError("its number of steps is invalid")
        if not np.isfinite([*coef, made.intercept]).all() or (
            recipe is not None and recipe.columns != names
        ):
            raise ValueError("its numbers or columns are invalid")
        return made
    except FileNotFoundError:
        raise ValueError(f"{file} does not exist.") from None
    # another file may raise any exception: numbers too large, lists in lists without end
    except Exception as error:
        message = " ".join(str(error).split())[:80] or type(error).__name__
        raise ValueError(
            f"{file} is not a coordboost model ({message}): write one with coef --json"
        ) from None
