"""Small things that every room uses: checks of single values, kinds of pieces, Ctrl-C, roots of falling functions."""
