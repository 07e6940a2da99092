"""The experiments of the papers, run again: a figure, a table of numbers and a verdict for each
claim.
"""
