"""A graph as an interactive page: one HTML file, which needs no network."""
