"""A notebook session: read a file, choose a model, predict new rows, make a report; and what the
notebook displays.
"""

import html

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from matplotlib.figure import Figure
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(3)
SIZE = RNG.integers(20, 200, 60)
TOWN = RNG.choice(["Köln", "Ulm", "Jena"], 60)
RENT = 8 * SIZE + np.where(TOWN == "Ulm", 90, 0) + RNG.integers(0, 20, 60)


def written(path, lines):
    path.write_bytes("\n".join(lines).encode("latin-1"))
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rows = [
        f"{size},5;{town if k else ''};{rent}"
        for k, (size, town, rent) in enumerate(zip(SIZE, TOWN, RENT, strict=True))
    ]
    return cb.read_table(
        written(tmp_path_factory.mktemp("rents") / "rents.csv", ["size;town;rent", *rows]),
        "rent",
        impute="median",
    )


def test_estimators_take_a_table_and_new_rows_from_files_and_frames(table, tmp_path):
    frame = table.frame()
    assert (
        list(frame.columns)
        == list(table.feature_names)
        == ["size", "town=Jena", "town=Köln", "town=Ulm"]
    )
    assert (frame.to_numpy() == table.X).all()
    model = cb.CertifiedLassoCV().fit(frame, table.y)
    assert model.feature_names_in_.tolist() == list(table.feature_names)
    new = written(tmp_path / "new.csv", ["town;id;size", "Ulm;7;80,5", "Jena;8;"])
    rows = table.frame(new)
    size = float(np.median(SIZE + 0.5))
    assert rows.to_numpy().tolist() == [[80.5, 0, 0, 1], [size, 1, 0, 0]]
    again = table.frame(pd.DataFrame({"town": ["Ulm", "Jena"], "size": [80.5, np.nan]}))
    assert again.equals(rows)
    run = cb.solve(table.problem(), cb.forward_stagewise(1.0), 50)
    np.testing.assert_allclose(
        run.predict(pd.read_csv(new, sep=";", decimal=",")),
        run.problem.constant + (rows - table.X.mean(axis=0)) @ run.coef,
    )
    assert model.predict(rows).shape == (2,)


def test_an_unknown_town_may_count_as_none_of_the_known_ones(table, tmp_path):
    """With the option named in the error message: for rows of a file, for a data frame, and for
    predictions of a run.
    """
    new = written(tmp_path / "new.csv", ["town;size", "Bonn;80,5", "Jena;70"])
    run = cb.solve(table.problem(), cb.forward_stagewise(1.0), 50)
    frame = pd.read_csv(new, sep=";", decimal=",")
    for use in (table.frame, run.predict):
        refused(
            lambda use=use: use(frame),
            "(unknown_as_none=True in table.frame(rows) or recipe.numbers(frame))",
        )
    rows = table.frame(frame, unknown_as_none=True)
    assert (
        rows.to_numpy().tolist()
        == table.frame(new, unknown_as_none=True).to_numpy().tolist()
        == [[80.5, 0, 0, 0], [70, 1, 0, 0]]
    )
    numbers = run.problem.recipe.numbers(frame, unknown_as_none=True)
    np.testing.assert_allclose(
        run.predict(numbers), run.problem.constant + (rows - table.X.mean(axis=0)) @ run.coef
    )


def test_wide_tables_stay_sparse_and_tables_without_names_have_no_new_rows(table, tmp_path):
    sparse = table._replace(X=scipy.sparse.csc_array(table.X)).frame()
    assert sparse.sparse.density < 1 and (sparse.to_numpy() == table.X).all()
    np.savez(tmp_path / "plain.npz", X=table.X, y=table.y)
    with pytest.raises(ValueError, match="no column names"):
        cb.read_table(tmp_path / "plain.npz").frame(table.frame())


def test_a_report_is_displayed_as_a_page(table, tmp_path):
    run = cb.solve(table.problem(), cb.forward_stagewise(1.0), 50)
    page = cb.html_report(run, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert repr(page) == f"<Page 'forward stagewise for rent', {len(page) / 1000:.0f} kB of HTML>"
    shown = page._repr_html_()
    assert html.unescape(shown.partition('srcdoc="')[2].removesuffix('"></iframe>')) == page
    assert shown.count('"') == 4


def test_cross_validation_displays_its_choices(table):
    model = cb.CertifiedLassoCV(n_alphas=20).fit(table.frame(), table.y)
    seen = model.cross_validation_
    assert repr(seen) == (
        f"<CrossValidation: 5 folds, 20 points; best {seen.best} (mean loss "
        f"{seen.mean[seen.best]:.6g}), one_se {seen.one_se} ({seen.mean[seen.one_se]:.6g})>"
    )
    legend = cb.plots.CrossValidationDisplay.from_estimator(
        model, ax=Figure().subplots()
    ).ax_.get_legend()
    # the legend hides the lines of the two choices, drawn at zorder 2
    assert legend.get_frame_on() and legend.get_zorder() > 2


@pytest.mark.parametrize(
    "use",
    [
        cb.Problem,
        cb.CertifiedLasso().fit,
        cb.RandomizedGBMRegressor().fit,
        lambda X, y: cb.data.bin_columns(X),
        cb.lasso_path,
    ],
)
def test_a_table_given_directly_is_refused_with_advice(use, table):
    refused(
        lambda: use(table, table.y),
        "pass table.frame() to an estimator, or use table.problem() as the Problem",
    )


def test_a_data_frame_may_have_columns_called_frame_and_problem():
    frame = pd.DataFrame({"frame": SIZE, "problem": SIZE % 7})
    assert (
        cb.CertifiedLasso().fit(frame, RENT).n_features_in_
        == cb.Problem(frame, RENT).n_learners
        == 2
    )
