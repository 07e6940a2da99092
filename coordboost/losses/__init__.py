"""Losses: value, residual, curvature, and what each declares of itself."""
