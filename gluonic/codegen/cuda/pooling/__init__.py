"""Pooling on GPUs."""
