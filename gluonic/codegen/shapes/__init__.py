"""Symbolic sizes, the shapes and dtypes of a whole graph, and abstract arrays."""
