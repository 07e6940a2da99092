"""Pictures of paths and of bounds."""
