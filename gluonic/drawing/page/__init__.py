"""A graph as a page to work in: one HTML file, which needs no network."""
