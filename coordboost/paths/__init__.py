"""Places on a path, losses on new rows along it, penalties in the units of other programs."""
