"""Pieces: the rules that methods are combinations of. Losses, selection rules, step rules; none knows another."""
