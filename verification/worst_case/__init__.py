"""Exact worst cases of boosting by semidefinite programming: ``python -m
verification.worst_case``.
"""
