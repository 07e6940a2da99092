"""Docstrings of estimators agree with the code, and paragraphs shared by several classes are equal
in all of them.
"""

import ast
import doctest
import inspect
import re

import pytest
from all_estimators import ESTIMATORS, X, by_folds, of_trees, quick, target
from reference_sets import needs_compiler
from sklearn.base import is_classifier

import coordboost as cb

every = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def of_classes(kind):
    return is_classifier(kind())


def of_langevin(kind):
    return "Langevin" in kind.__name__


def room(kind):
    return "trees" if of_trees(kind) else kind.__module__


def room_and_ls_boost(kind):
    return room(kind), "LSBoost" in kind.__name__


def room_and_losses(kind):
    return room(kind), of_classes(kind), kind.__name__.startswith(("Accelerated", "Langevin"))


def leaves_and_line_search(kind):
    return with_newton_leaves(kind), kind.__name__.startswith("Regularized")


def with_newton_leaves(kind):
    return "newton" in inspect.signature(kind).parameters


def classes_and_newton_leaves(kind):
    return of_classes(kind), with_newton_leaves(kind)


def room_and_langevin(kind):
    return room(kind), of_langevin(kind)


def room_and_classes(kind):
    return room(kind), of_classes(kind)


def family(kind):
    return kind.__name__.removesuffix("CV")


def with_a_joint_loss(kind):
    return "multinomial" in inspect.signature(kind).parameters


def classes_and_joint_losses(kind):
    return of_classes(kind), with_a_joint_loss(kind)


#: One text for each name, in all classes; or one for each kind of class, where the name means
#: several things.
TEXTS = {
    "alpha": family,
    "alphas": family,
    "alpha_": room,
    "n_steps_": room,
    "loss": room_and_losses,
    "rule": room,
    "path_": room_and_classes,
    "certificate_": room,
    "paths_": classes_and_joint_losses,
    "learning_rate": leaves_and_line_search,
    "min_gain": with_newton_leaves,
    "max_depth": classes_and_newton_leaves,
    "max_leaf_nodes": with_newton_leaves,
    "early_stopping": with_newton_leaves,
    "l2_regularization": with_newton_leaves,
    "n_iter_no_change": of_langevin,
    "places_": of_classes,
    "certificates_": of_classes,
    "eps": room_and_ls_boost,
    "gamma": room_and_langevin,
    "gamma_": room,
    "tol": of_trees,
    "n_jobs": of_trees,
    "random_state": of_trees,
    "subsample": room_and_langevin,
    "noise_variance": of_trees,
    "l1_ratio": by_folds,
    "adaptive": by_folds,
    "coef_": of_classes,
    "intercept_": of_classes,
    "run_": of_trees,
    "multinomial": of_trees,
    "class_weight": of_trees,
    "runs_": with_a_joint_loss,
    "train_score_": with_a_joint_loss,
    "validation_score_": with_a_joint_loss,
}


def section(kind, name):
    """The paragraphs of a section of a docstring, {name: (type, text)}."""
    rows = re.search(
        rf"\n{name}\n-+\n(.*?)(?=\n\n\w+\n--|\Z)", inspect.getdoc(kind), flags=re.DOTALL
    ).group(1)
    return {
        name: (what, " ".join(text.split()))
        for name, what, text in re.findall(r"^(\w+) : (.+)\n((?:    .+\n?)+)", rows, re.MULTILINE)
    }


@every
def test_parameters_are_those_of_the_constructor_with_its_defaults(kind):
    said = section(kind, "Parameters")
    known = inspect.signature(kind).parameters
    assert list(said) == list(known)
    for name, (what, _) in said.items():
        if known[name].default is None:
            assert what.endswith(("optional", "default None")), name
        else:
            assert ast.literal_eval(what.partition("default ")[2]) == known[name].default, name


@pytest.mark.parametrize("part", ["Parameters", "Attributes"])
def test_a_name_has_one_text(part):
    found = {}
    for kind in ESTIMATORS:
        for name, (what, text) in section(kind, part).items():
            one = re.sub(r", (default|optional).*", "", what), text
            meaning = name, TEXTS.get(name, lambda kind: None)(kind)
            assert found.setdefault(meaning, one) == one, (kind, name)
    counts = {name: sum(one == name for one, _ in found) for name, _ in found}
    assert all(
        (count > 1) == (name in TEXTS) or name == "l1_ratio" for name, count in counts.items()
    )


@every
@pytest.mark.filterwarnings("ignore")
def test_attributes_are_those_of_a_fit(kind):
    model = quick(kind, **{"noise_variance": 1.0} if kind is cb.LangevinGBMRegressor else {}).fit(
        X, target(kind)
    )
    there = {
        name
        for name in dir(model)
        if name.endswith("_") and name[0] != "_" and hasattr(model, name)
    }
    assert {*section(kind, "Attributes")} - {
        "feature_names_in_",
        "validation_score_",
        "evals_result_",
        "criterion_",
    } == there


@needs_compiler
@every
def test_examples_run(kind):
    text = inspect.getdoc(kind)
    assert "\n*Source*: " in text.partition("\nNotes\n")[2]
    test = doctest.DocTestParser().get_doctest(text, {}, kind.__name__, None, 0)
    outcome = doctest.DocTestRunner(verbose=False).run(test)
    assert outcome.attempted >= 5 and outcome.failed == 0
