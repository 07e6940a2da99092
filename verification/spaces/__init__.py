"""Spaces of small instances for the statements: drawn at random, made of floats or Fractions,
written down as text.
"""
