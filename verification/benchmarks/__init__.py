"""Benchmarks: programs that measure times and print tables."""
