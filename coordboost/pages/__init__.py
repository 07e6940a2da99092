"""One self-contained HTML page about a run: data, method, path, certificate, bounds, how to cite, how to reproduce; no network, no rows."""

from html import escape, unescape

from coordboost._checks import checked_run, file_name, shown
from coordboost.pages.heldout import heldout_part, heldout_words
from coordboost.pages.sections import (
    bounds_part,
    certificate_part,
    checks_of,
    cite_part,
    coefficients_part,
    data_part,
    method_part,
    reproduce_part,
    summary_part,
)  # fmt: skip
from coordboost.pages.style import SCRIPT, STYLE, chart
from coordboost.paths.refitted import with_intercept
from coordboost.paths.scoring import held_out
from coordboost.paths.validate import CrossValidation
from coordboost.storage.archive import write_text
from coordboost.storage.model import model_of


class Page(str):
    """The text of a page, which a notebook shows as the page that it is."""

    __slots__ = ()

    def __repr__(self):
        title = unescape(self.partition("<title>")[2].partition("</title>")[0])
        return f"<Page {title!r}, {len(self) / 1000:.0f} kB of HTML>"

    def _repr_html_(self):
        style = "width: 100%; height: 600px; border: 1px solid #d9dde5"
        return f'<iframe style="{style}" srcdoc="{escape(self)}"></iframe>'


def page(run, out=None, *, run_file="the.run", cross_validation=None):
    """One HTML page about a run, that can be passed on: what ``coordboost report`` writes.

    Parameters
    ----------
    run : Run
        Over the columns of a table.
    out : path, optional
        Where the page is written, in UTF-8; a file that is there is replaced.
    run_file : str, default "the.run"
        The name of the file of the run, ``run.save(run_file)``, for the commands on the page.
    cross_validation : CrossValidation, optional
        What chose the number of steps: ``cross_validation_`` of an estimator, or what ``cross_validate`` gives. The page then shows the
        error on rows held out. A run of ``coordboost cv`` has its own.

    Returns
    -------
    Page
        The text of the page, a ``str``; a notebook shows it as a page.

    Raises
    ------
    ValueError
        For anything but a run; for one over trees, stumps or a loss of one's own; for a `cross_validation` of other paths.

    Notes
    -----
    *Cost*: a replay of some 200 steps for the picture, and of all steps where theorems speak about the run.
    """
    checked_run(run)
    out = None if out is None else file_name("out", out)
    run_file, held = file_name("run_file", run_file), run.outcome.validation
    if cross_validation is not None:
        points = cross_validation.losses.shape[1] if isinstance(cross_validation, CrossValidation) else 0
        if points <= run.n_steps:
            raise ValueError(
                f"cross_validation must be the CrossValidation of paths with at least the {run.n_steps} steps of the run, got "
                f"{shown(cross_validation)}."
            )
        held = held_out(cross_validation, points - 1)
    text = Page(_page(run, run_file, held))
    if out is not None:
        write_text(out, text)
    return text


def _page(run, file, held):
    """The page as text; `held` is what rows held out say, or None."""
    model, models, checks = model_of(run), with_intercept(run), checks_of(run)
    target = "y" if model.recipe is None else " = ".join([model.recipe.target, *model.recipe.labels[1:]])
    title = f"{run.method.name.replace('_', ' ')} for {target}"
    parts = [
        ("Result", summary_part(models, model, target) + heldout_words(run, held)),
        *([] if held is None else [("Rows held out", heldout_part(run, held))]),
        ("Path", chart(models)),
        ("Coefficients", coefficients_part(model)),
        ("Data", data_part(run, model)),
        ("Method", method_part(run)),
        ("Certificate", certificate_part(models, file)),
        ("Bounds of the theorems", bounds_part(checks)),
        ("How to cite", cite_part(run)),
        ("How to reproduce", reproduce_part(run, model, file, checks)),
    ]
    body = "\n".join(f'<section><h2 id="s{i}">{head}</h2>\n{text}</section>' for i, (head, text) in enumerate(parts))
    links = " ".join(f'<a href="#s{i}">{head}</a>' for i, (head, _) in enumerate(parts))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><nav>{links}</nav></header>
<main>
{body}
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""
