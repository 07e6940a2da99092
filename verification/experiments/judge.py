"""Judges: from numbers over repeated random splits to the verdict on a claim.

Repeated splits of one data set share most of their rows, so their differences are not independent. The statistic of all orderings is the
t of Nadeau and Bengio (*Inference for the generalization error*, 2003), whose variance allows for that:

    t = mean / sqrt((1 / J + n_test / n_train) variance)        J splits, J - 1 degrees of freedom

Draws of artificial data share nothing: for them it is the paired t, with a share of 0.
"""

from functools import partial

import numpy as np
from scipy import stats

from verification.experiments.experiment import Verdict

#: One-sided.
LEVEL = 0.05
#: n_test / n_train of the papers' splits, 80 % and 20 %.
SHARE = 0.25


def resampled_t(differences, share=SHARE):
    """The one-sided p-value that the mean of the differences is not above 0, and the statistic in words."""
    d = np.asarray(differences, dtype=float)
    if len(d) < 2 or not np.isfinite(d).all():
        return 0.5, f"{len(d)} splits, nothing to compare"
    spread = np.sqrt((1 / len(d) + share) * d.var(ddof=1))
    t = d.mean() / spread if spread > 0 else np.sign(d.mean()) * np.inf if d.mean() else 0.0
    p = float(stats.t.sf(t, len(d) - 1))
    kind, what = ("resampled", "splits") if share else ("paired", "draws")
    return p, f"{kind} t = {t:.2g}, p = {p:.2g}, {int((d > 0).sum())} of {len(d)} {what}"


def below(small, large, *, factor=1.0, share=SHARE, log=False, level=LEVEL):
    """Whether ``small < factor * large``, entries of the same place from the same split.

    Refuted where the contrary is as clear, undecided in between. With a factor above 1, "not worse than by that factor". With `log`
    ratios are compared: for numbers over several powers of ten.
    """
    small, large = np.asarray(small, dtype=float), np.asarray(large, dtype=float)
    p, words = resampled_t(np.log(factor * large) - np.log(small) if log else factor * large - small, share)
    outcome = "confirmed" if p < level else "refuted" if p > 1 - level else "undecided"
    return Verdict(outcome, f"{mean_se(small)} against {mean_se(large)}", words)


#: The same for independent draws, at 1 %: of numbers that may be 0, and of positive ones by their ratios.
less = partial(below, share=0.0, level=0.01)
fewer = partial(less, log=True)


def from_same(values, low, high):
    """Whether the smallest and the largest of three draws may come from where our draws come from.

    The middle of three normal numbers has a variance of 0.362: it is compared with our mean by a two-sided t at 1 %.
    """
    values = np.asarray(values, dtype=float)
    spread = values.std(ddof=1) * np.sqrt(0.362 + 1 / len(values))
    t = ((low + high) / 2 - values.mean()) / max(spread, 1e-300)
    p = float(2 * stats.t.sf(abs(t), len(values) - 1))
    return Verdict("confirmed" if p > 0.01 else "refuted", f"{values.min():.4g} to {values.max():.4g}", f"t = {t:.2g}, p = {p:.2g}")


def near(ours, printed, within, words=""):
    """Whether a number that depends on no chance is that of the paper, to `within`."""
    return Verdict("confirmed" if abs(ours - printed) <= within else "refuted", f"{ours:.6g}", words or f"within {within:g}")


def fact(holds, ours, statistic=""):
    """A claim that one look decides."""
    return Verdict("confirmed" if holds else "refuted", ours, statistic)


def beside(ours):
    """Our number next to a printed one that nobody can be held to."""
    return Verdict("not judged", ours if isinstance(ours, str) else mean_se(ours))


def every(verdicts):
    """All of several orderings: refuted if one is, confirmed if all are."""
    verdicts = list(verdicts)
    found = [one.outcome for one in verdicts]
    outcome = "refuted" if "refuted" in found else "confirmed" if set(found) == {"confirmed"} else "undecided"
    worst = next((one for one in verdicts if one.outcome == outcome), verdicts[0])
    if len(found) == 1:
        return verdicts[0]
    words = f"{found.count('confirmed')} of {len(found)} hold" + f", the contrary of {found.count('refuted')}" * ("refuted" in found)
    return Verdict(outcome, words, f"one that is {outcome}: {worst.statistic}")


def mean_se(values):
    """Mean and standard error."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return f"{values.mean():.4g}"
    return f"{values.mean():.4g} +- {values.std(ddof=1) / np.sqrt(len(values)):.2g}"
