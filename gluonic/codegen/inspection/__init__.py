"""Inspection of compiled graphs."""
