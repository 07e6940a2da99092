"""Two animations: the path of FS approaches that of the Lasso as eps falls, and the residuals of FS
as a subgradient method.
"""

from functools import partial

import numpy as np

import coordboost as cb
from verification.experiments.drawing import name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, reference
from verification.experiments.fgm_prostate import curve, draw_coefficients
from verification.experiments.fgm_runs import Lasso, profile
from verification.experiments.judge import fact, near

#: eps of the frames; our reference for the distance from the Lasso, by eps. Both for the target as
#: it is, not scaled to norm 1.
FRAMES = tuple(np.geomspace(2.0, 0.02, 20).round(4).tolist())
KNOWN = {1e-2: 0.0109, 1e-3: 0.0012, 1e-4: 0.0001}


def falling(sets, quick):
    """Compute the paths of FS and the Lasso on all rows of prostate, and their distance.

    FS is evaluated about every 0.02 of its length.
    """
    (data,) = sets.values()
    problem = cb.Problem(data.X, data.y)
    lasso = Lasso(problem)
    rows = list(curve(lasso.profile(), eps=0.0))
    for eps in (*FRAMES, *KNOWN):
        stride = max(1, round(0.02 / eps))
        n_steps = round(1.3 * lasso.end / eps / stride + 1) * stride
        seen = profile(
            cb.solve(problem, cb.forward_stagewise(eps), n_steps), range(0, n_steps + 1, stride)
        )
        rows.append({"kind": "run", "eps": eps, "off": float(lasso.off(seen[2]).max())})
        if eps in FRAMES:
            rows += curve(seen, eps=eps)
    return Table(rows)


def off(table, eps):
    """Return the largest distance of a coefficient from the Lasso of the same l1 norm."""
    return float(table.where(kind="run", eps=eps)["off"][0])


def order_of_eps(table):
    """Whether every coefficient is within 2 eps of the Lasso, for eps up to about a hundredth of
    delta_max.
    """
    small = [eps for eps in (*FRAMES, *KNOWN) if eps <= 0.18]
    ratio = [off(table, eps) / eps for eps in small]
    return fact(
        max(ratio) <= 2,
        f"{min(ratio):.2f} to {max(ratio):.2f} eps",
        f"{len(small)} eps, all at most .18",
    )


def show_falling(figure, table):
    """Show FS, with the Lasso in grey behind it, on the left, and the Lasso on the right."""
    figure.set_size_inches(10, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    lasso = table.where(kind="curve", eps=0.0)
    draw_coefficients(right, lasso)
    name_axes(right, "l1 norm", "", "the Lasso")
    limits = right.get_ylim()

    def show(k):
        left.clear()
        for j in range(8):
            left.plot(lasso["l1"], lasso[f"b{j + 1}"], color="#cccccc", linewidth=3)
        draw_coefficients(left, table.where(kind="curve", eps=FRAMES[k]))
        name_axes(left, "l1 norm", "coefficient", f"FS, eps = {FRAMES[k]:.3g}")
        left.set(xlim=right.get_xlim(), ylim=limits)

    return show, len(FRAMES)


COLUMNS = np.array([[1.0, 0.0], [np.cos(1.0), np.sin(1.0)], [np.cos(2.0), np.sin(2.0)]]).T
TARGET = np.array([2.3, 1.6])
STEP = 0.3
N_STEPS = 20


def walk(sets, quick):
    """Compute the residuals of FS, and of subgradient descent on the largest absolute correlation,
    for three unit columns in the plane.
    """
    problem = cb.Problem(COLUMNS, TARGET, center=False, scale=False)
    run = cb.solve(problem, cb.forward_stagewise(STEP), N_STEPS, compile=False)
    bound = cb.theory.bounds.stagewise.correlation(
        cb.theory.bounds.Constants.of(problem), eps=STEP, k=np.arange(N_STEPS + 1)
    )
    walked = zip(
        cb.theory.subgradient_descent(problem, STEP, N_STEPS),
        run.replay(range(N_STEPS + 1)),
        bound.tolist(),
        strict=True,
    )
    return Table(
        {
            "step": one.k,
            "r1": float(one.resid[0]),
            "r2": float(one.resid[1]),
            "f": one.objective,
            "bound": limit,
            "from FS": float(np.abs(one.resid - state.resid).max()),
        }
        for one, state, limit in walked
    )


def same_residuals(table):
    """Whether the residuals of both are equal up to rounding."""
    return fact(
        table["from FS"].max() <= 1e-10,
        f"apart by at most {table['from FS'].max():.1g}",
        f"{N_STEPS} steps",
    )


def below_bound(table):
    """Whether the smallest value so far is below the bound of Theorem 3.1 (iv) after every step."""
    ratio = np.minimum.accumulate(table["f"]) / table["bound"]
    return fact(ratio.max() <= 1, f"at most {ratio.max():.2f} of the bound", "Theorem 3.1 (iv)")


def show_walk(figure, table):
    """Show residuals, next step and polygons of equal value in the plane on the left, and the value
    and its bound on the right.
    """
    figure.set_size_inches(10.5, 5)
    left, right = figure.subplots(1, 2)
    at = np.linspace(-2.8, 2.8, 201)
    grid = np.stack(np.meshgrid(at, at))
    value = np.abs(np.tensordot(COLUMNS, grid, axes=(0, 0))).max(axis=0)
    way = np.column_stack([table["r1"], table["r2"]])
    f = table["f"]
    k = table["step"]

    def show(frame):
        left.clear()
        right.clear()
        left.contour(*grid, value, levels=np.arange(0.5, 4, 0.5), colors="#cccccc", linewidths=0.8)
        left.contour(*grid, value, levels=[f[frame]], colors="#009E73", linewidths=1.6)
        left.plot(*way[: frame + 1].T, "o-", color="#0072B2", markersize=4, linewidth=1)
        if frame < N_STEPS:
            left.annotate(
                "",
                way[frame + 1],
                way[frame],
                arrowprops={"arrowstyle": "->", "color": "#D55E00", "linewidth": 2},
            )
        left.plot(0, 0, "*", color="black", markersize=10)
        name_axes(
            left,
            "first residual",
            "second residual",
            f"step {frame}: the residual and its level set",
        )
        left.set(aspect="equal", xlim=(-1.2, 2.8), ylim=(-1.6, 2.4))
        right.plot(
            k[: frame + 1],
            f[: frame + 1],
            "o-",
            color="#0072B2",
            markersize=4,
            linewidth=1,
            label="largest abs correlation",
        )
        right.plot(
            k,
            np.minimum(table["bound"], 4),
            color="#D55E00",
            linestyle="--",
            label="bound on the smallest so far",
        )
        right.axhline(STEP / 2, color="#888888", linewidth=0.8, linestyle=":", label="eps / 2")
        name_axes(right, "step", "", f"forward stagewise, eps = {STEP:g}")
        right.set(xlim=(-0.5, N_STEPS + 0.5), ylim=(0, 4), xticks=range(0, N_STEPS + 1, 5))
        right.legend(frameon=False)

    return show, N_STEPS + 1


def still(animate, frame, figure, table):
    """Draw one frame as a picture."""
    animate(figure, table)[0](frame)


EXPERIMENTS = (
    Experiment(
        name="fgm_animated_path",
        source="Freund, Grigas, Mazumder, Section 6: FS as eps falls",
        data=("prostate",),
        run=falling,
        draw=partial(still, show_falling, 6),
        animate=show_falling,
        seconds=(1, 1),
        about="An animation, not in the paper: all rows of prostate, the target as it is.",
        claims=(
            *(
                Claim(
                    f"eps = {eps:g}: the largest distance of a coefficient from the Lasso's",
                    lambda table, eps=eps, one=one: near(off(table, eps), one, 0.5001e-4),
                    reference(f"{one:g}"),
                )
                for eps, one in KNOWN.items()
            ),
            Claim(
                "the path is within two steps of the Lasso's",
                order_of_eps,
                reference("of the order of eps"),
            ),
        ),
    ),
    Experiment(
        name="fgm_animated_walk",
        source="Freund, Grigas, Mazumder, Proposition 3.2",
        run=walk,
        draw=partial(still, show_walk, 8),
        animate=show_walk,
        seconds=(0.1, 0.1),
        about="An animation, not in the paper: three unit columns in the plane.",
        claims=(
            Claim(
                "the residuals of FS are those of subgradient descent on the largest abs "
                "correlation",
                same_residuals,
                means("equal"),
            ),
            Claim("the smallest value so far is below its bound", below_bound, means("below")),
        ),
    ),
)
