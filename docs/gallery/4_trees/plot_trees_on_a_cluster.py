"""
Trees on a cluster
==================

The rows of a Dask array stay on the workers. Only sums travel, so the trees are those of a run in
memory, bit for bit, for any number of workers. The picture shows what to expect of more workers,
from the messages of the run.
"""

# %%
# A cluster, here of two workers in this process. ``Client("scheduler:8786")`` is one of many
# machines, and in a program of your own ``Client(n_workers=2)`` starts processes, below
# ``if __name__ == "__main__":``.
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client

import coordboost as cb

client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
rng = np.random.default_rng(0)
table = rng.normal(size=(60_000, 10)).astype(np.float32)
y = table[:, 0] * table[:, 1] + np.abs(table[:, 2]) + rng.normal(size=60_000)
X = da.from_array(table, chunks=(10_000, -1)).persist()

# %%
# Boosting reads as it does in memory.


def boosted(rows):
    """Twenty trees of depth 6 on an array."""
    return cb.solve(cb.Problem(cb.data.trees(rows, max_depth=6), y), cb.gbm(0.1), 20)


run = boosted(X)
print(run)
print("same as in memory:", bool((run.predict(table) == boosted(table).predict(table)).all()))

# %%
# Linear models read the rows once, for the sums of their products.
path = cb.lasso_path(X, y, n_alphas=20)
print(f"{path.problem.reduced.passes:.2f} passes over {path.problem.n_rows:,} rows")

# %%
# What travels for a tree is counted. The client calls every worker itself, so more workers make the
# rows of each fewer and the calls more. The constants of the model are those of the page on `larger
# tables <../../larger-than-memory.html>`__: a call takes 1 ms, the client receives 1 GB a second,
# and a million rows take a worker 3 ms for each column.
parts = run.problem.dictionary.parts
before = parts.n_trips, parts.n_received
run.resume(10)
trips = (parts.n_trips - before[0]) / 10
megabytes = (parts.n_received - before[1]) / 1e6 / 10 / len(parts.blocks)
print(f"a tree: {trips:.1f} round trips, {megabytes:.2f} MB from each worker")
client.close()

workers = np.geomspace(1, 1000, 100)
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for million_rows, color in ((10, "#0072B2"), (100, "#D55E00"), (1000, "#009E73")):
    of_rows = 0.003 * table.shape[1] * million_rows / workers
    of_messages = workers * (trips * 1e-3 + megabytes * 1e-3)
    label = f"{million_rows:,} million rows"
    ax.loglog(workers, of_rows + of_messages, color=color, label=label)
ax.set(xlabel="workers", ylabel="seconds a tree, by the model")
ax.legend()
plt.show()
