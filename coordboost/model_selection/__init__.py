"""Folds, cross-validation and stability selection."""
