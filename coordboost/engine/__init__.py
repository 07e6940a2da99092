"""The engine: views that hold the state of a model, one loop over them, and the path that it records."""
