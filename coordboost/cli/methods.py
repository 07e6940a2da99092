"""Methods and losses on the command line: their options, their help, what is made of them, and hints where the outcome of a run is odd."""

import inspect

import click

LOSSES = {"squared": "Squared", "huber": "Huber", "logistic": "Logistic", "exponential": "Exponential", "poisson": "Poisson"}
#: Options that methods take, by the name of the parameter that they become.
OPTIONS = {
    "eps": "--eps", "delta": "--delta", "deltas": "--deltas", "t": "--t", "lam": "--lam", "eta": "--eta", "gamma": "--gamma",
    "period": "--period", "rate": "--rate", "penalty": "--penalty", "step": "--line-search",
    "beta": "--beta", "share": "--share",
}  # fmt: skip
#: What is said where no method is named.
NO_METHOD = "Missing option '--method'; for a start --method ls_boost --eps 0.1, and --help lists the others."
#: Parameters that may be left out in Python beside another one which the command line does not have.
ALWAYS = ("t",)


def _parameters(name):
    """The parameters of a named method that the command line can give, and whether it must."""
    from coordboost.methods import METHODS

    known = inspect.signature(METHODS[name]).parameters.items()
    return {key: value.default is inspect.Parameter.empty or key in ALWAYS for key, value in known if key in OPTIONS}


def _takes(name):
    options = [OPTIONS[key] if must else f"[{OPTIONS[key]}]" for key, must in _parameters(name).items()]
    return " ".join(options) or "no options of its own"


def methods_help():
    """A paragraph that lists the methods; the backspace character keeps its line breaks."""
    from coordboost.methods import METHODS

    head = "Methods, the options that each takes, and sources (FGM: Freund, Grigas, Mazumder; LM: Lu, Mazumder):"
    lines = [f"  {name}: {_takes(name)}\n      {inspect.getdoc(maker).splitlines()[0]}" for name, maker in METHODS.items()]
    return "\n".join(["\b", head, *lines])


class _MethodName(click.ParamType):
    """The name of a method; what the methods are is loaded when one is asked for."""

    name = "method"

    @staticmethod
    def _choice():
        from coordboost.methods import METHODS

        return click.Choice(list(METHODS))

    def convert(self, value, param, ctx):
        return self._choice().convert(value, param, ctx)

    def shell_complete(self, ctx, param, incomplete):
        return self._choice().shell_complete(ctx, param, incomplete)


class MethodCommand(click.Command):
    """A command whose help ends with the methods."""

    def format_epilog(self, ctx, formatter):
        self.epilog = methods_help()
        super().format_epilog(ctx, formatter)


def _number(flag, metavar, words):
    return click.option(flag, type=int if metavar == "N" else float, metavar=metavar, help=words)


METHOD_OPTIONS = [
    click.option("--method", type=_MethodName(), metavar="METHOD", help="One of those below."),
    _number(
        "--eps",
        "X",
        "Step size. ls_boost: the share taken of the best single step, 0 < eps < 2, no unit. Stagewise methods: how much one "
        "standardised coefficient changes in a step, in the unit of the target.",
    ),
    _number("--delta", "X", "Radius: the largest l1 norm of the standardised coefficients, in the unit of the target."),
    click.option("--deltas", metavar="A:B", help="One radius per step, growing from A to B by a constant factor."),
    _number("--t", "N", "How many random learners a step looks at."),
    _number(
        "--lam",
        "X",
        "Penalty on the l1 norm of the coefficients of unit columns, the loss being a sum. With n rows and columns of standard "
        "deviation 1 (scikit-learn's StandardScaler, glmnet's standardize=TRUE) it is sqrt(n) times scikit-learn's alpha or glmnet's "
        "lambda; with columns of norm 1 it is n times these.",
    ),
    _number(
        "--eta",
        "X",
        "Accelerated boosting: the share taken of the best single step, at most 1 / smoothness by the theory, no unit.",
    ),
    _number(
        "--gamma",
        "X",
        "Accelerated boosting: weight of the momentum, 0 < gamma <= 1; agbm wants a small one. sgb, sglb: the model shrinks by "
        "1 - gamma eps in each step.",
    ),
    _number("--beta", "X", "sglb: inverse temperature; the noise has the variance 2 n / (eps beta) in each of n rows."),
    _number("--share", "X", "sgb, sglb: the part of the rows that a gradient is estimated from, 0 < share <= 1."),
    _number("--period", "N", "agbmr: rounds after which momentum begins anew.  [default: when the loss rises]"),
    _number("--rate", "X", "gbm: the share taken of the best fit, 0 < rate < 2, no unit."),
    _number("--penalty", "X", "rgb: price of the complexity of a family of learners, in units of the mean loss."),
    click.option("--line-search", is_flag=True, help="Go to the minimum along the chosen learner."),
]


def method_of(name, given, steps):
    """The named method from the options given, None where they were not; a usage error says what it takes."""
    from coordboost.methods import METHODS
    from coordboost.pieces.steps import BallSearch, LineSearch

    given = dict(given)
    search = given.pop("line_search")
    given["step"] = None if not search else LineSearch() if given["delta"] is None else BallSearch(given["delta"])
    given["deltas"] = radii_of(given["deltas"], steps)
    given = {key: value for key, value in given.items() if value is not None}
    accepted = _parameters(name)
    foreign = [OPTIONS[key] for key in given if key not in accepted]
    missing = [OPTIONS[key] for key, must in accepted.items() if must and key not in given]
    if foreign or missing:
        fault = f"does not take {', '.join(foreign)}" if foreign else f"needs {', '.join(missing)}"
        raise click.UsageError(f"{name} {fault}; it takes {_takes(name)}.")
    return METHODS[name](**given)


def radii_of(text, steps):
    """Radii, one per step, from ``A:B``."""
    import numpy as np

    if text is None:
        return None
    try:
        first, last = map(float, text.split(":"))
        return np.geomspace(first, last, steps)
    except ValueError:
        raise click.BadParameter(f"expected two positive numbers A:B, got {text!r}.", param_hint="--deltas") from None


def loss_of(text):
    """A loss from ``name`` or ``name:d``."""
    from coordboost.pieces import losses

    name, colon, d = text.partition(":")
    try:
        loss = getattr(losses, LOSSES[name])
        return loss(float(d)) if colon else loss()
    except (KeyError, TypeError, ValueError):
        known = "squared, huber[:d], logistic[:d], exponential or poisson"
        raise click.BadParameter(f"expected {known}, got {text!r}.", param_hint="--loss") from None


def hints(run, steps):
    """Sentences on a run that was to make `steps` steps; none where nothing is odd."""
    given, start = run.method.parameters, run.problem.start_size if run.problem.countable else None
    if run.n_steps == 0:
        return [_not_one(run, steps, start)]
    from coordboost._checks import typed
    from coordboost.run import too_long

    words = too_long(run)
    found = [words.replace("Try eps=", "Try --eps ")] if words else []
    delta = given.get("delta")
    if start is not None and _is_number(delta) and run.problem.n_learners > 1 and len(run.final.support) <= 1 and not found:
        found.append(
            f"Only one coefficient moves, as delta = {delta:g} leaves no room for a second one: the best column alone would get "
            f"{start:.3g}. Try --delta {typed(2 * start)}."
        )
    lam = given.get("lam")
    if start is not None and _is_number(lam) and not len(run.final.support):
        found.append(
            f"No coefficient moves, as lam = {lam:g} is not below {start:.4g}, the largest correlation at the start. "
            f"Try --lam {typed(start / 10)}."
        )
    return found


def _not_one(run, steps, start):
    """Why a run has no steps."""
    if steps == 0:
        return "Not one step was made, as --steps 0 asks for none: this is the constant model."
    if start == 0:
        return "Not one step was made: no column is correlated with the target, so the constant model is the best one."
    return f"Not one step was made ({run.message}): this is the constant model."


def _is_number(value):
    return isinstance(value, int | float)
