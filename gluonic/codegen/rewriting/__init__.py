"""Passes from the graph that was traced to the one that is divided into steps."""
