"""Exact paths of the squared loss, from knot to knot.

The Lasso, least angle regression and FS_0.
"""
