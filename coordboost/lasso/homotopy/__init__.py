"""Exact paths of the squared loss, from knot to knot: the Lasso, least angle regression and
FS_0.
"""
