"""Exact paths of the squared loss, from corner to corner: the Lasso, least angle regression and FS_0."""
