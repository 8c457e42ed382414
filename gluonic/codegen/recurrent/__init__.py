"""Recurrent layers, forwards and back."""
