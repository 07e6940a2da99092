"""The loosest setting of a peer that reaches a target: what a user who knows the answer would choose, so the kindest to the peer."""

from functools import cached_property

from verification.benchmarks.harness import timed


class Search:
    """Settings from loose to tight, each of them run once at most, whatever the number of targets.

    solve : a function of the setting;  judge : the gap of what it returns;  ladder : the settings, or a function that makes them
    start : position in the ladder to begin at
    limit : seconds that one run may take; a setting that takes longer ends the search, and so does one that fails
    """

    def __init__(self, solve, judge, ladder, start=0, limit=120.0):
        self.solve, self.judge, self.settings, self.start, self.limit = solve, judge, ladder, start, limit
        self.gaps = {}  # position -> gap
        self.failure = None

    @cached_property
    def ladder(self):
        """The settings; made when they are needed, where `ladder` is a function."""
        return tuple(self.settings() if callable(self.settings) else self.settings)

    def gap(self, at):
        """Gap at a position of the ladder.

        Raises
        ------
        Exception
            What the peer raised, now or before; TimeoutError where it was slower than the limit.
        """
        if self.failure is not None:
            raise self.failure
        if at not in self.gaps:
            try:
                done = timed(lambda: self.solve(self.ladder[at]))
                self.gaps[at] = self.judge(done.result)
                if done.wall > self.limit:
                    what = f"{self.ladder[at]:g} took {done.wall:.3g} s, gap {self.gaps[at]:.1e}"
                    raise TimeoutError(f"over the time limit of {self.limit:g} s: {what}")
            except Exception as error:
                self.failure = error
                raise
        return self.gaps[at]

    def loosest(self, target):
        """The loosest setting whose gap is within the target: from `start` tighter until one is, or looser while they are.

        Raises
        ------
        ValueError
            Where none is; and as `gap` does.
        """
        at = self.start
        while self.gap(at) > target:
            if at + 1 == len(self.ladder):
                raise ValueError(f"does not reach the target: gap {min(self.gaps.values()):.1e} at best")
            at += 1
        while 0 < at <= self.start and self.gap(at - 1) <= target:
            at -= 1
        return self.ladder[at]
