"""Kernels for GPUs alone among those with a thread for each piece of work, and their steps."""
