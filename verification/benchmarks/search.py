"""Search for the loosest setting of a package that reaches a target gap: the setting most
favourable to the package.
"""

from functools import cached_property
from operator import attrgetter

from verification.benchmarks.harness import timed


class Search:
    """Settings from loose to tight; each is run at most once, for all targets together.

    solve : setting -> result
    judge : result -> gap
    ladder : the settings, or a function that returns them
    start : position in the ladder where the search starts
    limit : seconds that one run may take; a slower or failing setting ends all searches
    clock : function of a `Timed` that returns these seconds; default those of the wall
    """

    def __init__(self, solve, judge, ladder, start=0, limit=120.0, clock=attrgetter("wall")):
        self.solve = solve
        self.judge = judge
        self.settings = ladder
        self.start = start
        self.limit = limit
        self.clock = clock
        self.gaps = {}  # position -> gap
        self.failure = None

    @cached_property
    def ladder(self):
        """The settings; if `ladder` is a function, it is called at first use."""
        return tuple(self.settings() if callable(self.settings) else self.settings)

    def gap(self, at):
        """Return the gap at a position of the ladder.

        Raises
        ------
        Exception
            The exception of the package in this or an earlier run; TimeoutError if it was slower
            than the limit.
        """
        if self.failure is not None:
            raise self.failure
        if at not in self.gaps:
            try:
                done = timed(lambda: self.solve(self.ladder[at]))
                self.gaps[at] = self.judge(done.result)
                seconds = self.clock(done)
                if seconds > self.limit:
                    what = f"{self.ladder[at]:g} took {seconds:.3g} s, gap {self.gaps[at]:.1e}"
                    raise TimeoutError(f"over the time limit of {self.limit:g} s: {what}")
            except Exception as error:
                self.failure = error
                raise
        return self.gaps[at]

    def loosest(self, target):
        """Return the loosest setting whose gap is at most `target`: from `start` on, tighten until
        one is, or loosen while they are.

        Raises
        ------
        ValueError
            If no setting reaches the target. Also the exceptions of `gap`.
        """
        at = self.start
        while self.gap(at) > target:
            if at + 1 == len(self.ladder):
                raise ValueError(
                    f"does not reach the target: gap {min(self.gaps.values()):.1e} at best"
                )
            at += 1
        while 0 < at <= self.start and self.gap(at - 1) <= target:
            at -= 1
        return self.ladder[at]
