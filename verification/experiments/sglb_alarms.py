"""How often the statistical tests of Langevin boosting raise a false alarm: each statistic many times over, where the claim is true.

The chain itself would take days. Its surrogate has the same law: for the squared loss and a choice that does not look, coefficients at
every 40th step are, to order eps, a normal autoregressive sequence; the slowest of them, with correlation `slowest`, is the hardest for
a test that takes its error from the effective size. Visits to two wells are a sequence of two states. Errors of a mean come from the
package's own ``ess``. An upper bound of the rate is that of Clopper and Pearson at 95 %: 3 / n where there was no alarm.
"""

import numpy as np
from scipy import stats

from coordboost.theory.langevin import ess
from verification.experiments.experiment import Claim, Experiment, Table, Verdict

#: What a test may raise falsely, and how often each is tried (quick: less).
RATE, TIMES, QUICK = 1e-4, 40_000, 200


def autoregressive(rng, n_chains, n_draws, slowest):
    """Stationary sequences (n_chains, n_draws) of variance 1."""
    from scipy.signal import lfilter

    shocks = rng.normal(size=(n_chains, n_draws))
    shocks[:, 1:] *= np.sqrt(1 - slowest**2)
    return lfilter([1.0], [1.0, -slowest], shocks, axis=1)


def means(rng, times):
    """The mean of a chain of 4,750 draws, and 5 of its own errors: eight coefficients."""
    out = np.zeros(times, dtype=bool)
    for i in range(times):
        x = autoregressive(rng, 8, 4_750, 0.82)
        sizes = np.array([ess(one) for one in x])
        out[i] = (np.abs(x.mean(axis=1)) > 5 * x.std(axis=1, ddof=1) / np.sqrt(sizes)).any()
    return out


def traces(rng, times):
    """The trace of the covariance from 4,750 draws, off by 0.3: eight coefficients that go together, the worst case."""
    return np.array([abs(autoregressive(rng, 1, 4_750, 0.82).var() - 1) > 0.3 for _ in range(times)])


def occupancies(rng, times, stay=0.94):
    """Two shares of the time in a well, each from 200 chains of 100 looks, apart by 7.5 errors of one: 5.3 of their difference.

    stay : how often a look repeats the last one

    A first form held one share against the true .6, within 5 errors, and raised 2 alarms in 40,000, both with the first seed (t = -5.12
    and -5.02), none with two others. Nothing was wrong with it: in both cases the mean lay 5 true standard deviations low, and the
    estimated error was 1.5 % off. Its rate follows from the exact law of a chain's share (two states, 100 looks: skewness -.31) and
    200,000 draws of 200 chains tilted towards each tail: 3.1e-7 below and 1.7e-6 above, 2.0e-6 in all, for 5.7e-7 of a normal number.
    So two or more in 40,000 come 3 times in 1,000 trials: it was chance, and a count alone could not tell that from a rate of 1e-4.
    """
    out = np.zeros(times, dtype=bool)
    for i in range(0, times, 100):
        there = rng.random((100, 200)) < 0.6
        total = there.astype(float)
        for _ in range(99 if stay < 1 else 0):
            there = np.where(rng.random(there.shape) < stay, there, rng.random(there.shape) < 0.6)
            total += there
        part = total / (100 if stay < 1 else 1)
        mean, error = part.mean(axis=1), part.std(axis=1, ddof=1) / np.sqrt(200)
        out[i : i + 100] = (np.abs(mean - np.roll(mean, 1)) > 7.5 * error)[: times - i]
    return out


def chances(rng, times):
    """The chances of two learners from 20,000 draws of noise, 5 estimated errors off one half."""
    found = rng.binomial(20_000, 0.5, size=times) / 20_000
    return np.abs(found - 0.5) > 5 * np.sqrt(found * (1 - found) / 20_000)


def spreads(rng, times):
    """The standard deviation of 300 leaves, 5 of its errors off."""
    found = np.sqrt(rng.chisquare(300, size=times) / 300)
    return np.abs(found - 1) > 5 / np.sqrt(600)


def held(rng, times):
    """The part of 4,000 coefficients, 5 in a group, that intervals of 90 % hold: 0.055 off, if all 5 of a group go together."""
    return np.abs(rng.binomial(800, 0.9, size=times) / 800 - 0.9) > 0.055


TESTS = {
    "mean of a chain within 5 errors, 8 coefficients": means,
    "trace of a covariance within 0.3": traces,
    "two shares of the time in a well within 7.5 errors of one": occupancies,
    "the same, of chains that never leave": lambda rng, times: occupancies(rng, times, 1.0),
    "chances of learners within 5 errors": chances,
    "noise of leaves within 5 errors": spreads,
    "coverage of intervals within 0.055": held,
}


def run(sets, quick):
    """Alarms, and an upper bound of their rate, for each test; all from one seed."""
    times, rows = QUICK if quick else TIMES, []
    for seed, (name, test) in enumerate(TESTS.items()):
        alarms = int(test(np.random.default_rng((11, seed)), times).sum())
        rows.append({"test": name, "times": times, "alarms": alarms, "bound": stats.beta.ppf(0.95, alarms + 1, times - alarms)})
    return Table(rows)


def rare(name):
    """Whether the rate is below ``RATE``: undecided where too few were tried to tell."""

    def judge(table):
        (found,) = table.where(test=name).rows
        words = f"{found['alarms']} of {found['times']}"
        outcome = "confirmed" if found["bound"] <= RATE else "undecided" if found["alarms"] == 0 else "refuted"
        return Verdict(outcome, words, f"rate below {found['bound']:.2g} at 95 %")

    return judge


EXPERIMENTS = (
    Experiment(
        name="sglb_alarms", source="false alarms of the statistical tests", run=run, seconds=(1, 150),
        claims=tuple(Claim(f"{name}: false alarms at most 1 in 10,000", rare(name)) for name in TESTS),
    ),
)  # fmt: skip
