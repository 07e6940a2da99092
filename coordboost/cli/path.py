"""``coordboost path``: one method on one table."""

import inspect
from pathlib import Path

import click

from coordboost.cli.output import progress, show

LOSSES = {"squared": "Squared", "huber": "Huber", "logistic": "Logistic", "exponential": "Exponential", "poisson": "Poisson"}
#: Options that methods take, by the name of the parameter that they become.
OPTIONS = {
    "eps": "--eps", "delta": "--delta", "deltas": "--deltas", "t": "--t", "lam": "--lam", "eta": "--eta", "gamma": "--gamma",
    "period": "--period", "rate": "--rate", "step": "--line-search",
}  # fmt: skip
#: Parameters that may be left out in Python beside another one which the command line does not have.
ALWAYS = ("t",)
#: Exit codes of runs that did not end by themselves, by the name of their status.
CODES = {"INTERRUPTED": 130, "DIVERGED": 1}

UNKNOWN = (
    "No gap is shown, as the loss is not strongly convex or the data are large: `coordboost certify` with --ball or --lam "
    "proves how close the run came to the best model of bounded l1 norm."
)


def _parameters(name):
    """The parameters of a named method that the command line can give, and whether it must."""
    from coordboost.methods import METHODS

    known = inspect.signature(METHODS[name]).parameters.items()
    return {key: value.default is inspect.Parameter.empty or key in ALWAYS for key, value in known if key in OPTIONS}


def _takes(name):
    options = [OPTIONS[key] if must else f"[{OPTIONS[key]}]" for key, must in _parameters(name).items()]
    return " ".join(options) or "no options of its own"


def _methods_help():
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


class _PathCommand(click.Command):
    """A command whose help ends with the methods."""

    def format_epilog(self, ctx, formatter):
        self.epilog = _methods_help()
        super().format_epilog(ctx, formatter)


def _number(flag, metavar, words):
    return click.option(flag, type=int if metavar == "N" else float, metavar=metavar, help=words)


_OPTIONS = [
    click.option("--target", metavar="NAME", help="Column (CSV) or array (npz) to predict.  [default: y]"),
    click.option("--method", required=True, type=_MethodName(), metavar="METHOD", help="One of those below."),
    _number(
        "--eps",
        "X",
        "Step size. ls_boost: the share taken of the best single step, 0 < eps < 2, no unit. Stagewise methods: how much one "
        "standardised coefficient changes in a step, in the unit of the target.",
    ),
    _number("--delta", "X", "Radius: the largest l1 norm of the standardised coefficients, in the unit of the target."),
    click.option("--deltas", metavar="A:B", help="One radius per step, growing from A to B by a constant factor."),
    _number("--t", "N", "How many random learners a step looks at."),
    _number("--lam", "X", "Penalty on the l1 norm, the loss being a sum: n_samples times scikit-learn's alpha."),
    _number(
        "--eta",
        "X",
        "Accelerated boosting: the share taken of the best single step, at most 1 / smoothness by the theory, no unit.",
    ),
    _number("--gamma", "X", "Accelerated boosting: weight of the momentum, 0 < gamma <= 1; agbm wants a small one."),
    _number("--period", "N", "agbmr: rounds after which momentum begins anew.  [default: when the loss rises]"),
    _number("--rate", "X", "gbm: the share taken of the best fit, 0 < rate < 2, no unit."),
    click.option("--line-search", is_flag=True, help="Go to the minimum along the chosen learner."),
    click.option("--steps", type=click.IntRange(0), default=1000, show_default=True, metavar="N", help="How many to make."),
    click.option(
        "--gap",
        type=click.FloatRange(0),
        metavar="X",
        help="End at the first step whose certified gap is at most X times the loss of the constant model.",
    ),
    click.option("--seconds", type=click.FloatRange(0), metavar="X", help="End after so many seconds of steps."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Seed of random choices."),
    click.option(
        "--loss",
        default="squared",
        show_default=True,
        metavar="NAME[:D]",
        help="squared, huber[:d], logistic[:d] or exponential (labels 0 and 1 or -1 and 1), poisson (counts).",
    ),
    click.option(
        "--center/--no-center", default=True, help="Centre the columns, start from the best constant model.  [default: center]"
    ),
    click.option(
        "--scale/--no-scale", default=True, help="Divide columns by their norms, unless these are 1 already.  [default: scale]"
    ),
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default="coordboost-out",
        show_default=True,
        help="Folder for METHOD.run and METHOD.png; older files of these names are replaced.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table."),
]


def _with(options):
    def decorate(command):
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@click.command(cls=_PathCommand)
@click.argument("file")
@_with(_OPTIONS)
def path(
    file, target, method, eps, delta, deltas, t, lam, eta, gamma, period, rate, line_search, steps, gap, seconds, seed, loss, center,
    scale, out, as_json,
):  # fmt: skip
    """Run a method on a table, keep and draw its path.

    FILE is .csv, .npz, a pair X.npy,y.npy, or svmlight (.svm, .svmlight, .libsvm); CSV and svmlight also as .gz.

    \b
    Examples:
      coordboost path table.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost path table.csv --target price --method forward_stagewise --eps 0.01 --steps 20000
      coordboost path labels.svm.gz --method rtgcd --t 50 --loss logistic --steps 5000

    regularized_forward_stagewise (R-FS) shrinks all coefficients by the factor 1 - eps/delta before each step of
    forward_stagewise. So their l1 norm never exceeds delta, and the run ends near the Lasso solution with that bound.
    """  # noqa: D301
    from coordboost.pieces.steps import BallSearch, LineSearch
    from coordboost.solve import solve
    from coordboost.stopping import GapBelow, TimeLimit

    step = None if not line_search else LineSearch() if delta is None else BallSearch(delta)
    given = {
        "eps": eps, "delta": delta, "deltas": _radii(deltas, steps), "t": t, "lam": lam, "eta": eta, "gamma": gamma, "period": period,
        "rate": rate, "step": step,
    }  # fmt: skip
    chosen = _method(method, {key: value for key, value in given.items() if value is not None})
    problem = _problem(file, target, _loss(loss), center, scale)
    out.mkdir(parents=True, exist_ok=True)
    stop = [rule(limit) for rule, limit in ((GapBelow, gap), (TimeLimit, seconds)) if limit is not None]
    with progress(method, steps, quiet=as_json) as watch:
        run = solve(problem, chosen, steps, rng=seed, stop=stop, watch=watch)
    _report(run, out, as_json)


def _report(run, out, as_json):
    """Save the run before anything else, then draw and print it; exit with the code that its status asks for."""
    from coordboost import report
    from coordboost.plots import path as plots

    files = [out / f"{run.method.name}.run", out / f"{run.method.name}.png"]
    run.save(files[0])
    optimum = report.optimum(run)
    plots.figure([run], optimum=optimum).savefig(files[1], dpi=150)
    row = report.summary(run, optimum)
    show([row], [UNKNOWN] if row["gap"] is None else [], files, as_json)
    if run.status.name in CODES:
        click.echo(f"coordboost: after {run.n_steps:,} steps {run.message}; saved in {files[0]}", err=True)
        if run.status.name == "INTERRUPTED":
            click.echo(f"coordboost: to go on, in Python: coordboost.load({str(files[0])!r}).resume(1000)", err=True)
        raise SystemExit(CODES[run.status.name])


def _method(name, given):
    """The named method from the options given; a usage error says what it takes."""
    from coordboost.methods import METHODS

    accepted = _parameters(name)
    foreign = [OPTIONS[key] for key in given if key not in accepted]
    missing = [OPTIONS[key] for key, must in accepted.items() if must and key not in given]
    if foreign or missing:
        fault = f"does not take {', '.join(foreign)}" if foreign else f"needs {', '.join(missing)}"
        raise click.UsageError(f"{name} {fault}; it takes {_takes(name)}.")
    return METHODS[name](**given)


def _radii(text, steps):
    """Radii, one per step, from ``A:B``."""
    import numpy as np

    if text is None:
        return None
    try:
        first, last = map(float, text.split(":"))
        return np.geomspace(first, last, steps)
    except ValueError:
        raise click.BadParameter(f"expected two positive numbers A:B, got {text!r}.", param_hint="--deltas") from None


def _loss(text):
    """A loss from ``name`` or ``name:d``."""
    from coordboost.pieces import losses

    name, colon, d = text.partition(":")
    try:
        loss = getattr(losses, LOSSES[name])
        return loss(float(d)) if colon else loss()
    except (KeyError, TypeError, ValueError):
        known = "squared, huber[:d], logistic[:d], exponential or poisson"
        raise click.BadParameter(f"expected {known}, got {text!r}.", param_hint="--loss") from None


def _problem(file, target, loss, center, scale):
    from coordboost.problem import Problem
    from coordboost.readers import read_table

    table = read_table(file, target)
    return Problem(table.X, table.y, loss, center=center, scale=scale, feature_names=table.feature_names)
