"""``check_piece``: all pieces of the package have the required properties, and a broken piece fails
each property in turn.
"""

import re
from operator import attrgetter

import numba
import numpy as np
import pytest
import scipy.sparse
from broken_others import OTHERS, Listed, Sums
from broken_pieces import SABOTAGE, B, Choice, Good, Rule, Table, broken
from public import PUBLIC

import coordboost as cb
from coordboost.testing import KINDS, losses
from coordboost.testing.report import Report

GIVEN = [
    *(
        cb.losses.Squared(),
        cb.losses.Huber(),
        cb.losses.Huber(0.5),
        cb.losses.Logistic(),
        cb.losses.Logistic(0.5),
        cb.losses.Exponential(),
        cb.losses.Poisson(),
        cb.losses.Gamma(),
        cb.losses.Tweedie(),
    ),
    *(
        cb.losses.Quantile(),
        cb.losses.Quantile(0.875),
        cb.rules.DampedLineSearch(0.5),
        cb.rules.BoundedStep(0.5),
    ),
    cb.rules.LeafSearch(0.5),
    *(
        cb.losses.SmoothZeroOne(),
        cb.losses.SmoothZeroOne(0.5),
        cb.losses.Welsch(),
        cb.rules.Weighted(1.0 + np.arange(12)),
        cb.rules.Softmax(5.0),
    ),
    *(cb.rules.JointSubset(2), cb.rules.RandomMask(0.5)),
    *(cb.rules.Langevin(0.1), cb.rules.Langevin(0.1, 0.01)),
    *(
        cb.rules.Greedy(),
        cb.rules.RandomSubset(1),
        cb.rules.RandomSubset(3),
        cb.rules.Groups(1),
        cb.rules.Groups(2),
        cb.rules.Cyclic(),
    ),
    *(cb.rgb(0.1).select, cb.rgb(0.1, n_candidates=None).select, cb.rgb(0.1).step),
    *(
        cb.rules.ShrunkenStep(),
        cb.rules.ShrunkenStep(0.1),
        cb.rules.LineSearch(),
        cb.rules.FixedStep(0.125),
        cb.rules.FixedStep(0.125, 2.0),
        cb.rules.StepSequence(np.ones(12)),
    ),
    *(
        cb.rules.PathStep(0.125, np.geomspace(1, 3, 12)),
        cb.rules.DiminishingStep(2.0),
        cb.rules.SegmentSearch(2.0),
        cb.rules.SoftThreshold(0.5),
    ),
    *(
        cb.rules.SoftThreshold(0.5, 0.25),
        cb.agbm(0.5, 0.2).step,
        cb.vagbm(0.5).step,
        cb.gbm(0.5).step,
    ),
    *(
        cb.rules.Method("x", cb.rules.Greedy(), cb.rules.FixedStep(0.1)).coefficients,
        cb.agbm(0.5, 0.2).coefficients,
        cb.vagbm(0.5).coefficients,
    ),
    cb.forward_stepwise().coefficients,
    *(
        cb.methods.frank_wolfe_away(2.0).step,
        cb.methods.frank_wolfe_pairwise(2.0).step,
        cb.methods.frank_wolfe_away(2.0).coefficients,
    ),
]


def test_all_pieces_of_the_package_are_tested():
    public = list(PUBLIC.values())
    kinds = cb.losses.Loss, cb.rules.StepRule, cb.rules.SelectionRule
    pieces = {
        one
        for one in public
        if isinstance(one, type) and issubclass(one, kinds) and issubclass(one, tuple)
    }
    assert (
        {cb.losses.Huber, cb.rules.FixedStep, cb.rules.RandomSubset}
        < pieces
        <= set(map(type, GIVEN))
    )


STORED = {
    "dense": lambda: cb.Problem(B, B[:, 0]).dictionary,
    "sparse": lambda: cb.Problem(scipy.sparse.csc_array(B * (B > 0)), B[:, 0]).dictionary,
    "oracle": lambda: cb.learners.Oracle(Table()),
}


@pytest.mark.parametrize("piece", GIVEN, ids=repr)
def test_pieces_of_the_package_obey(piece):
    report = cb.testing.check_piece(piece)
    assert report and not report.sentences and len(report.laws) > 4


@pytest.mark.parametrize("kind", STORED)
def test_dictionaries_of_the_package_obey(kind):
    assert cb.testing.check_piece(STORED[kind]())


BROKEN = {**SABOTAGE, **OTHERS}


def test_every_law_has_a_broken_piece():
    assert set(BROKEN) == {law for *_, laws in KINDS for law in laws}


@pytest.mark.parametrize("law", BROKEN, ids=lambda law: law.__name__)
def test_the_law_detects_its_broken_piece(law):
    """The property in question is the one that fails, with a sentence."""
    if law is losses.compiled_kernels_are_the_same and numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    name = law.__name__.replace("_", " ")
    piece = BROKEN[law]
    report = cb.testing.check_piece(piece, raises=False)
    said = {each.name: each.sentence for each in report.failed}
    assert name in said and len(said[name]) > 30 and not report


def test_by_default_one_error_lists_all_failures():
    report = cb.testing.check_piece(BROKEN[losses.residual_is_minus_the_derivative], raises=False)
    with pytest.raises(ValueError) as caught:
        cb.testing.check_piece(BROKEN[losses.residual_is_minus_the_derivative])
    assert len(report.failed) > 1 and "fails" in str(caught.value)
    assert all(
        each.name in str(caught.value) and each.sentence in str(caught.value)
        for each in report.failed
    )


@pytest.mark.parametrize(
    "piece",
    [Good(), Table(), Rule(), Choice(), Sums(), Listed(B)],
)
def test_what_is_not_broken_obeys(piece):
    assert cb.testing.check_piece(piece)


def test_a_report_reads_well():
    report = cb.testing.check_piece(broken(Good, sigma=0.5), raises=False)
    assert isinstance(report, Report) and not report
    assert "failed  sigma is a smoothness constant: at y = " in str(
        report
    ) and "  holds   value is convex" in str(report)
    assert "1 fail" in repr(report)
    assert "skipped mu is a constant" in str(cb.testing.check_piece(cb.losses.Huber()))


@pytest.mark.parametrize(
    "bad", [None, 3, cb.losses.Huber, "loss", object()], ids=lambda bad: type(bad).__name__
)
def test_what_is_no_piece_is_refused(bad):
    with pytest.raises(
        ValueError,
        match=r"whose class inherits from one of coordboost\.losses\.Loss, "
        r"coordboost\.learners\.Le",
    ) as error:
        cb.testing.check_piece(bad)
    names = re.findall(r"coordboost[.\w]+", str(error.value).partition(", or an oracle")[0])
    assert [attrgetter(name.partition(".")[2])(cb) for name in names] == [
        base for base, *_ in KINDS
    ]


def test_a_loss_for_targets_of_its_own():
    class Shares(cb.losses.Squared):
        def labels(self, y):
            if not ((y > 10) & (y < 20)).all():
                raise ValueError("shares lie between 10 and 20.")
            return y

    with pytest.raises(ValueError, match="pass targets that the loss takes as y="):
        cb.testing.check_piece(Shares())
    assert cb.testing.check_piece(Shares(), y=[11.0, 15.0, 19.5])
