"""Graphs as networks of networkx, and back."""
