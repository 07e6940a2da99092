"""
A table larger than memory
==========================

``open_columns`` leaves a table in its file and reads it in tiles. In memory the same fit needs the
table and a standardised copy of it. The picture shows the peak memory of both for tables of growing
size.
"""

import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "table.npy"


def peak(read, y):
    """A run of 500 steps on the table that `read` makes, and its peak memory in MB."""
    tracemalloc.start()
    run = cb.solve(cb.Problem(read(file), y), cb.forward_stagewise(eps=0.1), 500)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return run, megabytes


# %%
# Tables of 50 columns. The first table only compiles the loop. Both fits choose the same
# learners, with the same coefficients to 12 digits.
sizes, stored, loaded = [], [], []
for n_rows in (1000, 40_000, 80_000, 160_000, 320_000):
    table = rng.normal(size=(50, n_rows)).T  # column by column
    y = table[:, :5].sum(axis=1) + rng.normal(size=n_rows)
    np.save(file, table)
    (run, megabytes), (inside, more) = peak(cb.data.open_columns, y), peak(np.load, y)
    if n_rows > 1000:
        sizes, stored, loaded = [*sizes, table.nbytes / 1e6], [*stored, megabytes], [*loaded, more]
        same = bool(
            (run.path.learner == inside.path.learner).all()
            and np.allclose(run.coef, inside.coef, rtol=1e-12)
        )
        print(
            f"{sizes[-1]:4.0f} MB: peak {megabytes:3.0f} MB and {more:3.0f} MB; same learners and "
            f"coefficients: {same}"
        )
folder.cleanup()

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(sizes, loaded, "o-", color="#D55E00", label="in memory")
ax.plot(sizes, stored, "s-", color="#0072B2", label="in a file")
ax.plot(sizes, sizes, "--", color="0.5", linewidth=1, label="size of the table")
ax.set(xlabel="size of the table, MB", ylabel="peak memory, MB", xlim=(0, None), ylim=(0, None))
ax.legend()
