"""Passes that turn the traced graph into the one that is divided into steps."""
