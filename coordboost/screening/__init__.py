"""Screening: looking at all learners, and keeping the columns of a few."""
