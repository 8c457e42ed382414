"""Recurrent layers: forward and backward passes."""
