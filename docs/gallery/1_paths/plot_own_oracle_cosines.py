"""
Infinitely many learners: a cosine of every frequency
=====================================================

Learners need not be listed: a family of learners searches for the one that fits the residual best.
Here they are the waves of every frequency and phase. The signal has three waves. It was observed at
200 random times, with noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize_scalar

import coordboost as cb

rng = np.random.default_rng(0)
time = np.sort(rng.uniform(0, 10, 200))
true = {0.7: 1.0, 1.13: 2.0, 1.62: 1.5}  # amplitude by frequency
y = sum(size * np.cos(2 * np.pi * f * time) for f, size in true.items()) + 0.5 * rng.normal(
    size=200
)


# %%
# ``find`` returns the best learner as a pair of numbers, frequency and phase, with its
# correlation. A grid gives the start of a search over the frequency. The search proves nothing
# about other learners, so it returns an infinite bound.
class Waves(cb.learners.LearnerFamily):
    n_samples = len(time)

    def find(self, v, k, above):
        def power(f):
            return np.abs(np.exp(2j * np.pi * f * time) @ v)

        start = max(np.arange(0.05, 3, 0.02), key=power)
        f = minimize_scalar(
            lambda f: -power(f), bounds=(start - 0.02, start + 0.02), method="bounded"
        ).x
        best = (float(f), float(-np.angle(np.exp(2j * np.pi * f * time) @ v)))
        return [best], [self.build(best) @ v], np.inf

    def build(self, learner):
        wave = np.cos(2 * np.pi * learner[0] * time + learner[1])
        return wave / np.linalg.norm(wave)


problem = cb.Problem(Waves(), y, center=False)
run = cb.solve(problem, cb.ls_boost(0.3), 40)
found = [frequency for frequency, _ in run.problem.dictionary.learners]
print(
    f"{len(found)} waves, loss {problem.start_loss:.0f} -> {run.final.loss:.0f}; the noise alone "
    f"has about {200 * 0.5**2 / 2:.0f}"
)

# %%
# Above, the data and the model. Below, the waves of the model: they lie close to the true
# frequencies, which are dashed.
fig, (upper, lower) = plt.subplots(2, 1, figsize=(8, 5), layout="constrained")
upper.plot(time, y, ".", color="0.5", label="data")
upper.plot(time, run.pred, color="#0072B2", linewidth=1.5, label="model")
upper.set(xlabel="time", ylabel="signal", xlim=(0, 10))
lower.vlines(list(true), 0, 6.5, color="#D55E00", linestyle="--", label="true frequencies")
lower.vlines(found, 0, run.beta, color="#0072B2", linewidth=2, label="waves of the model")
lower.set(xlabel="frequency", ylabel="coefficient", xlim=(0, 3), ylim=(0, 6.5))
for ax in (upper, lower):
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
