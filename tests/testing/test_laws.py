"""``check_piece``: all pieces of the package have the required properties, and a broken piece fails
each property in turn.
"""

import re
from operator import attrgetter

import numba
import pytest
import scipy.sparse
from broken_others import OTHERS, Listed, Sums
from broken_pieces import SABOTAGE, B, Choice, Good, Rule, Table, broken
from public import examples

import coordboost as cb
from coordboost.testing import KINDS, losses
from coordboost.testing.report import Report

#: The losses, rules and coefficient rules of the package, made with the examples that they declare.
PIECES = [
    maker(**arguments)
    for maker, arguments in examples(cb.losses.Loss, cb.rules.StepRule, cb.rules.SelectionRule)
]
#: Pieces that methods make: the momentum, families and coefficient rules of their examples.
MADE = {
    repr(piece): piece
    for maker in cb.methods.METHODS.values()
    for arguments in maker.EXAMPLES
    for piece in attrgetter("select", "step", "coefficients")(maker(**arguments))
    if repr(piece) not in map(repr, PIECES)
}


def test_pieces_are_found():
    assert {cb.losses.Huber, cb.rules.FixedStep, cb.rules.RandomSubset} < set(map(type, PIECES))
    assert len(MADE) > 8


STORED = {
    "dense": lambda: cb.Problem(B, B[:, 0]).dictionary,
    "sparse": lambda: cb.Problem(scipy.sparse.csc_array(B * (B > 0)), B[:, 0]).dictionary,
    "oracle": lambda: cb.learners.Oracle(Table()),
}


@pytest.mark.parametrize("piece", [*PIECES, *MADE.values()], ids=repr)
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
