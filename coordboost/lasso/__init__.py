"""The Lasso and the elastic net on a grid of penalties: working sets, with a certified gap at every penalty."""
