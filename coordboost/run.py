"""The run as an object: resumable, replayable, saved and loaded."""

from functools import cached_property

from coordboost import storage
from coordboost._checks import shown
from coordboost.data import validation
from coordboost.driver import again, drive
from coordboost.outcome import Outcome, Replay, Status
from coordboost.shapes import shapes
from coordboost.state import State
from coordboost.targets import Certificate

__all__ = ["Outcome", "Run", "Status", "load"]


class Run:
    """The steps made, and everything that follows from them.

    Attributes
    ----------
    problem, method : what was run;  seed, view : what else it depends on
    path : the steps;  n_steps : their number;  beta : coefficients of the unit columns after them, (n_learners,)
    status : ``Status``;  message : the status in a sentence;  seconds : wall time of the steps
    n_scans : correlations of residuals computed from the data, in units of a full scan
    n_gram_columns : Gram columns B'W B_j computed from the data: what a run near interpolation costs instead of scans
    """

    def __init__(self, outcome):
        self.outcome = outcome
        self.problem, self.method, self.seed, self.view = outcome.problem, outcome.method, outcome.seed, outcome.view
        self.path, self.beta, self.n_steps = outcome.path, outcome.beta, len(outcome.path)
        self.status, self.message, self.seconds = outcome.status, outcome.message, outcome.seconds
        self.n_scans = outcome.counts[0] + outcome.counts[1] / max(1, self.problem.n_learners)
        self.n_gram_columns = sum(outcome.counts[2:])

    def __reduce__(self):
        return Run, (self.outcome,)

    def __repr__(self):
        return f"<Run {self.method.name}: {self.n_steps} steps, l1 {self.final.l1:.6g}, loss {self.final.loss:.6g}; {self.message}>"

    @cached_property
    def final(self):
        """The last state."""
        target = self.method.target_at(self.n_steps)
        return State(self.problem, target, self.n_steps, self.beta, self.seconds, self.path)

    @property
    def pred(self):
        """B beta at the end, (n_samples,), offset not included."""
        return self.final.pred

    @property
    def coef(self):
        """Coefficients on the raw scale, (n_columns,)."""
        return self.problem.raw(self.beta)[0]

    @property
    def intercept(self):
        """Intercept on the raw scale."""
        return self.problem.raw(self.beta)[1]

    def predict(self, X):
        """Predictions (offset included) for new rows."""
        return self.problem.predict(self.beta, X)

    def shapes(self):
        """The shape function of each feature, for a run on stumps: see ``shapes``."""
        return shapes(self.problem, self.beta)

    def replay(self, at):
        """The states after `at` steps each (non-decreasing), bit for bit as they were. *Cost*: no scans."""
        if not hasattr(at, "__iter__"):
            raise ValueError(f"at must be a sequence of step numbers, got {shown(at)}.")
        replay = Replay(self.problem, self.method, self.path)
        for k in at:
            if not replay.k <= validation.whole("at", k) <= self.n_steps:
                raise ValueError(
                    f"at must not decrease and not pass the {self.n_steps} steps of the run, got {k} after {replay.k}."
                )
            yield replay.state(k)

    def certificate(self, target=None, at=()):
        """Certificate of the last model; the models `at` earlier steps may raise its lower end."""
        last = self.final.certificate(target)
        lower = max([last.lower, *(state.certificate(target).lower for state in self.replay(at))])
        return Certificate(last.target, lower, last.upper, last.witness)

    def resume(self, n_steps, *, stop=(), watch=None):
        """A new run of `n_steps` more steps, the same as if it had never stopped."""
        return Run(drive(again(self.outcome), n_steps, stop, watch, self.seconds))

    def save(self, file, *, data=True):
        """Write the run to one file; see ``coordboost.storage.write_run``."""
        storage.write_run(self.outcome, file, data=data)


def load(file, problem=None, method=None):
    """The run saved in `file`; see ``coordboost.storage.read_run``."""
    return Run(storage.read_run(file, problem, method))
