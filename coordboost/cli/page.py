"""``coordboost report``: a page about a run that can be passed on."""

import os
from pathlib import Path

import click


@click.command()
@click.argument("run")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="The page.  [default: beside the run, .html]"
)
def report(run, out):
    """Write one HTML page about a saved run.

    Data, method, path, coefficients, certificate, the theorems that apply, how to cite and how to reproduce. The page needs no network
    and holds no row of the data; words of text columns are on it.
    """
    from coordboost.pages import page
    from coordboost.run import load

    out = Path(run).with_suffix(".html") if out is None else out
    text = page(load(run), out, run_file=os.path.basename(run))
    click.echo(f"Written: {out} ({len(text.encode()) / 1000:.0f} kB)")
