"""Places on a path, losses on other rows along it, penalties in the units of other programs."""
