"""Boosting of several classes as one model: one tree per class in every iteration, and
probabilities by softmax.
"""

import numpy as np
from scipy.special import softmax

from coordboost._utils.checks import real, shown
from coordboost.data import validation
from coordboost.engine.rounds import solve_rounds
from coordboost.estimators.monitoring import JointLosses
from coordboost.losses.standard import Logistic


class Multinomial:
    """Mixin of classifiers with a parameter `multinomial`: three classes or more are then one
    model.
    """

    def _check_parameters(self):
        super()._check_parameters()
        if (
            self.multinomial is not None
            and validation.flag("multinomial", self.multinomial)
            and not self._logistic
        ):
            raise ValueError(
                f"multinomial=True is for Logistic(), got loss={shown(self.loss)}: leave one of "
                "them out."
            )

    @property
    def _logistic(self):
        loss = self._get_loss()
        return isinstance(loss, Logistic) and loss.d == 0

    @property
    def _joint(self):
        wanted = self._logistic if self.multinomial is None else self.multinomial
        return bool(wanted) and len(self.classes_) > 2

    def _run(self, starts, left, sets, tasks, began):
        if not self._joint:
            return super()._run(starts, left, sets, tasks, began)
        real(
            "learning_rate",
            self.learning_rate,
            lambda rate: rate <= 1,
            "at most 1 where all classes step at once (multinomial=False: 2)",
        )
        problems = [start.problem for start in starts]
        method = starts[0].method
        followed = {
            name: JointLosses(problems[0].binning.bin(rows.X), rows.y, rows.weight)
            for name, rows in sets.items()
        }
        monitor = self._monitor(followed, joint_losses(problems), began)
        callback_rule = tasks.rule(method, left[0], 1) if tasks else None
        earlier = self.runs_ if starts[0].done else None
        callback_rules = [callback_rule] if callback_rule else []
        settings = {"rng": self._seed, "earlier": earlier}
        with monitor.rules(method, left[0], starts[0].done, 1) as rules:
            stop = [*rules, *callback_rules]
            runs = solve_rounds(problems, method, left[0], stop=stop, **settings)
        monitor.finish(runs)
        if callback_rule:
            callback_rule.close()
        return runs, [monitor] * len(runs)

    def _train_score(self):
        if not self._joint:
            return super()._train_score()
        followed = joint_losses([run.problem for run in self.runs_])
        followed.follow(self.runs_)
        return -np.array(followed.losses)

    def _probabilities(self, raw):
        return softmax(raw, axis=1) if self._joint else super()._probabilities(raw)


def joint_losses(problems):
    """Return the ``JointLosses`` on the training rows of the problems of all classes."""
    first = problems[0]
    class_index = np.argmax([problem.y for problem in problems], axis=0)
    return JointLosses(first.dictionary.binned, class_index, first.weight)
