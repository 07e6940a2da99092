from . import plots as plots
from .pages import html_report as html_report
