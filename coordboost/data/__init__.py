"""Data: from X and y to finite numbers, unit columns and the way back."""
