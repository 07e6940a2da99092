"""``check_piece``: the package's own pieces obey the laws, and for every law there is a broken piece that it catches."""

import numba
import numpy as np
import pytest
import scipy.sparse
from broken_others import OTHERS, Sums
from broken_pieces import SABOTAGE, B, Choice, Good, Rule, Table, broken

import coordboost as cb
from coordboost.testing import KINDS, losses
from coordboost.testing.problems import Listed
from coordboost.testing.report import Report

GIVEN = [
    *(cb.Squared(), cb.Huber(), cb.Huber(0.5), cb.Logistic(), cb.Logistic(0.5), cb.Exponential(), cb.Poisson()),
    *(cb.Quantile(), cb.Quantile(0.875), cb.DampedSearch(0.5)),
    *(cb.SmoothZeroOne(), cb.SmoothZeroOne(0.5), cb.Welsch(), cb.Weighted(1.0 + np.arange(12)), cb.Softmax(5.0)),
    *(cb.Together(2), cb.Mask(0.5)),
    *(cb.Langevin(0.1), cb.Langevin(0.1, 0.01)),
    *(cb.Full(), cb.Subset(1), cb.Subset(3), cb.Groups(1), cb.Groups(2), cb.Cyclic()),
    *(cb.rgb(0.1).select, cb.rgb(0.1, n_candidates=None).select, cb.rgb(0.1).step),
    *(
        cb.Proportional(),
        cb.Proportional(0.1),
        cb.LineSearch(),
        cb.Sign(0.125),
        cb.Sign(0.125, 2.0),
        cb.SignSequence(np.ones(12)),
    ),
    *(cb.PathSign(0.125, np.geomspace(1, 3, 12)), cb.OpenLoop(2.0), cb.BallSearch(2.0), cb.SoftThreshold(0.5)),
    *(cb.SoftThreshold(0.5, 0.25), cb.agbm(0.5, 0.2).step, cb.vagbm(0.5).step, cb.gbm(0.5).step),
    *(cb.Method("x", cb.Full(), cb.Sign(0.1)).coefficients, cb.agbm(0.5, 0.2).coefficients, cb.vagbm(0.5).coefficients),
    cb.forward_stepwise().coefficients,
    *(cb.frank_wolfe_away(2.0).step, cb.frank_wolfe_pairwise(2.0).step, cb.frank_wolfe_away(2.0).coefficients),
]


def test_all_pieces_of_the_house_are_given():
    public = [getattr(cb, name) for name in cb.__all__]
    kinds = cb.Loss, cb.StepRule, cb.SelectionRule
    pieces = {one for one in public if isinstance(one, type) and issubclass(one, kinds) and issubclass(one, tuple)}
    assert {cb.Huber, cb.Sign, cb.Subset} < pieces <= set(map(type, GIVEN))


STORED = {
    "dense": lambda: cb.Problem(B, B[:, 0]).dictionary,
    "sparse": lambda: cb.Problem(scipy.sparse.csc_array(B * (B > 0)), B[:, 0]).dictionary,
    "oracle": lambda: cb.Oracle(Table()),
}


@pytest.mark.parametrize("piece", GIVEN, ids=repr)
def test_pieces_of_the_house_obey(piece):
    report = cb.check_piece(piece)
    assert report and not report.sentences and len(report.laws) > 4


@pytest.mark.parametrize("kind", STORED)
def test_dictionaries_of_the_house_obey(kind):
    assert cb.check_piece(STORED[kind]())


BROKEN = {**SABOTAGE, **OTHERS}


def test_every_law_has_a_sabotage():
    assert set(BROKEN) == {law for *_, laws in KINDS for law in laws}


@pytest.mark.parametrize("law", BROKEN, ids=lambda law: law.__name__)
def test_the_law_catches_it(law):
    """The law that is meant says so, in a sentence."""
    if law is losses.compiled_kernels_are_the_same and numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    name, piece = law.__name__.replace("_", " "), BROKEN[law]
    report = cb.check_piece(piece, raises=False)
    said = {each.name: each.sentence for each in report.failed}
    assert name in said and len(said[name]) > 30 and not report


def test_by_default_all_that_fails_is_raised_at_once():
    report = cb.check_piece(BROKEN[losses.residual_is_minus_the_derivative], raises=False)
    with pytest.raises(ValueError) as caught:
        cb.check_piece(BROKEN[losses.residual_is_minus_the_derivative])
    assert len(report.failed) > 1 and "fails" in str(caught.value)
    assert all(each.name in str(caught.value) and each.sentence in str(caught.value) for each in report.failed)


@pytest.mark.parametrize(
    "piece",
    [Good(), Table(), Rule(), Choice(), Sums(), Listed(B)],
)
def test_what_is_not_broken_obeys(piece):
    assert cb.check_piece(piece)


def test_a_report_reads_well():
    report = cb.check_piece(broken(Good, sigma=0.5), raises=False)
    assert isinstance(report, Report) and not report
    assert "failed  sigma is a smoothness constant: at y = " in str(report) and "  holds   value is convex" in str(report)
    assert "1 fail" in repr(report)
    assert "skipped mu is a constant" in str(cb.check_piece(cb.Huber()))


@pytest.mark.parametrize("bad", [None, 3, cb.Huber, "loss", object()], ids=lambda bad: type(bad).__name__)
def test_what_is_no_piece_is_refused(bad):
    with pytest.raises(ValueError, match=r"check_piece takes an object whose class inherits from one of coordboost\.Loss, "):
        cb.check_piece(bad)


def test_a_loss_for_targets_of_its_own():
    class Shares(cb.Squared):
        def labels(self, y):
            if not ((y > 10) & (y < 20)).all():
                raise ValueError("shares lie between 10 and 20.")
            return y

    with pytest.raises(ValueError, match="pass targets that the loss takes as y="):
        cb.check_piece(Shares())
    assert cb.check_piece(Shares(), y=[11.0, 15.0, 19.5])
