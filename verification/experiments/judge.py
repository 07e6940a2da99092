"""Judges: functions that turn numbers over repeated random splits into the verdict on a claim.

Repeated splits of one data set share most of their rows, so their differences are not independent.
All orderings are judged by the t statistic of Nadeau and Bengio (*Inference for the generalization
error*, 2003), whose variance allows for that:

    t = mean / sqrt((1 / J + n_test / n_train) variance)        J splits, J - 1 degrees of freedom

Draws of artificial data are independent: for them `share` (which is n_test / n_train) is 0, and t
is the paired t statistic.
"""

from functools import partial

import numpy as np
from scipy import stats

from verification.experiments.experiment import Verdict

#: One-sided level of the tests on splits.
LEVEL = 0.05
#: n_test / n_train of the papers' splits, 80 % and 20 %.
SHARE = 0.25


def resampled_t(differences, share=SHARE):
    """Return the one-sided p-value of the hypothesis that the mean difference is at most 0, and the
    statistic in words.
    """
    d = np.asarray(differences, dtype=float)
    if len(d) < 2 or not np.isfinite(d).all():
        return 0.5, f"{len(d)} splits, nothing to compare"
    spread = np.sqrt((1 / len(d) + share) * d.var(ddof=1))
    t = d.mean() / spread if spread > 0 else np.sign(d.mean()) * np.inf if d.mean() else 0.0
    p = float(stats.t.sf(t, len(d) - 1))
    kind, what = ("resampled", "splits") if share else ("paired", "draws")
    return p, f"{kind} t = {t:.2g}, p = {p:.2g}, {int((d > 0).sum())} of {len(d)} {what}"


def below(small, large, *, factor=1.0, share=SHARE, log=False, level=LEVEL):
    """Return the verdict on ``small < factor * large``.

    Entries at the same position come from the same split.

    Refuted where the contrary is significant, undecided in between. A factor above 1 means "not
    worse than by this factor". With `log` ratios are compared, for numbers that differ by powers of
    ten.
    """
    small = np.asarray(small, dtype=float)
    large = np.asarray(large, dtype=float)
    p, words = resampled_t(
        np.log(factor * large) - np.log(small) if log else factor * large - small, share
    )
    outcome = "confirmed" if p < level else "refuted" if p > 1 - level else "undecided"
    return Verdict(outcome, f"{mean_se(small)} against {mean_se(large)}", words)


def ordered(small, large, *, by, column, missing, **options):
    """Return a judge of a table: whether `column` is smaller in the rows with the entries `small`
    than in those with the entries `large`, in pairs of rows with the same `by`.

    Where there are no such rows it says what is `missing`. Options are those of ``below``.
    """

    def judge(table):
        numbers = [table.where(**wanted).by(by, column) for wanted in (small, large)]
        return below(*numbers, **options) if all(map(len, numbers)) else beside(missing)

    return judge


#: ``below`` for independent draws, at level 1 %: `less` for any numbers, `fewer` for ratios of
#: positive numbers.
less = partial(below, share=0.0, level=0.01)
fewer = partial(less, log=True)


def from_same(values, low, high):
    """Return the verdict on whether the smallest and largest of three draws fit the distribution of
    our draws.

    The midrange of three standard normal numbers has variance 0.362; it is compared with our mean
    by a two-sided t test at 1 %.
    """
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) * np.sqrt(0.362 + 1 / len(values))
    t = ((low + high) / 2 - values.mean()) / max(spread, 1e-300)
    p = float(2 * stats.t.sf(abs(t), len(values) - 1))
    return Verdict(
        "confirmed" if p > 0.01 else "refuted",
        f"{values.min():.4g} to {values.max():.4g}",
        f"t = {t:.2g}, p = {p:.2g}",
    )


def near(ours, expected, within, words=""):
    """Return the verdict on whether a deterministic number is as expected, up to `within`."""
    return Verdict(
        "confirmed" if abs(ours - expected) <= within else "refuted",
        f"{ours:.6g}",
        words or f"within {within:g}",
    )


def fact(holds, ours, statistic=""):
    """Return "confirmed" if `holds`, else "refuted", for a claim that needs no test."""
    return Verdict("confirmed" if holds else "refuted", ours, statistic)


def most(holds, ours):
    """Return the verdict on what shall be true for most choices that the paper leaves open.

    `holds` : (n_choices,), whether it is.

    Confirmed if it is true for more than half of all choices, by the binomial test at 1 %; refuted
    if it is false for more than half. The statistic is the share with its 95 % interval (Clopper,
    Pearson).
    """
    holds = np.asarray(holds, dtype=bool)
    test = partial(stats.binomtest, int(holds.sum()), len(holds))
    low, high = test().proportion_ci(0.95)
    sentence = f"{holds.sum()} of {len(holds)} choices, {low:.0%} to {high:.0%}"
    found = {
        "confirmed": test(alternative="greater").pvalue < 0.01,
        "refuted": test(alternative="less").pvalue < 0.01,
    }
    return Verdict(
        next((outcome for outcome, clear in found.items() if clear), "undecided"), ours, sentence
    )


def beside(ours):
    """Return "not judged" with our number, to be shown next to a printed one."""
    return Verdict("not judged", ours if isinstance(ours, str) else mean_se(ours))


def every(verdicts):
    """Return the joint verdict on several orderings: refuted if one is, confirmed if all are, else
    undecided.
    """
    verdicts = list(verdicts)
    found = [verdict.outcome for verdict in verdicts]
    outcome = (
        "refuted"
        if "refuted" in found
        else "confirmed"
        if set(found) == {"confirmed"}
        else "undecided"
    )
    worst = next((verdict for verdict in verdicts if verdict.outcome == outcome), verdicts[0])
    if len(found) == 1:
        return verdicts[0]
    sentence = (
        f"{found.count('confirmed')} of {len(found)} hold"
        + f", the contrary of {found.count('refuted')}" * ("refuted" in found)
    )
    return Verdict(outcome, sentence, f"for example: {worst.statistic}")


@np.errstate(invalid="ignore")  # infinite losses have no standard error
def mean_se(values):
    """Return mean and standard error, as a string."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return f"{values.mean():.4g}"
    return f"{values.mean():.4g} +- {values.std(ddof=1) / np.sqrt(len(values)):.2g}"
