"""Kernels with a thread for each element, or for each piece of work, whose bodies are written over values."""
