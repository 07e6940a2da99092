"""Lu and Mazumder, Figures 2 to 4: distribution of the rank of the selected learner, angles in the
plane and of a basis. No data.
"""

import numpy as np
from scipy import stats

import coordboost as cb
from coordboost.angles.exact import orthonormal
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import (
    Claim,
    Experiment,
    Table,
    means,
    prints,
    reference,
    says,
)
from verification.experiments.judge import beside, every, fact, near

T = 10
SIZES = (20, 40, 80)
SOME_T = (5, 20, 50)


def ranks(sets, quick):
    """Compute K times the weight of rank j, the density of Beta(1, t) at j / K, and K times the
    mass of Beta(1, t) on (j - 1, j] / K.
    """
    rows = []
    for n in SIZES:
        weight = cb.rules.RandomSubset(T).weights(n)
        law = stats.beta(1, T)
        for j in range(1, n + 1):
            mass = law.cdf(j / n) - law.cdf((j - 1) / n)
            rows.append(
                {
                    "K": n,
                    "q": j / n,
                    "weight": n * weight[j - 1],
                    "density": law.pdf(j / n),
                    "mass": n * mass,
                }
            )
    return Table(rows)


def gap_to_density(n):
    """Return a function of the table: the largest difference of the weights from the density, for K
    = n.
    """
    return lambda table: float(
        np.abs(table.where(K=n)["weight"] - table.where(K=n)["density"]).max()
    )


def law_is_close(table):
    """Show where the curve for K = 40 is within the thickness of a line (2 % of the picture's
    height) of the density; not judged.

    "Almost" is no number.
    """
    subset = table.where(K=40)
    off = np.abs(subset["weight"] - subset["density"]) / T
    place = subset["q"][off.argmax()]
    after = subset["q"][np.flatnonzero(off > 0.02)[-1] + 1]
    sentence = (
        f"{100 * off.max():.0f} % of the height at q = {place:g}, less than 2 % from q = "
        f"{after:g} on"
    )
    return beside(sentence)._replace(statistic="largest difference over all ranks")


def total_variation(table):
    """Return the total variation distance between the weights and the masses of Beta(1, t), for
    each K.
    """
    return [
        float(np.abs(table.where(K=n)["weight"] - table.where(K=n)["mass"]).sum() / n / 2)
        for n in SIZES
    ]


def draw_ranks(figure, table):
    """Draw the weights for each K, and the density."""
    figure.set_size_inches(6.4, 4.6)
    axis = figure.subplots()
    lines(axis, table, "q", "weight", "K", label="K = {}")
    q = np.linspace(0, 1, 200)
    axis.plot(
        q, stats.beta(1, T).pdf(q), color="black", linewidth=1, label=f"density of Beta(1, {T})"
    )
    name_axes(axis, "rank j / K", "K times the probability of rank j")
    legend_below(figure, axis)


PLANE = {
    "two lines 0.02 apart": (0.0, 0.02),
    "two orthogonal lines": (0.0, np.pi / 2),
    "lines every 30 degrees": tuple(np.deg2rad(np.arange(0, 180, 30))),
}


def plane(sets, quick):
    """Compute the squared minimal cosine angle of three sets of lines in the plane, as an
    interval.
    """
    rows = []
    for name, angles in PLANE.items():
        interval = cb.theory.mca(np.array([np.cos(angles), np.sin(angles)]))
        rows.append(
            {
                "lines": name,
                "lower": interval.lower**2,
                "upper": interval.upper**2,
                "angles": " ".join(f"{a:.6f}" for a in angles),
            }
        )
    return Table(rows)


def squared_angle(k, printed, within):
    """Whether both ends of the k-th interval are the printed number."""
    return lambda table: every(
        near(float(table[end][k]), printed, within) for end in ("upper", "lower")
    )


def draw_plane(figure, table):
    """Draw the lines of each set, with the squared angle."""
    figure.set_size_inches(8.4, 3.6)
    for axis, row in zip(figure.subplots(1, 3), table.rows, strict=True):
        for angle in map(float, row["angles"].split()):
            axis.plot(
                [-np.cos(angle), np.cos(angle)], [-np.sin(angle), np.sin(angle)], color="#0072B2"
            )
        axis.set(aspect="equal", xticks=[], yticks=[], xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
        axis.set_title(f"{row['lines']}\nsquare of Theta: {row['upper']:.4f}", fontsize=10)


def basis(sets, quick):
    """Compute Theta of an orthonormal basis of R^p when t of p learners are drawn, for p from t to
    100,000.
    """
    rows = []
    for t in SOME_T:
        for p in np.unique(
            np.geomspace(t, 100_000, 15 if quick else 60).round().astype(int)
        ).tolist():
            rows.append({"t": t, "p": p, "theta": orthonormal(cb.rules.RandomSubset(t).weights(p))})
    return Table(rows)


def slopes(table):
    """Whether the log-log slopes are -1/2 for p <= t^2 / 2 and -1 for p >= 2 t^2, for all t."""
    results = []
    for t in SOME_T:
        subset = table.where(t=t)
        for side, slope in ((subset["p"] <= t * t / 2, -0.5), (subset["p"] >= 2 * t * t, -1.0)):
            if side.sum() > 1:
                fit = np.polyfit(np.log(subset["p"][side]), np.log(subset["theta"][side]), 1)
                results.append(near(float(fit[0]), slope, 1e-6))
    return every(results)


def closed(table):
    """Whether Theta equals min(t / p, 1 / sqrt(p))."""
    off = np.abs(table["theta"] / np.minimum(table["t"] / table["p"], table["p"] ** -0.5) - 1).max()
    return fact(off < 1e-9, f"largest relative difference {off:.1g}")


def draw_basis(figure, table):
    """Draw Theta against p, both on logarithmic scales."""
    figure.set_size_inches(6.4, 4.6)
    axis = figure.subplots()
    lines(axis, table, "p", "theta", "t", label="t = {}")
    name_axes(axis, "p", "Theta of an orthonormal basis", log_x=True, log_y=True)
    legend_below(figure, axis)


EXPERIMENTS = (
    Experiment(
        name="rgbm_figure2",
        source="Lu, Mazumder, Figure 2",
        run=ranks,
        draw=draw_ranks,
        seconds=(0.1, 0.1),
        claims=(
            Claim(
                "t = 10, K = 40: the weights beside the density of Beta(1, 10)",
                law_is_close,
                says("almost indistinguishable"),
            ),
            *(
                Claim(
                    f"largest difference from the density, K = {n}",
                    lambda table, n=n: beside(f"{gap_to_density(n)(table):.3f}"),
                )
                for n in SIZES
            ),
            Claim(
                "the weights approach Beta(1, 10): total variation at least halves with K doubled",
                lambda table: fact(
                    all(
                        b < 0.55 * a
                        for a, b in zip(
                            total_variation(table), total_variation(table)[1:], strict=False
                        )
                    ),
                    ", ".join(f"{v:.3f}" for v in total_variation(table)),
                ),
            ),
        ),
    ),
    Experiment(
        name="rgbm_figure3",
        source="Lu, Mazumder, Figure 3",
        run=plane,
        draw=draw_plane,
        seconds=(0.1, 0.1),
        claims=(
            Claim(
                "two lines close to each other",
                squared_angle(0, np.sin(0.01) ** 2, 1e-9),
                means("nearly 0"),
            ),
            Claim("two orthogonal lines", squared_angle(1, 0.5, 1e-8), prints("1/2")),
            Claim("lines every 30 degrees", squared_angle(2, 0.933, 5e-4), prints("0.933")),
        ),
    ),
    Experiment(
        name="rgbm_figure4",
        source="Lu, Mazumder, Figure 4",
        run=basis,
        draw=draw_basis,
        seconds=(0.5, 2),
        claims=(
            Claim(
                "the slope is -1/2 below p = t^2 and -1 above",
                slopes,
                means("the slope changes from -1/2 to -1 at p = t^2"),
            ),
            Claim(
                "Theta is min(t / p, 1 / root p), exactly",
                closed,
                reference("the order is that of Remark 4.2, exact here"),
            ),
        ),
    ),
)
